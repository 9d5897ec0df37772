import type { Law, Subject } from './law.ts';
import { coins, refusalOf, spelled } from './law.ts';

/**
 * Truncations and bit flips are tried at every byte up to this one, and at every 97th byte after it: reports may be
 * long.
 */
const THOROUGH = 512;

function encoded({ protocol, parameters, trial }: Subject): { bytes: Uint8Array; report: unknown } {
  const report = protocol.player.randomize(parameters, trial.data[0], coins('wire'));
  return { report, bytes: protocol.report.encode(parameters, report) };
}

/** What is wrong with the way bytes are refused: nothing if decode throws a ReportError. */
function* notRefused({ protocol, parameters }: Subject, what: string, bytes: unknown): Iterable<string> {
  const error = refusalOf(() => protocol.report.decode(parameters, bytes as Uint8Array));
  if (error === undefined) yield `${what}: accepted`;
  else if (error.name !== 'ReportError') yield `${what}: ${error.name} (${error.message})`;
}

const places = (length: number): number[] =>
  Array.from({ length }, (_, i) => i).filter((i) => i < THOROUGH || i % 97 === 0 || i === length - 1);

const sameBytes = (left: Uint8Array, right: Uint8Array): boolean =>
  left.length === right.length && left.every((byte, i) => byte === right[i]);

/** The laws of every wire format. */
export const wireLaws: readonly Law[] = [
  {
    sentence: 'decode(encode(report)) is the report, bit for bit, and encodes to the same bytes',
    *broken(subject) {
      const { protocol, parameters, trial } = subject;
      const random = coins('identity');
      for (const [i, datum] of trial.data.entries()) {
        const report = protocol.player.randomize(parameters, datum, random);
        const before = spelled(report);
        const bytes = protocol.report.encode(parameters, report);
        const back = protocol.report.decode(parameters, bytes);
        if (spelled(report) !== before) yield `encode changed report ${i}`;
        if (spelled(back) !== before) yield `report ${i} came back changed`;
        if (!sameBytes(protocol.report.encode(parameters, back), bytes)) yield `report ${i} has two encodings`;
      }
    },
  },
  {
    sentence: 'a report that was decoded has nothing in common with the bytes it came from',
    *broken(subject) {
      const { bytes, report } = encoded(subject);
      const back = subject.protocol.report.decode(subject.parameters, bytes);
      bytes.fill(255);
      if (spelled(back) !== spelled(report)) yield 'it changed with them';
    },
  },
  {
    sentence: 'the bytes may be part of a larger buffer',
    *broken(subject) {
      const { bytes, report } = encoded(subject);
      for (const offset of [0, 1, 3, 8]) {
        const buffer = new Uint8Array(bytes.length + 16).fill(170);
        buffer.set(bytes, offset);
        const back = subject.protocol.report.decode(subject.parameters, buffer.subarray(offset, offset + bytes.length));
        if (spelled(back) !== spelled(report)) yield `at offset ${offset} it is another report`;
      }
    },
  },
  {
    sentence: 'a truncated report is refused, wherever it ends',
    *broken(subject) {
      const { bytes } = encoded(subject);
      for (const length of places(bytes.length)) {
        yield* notRefused(subject, `${length} bytes of ${bytes.length}`, bytes.slice(0, length));
      }
    },
  },
  {
    sentence: 'a report with more bytes behind it is refused',
    *broken(subject) {
      const { bytes } = encoded(subject);
      for (const more of [1, 4, 8, bytes.length]) {
        const longer = new Uint8Array(bytes.length + more);
        longer.set(bytes);
        yield* notRefused(subject, `${more} bytes more`, longer);
      }
    },
  },
  {
    sentence: 'every flipped bit is refused, or gives another report whose bytes are the flipped ones',
    *broken(subject) {
      const { protocol, parameters, trial } = subject;
      const { bytes } = encoded(subject);
      const header = trial.floats?.offset ?? 0;
      for (const at of places(bytes.length)) {
        for (let bit = 0; bit < 8; bit++) {
          const damaged = bytes.slice();
          damaged[at] ^= 1 << bit;
          const what = `bit ${bit} of byte ${at}`;
          // The parameters fix everything before the values: no bit of it is free.
          if (at < header || refusalOf(() => protocol.report.decode(parameters, damaged)) !== undefined) {
            yield* notRefused(subject, what, damaged);
          } else if (
            !sameBytes(protocol.report.encode(parameters, protocol.report.decode(parameters, damaged)), damaged)
          )
            yield `${what}: accepted, but not what was sent`;
        }
      }
    },
  },
  {
    sentence: 'a value that is not a finite number is refused, wherever it stands',
    *broken(subject) {
      const { floats } = subject.trial;
      if (floats === undefined) return;
      const { bytes } = encoded(subject);
      const { offset, size } = floats;
      const count = (bytes.length - offset) / size;
      for (const value of [NaN, Infinity, -Infinity]) {
        for (const i of [0, Math.floor(count / 2), count - 1]) {
          const poisoned = bytes.slice();
          const view = new DataView(poisoned.buffer);
          if (size === 4) view.setFloat32(offset + 4 * i, value, true);
          else view.setFloat64(offset + 8 * i, value, true);
          yield* notRefused(subject, `${value} as value ${i}`, poisoned);
        }
      }
    },
  },
  {
    sentence: 'a report under other parameters is refused',
    *broken(subject) {
      const { protocol, trial } = subject;
      for (const [i, other] of trial.others.entries()) {
        const theirs = { ...subject, parameters: other };
        let bytes: Uint8Array;
        try {
          bytes = encoded(theirs).bytes;
        } catch {
          // Their data have another shape, so the report of our parameters is used, sealed with their digest.
          const { report } = encoded(subject);
          bytes = protocol.report.encode({ ...subject.parameters, digest: other.digest }, report);
        }
        yield* notRefused(subject, `other parameters ${i}`, bytes);
      }
    },
  },
  {
    sentence: 'a report of another protocol, or of another version of this one, is refused',
    *broken(subject) {
      const { protocol, parameters } = subject;
      const { report } = encoded(subject);
      const changes = {
        protocol: [`${parameters.protocol}s`, parameters.protocol.slice(1), 'a'.repeat(parameters.protocol.length)],
        version: [parameters.version + 1],
      };
      for (const [field, values] of Object.entries(changes)) {
        for (const value of values) {
          const bytes = protocol.report.encode({ ...parameters, [field]: value }, report);
          yield* notRefused(subject, `${field} ${value}`, bytes);
        }
      }
    },
  },
  {
    sentence: 'what is not a Uint8Array is refused',
    *broken(subject) {
      const { bytes } = encoded(subject);
      const strange = {
        null: null,
        undefined,
        'a number': 7,
        'a text': 'LDPK',
        'an array': Array.from(bytes),
        'an ArrayBuffer': bytes.buffer,
        'a DataView': new DataView(bytes.buffer),
        'a Uint8ClampedArray': new Uint8ClampedArray(bytes),
        'an object with a length': { ...bytes, length: bytes.length },
      };
      for (const [what, value] of Object.entries(strange)) yield* notRefused(subject, what, value);
    },
  },
];

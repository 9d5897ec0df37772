import { hinge } from '../../protocols/hinge/index.ts';
import { ReportError } from '../../src/check/report-error.ts';
import { createValues, type Values } from '../../src/core/frame.ts';
import type { Broken } from './broken.ts';

const { encode, decode } = hinge.report;

/** Where the values of a hinge report begin. */
const HEADER = 33;

/** The values in bytes whose header nobody looks at. */
function trusting(length: number, bytes: Uint8Array): { values: Values } {
  const values = createValues('float32', length);
  const view = new DataView(bytes.buffer, bytes.byteOffset + HEADER);
  for (let i = 0; i < length; i++) values[i] = view.getFloat32(4 * i, true);
  return { values };
}

/** The bytes with this part replaced by what the parameters prescribe. */
function mended(prescribed: Uint8Array, bytes: Uint8Array, from: number, to: number): Uint8Array {
  const copy = bytes.slice();
  copy.set(prescribed.slice(from, to), from);
  return copy;
}

/** Wires that accept what they must refuse, or change what they carry. All are for reports in single precision. */
export const brokenWires: readonly Broken[] = [
  {
    what: 'a decoder that accepts a damaged header',
    law: 'every flipped bit is refused, or gives another report whose bytes are the flipped ones',
    report: {
      decode(parameters, bytes) {
        if (bytes instanceof Uint8Array && bytes.length === HEADER + 4 * parameters.length) {
          return trusting(parameters.length, bytes);
        }
        return decode(parameters, bytes);
      },
    },
  },
  {
    what: 'a decoder that repairs what is not a number',
    law: 'a value that is not a finite number is refused, wherever it stands',
    report: {
      decode(parameters, bytes) {
        const length = bytes instanceof Uint8Array ? bytes.length : 0;
        if (length !== HEADER + 4 * parameters.length) return decode(parameters, bytes);
        const { values } = trusting(parameters.length, bytes);
        const whole = encode(parameters, { values: values.map((value) => (Number.isFinite(value) ? value : 0)) });
        return decode(parameters, mended(whole, bytes, HEADER, length));
      },
    },
  },
  {
    what: 'a decoder that fills up what is missing',
    law: 'a truncated report is refused, wherever it ends',
    report: {
      decode(parameters, bytes) {
        const length = HEADER + 4 * parameters.length;
        if (!(bytes instanceof Uint8Array) || bytes.length < HEADER || bytes.length > length) {
          return decode(parameters, bytes);
        }
        const whole = new Uint8Array(length);
        whole.set(bytes);
        return decode(parameters, whole);
      },
    },
  },
  {
    what: 'a decoder that reads on only as far as it needs',
    law: 'a report with more bytes behind it is refused',
    report: {
      decode: (parameters, bytes) =>
        decode(parameters, bytes instanceof Uint8Array ? bytes.subarray(0, HEADER + 4 * parameters.length) : bytes),
    },
  },
  {
    what: 'a decoder that does not compare the digest',
    law: 'a report under other parameters is refused',
    report: {
      decode(parameters, bytes) {
        if (!(bytes instanceof Uint8Array) || bytes.length < HEADER) return decode(parameters, bytes);
        const prescribed = encode(parameters, { values: createValues('float32', parameters.length) });
        return decode(parameters, mended(prescribed, bytes, 13, 29));
      },
    },
  },
  {
    what: 'a decoder that does not compare the name of the protocol',
    law: 'a report of another protocol, or of another version of this one, is refused',
    report: {
      decode(parameters, bytes) {
        if (!(bytes instanceof Uint8Array) || bytes.length < HEADER) return decode(parameters, bytes);
        const prescribed = encode(parameters, { values: createValues('float32', parameters.length) });
        return decode(parameters, mended(prescribed, bytes, 8, 13));
      },
    },
  },
  {
    what: 'a decoder that reads any list of bytes',
    law: 'what is not a Uint8Array is refused',
    report: {
      decode: (parameters, bytes) => decode(parameters, Array.isArray(bytes) ? Uint8Array.from(bytes) : bytes),
    },
  },
  {
    what: 'a decoder whose refusals are not ReportErrors',
    law: 'a truncated report is refused, wherever it ends',
    report: {
      decode(parameters, bytes) {
        try {
          return decode(parameters, bytes);
        } catch (error) {
          throw error instanceof ReportError ? new RangeError(error.message) : error;
        }
      },
    },
  },
  {
    what: 'a decoder that forgets where in its buffer the bytes begin',
    law: 'the bytes may be part of a larger buffer',
    report: {
      decode(parameters, bytes) {
        const { values } = decode(parameters, bytes);
        return bytes.byteOffset === 0 ? { values } : trusting(values.length, new Uint8Array(bytes.buffer));
      },
    },
  },
  {
    what: 'a decoder that keeps a view of the bytes',
    law: 'a report that was decoded has nothing in common with the bytes it came from',
    report: {
      decode(parameters, bytes) {
        const { values } = decode(parameters, bytes);
        const view = new DataView(bytes.buffer, bytes.byteOffset + HEADER);
        const target = new Proxy(values, {
          get: (_, key) =>
            /^\d+$/.test(String(key)) ? view.getFloat32(4 * Number(key), true) : Reflect.get(values, key),
        });
        return { values: target };
      },
    },
  },
  {
    what: 'a wire that rounds',
    law: 'decode(encode(report)) is the report, bit for bit, and encodes to the same bytes',
    report: {
      encode: (parameters, { values }) =>
        encode(parameters, { values: values.map((value) => Math.round(value * 1024) / 1024) }),
    },
  },
];

import { coins, difference, type Law, refusalOf, reportsOf, type Subject, spelled } from './law.ts';

/** Two sums of the same numbers in different orders differ by at most this, relative to the largest. */
const ROUNDING = 1e-12;

function tallyOf({ protocol, parameters }: Subject, reports: readonly unknown[]): unknown {
  const tally = protocol.server.empty(parameters);
  for (const report of reports) protocol.server.add(parameters, tally, report);
  return tally;
}

function merged(subject: Subject, ...tallies: readonly unknown[]): unknown {
  const { protocol, parameters } = subject;
  const total = protocol.server.empty(parameters);
  for (const tally of tallies) protocol.server.merge(parameters, total, tally);
  return total;
}

/**
 * Findings when tallies differ from one, in content or in their estimates. Tallies that are spelled alike have one
 * estimate: that is a law of its own, and so is that a copy has the estimate of the original.
 */
function* differ(
  subject: Subject,
  others: readonly unknown[],
  one: unknown,
  queries: readonly unknown[] = subject.trial.queries.slice(0, 1),
): Iterable<string> {
  const { parameters, trial } = subject;
  const unlike: unknown[] = [];
  for (const other of others) {
    const gap = difference(trial.content(parameters, other), trial.content(parameters, one));
    if (gap > (trial.exact ? 0 : ROUNDING)) yield `the tallies differ by ${gap}`;
    if (gap > 0 || spelled(other) !== spelled(one)) unlike.push(other);
  }
  if (unlike.length > 0) yield* estimatesDiffer(subject, unlike, one, queries);
}

function* estimatesDiffer(
  { protocol, parameters, trial }: Subject,
  others: readonly unknown[],
  one: unknown,
  queries: readonly unknown[],
): Iterable<string> {
  for (const query of queries) {
    const asked = query === undefined ? '' : ` for ${JSON.stringify(query)}`;
    const [expected, ...found] = [one, ...others].map((tally) =>
      trial.numbers(protocol.server.estimate(parameters, tally, query)),
    );
    for (const numbers of found) {
      const apart = difference(numbers, expected);
      if (apart > trial.tolerance) yield `the estimates${asked} differ by ${apart}`;
    }
  }
}

export const serverLaws: readonly Law[] = [
  {
    sentence: 'the empty tally is neutral, on both sides',
    *broken(subject) {
      const { protocol, parameters } = subject;
      const reports = reportsOf(subject);
      const left = merged(subject, protocol.server.empty(parameters), tallyOf(subject, reports));
      const right = tallyOf(subject, reports);
      protocol.server.merge(parameters, right, protocol.server.empty(parameters));
      yield* differ(subject, [left, right], tallyOf(subject, reports));
    },
  },
  {
    sentence: 'merging is commutative',
    *broken(subject) {
      const reports = reportsOf(subject);
      const [a, b] = [reports.slice(0, 2), reports.slice(2)].map((part) => tallyOf(subject, part));
      yield* differ(subject, [merged(subject, a, b)], merged(subject, b, a));
    },
  },
  {
    sentence: 'merging is associative, and equal to adding one by one',
    *broken(subject) {
      const reports = reportsOf(subject);
      const [a, b, c] = [reports.slice(0, 1), reports.slice(1, 3), reports.slice(3)].map((part) =>
        tallyOf(subject, part),
      );
      const grouped = [merged(subject, merged(subject, a, b), c), merged(subject, a, merged(subject, b, c))];
      yield* differ(subject, [...grouped, merged(subject, a, b, c)], tallyOf(subject, reports));
    },
  },
  {
    sentence: 'the order in which reports are added does not matter',
    *broken(subject) {
      const reports = reportsOf(subject);
      const shuffled = reports.map((_, i) => reports[(i * 7 + 3) % reports.length]);
      const orders = [reports.toReversed(), ...(reports.length % 7 === 0 ? [] : [shuffled])];
      const tallies = orders.map((order) => tallyOf(subject, order));
      yield* differ(subject, tallies, tallyOf(subject, reports), [undefined, ...subject.trial.queries]);
    },
  },
  {
    sentence: 'a report counts: one more or one fewer is another tally',
    *broken(subject) {
      const { parameters, trial } = subject;
      const reports = reportsOf(subject);
      const content = (some: readonly unknown[]) => trial.content(parameters, tallyOf(subject, some));
      const all = content(reports);
      if (difference(all, content(reports.slice(1))) === 0) yield 'without the first';
      if (difference(all, content([...reports, reports[0]])) === 0) yield 'with the first one twice';
    },
  },
  {
    sentence: 'add keeps nothing of the report but its numbers, and leaves it as it is',
    *broken(subject) {
      const { protocol, parameters, trial } = subject;
      const reports = reportsOf(subject);
      const before = spelled(reports);
      const tally = tallyOf(subject, reports);
      if (spelled(reports) !== before) yield 'a report was changed';
      const content = trial.content(parameters, tally);
      for (const report of reports) protocol.player.randomizeInto(parameters, trial.data[0], coins('other'), report);
      if (difference(trial.content(parameters, tally), content) !== 0) yield 'the tally changed with the report';
    },
  },
  {
    sentence: 'merge leaves the other tally as it is, and shares nothing with it',
    *broken(subject) {
      const { protocol, parameters, trial } = subject;
      const reports = reportsOf(subject);
      const other = tallyOf(subject, reports.slice(2));
      const before = spelled(other);
      const total = merged(subject, other, tallyOf(subject, reports.slice(0, 2)));
      if (spelled(other) !== before) yield 'it was changed by merge';
      const content = trial.content(parameters, total);
      protocol.server.add(parameters, other, reports[0]);
      if (difference(trial.content(parameters, total), content) !== 0) yield 'the total changed with it';
      protocol.server.add(parameters, total, reports[0]);
      if (difference(trial.content(parameters, other), trial.content(parameters, merged(subject, other))) !== 0) {
        yield 'it changed with the total';
      }
    },
  },
  {
    sentence: 'estimate is a function of the tally: it changes nothing, and asked twice it answers the same',
    *broken(subject) {
      const { protocol, parameters, trial } = subject;
      const tally = tallyOf(subject, reportsOf(subject));
      const before = spelled(tally);
      const answers = [1, 2].map(() => trial.numbers(protocol.server.estimate(parameters, tally)));
      if (spelled(tally) !== before) yield 'the tally was changed';
      if (difference(answers[0], answers[1]) !== 0) yield 'two answers';
      const queries = spelled(trial.queries);
      for (const query of trial.queries) protocol.server.estimate(parameters, tally, query);
      if (spelled(trial.queries) !== queries) yield 'a query was changed';
    },
  },
  {
    sentence: 'an estimate has nothing in common with the tally: what is added later does not change it',
    *broken(subject) {
      const { protocol, parameters, trial } = subject;
      const reports = reportsOf(subject);
      const tally = tallyOf(subject, reports);
      const estimate = protocol.server.estimate(parameters, tally, trial.queries[0]);
      const before = spelled(estimate);
      for (const report of reports) protocol.server.add(parameters, tally, report);
      if (spelled(estimate) !== before) yield 'it was changed by reports';
    },
  },
  {
    sentence: 'wire and server leave the parameters as they are',
    *broken(subject) {
      const { protocol, parameters, trial } = subject;
      const before = spelled(parameters);
      const reports = reportsOf(subject).map((report) => protocol.report.encode(parameters, report));
      const tally = tallyOf(
        subject,
        reports.map((bytes) => protocol.report.decode(parameters, bytes)),
      );
      protocol.server.estimate(parameters, merged(subject, tally), trial.queries[0]);
      if (spelled(parameters) !== before) yield 'something was changed';
    },
  },
  {
    sentence: 'one player is enough for an estimate, and none is refused with a RangeError',
    *broken(subject) {
      const { protocol, parameters, trial } = subject;
      const one = tallyOf(subject, reportsOf(subject).slice(0, 1));
      for (const query of [undefined, ...trial.queries]) {
        const numbers = trial.numbers(protocol.server.estimate(parameters, one, query));
        if (numbers.length === 0 || numbers.some((number) => Number.isNaN(number))) yield 'one player: no number';
        const error = refusalOf(() => protocol.server.estimate(parameters, protocol.server.empty(parameters), query));
        if (!(error instanceof RangeError)) yield `no player: ${error?.name ?? 'an estimate'}`;
      }
    },
  },
  {
    sentence: 'a tally that was sent to another machine and back is the same tally',
    *broken(subject) {
      const tally = tallyOf(subject, reportsOf(subject));
      const copy = structuredClone(tally);
      yield* differ(subject, [copy, merged(subject, copy)], tally);
      yield* estimatesDiffer(subject, [copy], tally, subject.trial.queries.slice(0, 1));
    },
  },
  {
    sentence: 'a tally of reports under other parameters is neither added to, merged nor estimated',
    *broken(subject) {
      const { protocol, parameters, trial } = subject;
      const reports = reportsOf(subject);
      const total = tallyOf(subject, reports);
      const before = spelled(total);
      for (const [i, other] of trial.others.entries()) {
        const theirs = protocol.server.empty(other);
        for (const part of [theirs, structuredClone(theirs)]) {
          if (refusalOf(() => protocol.server.merge(parameters, total, part)) === undefined) yield `merged: ${i}`;
        }
        if (refusalOf(() => protocol.server.add(parameters, theirs, reports[0])) === undefined) yield `added to: ${i}`;
        if (refusalOf(() => protocol.server.estimate(other, total)) === undefined) yield `estimated: ${i}`;
      }
      if (spelled(total) !== before) yield 'the tally was changed by what was refused';
    },
  },
];

/** Truncations and bit flips are tried at every byte up to this one, then at every 97th: reports may be long. */
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
    sentence: 'a report with more bytes before or behind it is refused',
    *broken(subject) {
      const { bytes } = encoded(subject);
      for (const more of [1, 2, 3, 4, 8, 16, bytes.length]) {
        // Zeros, ends of lines, and the report once more.
        for (const behind of [new Uint8Array(more), new Uint8Array(more).fill(10), bytes.slice(0, more)]) {
          yield* notRefused(subject, `${more} bytes more`, Uint8Array.of(...bytes, ...behind));
          yield* notRefused(subject, `${more} bytes before`, Uint8Array.of(...behind, ...bytes));
        }
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
        'its digits': Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(''),
        'its letters': String.fromCharCode(...bytes),
        'its Base64': btoa(String.fromCharCode(...bytes)),
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

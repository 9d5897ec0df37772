import { type AnyProtocol, type Control, changing, numbersIn, replaceNumbers } from './law.ts';

type AnyWire = AnyProtocol['report'];

const scale = (value: unknown, factor: number): void => replaceNumbers(value, (number) => factor * number);

/** An estimate after which the numbers of its tally, or of its query, are half of what they were. */
const halvingAfterwards = (which: (tally: unknown, query: unknown) => unknown): Control['breaks'] =>
  changing('server', 'estimate', (estimate, parameters, tally, query) => {
    const result = estimate(parameters, tally, query);
    scale(which(tally, query), 0.5);
    return result;
  });

/** Tallies that are no commutative monoid, and estimates that are no function of the tally. */
export const brokenServers: readonly Control[] = [
  {
    what: 'a merge that takes half of what is there',
    law: 'merging is commutative',
    breaks: changing('server', 'merge', (merge, parameters, tally, other) => {
      scale(tally, 0.5);
      merge(parameters, tally, other);
    }),
  },
  {
    what: 'a merge that counts the other tally twice',
    law: 'merging is associative, and equal to adding one by one',
    breaks: changing('server', 'merge', (merge, parameters, tally, other) => {
      merge(parameters, tally, other);
      merge(parameters, tally, other);
    }),
  },
  {
    what: 'an empty tally that is not empty',
    law: 'the empty tally is neutral, on both sides',
    breaks: changing('server', 'empty', (empty, parameters) => {
      const tally = empty(parameters);
      replaceNumbers(tally, (number) => number + 1);
      return tally;
    }),
  },
  {
    what: 'a tally that gives later reports more weight',
    law: 'the order in which reports are added does not matter',
    breaks: changing('server', 'add', (add, parameters, tally, report) => {
      scale(tally, 0.5);
      add(parameters, tally, report);
    }),
  },
  {
    what: 'a tally that takes no notice of a report after the third',
    law: 'a report counts: one more or one fewer is another tally',
    breaks(protocol, trial) {
      const seen = new WeakMap<object, number>();
      return changing('server', 'add', (add, parameters, tally, report) => {
        const count = seen.get(tally) ?? 0;
        seen.set(tally, count + 1);
        if (count < 3) add(parameters, tally, report);
      })(protocol, trial);
    },
  },
  {
    what: 'an add that uses up the report',
    law: 'add keeps nothing of the report but its numbers, and leaves it as it is',
    breaks: changing('server', 'add', (add, parameters, tally, report) => {
      add(parameters, tally, report);
      scale(report, 0);
    }),
  },
  {
    what: 'a merge that drains the other tally',
    law: 'merge leaves the other tally as it is, and shares nothing with it',
    breaks: changing('server', 'merge', (merge, parameters, tally, other) => {
      merge(parameters, tally, other);
      scale(other, 0);
    }),
  },
  {
    what: 'a merge into an empty tally that shares its memory',
    law: 'merge leaves the other tally as it is, and shares nothing with it',
    breaks(protocol, trial) {
      const fresh = new WeakSet<object>();
      const marked = changing('server', 'empty', (empty, parameters) => {
        const tally = empty(parameters);
        fresh.add(tally);
        return tally;
      });
      const sharing = changing('server', 'merge', (merge, parameters, tally, other) => {
        if (fresh.delete(tally)) Object.assign(tally, other);
        else merge(parameters, tally, other);
      });
      return sharing(marked(protocol, trial), trial);
    },
  },
  {
    what: 'an estimate that turns the sums into means where they stand',
    law: 'estimate is a function of the tally: it changes nothing, and asked twice it answers the same',
    breaks: halvingAfterwards((tally) => tally),
  },
  {
    what: 'an estimate that uses up its query',
    law: 'estimate is a function of the tally: it changes nothing, and asked twice it answers the same',
    breaks: halvingAfterwards((_, query) => query),
    shows: ({ queries }) => queries.some((query) => numbersIn(query).some((number) => number !== 0)),
  },
  {
    what: 'an estimate that hands out the tally',
    law: 'an estimate has nothing in common with the tally: what is added later does not change it',
    breaks: changing('server', 'estimate', (estimate, parameters, tally, query) => ({
      ...Object(estimate(parameters, tally, query)),
      tally,
    })),
  },
  {
    what: 'an estimate that counts in the parameters how often it was asked for',
    law: 'wire and server leave the parameters as they are',
    breaks: changing('server', 'estimate', (estimate, parameters, tally, query) => {
      Object.assign(parameters, { asked: 1 });
      return estimate(parameters, tally, query);
    }),
  },
  {
    what: 'an estimate of nobody',
    law: 'one player is enough for an estimate, and none is refused with a RangeError',
    breaks: changing('server', 'estimate', (estimate, ...given) => {
      try {
        return estimate(...given);
      } catch {
        return undefined;
      }
    }),
  },
  {
    what: 'a tally that does not survive the way to another thread',
    law: 'a tally that was sent to another machine and back is the same tally',
    breaks: changing('server', 'empty', (empty, parameters) => {
      const tally = empty(parameters);
      // Properties that are not enumerable are not copied.
      for (const name of Object.keys(tally)) Object.defineProperty(tally, name, { enumerable: false });
      return tally;
    }),
  },
  {
    what: 'a server that adds to any tally',
    law: 'a tally of reports under other parameters is neither added to, merged nor estimated',
    breaks: changing('server', 'add', (add, ...given) => {
      try {
        add(...given);
      } catch {
        // As if nothing were wrong.
      }
    }),
  },
  {
    what: 'a server that merges any two tallies',
    law: 'a tally of reports under other parameters is neither added to, merged nor estimated',
    breaks: changing('server', 'merge', (merge, ...given) => {
      try {
        merge(...given);
      } catch {
        // As if nothing were wrong.
      }
    }),
  },
];

/** A wire format that reads some refused bytes as the last honest report. */
const taking =
  (accepts: (bytes: unknown, sent: Uint8Array) => boolean): Control['breaks'] =>
  (protocol) => {
    const { encode, decode }: AnyWire = protocol.report;
    let last: { readonly parameters: unknown; readonly bytes: Uint8Array };
    const report: AnyWire = {
      encode(parameters, sent) {
        const bytes = encode(parameters, sent);
        last ??= { parameters, bytes: bytes.slice() };
        return bytes;
      },
      decode(parameters, bytes) {
        try {
          return decode(parameters, bytes);
        } catch (error) {
          if (accepts(bytes, last.bytes)) return decode(last.parameters, last.bytes);
          throw error;
        }
      },
    };
    return { ...protocol, report };
  };

const isBytes = (value: unknown): value is Uint8Array => value instanceof Uint8Array;

/** Wire formats that accept what they must refuse, or change what they carry. */
export const brokenWires: readonly Control[] = [
  {
    what: 'a decoder that accepts a damaged header',
    law: 'every flipped bit is refused, or gives another report whose bytes are the flipped ones',
    breaks: taking((bytes, sent) => isBytes(bytes) && bytes.length === sent.length),
  },
  {
    what: 'a decoder that repairs what is not a number',
    law: 'a value that is not a finite number is refused, wherever it stands',
    breaks: taking((bytes, sent) => isBytes(bytes) && bytes.length === sent.length),
    shows: ({ floats }) => floats !== undefined,
  },
  {
    what: 'a decoder that fills up what is missing',
    law: 'a truncated report is refused, wherever it ends',
    breaks: taking((bytes, sent) => isBytes(bytes) && bytes.length < sent.length),
  },
  {
    what: 'a decoder that reads on only as far as it needs',
    law: 'a report with more bytes before or behind it is refused',
    breaks: taking((bytes, sent) => isBytes(bytes) && bytes.length > sent.length),
  },
  {
    what: 'a decoder that takes the end of a line',
    law: 'a report with more bytes before or behind it is refused',
    breaks: taking((bytes, sent) => isBytes(bytes) && bytes.length === sent.length + 1 && bytes.at(-1) === 10),
  },
  {
    what: 'a decoder that does not compare the digest',
    law: 'a report under other parameters is refused',
    breaks: taking(isBytes),
    shows: ({ others }) => others.length > 0,
  },
  {
    what: 'a decoder that does not compare the name of the protocol',
    law: 'a report of another protocol, or of another version of this one, is refused',
    breaks: taking(isBytes),
  },
  {
    what: 'a decoder that reads any list of bytes',
    law: 'what is not a Uint8Array is refused',
    breaks: taking(Array.isArray),
  },
  {
    what: 'a decoder that reads Base64',
    law: 'what is not a Uint8Array is refused',
    breaks: taking((given, sent) => given === btoa(String.fromCharCode(...sent))),
  },
  {
    what: 'a decoder whose refusals are not ReportErrors',
    law: 'a truncated report is refused, wherever it ends',
    breaks: changing('report', 'decode', (decode, parameters, bytes) => {
      try {
        return decode(parameters, bytes);
      } catch (error) {
        throw new RangeError(String(error));
      }
    }),
  },
  {
    what: 'a decoder that forgets where in its buffer the bytes begin',
    law: 'the bytes may be part of a larger buffer',
    breaks: changing('report', 'decode', (decode, parameters, bytes) =>
      decode(parameters, new Uint8Array(bytes.buffer, 0, bytes.length)),
    ),
  },
  {
    what: 'a decoder that keeps the bytes and reads them later',
    law: 'a report that was decoded has nothing in common with the bytes it came from',
    breaks: changing('report', 'decode', (decode, ...given) => ({ toJSON: () => decode(...given) })),
  },
  {
    what: 'a wire that carries the report before',
    law: 'decode(encode(report)) is the report, bit for bit, and encodes to the same bytes',
    breaks(protocol, trial) {
      let before: unknown;
      return changing('report', 'encode', (encode, parameters, report) => {
        const bytes = encode(parameters, before ?? report);
        before = structuredClone(report);
        return bytes;
      })(protocol, trial);
    },
  },
];

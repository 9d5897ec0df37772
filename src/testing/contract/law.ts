import type { Protocol, PublicParameters } from '../../core/contract.ts';
import type { Certificate } from '../../privacy/certificate.ts';
import { implies } from '../../privacy/conversion.ts';
import type { Guarantee } from '../../privacy/guarantee.ts';
import { bits, type Random } from '../../random/random.ts';
import { seededRandom } from '../../random/seeded.ts';
import { liesAbout } from '../hostile.ts';

/** What a protocol is tested with: one set of parameters, data that they must accept and data that they must refuse. */
export interface ContractCase<Parameters, Datum, Tally, Estimate, Query> {
  /** The name that violations are listed under. */
  readonly name: string;
  /** Makes the parameters from the request, again at each call. */
  make(): Parameters;
  /** Parameters of the same protocol made from other requests. */
  readonly others: readonly Parameters[];
  /** Data of at least four players, all different. */
  readonly data: readonly Datum[];
  /** Values that are not a datum, by what is wrong. At least three numbers in them have six digits or more. */
  readonly refused: { readonly [what: string]: unknown };
  /** Queries that the parameters can serve; the first is used most often and should be cheap. Default: no query. */
  readonly queries?: readonly Query[];
  /** What two equal tallies have in common, in whatever order they were filled. Default: all numbers in the tally. */
  content?(parameters: Parameters, tally: Tally): readonly number[];
  /** The numbers of an estimate. Default: all numbers in it. */
  numbers?(estimate: Estimate): readonly number[];
  /** Whether the sums are sums of integers, and so do not depend on the order at all. Default: they are. */
  readonly exact?: boolean;
  /** How far estimates may differ when the order of the reports changes, relative to the largest number. Default: 0. */
  readonly tolerance?: number;
  /**
   * Where a report's floating-point values begin, and the size of one in bytes; absent if there are none. In a stream
   * of `defineStream` the number of the step comes before them.
   */
  readonly floats?: { readonly offset: number; readonly size: 4 | 8 };
  /** Whether a report ends in public values: perhaps zeros, then one number drawn whatever the datum. Default: no. */
  readonly padded?: boolean;
}

/** A protocol of any types: the laws use none of them. */
// biome-ignore lint/suspicious/noExplicitAny: the laws hold for every choice of the six types
export type AnyProtocol = Protocol<any, any, any, any, any, any>;

/** A case of any types, with the defaults filled in. */
export type AnyCase = AnyTrial & Required<Pick<AnyTrial, 'queries' | 'content' | 'numbers' | 'exact' | 'tolerance'>>;

/** A case of any types. */
// biome-ignore lint/suspicious/noExplicitAny: as above
export type AnyTrial = ContractCase<any, any, any, any, any>;

/** A protocol and a case, with the parameters made. */
export interface Subject {
  readonly protocol: AnyProtocol;
  readonly trial: AnyCase;
  readonly parameters: PublicParameters;
}

/** A law: the rule in one sentence, and a search for what breaks it; the search finds nothing when the law holds. */
export interface Law<Of = Subject> {
  readonly sentence: string;
  /** What breaks it. */
  broken(subject: Of): Iterable<string>;
}

/** A way to break a protocol on purpose, and the law that must notice: it shows whether the law detects anything. */
export interface Control {
  readonly what: string;
  /** The sentence of the law that must notice. */
  readonly law: string;
  /** The protocol with this one thing broken. */
  breaks(protocol: AnyProtocol, trial: AnyCase): AnyProtocol;
  /** Breaks parameters that were made properly. */
  parameters?(made: PublicParameters): PublicParameters;
  /** Whether a case can show it: the law may have nothing to check on it. Default: it can. */
  shows?(trial: AnyCase): boolean;
}

/** The parts of a protocol that controls break. */
type Parts = Required<Pick<AnyProtocol, 'player' | 'report' | 'server' | 'theory'>>;

// biome-ignore lint/suspicious/noExplicitAny: as above
type AnyFunction = (...given: any) => any;

/** A protocol with one function of one part in another's place, which is given the honest one before its arguments. */
export function changing<Part extends keyof Parts, Name extends keyof Parts[Part]>(
  part: Part,
  name: Name,
  change: (
    honest: Extract<Parts[Part][Name], AnyFunction>,
    ...given: Parameters<Extract<Parts[Part][Name], AnyFunction>>
  ) => unknown,
): Control['breaks'] {
  return (protocol) => {
    const whole: Parts[Part] = protocol[part];
    const honest = whole[name] as Extract<Parts[Part][Name], AnyFunction>;
    return { ...protocol, [part]: { ...whole, [name]: change.bind(undefined, honest) } };
  };
}

/** A case with its defaults and a copy of its data: changes by a broken protocol must not reach the next law. */
export function completed(trial: AnyTrial): AnyCase {
  const content = (_: unknown, tally: unknown) => numbersIn(tally);
  const defaults = { queries: [undefined], content, numbers: numbersIn, exact: true, tolerance: 0 };
  return { ...defaults, ...trial, data: structuredClone(trial.data) };
}

export function coins(seed: string | number): Random {
  return seededRandom(`contract ${seed}`);
}

/** Values of every kind, by what they are; one list claims to be longer than any memory. */
const STRANGE: { readonly [what: string]: unknown } = {
  ...{ undefined, null: null, true: true, NaN, Infinity, '-Infinity': -Infinity, '-0': -0, '1e308': 1e308 },
  ...{ '5n': 5n, 'a symbol': Symbol('a datum'), 'no text': '', 'a digit': '7', 'a function': () => 0 },
  ...{
    'no list': [],
    'a list of lists': [[1]],
    'an object': {},
    'a bare object': Object.create(null),
    'a map': new Map(),
  },
  ...{ 'no date': new Date(Number.NaN), 'a long list': { length: 1e15 } },
};

/** What a device may be given: values of every kind, and a datum of the case with each field changed into one. */
export function strangeData({ data: [datum] }: AnyCase): [what: string, value: unknown][] {
  const strange = Object.entries(STRANGE);
  if (!isObject(datum)) return strange;
  for (const field of Object.keys(datum)) strange.push([`long ${field}`, { ...datum, [field]: { length: 1e15 } }]);
  for (const { what, sent } of liesAbout(datum)) strange.push([what, sent]);
  return strange;
}

/** How many numbers of a report stand before its floating-point values, such as the number of a step. */
export function numbersBefore({ protocol, parameters, trial }: Subject, report: unknown): number {
  const { floats } = trial;
  if (floats === undefined) return 0;
  return numbersIn(report).length - (protocol.report.encode(parameters, report).length - floats.offset) / floats.size;
}

/** The reports of all data, by the coins of a seed. */
export function reportsOf({ protocol, parameters, trial }: Subject, seed: string = 'tally'): unknown[] {
  const random = coins(seed);
  return trial.data.map((datum) => protocol.player.randomize(parameters, datum, random));
}

/** The number of words that a call takes from the coins of a seed. */
export function wordsOf(call: (random: Random) => unknown, seed: string | number): number {
  const source = coins(seed);
  const words = new Uint32Array(1024);
  let pools = 0;
  const random: Random = {
    words,
    next: words.length,
    refill() {
      for (let i = 0; i < words.length; i++) words[i] = bits(source);
      random.next = 0;
      pools++;
    },
  };
  call(random);
  return pools * words.length + random.next;
}

/** The error that a call ends with; undefined if it returns. */
export function refusalOf(call: () => unknown): Error | undefined {
  try {
    call();
  } catch (error) {
    return error instanceof Error ? error : new Error(`not an error: ${String(error)}`);
  }
  return undefined;
}

/** Plain data as text in which every number is written out in full, to compare before and after. */
export function spelled(value: unknown): string {
  return JSON.stringify(value, (_, part) => {
    if (ArrayBuffer.isView(part)) return Array.from(part as Float64Array, (number) => spelledNumber(number));
    return typeof part === 'number' ? spelledNumber(part) : part;
  });
}

function spelledNumber(number: number): string {
  return Object.is(number, -0) ? '-0' : String(number);
}

/** Every number in a value, however deep. */
export function numbersIn(value: unknown): number[] {
  if (typeof value === 'number') return [value];
  if (ArrayBuffer.isView(value)) return Array.from(value as Float64Array);
  return isObject(value) ? Object.values(value).flatMap(numbersIn) : [];
}

/** Whether a value is an object, so anyone who holds it can change it. */
export function isObject(value: unknown): value is object {
  return value !== null && typeof value === 'object';
}

/** Replaces every number in a value by another, however deep. */
export function replaceNumbers(value: unknown, other: (number: number) => number): void {
  if (!isObject(value)) return;
  const holder = value as Record<string, unknown>;
  for (const [name, part] of Object.entries(value)) {
    if (typeof part === 'number') holder[name] = other(part);
    else replaceNumbers(part, other);
  }
}

/** Replaces one number in a value, the so many-th from 0, by another. */
export function changeOne(value: unknown, at: number, other: number): void {
  let place = 0;
  replaceNumbers(value, (number) => (place++ === at ? other : number));
}

/** The largest difference of two lists, relative to the largest number in them; Infinity for different lengths. */
export function difference(left: readonly number[], right: readonly number[]): number {
  if (left.length !== right.length) return Infinity;
  let largest = 0;
  let scale = 0;
  for (let i = 0; i < left.length; i++) {
    if (Object.is(left[i], right[i])) continue;
    if (!Number.isFinite(left[i]) || !Number.isFinite(right[i])) return Infinity;
    largest = Math.max(largest, Math.abs(left[i] - right[i]));
  }
  for (const number of [...left, ...right]) if (Number.isFinite(number)) scale = Math.max(scale, Math.abs(number));
  return largest === 0 ? 0 : largest / scale;
}

/** Laws of the parameters and of the claims about them. */
export const claimLaws: readonly Law[] = [
  {
    sentence: 'parameters name their protocol and carry a digest of 32 hexadecimal digits',
    *broken({ protocol, parameters }) {
      if (parameters.protocol !== protocol.name) yield `protocol ${parameters.protocol} in ${protocol.name}`;
      if (!/^[0-9a-f]{32}$/.test(parameters.digest)) yield `digest ${parameters.digest}`;
      if (!Number.isInteger(parameters.version)) yield `version ${parameters.version}`;
    },
  },
  {
    sentence: 'the same request gives the same parameters, and every other request another digest',
    *broken({ trial, parameters }) {
      if (spelled(trial.make()) !== spelled(parameters)) yield 'made twice, two results';
      const digests = [parameters, ...trial.others].map(({ digest }) => digest);
      if (new Set(digests).size !== digests.length) yield 'two requests share a digest';
    },
  },
  {
    sentence: 'parameters are plain data: a structured clone does everything that the original does',
    *broken({ protocol, parameters, trial }) {
      const clone = structuredClone(parameters);
      if (spelled(clone) !== spelled(parameters)) yield 'the clone is not the same';
      const [ours, theirs] = [parameters, clone].map((with_) => {
        const tally = protocol.server.empty(with_);
        const report = protocol.player.randomize(with_, trial.data[0], coins('clone'));
        protocol.server.add(with_, tally, protocol.report.decode(with_, protocol.report.encode(with_, report)));
        return spelled([report, tally, trial.numbers(protocol.server.estimate(with_, tally))]);
      });
      if (ours !== theirs) yield 'the clone behaves differently';
    },
  },
  {
    sentence: 'the certificate names the protocol and its variant and survives JSON',
    *broken({ protocol, parameters }) {
      const certificate: Certificate = protocol.theory.certificate(parameters);
      if (certificate.protocol !== protocol.name) yield `protocol ${certificate.protocol}`;
      if (certificate.variant !== parameters.variant) yield `variant ${certificate.variant}`;
      if (spelled(JSON.parse(JSON.stringify(certificate))) !== spelled(certificate)) yield 'JSON loses something';
    },
  },
  {
    sentence: 'the guarantee is implied by a total of the certificate',
    *broken({ protocol, parameters }) {
      const certificate: Certificate = protocol.theory.certificate(parameters);
      const guarantee: Guarantee = protocol.theory.guarantee(parameters);
      if (!certificate.totals.some((total) => implies(total.guarantee, guarantee))) yield JSON.stringify(guarantee);
    },
  },
  {
    sentence: 'a claim that is the guarantee is met by a total that says so',
    *broken({ protocol, parameters }) {
      const { claimed, totals }: Certificate = protocol.theory.certificate(parameters);
      const guarantee: Guarantee = protocol.theory.guarantee(parameters);
      if (claimed === undefined || spelled(claimed) !== spelled(guarantee)) return;
      if (!totals.some(({ withinClaim }) => withinClaim === true)) yield 'none of the totals is within the claim';
    },
  },
  {
    sentence: 'the distance of neighbours is a number > 0',
    *broken({ protocol, parameters }) {
      const distance = protocol.theory.neighbourDistance(parameters);
      if (!(distance > 0 && distance < Infinity)) yield String(distance);
    },
  },
  {
    sentence: 'an audit is given data of the domain, and a likelihood ratio that favours the datum that was played',
    *broken({ protocol: { player, auditing }, parameters }) {
      for (const pair of auditing?.pairs(parameters, coins('pairs')) ?? []) {
        const random = coins('audited');
        const ratio = auditing?.logLikelihoodRatio?.(parameters, pair) ?? (() => 0);
        const favoured = [pair.first, pair.second].map((datum) => {
          const reports = Array.from({ length: AUDITED }, () => player.randomize(parameters, datum, random));
          const before = spelled(reports[0]);
          const count = reports.filter((report) => ratio(report) > 0).length;
          return spelled(reports[0]) === before ? count : Number.NaN;
        });
        if (favoured.some(Number.isNaN)) yield `${pair.name}: the ratio changes the report`;
        // The more often the first datum was played, the more often it is favoured: five deviations of two counts.
        if (favoured[1] - favoured[0] > 5 * Math.sqrt(AUDITED / 2)) yield `${pair.name}: it favours the other datum`;
      }
    },
  },
];

/** Reports of each datum of a pair. */
const AUDITED = 200;

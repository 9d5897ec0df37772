import type { Protocol, PublicParameters } from '../../../src/core/contract.ts';
import type { Random } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';

/** What a protocol is tried on: one set of parameters, and data that they must take and must refuse. */
export interface ContractCase<Parameters, Datum, Tally, Estimate, Query> {
  /** What violations are filed under. */
  readonly name: string;
  /** Makes the parameters from the request, anew at each call. */
  make(): Parameters;
  /** Parameters of the same protocol made from other requests. */
  readonly others: readonly Parameters[];
  /** Data of at least four players, no two the same. */
  readonly data: readonly Datum[];
  /** What is not a datum, by what is wrong with it. */
  readonly refused: { readonly [what: string]: unknown };
  /** Queries that the parameters can serve, at least one; the first is asked most often and should be cheap. */
  readonly queries: readonly Query[];
  /** What two equal tallies have in common, whatever order they were filled in. */
  content(parameters: Parameters, tally: Tally): readonly number[];
  /** The numbers of an estimate. */
  numbers(estimate: Estimate): readonly number[];
  /** Whether the sums are of integers, and so do not depend on the order at all. */
  readonly exact: boolean;
  /** How far, relative to the largest number, estimates may differ by the order of the reports. */
  readonly tolerance: number;
  /** Where a report's floating-point values begin, and the bytes of one; without it there are none. */
  readonly floats?: { readonly offset: number; readonly size: 4 | 8 };
}

/** A protocol and a case, with the parameters made. */
export interface Subject<Parameters extends PublicParameters, Datum, Report, Tally, Estimate, Query> {
  readonly protocol: Protocol<Parameters, Datum, Report, Tally, Estimate, Query>;
  readonly trial: ContractCase<Parameters, Datum, Tally, Estimate, Query>;
  readonly parameters: Parameters;
}

/** A subject of any types: the laws look at none of them. */
// biome-ignore lint/suspicious/noExplicitAny: the laws hold for every choice of the six types
export type AnySubject = Subject<any, any, any, any, any, any>;

/** A law: what holds, in a sentence, and what was found to break it; nothing when it holds. */
export interface Law {
  readonly sentence: string;
  broken(subject: AnySubject): Iterable<string>;
}

/** The coins of a trial. */
export function coins(seed: string | number): Random {
  return seededRandom(`contract ${seed}`);
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

/** The largest difference of two lists of numbers, relative to the largest number in them; Infinity for two lengths. */
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

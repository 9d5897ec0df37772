import { refusal } from '../../../src/check/number.ts';
import { estimateFrequencies } from '../../../src/mechanism/frequency.ts';
import type { BinQuestion } from './question.ts';

/** Counts of the outputs of a bin question. */
export interface BinCounts {
  /** Number of reports. */
  readonly players: number;
  readonly sums: Float64Array;
}

/** An interval that the mean was found in. */
export interface LocatedInterval {
  readonly lower: number;
  readonly upper: number;
}

/** The unbiased frequencies of the bins; they sum to about 1, and some are negative. */
export function binFrequencies({ mechanism }: BinQuestion, { players, sums }: BinCounts): Float64Array {
  return estimateFrequencies(mechanism, { reports: players, counts: sums });
}

/** The edge between bin i − 1 and bin i. */
export function binEdge({ lower, upper, mechanism }: BinQuestion, i: number): number {
  return lower + ((upper - lower) * i) / mechanism.categories;
}

/** The most popular bin: what the slides project on. A mean at its edge loses half of all local means to the next bin. */
export function popularBin(question: BinQuestion, tally: BinCounts): LocatedInterval {
  const best = largest(binFrequencies(question, tally));
  return { lower: binEdge(question, best), upper: binEdge(question, best + 1) };
}

/** The most popular bin with a neighbour on either side. */
export function tripleBin(question: BinQuestion, tally: BinCounts): LocatedInterval {
  const best = largest(binFrequencies(question, tally));
  const { categories } = question.mechanism;
  return { lower: binEdge(question, Math.max(0, best - 1)), upper: binEdge(question, Math.min(categories, best + 2)) };
}

/**
 * The edge between the two adjacent bins that hold most together. Wherever the mean is, at an edge or not, it is at most half a
 * bin from it when the two were distinguished rightly.
 */
export function pairEdge(question: BinQuestion, tally: BinCounts): number {
  const frequencies = binFrequencies(question, tally);
  return binEdge(question, 1 + largest(frequencies.subarray(1).map((next, i) => next + frequencies[i])));
}

function largest(values: Float64Array): number {
  let best = 0;
  for (let i = 1; i < values.length; i++) if (values[i] > values[best]) best = i;
  return best;
}

/**
 * How many bins of at least the given width there are on [−B, B], at least 2.
 *
 * @throws RangeError when there are more than a report can tell apart.
 */
export function binsOf(bound: number, width: number): number {
  const bins = Math.max(2, Math.floor((2 * bound) / width));
  if (bins > 2 ** 20) throw new RangeError(refusal('samples', 'local means that need at most 2^20 bins', bins));
  return bins;
}

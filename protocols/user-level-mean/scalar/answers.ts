import { RefusedValue } from '../../../src/check/refusal.ts';
import { estimateFrequencies, type FrequencyMechanism, frequencyVariance } from '../../../src/mechanism/frequency.ts';
import { normalCdf } from '../../../src/numeric/normal.ts';
import type { BinQuestion, NoisyQuestion, SignQuestion } from './question.ts';

const { max, min, sqrt } = Math;

/** Sums of the answers to a question; for bins, the counts of every output. */
export interface BinCounts {
  /** Number of reports. */
  readonly players: number;
  readonly sums: Float64Array;
}

/** An interval in which the mean was found. */
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

/**
 * The most popular bin, on which the slides project. A mean at its edge loses half of all local means to the next bin.
 */
export function popularBin(question: BinQuestion, tally: BinCounts): LocatedInterval {
  const best = largest(binFrequencies(question, tally));
  return { lower: binEdge(question, best), upper: binEdge(question, best + 1) };
}

/** The most popular bin with a neighbour on either side. */
export function tripleBin(question: BinQuestion, tally: BinCounts): LocatedInterval {
  const best = largest(binFrequencies(question, tally));
  const { categories } = question.mechanism;
  return { lower: binEdge(question, max(0, best - 1)), upper: binEdge(question, min(categories, best + 2)) };
}

/**
 * The edge between the two adjacent bins that together contain most. If the pair is right, the mean is at most half a
 * bin from this edge, even if the mean lies at an edge itself.
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
 * The number of bins of at least the given width on [−B, B], at least 2.
 *
 * @throws RangeError for more bins than a report can distinguish.
 */
export function binsOf(bound: number, width: number): number {
  const bins = max(2, Math.floor((2 * bound) / width));
  if (bins > 2 ** 20) throw new RefusedValue('samples', 'local means that need at most 2^20 bins', bins);
  return bins;
}

/**
 * A bound on the probability that n reports choose a pair of k bins that does not overlap the right pair, if nine
 * tenths of the local means are in the right pair.
 */
export function pairFailure(mechanism: FrequencyMechanism, reports: number): number {
  const { categories } = mechanism;
  const share = Float64Array.from({ length: categories }, (_, i) => (i === 0 ? 1 : 0));
  // The larger of the variances of a bin that contains nothing and of one that contains everything.
  const variance = max(
    frequencyVariance(mechanism, 0, share, reports),
    frequencyVariance(mechanism, categories - 1, share, reports),
  );
  return categories * normalCdf(-0.9 / (2 * sqrt(variance)));
}

/** What the players answered to a sign question. */
export interface SignAnswers {
  readonly question: SignQuestion;
  /** For each cell, the number of no and the number of yes: entries 2i and 2i + 1. */
  readonly counts: ArrayLike<number>;
}

/** The result of the answers: the mean of y clipped to the interval of the question. */
export interface AnswerMean {
  readonly mean: number;
  /** Its standard error; for one-bit reports at most (upper − lower)/(2κ√n). */
  readonly standardError: number;
}

/**
 * The mean of y clipped to [lower, upper] from the bits alone: unbiased for every law of y.
 *
 * Law: each cell's share of yes, corrected for the coin, is the average of 1{y ≥ t} over its thresholds; the sum of the
 * cells times their width is E clip(y) − lower. Cells are averaged one by one, so that the random number of answers in
 * each cell adds no variance. If a cell has no answer, all cells are pooled. This event does not depend on the data, so
 * the mean stays unbiased.
 *
 * @throws RangeError without an answer.
 */
export function residualMean({ question, counts }: SignAnswers): AnswerMean {
  const { lower, upper, coin } = question;
  let empty = false;
  for (let i = 0; i < question.cells; i++) if (!(counts[2 * i] + counts[2 * i + 1] > 0)) empty = true;
  const cells = empty ? 1 : question.cells;
  const width = (upper - lower) / cells;
  let mean = lower;
  let variance = 0;
  for (let i = 0; i < cells; i++) {
    let [no, yes] = [counts[2 * i], counts[2 * i + 1]];
    for (let j = 1; empty && j < question.cells; j++) [no, yes] = [no + counts[2 * j], yes + counts[2 * j + 1]];
    if (!(no + yes > 0)) throw new RefusedValue('"tally" expected at least 1 report in this group, got 0');
    const share = yes / (no + yes);
    mean += width * ((share - 0.5) / coin.contrast + 0.5);
    // A quarter, the largest possible value, if there is only one answer.
    variance += (width / coin.contrast) ** 2 * (no + yes > 1 ? (share * (1 - share)) / (no + yes - 1) : 0.25);
  }
  return { mean, standardError: sqrt(variance) };
}

/**
 * The mean of y clipped to [lower, upper] from the noisy numbers alone: from their count `players`, their sum and the
 * sum of their squares.
 */
export function noisyMean({ lower, upper, sigma }: NoisyQuestion, { players, sums }: BinCounts): AnswerMean {
  const half = 0.5 * (upper - lower);
  const mean = sums[0] / players;
  // One report shows no spread: the error is then that of the noise alone.
  const variance = players > 1 ? max(0, sums[1] - players * mean * mean) / (players - 1) : sigma * sigma;
  return { mean: 0.5 * (lower + upper) + half * mean, standardError: half * sqrt(variance / players) };
}

import { createScratch, reserve } from '../../src/check/datum.ts';
import { checkOpenUnit, checkWord } from '../../src/check/refusal.ts';
import type { DefinedTally } from '../../src/core/channel.ts';
import type { DefinedParameters, ReportForm } from '../../src/core/define.ts';
import { normalCriticalValue } from '../../src/inference/critical-value.ts';
import { expandKClosest } from '../../src/mechanism/k-closest.ts';
import { projectBall } from '../../src/numeric/matrix.ts';
import { type MeanSetting, noiseOf, reachOf, reportLength } from './parameters.ts';

const { max, min, sqrt } = Math;

/** What is read: a coordinate and its bit, or a seed and a codeword. */
export const report: ReportForm<DefinedParameters<MeanSetting>, 'uint32'> = {
  values: 'uint32',
  length: reportLength,
  accepts: ({ lower, mechanism }, received) =>
    received[received.length - 1] < (mechanism.name === 'k-closest' ? mechanism.codewords : 2 * lower.length),
};

/** What is asked of the sums. */
export interface MeanQuery {
  /** Probability that the intervals of all coordinates hold at once; .95 by default. */
  readonly confidence?: number;
  /** Whose mean the intervals hold: with sampling that of the population (default), or that of those who answered. */
  readonly of?: 'population' | 'players';
}

/** What the reports say. */
export interface MeanEstimate {
  readonly players: number;
  /** The nearest point of the box or ball to the unbiased mean, in the units of the coordinates. */
  readonly mean: Float64Array;
  /** The unbiased mean; with few players it may lie outside of the bounds. For averages over many collections. */
  readonly unbiased: Float64Array;
  /** Of the unbiased one. */
  readonly standardErrors: Float64Array;
  /** Intervals of all coordinates that hold at once, with the confidence asked for, cut off at the bounds. */
  readonly intervals: readonly { readonly lower: number; readonly upper: number }[];
}

/** Names of the sums. */
export type MeanSums = 'sums' | 'squares';

// Scratch of the expansion, kept between calls and overwritten by each call.
const vectors = /* @__PURE__ */ createScratch(64);

/** Adds the unbiased vector of a report, from −1 to 1 between the bounds, and its squares under `kClosest`. */
export function addReport(
  { lower, mechanism }: MeanSetting,
  { sums, squares }: DefinedTally<MeanSums>['sums'],
  received: Uint32Array,
): void {
  if (mechanism.name !== 'k-closest') {
    const length = lower.length * mechanism.scale;
    sums[received[0] >> 1] += (received[0] & 1) === 1 ? length : -length;
    return;
  }
  const vector = reserve(vectors, lower.length + 1);
  expandKClosest(mechanism, received, vector);
  for (let j = 0; j < lower.length; j++) {
    sums[j] += vector[j];
    squares[j] += vector[j] * vector[j];
  }
}

/** What a query asks, which is refused where no reports can answer it. */
export function checkQuery(query: MeanQuery): Required<MeanQuery> {
  return {
    confidence: checkOpenUnit('confidence', query.confidence ?? 0.95),
    of: checkWord('of', query.of ?? 'population', ['population', 'players']),
  };
}

/**
 * The mean of every coordinate, and intervals with z for 1 − α/d each (Bonferroni): score intervals, all means from which the estimate is
 * within z standard errors *at that mean*. Under `kClosest` the second moment of a report is that of the n reports and of z² more, at the ends
 * of the bounds: what few players have not shown; the variance is at least the measured one. For those who answered they are normal ones
 * there, with z² reports of the largest noise more, and of no more than that.
 *
 * The true mean lies in the box or ball, which is convex: so the projection is never farther from it than the unbiased
 * estimate is.
 *
 * For the population the variance is that of the reports themselves: sampling and noise together, whatever the law of
 * the numbers is. For the players who answered it is at most that, and at most the largest noise of the mechanism.
 * @throws TypeError or RangeError naming the field of the query.
 */
export function estimate(
  setting: MeanSetting,
  { players, sums: { sums, squares } }: DefinedTally<MeanSums>,
  query: MeanQuery = {},
): MeanEstimate {
  const { confidence, of } = checkQuery(query);
  const { lower, upper } = setting;
  const reach = reachOf(setting);
  const half = (j: number): number => (upper[j] - lower[j]) / 2;
  const shares = sums.map((sum) => (reach * sum) / players);
  const unbiased = shares.map((share, j) => lower[j] + (1 + share) * half(j));
  const variances = shares.map((share, j) => reportVariance(setting, share, (reach * reach * squares[j]) / players));
  const largest = noiseOf(setting);
  const standardErrors = variances.map(
    (variance, j) => half(j) * sqrt((of === 'players' ? min(variance, largest) : variance) / players),
  );
  const critical = normalCriticalValue(1 - (1 - confidence) / lower.length);
  const within = (j: number, end: number): number => max(lower[j], min(upper[j], end));
  const vectors = setting.mechanism.name === 'k-closest';
  const weight = (critical + tails(setting, critical) / players) ** 2 / players;
  // (x̄ − m)² ≤ w(S − m²) between the roots, w = z²/n and S − m² the variance of a report at the mean m.
  const answered = vectors && of === 'players';
  const w = answered ? 0 : weight;
  const intervals = Array.from(shares, (share, j) => {
    const square = vectors ? (variances[j] + share * share + w * (largest + 1)) / (1 + w) : largest;
    const apart = half(j) * sqrt(max(0, w * ((1 + w) * square - share * share)));
    const shown = min(largest, (variances[j] + weight * largest) / (1 + weight));
    const normal = vectors ? critical * (answered ? half(j) * sqrt(shown / players) : standardErrors[j]) : 0;
    const at = (side: number): number => {
      const score = (half(j) * share + side * apart) / (1 + w);
      return within(j, lower[j] + half(j) + side * max(side * score, side * half(j) * share + normal));
    };
    return { lower: at(-1), upper: at(1) };
  });
  const mean =
    setting.domain === 'ball' ? projectBall(unbiased.slice(), upper[0]) : unbiased.map((entry, j) => within(j, entry));
  return { players, mean, unbiased, standardErrors, intervals };
}

/** n times what is added to z for the long tails of a coordinate that one player in d tells of: an excess of d − 3 (Cornish, Fisher 1938). */
function tails({ lower, mechanism }: MeanSetting, z: number): number {
  return mechanism.name === 'k-closest' ? 0 : (max(0, lower.length - 3) * (z ** 3 - 3 * z)) / 24;
}

/**
 * The variance of one report's estimate of a coordinate, where half of the bounds is 1: under `oneBit` its square is a
 * constant on average, under `kClosest` it is measured, and at least the least noise, since a few reports that are
 * alike do not mean that there is none.
 */
function reportVariance(setting: MeanSetting, share: number, square: number): number {
  const { mechanism } = setting;
  if (mechanism.name !== 'k-closest') return noiseOf(setting) - min(1, share * share);
  const least = reachOf(setting) ** 2 * min(mechanism.alongVariance, mechanism.coordinateVariance);
  return max(least, square - share * share);
}

import { fillNormal, type Random } from '../random/random.ts';
import type { CorrectedMoments } from './corrected-risk.ts';

const { max, sqrt } = Math;

/** Two estimates of the same moments with independent noise: see {@link thinMoments}. */
export interface ThinnedMoments {
  readonly first: CorrectedMoments;
  readonly second: CorrectedMoments;
}

/**
 * Splits moments with normal noise of known variance in two with twice that variance each, independent of each other:
 * T + Z and T − Z, where Z has the law of the noise. A model found from one half is judged by the other as by fresh
 * reports.
 *
 * Source: Tibshirani and Rosset 2019, Oliveira, Lei and Tibshirani 2021 (coupled bootstrap); Neufeld et al. 2024 (thinning).
 */
export function thinMoments(moments: CorrectedMoments, random: Random): ThinnedMoments {
  const { lift, values, noise } = moments;
  const draws = new Float64Array(lift.size);
  fillNormal(draws, random);
  for (let j = 1; j <= lift.degree; j++) {
    const scale = sqrt(noise[j - 1]);
    for (let entry = lift.offsets[j - 1]; entry < lift.offsets[j]; entry++) draws[entry] *= scale;
  }
  const doubled = noise.map((variance) => 2 * variance);
  const half = (side: number): CorrectedMoments => ({
    ...moments,
    values: values.map((value, i) => value + side * draws[i]),
    noise: doubled,
  });
  return { first: half(1), second: half(-1) };
}

/** How much of the way from the model of the classes to that of the polynomial a candidate goes. */
const STEPS: readonly number[] = [0, 0.5, 1];

/** The candidates: the first model, the point half way, the second. */
export const between = (first: Float64Array, second: Float64Array): readonly Float64Array[] =>
  STEPS.map((step) => first.map((entry, j) => (1 - step) * entry + step * second[j]));

/** How much better than the point half way an end has to be, in deviations over thinnings. */
const LEAST_DEVIATIONS = 0.5;

/**
 * The place of the candidate to take, from the risks of the three in each thinning: the better end where it is better than the point half way by
 * half a deviation of this difference, and by more than `least`; else the point half way, which by convexity is not worse than the two in the mean.
 */
export function agreedOn(rows: readonly (readonly number[])[], least = 0): number {
  const mean = (of: (row: readonly number[]) => number): number =>
    rows.reduce((sum, row) => sum + of(row), 0) / rows.length;
  const end = mean((row) => row[0] - row[2]) <= 0 ? 0 : 2;
  const gain = mean((row) => row[1] - row[end]);
  const deviation = sqrt(mean((row) => (row[1] - row[end] - gain) ** 2) * (rows.length / (rows.length - 1)));
  return gain > max(LEAST_DEVIATIONS * deviation, least) ? end : 1;
}

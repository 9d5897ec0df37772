import { checkInteger } from '../check/number.ts';

const { ceil, max } = Math;

/** The number of segments of a suffix average, an even number: the suffix is longer than requested by 2/64 of the path at most. */
const SEGMENTS = 64;

/**
 * What the average over the last part of a path θ₁ … θ_n keeps: sums over consecutive segments of equal length. When all
 * segments are full, pairs of them become one. Plain data of fixed size: a stream that is saved and resumed continues
 * bit for bit.
 *
 * Shape: `sums` has 64 rows of p numbers.
 *
 * Source: Rakhlin, Shamir, Sridharan (2012), Making gradient descent optimal for strongly convex stochastic optimization.
 */
export interface SuffixAverage {
  /** p. */
  readonly dimension: number;
  /** n, the number of iterates so far. */
  steps: number;
  /** The number of iterates of a full segment, a power of two. */
  length: number;
  /** The number of full segments. */
  filled: number;
  /** The number of iterates in the segment after them. */
  gathered: number;
  readonly sums: Float64Array;
}

/** The state before the first iterate. */
export function createSuffixAverage(dimension: number): SuffixAverage {
  const sums = new Float64Array(SEGMENTS * checkInteger('dimension', dimension, 1));
  return { dimension, steps: 0, length: 1, filled: 0, gathered: 0, sums };
}

/** Adds one iterate: p finite numbers, which are not checked. */
export function extendSuffixAverage(state: SuffixAverage, iterate: ArrayLike<number>): void {
  const { dimension, sums } = state;
  const at = state.filled * dimension;
  for (let i = 0; i < dimension; i++) sums[at + i] += iterate[i];
  state.steps++;
  state.gathered++;
  if (state.gathered < state.length) return;
  state.gathered = 0;
  state.filled++;
  if (state.filled < SEGMENTS) return;
  for (let row = 0; row < SEGMENTS / 2; row++) {
    const from = 2 * row * dimension;
    for (let i = 0; i < dimension; i++) sums[row * dimension + i] = sums[from + i] + sums[from + dimension + i];
  }
  sums.fill(0, (SEGMENTS / 2) * dimension);
  state.filled = SEGMENTS / 2;
  state.length *= 2;
}

/** An average that forgets the start. */
export interface ForgettingAverage {
  /** Σ w_i·θ_i, with weights that add up to 1. */
  readonly mean: Float64Array;
  /** 1/Σ w_i²: the number of iterates with equal weights whose average has the same variance. */
  readonly effective: number;
}

/**
 * The average over the last iterates: the fewest whole segments with at least the requested share of the path.
 *
 * Shape: the path has at least one iterate.
 */
export function suffixAverage(
  { dimension, steps, length, filled, gathered, sums }: SuffixAverage,
  share: number,
): ForgettingAverage {
  const rows = ceil(max(0, ceil(share * steps) - gathered) / length);
  const effective = gathered + rows * length;
  const mean = new Float64Array(dimension);
  for (let row = filled - rows; row <= filled && row < SEGMENTS; row++) {
    for (let i = 0; i < dimension; i++) mean[i] += sums[row * dimension + i] / effective;
  }
  return { mean, effective };
}

/** What a polynomial-decay average keeps. Plain data. */
export interface PolynomialAverage {
  /** n, the number of iterates so far. */
  steps: number;
  /** The average: p numbers. */
  readonly mean: Float64Array;
}

/** The state before the first iterate. */
export function createPolynomialAverage(dimension: number): PolynomialAverage {
  return { steps: 0, mean: new Float64Array(checkInteger('dimension', dimension, 1)) };
}

/**
 * Adds one iterate: θ̄_n = (1 − (η + 1)/(n + η))·θ̄_{n−1} + (η + 1)/(n + η)·θ_n, whose weights grow like i^η. At η = 0
 * all are equal.
 *
 * Source: Shamir, Zhang (2013), Stochastic gradient descent for non-smooth optimization, polynomial-decay averaging.
 */
export function extendPolynomialAverage(state: PolynomialAverage, iterate: ArrayLike<number>, power: number): void {
  const { mean } = state;
  state.steps++;
  const weight = (power + 1) / (state.steps + power);
  for (let i = 0; i < mean.length; i++) mean[i] += weight * (iterate[i] - mean[i]);
}

/**
 * The part of the path that counts, in the limit of long paths: 1/(n·Σ w_i²). It is the share of a suffix, and
 * (2η + 1)/(η + 1)² for weights (η + 1)·i^η/n^(η + 1).
 *
 * Law: where n^{-1/2}·Σ_{i ≤ rn}(θ_i − θ₀) is in the limit Ω^{1/2}·W(r), an average with weights w(i/n)/n is normal around
 * θ₀ with the covariance Ω·∫w²/n.
 */
export function effectiveShare(average: AverageWeights): number {
  return average.kind === 'suffix' ? average.share : (2 * average.power + 1) / (average.power + 1) ** 2;
}

/** The weights of an average that forgets the start. */
export type AverageWeights =
  | { readonly kind: 'suffix'; readonly share: number }
  | { readonly kind: 'polynomial'; readonly power: number };

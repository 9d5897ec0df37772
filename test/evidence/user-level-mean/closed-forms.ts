import { analyticGaussianSigma } from 'ldpkit/privacy';
import type { vector } from 'ldpkit/protocols/user-level-mean';

const { exp, min, round, sqrt } = Math;

/** 1/κ = (e^ε + 1)/(e^ε − 1): how much larger errors are by bits at ε than by the signs themselves. */
export function bitPrice(epsilon: number): number {
  return (exp(epsilon) + 1) / (exp(epsilon) - 1);
}

/** Along ε, n in proportion to 1/κ²: what so many players at so small an ε are worth, nκ², is the same, and errors times √n are compared. */
export const playersWorth =
  (worth: number) =>
  (epsilon: number): { readonly players: number } => ({ players: round(worth * bitPrice(epsilon) ** 2) });

/** n players with m samples of standard deviation s each. */
export interface UserLevelSetting {
  /** n. */
  readonly players: number;
  /** m. */
  readonly samples: number;
  /** s. */
  readonly spread: number;
}

/**
 * Root mean squared error of `naive`: √(s²/m + σ²)/√n, σ for the sensitivity 2B. Flat in m as soon as s²/m is below σ².
 *
 * @theorem slides A naive estimator, error
 */
export function naiveError(
  { players, samples, spread }: UserLevelSetting,
  budget: { readonly epsilon: number; readonly delta: number },
  bound: number,
): number {
  const sigma = analyticGaussianSigma({ epsilon: budget.epsilon, delta: budget.delta, sensitivity: 2 * bound });
  return sqrt((spread ** 2 / samples + sigma ** 2) / players);
}

/**
 * How far a sign is off for every n, for samples of skewness κ₃: −κ₃s/(6m), the median of local means less their mean, by the first
 * term of the Edgeworth expansion. So is a coordinate of a gradient by signs, κ₃ and s those of that coordinate of a record's gradient;
 * where gradients at the minimiser are symmetric, θ is not off.
 *
 * Source: Cornish, Fisher 1937, Moments and cumulants in the specification of distributions (the quantile ½).
 * @theorem slides Bounding the noise terms
 */
export function skewBias({ samples, spread }: Pick<UserLevelSetting, 'samples' | 'spread'>, skew: number): number {
  return (-skew * spread) / (6 * samples);
}

/**
 * Lower bound of Kent, Berrett and Yu on the squared error of any scheme, up to constants: the mean is not even found with a
 * probability e^{−c·n·min(ε, ε²)}, and then the error is that of guessing, B².
 *
 * Source: Kent, Berrett, Yu 2024, Rate optimality and phase transition for user-level local differential privacy.
 * @theorem slides Theorem, two-round estimator, condition
 */
export function localisationFloor(players: number, epsilon: number, constant: number, bound: number): number {
  return bound * bound * exp(-constant * players * min(epsilon, epsilon * epsilon));
}

/**
 * Players from which on every coordinate is located nearly always: c·D/κ², D groups of which each needs a number of signs that
 * only depends on how much they are worth. For small ε that is 4cD/ε².
 */
export function locationPlayers({
  answers,
  size,
  coin,
}: Pick<ReturnType<typeof vector>, 'answers' | 'size' | 'coin'>): number {
  return ((answers === 'one' ? size : 1) * LOCATION_BITS) / (coin.contrast * coin.contrast);
}

/** Signs for each coordinate, in units of 1/κ², that locate it; measured, see the tests. */
const LOCATION_BITS = 20;

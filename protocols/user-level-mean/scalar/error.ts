import { analyticGaussianSigma } from '../../../src/privacy/gaussian.ts';

const { exp, min, PI, sqrt, tanh } = Math;

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
 * Root mean squared error of the last sign round at a centre that is right, all n players in it: s√(π/2)/√(mn)·(e^ε + 1)/(e^ε − 1).
 * The asymptotic error of `oneBit` is this over the root of the share of players whose bits are at the centre.
 *
 * @theorem slides Theorem, two-round estimator, error
 */
export function oneBitError({ players, samples, spread }: UserLevelSetting, epsilon: number): number {
  return (spread * sqrt(PI / 2)) / (sqrt(players * samples) * tanh(epsilon / 2));
}

/** How far a sign is off for samples of skewness κ₃, to first order in 1/m: −κ₃s/(6m). The median of local means, less their mean. */
export function skewBias({ samples, spread }: Pick<UserLevelSetting, 'samples' | 'spread'>, skew: number): number {
  return (-skew * spread) / (6 * samples);
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
 * Bias of `printed` for a mean at the edge of a bin, at least: E max(0, y − μ) = s/√(2πm), whatever n. The projection on one of
 * two bins moves every local mean of the other bin to the edge.
 *
 * @theorem slides Algorithm, round 2, projection
 * @theorem slides Theorem, two-round estimator, error
 */
export function edgeBias({ samples, spread }: Pick<UserLevelSetting, 'samples' | 'spread'>): number {
  return spread / sqrt(2 * PI * samples);
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

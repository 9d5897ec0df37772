import { stirlingCorrection } from '../numeric/gamma.ts';

const { abs, exp, log, log1p, PI, sqrt } = Math;

/**
 * The law of the number of successes in m trials. p and q = 1 − p are both given, so that neither loses digits.
 */
export interface BinomialLaw {
  /** m ≥ 1. */
  readonly trials: number;
  /** p in (0, 1). */
  readonly success: number;
  /** q = 1 − p. */
  readonly failure: number;
}

/**
 * P(C = k) for 0 ≤ k ≤ m, without the cancellation of differences of log-factorials.
 *
 * Relative error about 1e-14 for p = ½; otherwise also that of m·p times |k/(mp) − 1|, 2e-11 for m = 1e9 ten standard
 * deviations from the mean, 2e-10 at forty.
 *
 * Source: Loader (2000), Fast and accurate computation of binomial probabilities.
 */
export function binomialMass(law: BinomialLaw, k: number): number {
  const { trials, success, failure } = law;
  if (k === 0) return exp(trials * logOf(failure, success));
  if (k === trials) return exp(trials * logOf(success, failure));
  const correction = stirlingCorrection(trials) - stirlingCorrection(k) - stirlingCorrection(trials - k);
  return sqrt(trials / (2 * PI * k * (trials - k))) * exp(correction - binomialDeviance(law, k));
}

/**
 * m times the relative entropy of k/m against p: by Chernoff's bound, minus the logarithm of an upper bound on P(C ≤ k)
 * below the mean and on P(C ≥ k) above it.
 *
 * Source: Hoeffding (1963), Theorem 1.
 */
export function binomialDeviance(law: BinomialLaw, k: number): number {
  const { trials, success, failure } = law;
  return deviance(k, trials * success) + deviance(trials - k, trials * failure);
}

/** k·log(k/mean) + mean − k ≥ 0, from a series where the terms nearly cancel. */
function deviance(k: number, mean: number): number {
  const u = (k - mean) / mean;
  if (abs(u) > 0.1) return (k === 0 ? 0 : k * log(k / mean)) + mean - k;
  // (1 + u)·log(1 + u) − u = u²/2 − u³/6 + u⁴/12 − …; the last term is below 1e-17 of the first.
  let power = u * u;
  let sum = 0;
  for (let j = 2; j <= 18; j++) {
    sum += power / (j * (j - 1));
    power *= -u;
  }
  return mean * sum;
}

/** log p from the smaller of p and 1 − p. */
function logOf(p: number, rest: number): number {
  return rest < 0.5 ? log1p(-rest) : log(p);
}

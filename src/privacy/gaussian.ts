import {
  type Budget,
  checkBudget,
  checkNonNegative,
  checkOpenUnit,
  checkPositive,
  RefusedValue,
} from '../check/refusal.ts';
import { normalCdf } from '../numeric/normal.ts';
import { bracket, lastAccepted } from './rounding.ts';

const { exp, expm1, log, sqrt } = Math;

/** A budget, and the sensitivity Δ > 0 of what is released: the largest ℓ₂ distance between the values at two data of one player. */
export interface GaussianBudget extends Budget {
  readonly sensitivity: number;
}

/**
 * The least ε ≥ 0 for which μ-Gaussian differential privacy implies (ε, δ), rounded up: δ_μ(ε) ≤ δ holds exactly.
 * It is 0 when δ already covers the total variation distance.
 * @throws TypeError or RangeError unless 0 < δ < 1 and 0 < μ ≤ 1e150; above this μ, ε ≈ μ²/2 is no longer a double.
 *
 * @example
 * ```ts
 * import { gdpEpsilon } from 'ldpkit/privacy';
 * console.log(gdpEpsilon(1, 1e-5).toFixed(3)); // 4.377
 * ```
 */
export function gdpEpsilon(mu: number, delta: number): number {
  if (checkPositive('mu', mu) > 1e150) throw new RefusedValue('mu', 'a number <= 1e150', mu);
  const target = safeLog(checkOpenUnit('delta', delta));
  const accepts = (epsilon: number): boolean => gdpLogDelta(mu, epsilon) <= target;
  if (accepts(0)) return 0;
  return lastAccepted(accepts, ...bracket(accepts, 2));
}

/** The largest μ for which μ-Gaussian differential privacy stays within (ε, δ), rounded down: δ_μ(ε) ≤ δ holds exactly. */
export function gdpMu(budget: Budget): number {
  const { epsilon, delta } = checkBudget(budget);
  const target = safeLog(delta);
  const accepts = (mu: number): boolean => gdpLogDelta(mu, epsilon) <= target;
  return lastAccepted(accepts, ...bracket(accepts, 0.5));
}

/**
 * The least standard deviation σ of Gaussian noise that makes a release of sensitivity Δ (ε, δ)-differentially private,
 * rounded up: never below the exact value, and within a few parts in 1e14 of it for δ ≤ ½. (Near δ = 1 the exact σ depends on
 * 1 − δ, of which doubles keep few digits.)
 *
 * Guarantee: (ε, δ), and μ = Δ/σ in the Gaussian sense.
 *
 * Units: σ in those of Δ.
 *
 * Source: Balle, Wang (2018), Improving the Gaussian mechanism, Algorithm 1; solved here on the Gaussian curve.
 * @throws TypeError or RangeError unless ε > 0, 0 < δ < 1 and Δ > 0; RangeError where σ is no double.
 * @theorem online-rates Example 2
 * @theorem influence Lemma 3
 *
 * @example
 * ```ts
 * import { analyticGaussianSigma } from 'ldpkit/privacy';
 * console.log(analyticGaussianSigma({ epsilon: 1, delta: 1e-6, sensitivity: 2 }).toFixed(3)); // 8.449
 * ```
 */
export function analyticGaussianSigma(budget: GaussianBudget): number {
  const sensitivity = checkPositive('sensitivity', budget.sensitivity);
  // Raised by two units in the last place, so that Δ/σ in exact arithmetic is not above μ although the division rounds.
  const sigma = (sensitivity / gdpMu(budget)) * (1 + 2 ** -51);
  if (sigma === Infinity) throw new RefusedValue('sensitivity', 'a number whose noise is a double too', sensitivity);
  return sigma;
}

/**
 * log δ, lowered by a bound on the error of `gdpLogDelta` near it: of a few units in the last place of the exponent a²/2 ≤ |log δ|, and of
 * a few more in the integral.
 */
function safeLog(delta: number): number {
  const exact = log(delta);
  return exact - 2 ** -52 * (16 + 8 * Math.abs(exact));
}

const HALF_LOG_2PI = 0.9189385332046727;

/** Step of the quadrature below; 121 nodes. Measured against 60-digit arithmetic: 8e-16 relative over its domain. */
const STEP = 1 / 12;
const RANGE = 60;

/** Nodes u and weights du of ∫₀^∞ under u = exp(x − e^(−x)), x on a grid: the double-exponential rule for tails. */
const NODES: Float64Array = new Float64Array(2 * RANGE + 1);
const WEIGHTS: Float64Array = new Float64Array(2 * RANGE + 1);
for (let k = -RANGE; k <= RANGE; k++) {
  const back = exp(-k * STEP);
  NODES[k + RANGE] = exp(k * STEP - back);
  WEIGHTS[k + RANGE] = NODES[k + RANGE] * (1 + back) * STEP;
}

/**
 * The privacy curve of μ-Gaussian differential privacy: the least δ for which it implies (ε, δ).
 *
 *     δ_μ(ε) = Φ(−ε/μ + μ/2) − e^ε·Φ(−ε/μ − μ/2)
 *
 * Relative error, measured against 80-digit arithmetic: 1.5e-14 down to δ = 1e-18, 3e-13 down to 1e-300; 0 only by
 * underflow.
 *
 * Source: Dong, Roth, Su (2022), Gaussian differential privacy, Corollary 2.13; Balle, Wang (2018), Theorem 8.
 * @throws TypeError or RangeError unless μ > 0 and ε ≥ 0 are finite.
 * @theorem slides Gaussian differential privacy
 * @theorem online-rates Example 3
 */
export function gdpDelta(mu: number, epsilon: number): number {
  return exp(gdpLogDelta(mu, epsilon));
}

/**
 * log δ_μ(ε), also for tails below the smallest double.
 *
 * The smaller μ is, the more digits the two terms of δ have in common, so they are never subtracted. With a = ε/μ − μ/2
 * and b = a + μ we have e^ε·φ(b) = φ(a), so both terms have the factor φ(a). The other factor is a difference of two
 * Mills ratios, ∫₀^∞ e^(−au − u²/2) du − ∫₀^∞ e^(−bu − u²/2) du, one integral of a positive function.
 */
export function gdpLogDelta(mu: number, epsilon: number): number {
  checkPositive('mu', mu);
  checkNonNegative('epsilon', epsilon);
  const a = threshold(mu, epsilon);
  // δ is below e^(−1e299): the square of a is about to overflow.
  if (a > 1e150) return -Infinity;
  if (a >= -0.5) return log(tailIntegral(a, mu)) - 0.5 * a * a - HALF_LOG_2PI;
  // Here a ≥ −μ/2 implies μ > 1, and the first term is at least .69 against .31: a plain difference loses no digits.
  const second = exp(-0.5 * a * a - HALF_LOG_2PI) * tailIntegral(epsilon / mu + mu / 2, Infinity);
  return log(normalCdf(-a) - second);
}

/** The difference of the Mills ratios at a ≥ −½ and at a + gap, every term positive. */
function tailIntegral(a: number, gap: number): number {
  // The scale on which the integrand varies: 1/a in a far tail, about 1 near the centre.
  const scale = a > 0 ? 2 / (a + sqrt(a * a + 8)) : Math.SQRT1_2;
  // With a wide gap the second factor rises from 0 to 1 between two nodes; the second ratio is then under 5 % of the first.
  if (gap * scale > 16 && gap < Infinity) return tailIntegral(a, Infinity) - tailIntegral(a + gap, Infinity);
  let sum = 0;
  for (let k = 0; k < NODES.length; k++) {
    const u = scale * NODES[k];
    const kernel = exp(-u * (a + 0.5 * u)) * WEIGHTS[k];
    sum += gap < Infinity ? -kernel * expm1(-gap * u) : kernel;
  }
  return scale * sum;
}

/** a = (2ε − μ²)/(2μ) with the exact square: ε/μ − μ/2 would lose digits, and the exponent a²/2 multiply the loss. */
function threshold(mu: number, epsilon: number): number {
  const square = mu * mu;
  // Beyond these bounds the splitting overflows or underflows. Below, a² is tiny where the terms cancel; above, powers of two are taken
  // out, exactly.
  if (square > 1e290) return 2 ** 256 * threshold(mu / 2 ** 256, epsilon / 2 ** 512);
  if (square < 1e-270) return epsilon / mu - mu / 2;
  // Dekker's exact product: head and tail of at most 26 bits each, so that every partial product is exact.
  const shifted = 134217729 * mu;
  const head = shifted - (shifted - mu);
  const tail = mu - head;
  const lost = head * head - square + 2 * head * tail + tail * tail;
  return (2 * epsilon - square - lost) / (2 * mu);
}

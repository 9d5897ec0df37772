import { type Budget, checkBudget } from '../check/budget.ts';
import { checkInteger, refusal } from '../check/number.ts';

const { exp, log, PI, sqrt } = Math;

/** The share of δ that is given to noise far out. */
const FAR_SHARE: number = 2 ** -20;

/** A budget to be kept by exact integer noise. */
export interface IntegerNoiseBudget extends Budget {
  /** σ ≥ 1 of the discrete Gaussian noise, in units of the grid. */
  readonly sigma: number;
  /** d, the number of coordinates of all releases that share the budget. */
  readonly coordinates: number;
}

/**
 * The budget which *continuous* Gaussian noise of the same σ has to keep, so that discrete Gaussian noise on whole-number
 * vectors keeps the one asked. The difference in ε is about (d + √(dx) + x)/(12σ²) with x = ε + log(2²⁰/δ), 1e-9 in practice: integers cost nothing.
 *
 * Guarantee: let q be the law of the continuous noise rounded to whole numbers and p the discrete Gaussian, both around a
 * whole-number vector c, z = y − c, and Z the discrete normaliser. For each coordinate
 *
 *     q/p = Z/(√(2π)σ) · ∫ cosh(zs/σ²)·exp(−s²/2σ²) ds over |s| ≤ ½.
 *
 * The integral is at least exp(−1/(24σ²)) (cosh ≥ 1, Jensen) and at most sinh(x)/x ≤ exp(x²/6) at x = z/(2σ²); the factor
 * before it lies between 1 and 1 + 2.1·exp(−2π²σ²) (Poisson summation). So everywhere p ≤ e^A·q with A = d/(24σ²), and
 * q ≤ e^B·p with B = R²/(24σ²) + 2.1·d·exp(−2π²σ²) wherever ‖z‖ ≤ Rσ. Outside, q has probability at most τ if
 * R = √(d + 2√(dx) + 2x) + √d/(2σ), x = log(1/τ) (χ² tail; rounding moves z by at most √d/2). Rounding is
 * post-processing, so if the continuous noise is (ε′, δ′), then P(S) ≤ e^A(e^ε′·(e^B·P′(S) + τ) + δ′): the discrete noise is
 * (ε′ + A + B, e^A(δ′ + e^ε′·τ)). Nothing here is asymptotic; it holds for every σ ≥ 1.
 *
 * Source: derived here; χ² tail from Laurent, Massart (2000), Annals of Statistics 28, Lemma 1.
 *
 * @throws TypeError or RangeError unless ε > 0, 0 < δ < 1, σ and d are whole numbers ≥ 1, and something is left of ε.
 */
export function continuousBudget(request: IntegerNoiseBudget): Budget {
  const lost = integerNoiseLoss(request);
  const { epsilon, delta, sigma, coordinates } = request;
  const left = epsilon * (1 - 2 ** -50) - lost;
  if (!(left > 0)) {
    throw new RangeError(refusal('sigma', 'a whole number large enough for epsilon and coordinates', sigma));
  }
  // Lowered by more than its roundings; `everywhere` is A above.
  const everywhere = coordinates / (24 * sigma * sigma);
  return { epsilon: left, delta: delta * (1 - FAR_SHARE) * exp(-everywhere) * (1 - 2 ** -40) };
}

/**
 * What of ε discrete Gaussian noise may cost more than continuous noise of the same σ: A + B of `continuousBudget`, raised by
 * more than its roundings. It may be more than there is.
 *
 * @throws TypeError or RangeError unless ε > 0, 0 < δ < 1, and σ and d are whole numbers ≥ 1.
 */
export function integerNoiseLoss(request: IntegerNoiseBudget): number {
  const { epsilon, delta } = checkBudget(request);
  const sigma = checkInteger('sigma', request.sigma, 1);
  const d = checkInteger('coordinates', request.coordinates, 1);
  const x = epsilon - log(FAR_SHARE) - log(delta);
  const reach = sqrt(d + 2 * sqrt(d * x) + 2 * x) + sqrt(d) / (2 * sigma);
  const within = (reach * reach) / (24 * sigma * sigma) + 2.1 * d * exp(-2 * PI * PI * sigma * sigma);
  return (d / (24 * sigma * sigma) + within) * (1 + 2 ** -40);
}

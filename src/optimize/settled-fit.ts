import { checkFinite, checkInteger, checkNonNegative, checkPositive } from '../check/number.ts';
import { normalCdf } from '../numeric/normal.ts';
import { evaluatePolynomial } from '../polynomial/chebyshev.ts';
import type { DensityWeight, NoiseAwareFit } from '../polynomial/fit.ts';

const { abs, exp, max, min, PI, sqrt } = Math;

/** Known or privately estimated properties of the margins t = ⟨w, v⟩. */
export interface MarginSpread {
  /** R > 0: margins lie in [−R, R]. */
  readonly radius: number;
  /** E t at the current w. */
  readonly mean: number;
  /** Standard deviation of t at the current w, ≥ 0. */
  readonly deviation: number;
  /** √E t² at a direction drawn uniformly from the sphere of radius R: R·√(E‖v‖²/p). */
  readonly isotropic: number;
  /** Where f′ jumps, so that no panel of the quadrature straddles a jump. */
  readonly kinks?: readonly number[];
}

/**
 * The weight of the places where the polynomial that replaces f′ must be good: a plausible law of the margins, in two
 * parts.
 *
 * - One fifth: the places τ on the path from 0 to the current w. L(w) − L(0) is the mean over players of ∫_0^t f′(τ)dτ,
 *   so an error of P at τ counts with the probability that the margin lies beyond τ. Margins are assumed normal with
 *   the given mean and deviation.
 * - Four fifths: the margin at a still unknown w, N(0, R²·E‖v‖²/p). It keeps the fit from following the noise in the
 *   current w; the proportion was chosen on the Adult benchmark (docs/hinge.md).
 *
 * Law: a density on [−R, R], not normalised after the truncation.
 *
 * @throws TypeError or RangeError for numbers that are not finite, a radius that is not > 0 or a negative spread.
 */
export function marginWeight(spread: MarginSpread): DensityWeight {
  const radius = checkPositive('radius', spread.radius);
  const mean = checkFinite('mean', spread.mean);
  // A spread of 0 (one player, a zero record) is slightly widened, so that the density stays a density.
  const deviation = max(checkNonNegative('deviation', spread.deviation), 0.01 * radius);
  const isotropic = max(checkNonNegative('isotropic', spread.isotropic), 0.01 * radius);
  const path = 1 / meanMagnitude(mean, deviation);
  const anywhere = 4 / (sqrt(2 * PI) * isotropic);
  const density = (t: number): number => {
    const beyond = normalCdf((t > 0 ? mean - t : t - mean) / deviation);
    return path * beyond + anywhere * exp(-0.5 * (t / isotropic) ** 2);
  };
  // Both parts vary on their own scale, around the mean and around 0.
  const steps = [1, 3, 9].flatMap((step) => [step * isotropic, -step * isotropic]);
  const around = [-9, -3, -1, 0, 1, 3, 9].map((step) => mean + step * deviation);
  const inner = [0, ...steps, ...around, ...(spread.kinks ?? [])].filter((edge) => abs(edge) < radius);
  const edges = [...new Set([-radius, ...inner, radius])].sort((a, b) => a - b);
  return { density, edges };
}

// E|T| for T ~ N(mean, deviation²).
function meanMagnitude(mean: number, deviation: number): number {
  const ratio = mean / deviation;
  return deviation * sqrt(2 / PI) * exp(-0.5 * ratio * ratio) + mean * (1 - 2 * normalCdf(-ratio));
}

/** A fit that depends on the point to which it leads. */
export interface FitProblem {
  /** Number of coordinates of a point. */
  readonly dimension: number;
  /** The highest degree that the moments allow. */
  readonly highest: number;
  /** The requested degree, or `automatic`: the lowest degree for which the next one is not clearly better. */
  readonly degree: number | 'automatic';
  /** The polynomial of this degree when the margins are those at w. */
  fitAt(w: Float64Array, degree: number): NoiseAwareFit;
  /** The point to which the polynomial leads. */
  solve(coefficients: ArrayLike<number>): Float64Array;
}

/** The next degree is used only if it lowers the forecast error by this factor, because it gives up convexity. */
const DEGREE_GAIN = 0.6;

/** Number of rounds. A round fits the polynomial to the current margins and moves w to the point to which it leads. */
const ROUNDS = 8;

/**
 * A polynomial and the point to which it leads, brought into agreement from w = 0.
 *
 * @throws TypeError or RangeError for a degree that the moments do not allow.
 */
export function settleFit({ dimension, highest, degree: wanted, fitAt, solve }: FitProblem): {
  readonly w: Float64Array;
  readonly coefficients: Float64Array;
} {
  const settle = (degree: number) => {
    let w: Float64Array = new Float64Array(dimension);
    let coefficients: Float64Array = new Float64Array(0);
    for (let round = 0; round < ROUNDS; round++) {
      const fit = fitAt(w, degree).coefficients;
      // Half a step: with full steps the fit and the minimiser would oscillate.
      coefficients = round === 0 ? fit : coefficients.map((c, k) => (c + fit[k]) / 2);
      w = solve(coefficients);
    }
    return { w, coefficients };
  };
  if (wanted !== 'automatic') return settle(checkInteger('degree', wanted, 0, highest));
  let degree = min(1, highest);
  const chosen = settle(degree);
  for (let next = degree + 1; next <= highest; next++) {
    if (fitAt(chosen.w, next).objective < DEGREE_GAIN * fitAt(chosen.w, degree).objective) degree = next;
  }
  return degree > 1 ? settle(degree) : chosen;
}

/** sup |P − f′| on [−R, R], on a grid fine enough for a polynomial of the degrees in use. */
export function largestGap(coefficients: ArrayLike<number>, slope: (t: number) => number, radius: number): number {
  let largest = 0;
  for (let i = 0; i <= 2000; i++) {
    const t = radius * (i / 1000 - 1);
    largest = max(largest, abs(evaluatePolynomial(coefficients, t) - slope(t)));
  }
  return largest;
}

import { checkFinite, checkNonNegative, checkPositive } from '../check/number.ts';
import { normalCdf } from '../numeric/normal.ts';
import type { DensityWeight } from '../polynomial/fit.ts';

const { abs, exp, max, PI, sqrt } = Math;

/** What is known, or privately estimated, of the margins t = ⟨w, v⟩. */
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
 * Where the polynomial in the place of f′ has to be good: a plausible law of the margins, of two parts.
 *
 * - One fifth: the places τ that the path from 0 to the current w crosses. L(w) − L(0) is the mean over players of
 *   ∫_0^t f′(τ)dτ, so an error of P at τ counts with the probability that the margin lies beyond τ; margins are taken as
 *   normal with the mean and deviation given.
 * - Four fifths: the margin at a w of which nothing is known yet, N(0, R²·E‖v‖²/p). It keeps the fit from chasing the
 *   noise in the current w; the proportion was chosen on the Adult benchmark (docs/hinge.md).
 *
 * Law: a density on [−R, R], not normalised after the truncation.
 *
 * @throws TypeError or RangeError for numbers that are not finite, a radius that is not > 0 or a negative spread.
 */
export function marginWeight(spread: MarginSpread): DensityWeight {
  const radius = checkPositive('radius', spread.radius);
  const mean = checkFinite('mean', spread.mean);
  // A spread of 0 (one player, a zero record) is widened to a sliver, so that the density stays a density.
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

import { checkInteger } from '../check/number.ts';
import { normalCdf, normalDensity, normalQuantile } from '../numeric/normal.ts';
import { createScratch, reserve } from '../numeric/scratch.ts';
import { pure } from '../privacy/guarantee.ts';
import { fillNormal } from '../random/normal.ts';
import type { Random } from '../random/random.ts';
import { bernoulli, uniform } from '../random/uniform.ts';
import {
  bestThreshold,
  checkEpsilonRange,
  checkUnitNorm,
  splitCap,
  type UnitMechanism,
  type UnitRequest,
} from './unit-mechanism.ts';

/** Public constants of PrivUnitG. Plain data. */
export interface PrivUnitG extends UnitMechanism {
  readonly name: 'PrivUnitG';
}

/**
 * PrivUnitG with the best threshold. It is the randomizer of a unit vector of R^d with the least error of all pure
 * ε-locally private ones, up to a factor that tends to 1 as d grows.
 *
 * Law: z = (αu + g − ⟨g, u⟩u)/m with g ~ N(0, I_d) and α ~ N(0, 1) conditioned on α ≥ γ with probability p, on α < γ
 * otherwise; m = E α = φ(γ)(p/q − (1 − p)/(1 − q)), q = Φ(−γ). E α² = 1 + γm, so the covariance of z is
 * (I + (γm − m²)uuᵀ)/m², and at the best threshold, where γ = m, simply I/m².
 *
 * Guarantee: pure ε; the density of z takes two values relative to a Gaussian, in the ratio p(1 − q)/(q(1 − p)).
 *
 * Source: Asi, Feldman, Talwar (2022), Optimal algorithms for mean estimation under local differential privacy, ICML.
 *
 * @throws TypeError or RangeError unless 1e-9 ≤ ε ≤ 500 and the dimension is a whole number ≥ 1.
 *
 * @example
 * ```ts
 * import { privUnitG } from 'ldpkit/mechanism';
 * // The variance of each coordinate of a report: it grows with the dimension, and falls with ε.
 * for (const epsilon of [1, 4]) console.log(privUnitG({ epsilon, dimension: 10 }).coordinateVariance.toFixed(1)); // 6.3; 0.4
 * ```
 */
export function privUnitG(request: UnitRequest): PrivUnitG {
  const epsilon = checkEpsilonRange(request.epsilon, 500);
  const dimension = checkInteger('dimension', request.dimension, 1);
  const floor = 1 / Math.expm1(epsilon);
  const best = bestThreshold((gamma) => normalDensity(gamma) / (floor + normalCdf(-gamma)));
  const split = splitCap(normalCdf(-best), epsilon);
  const { keep, cap } = split;
  // The constants below belong to the sampled law, whose cap was rounded to the safe side.
  const threshold = -normalQuantile(cap);
  const mean = (normalDensity(threshold) * (keep - cap)) / (cap * (1 - cap));
  const coordinateVariance = 1 / (mean * mean);
  const alongVariance = (1 + mean * (threshold - mean)) * coordinateVariance;
  return {
    name: 'PrivUnitG',
    epsilon,
    dimension,
    ...split,
    threshold,
    mean,
    scale: 1 / mean,
    guarantee: pure(epsilon),
    squaredError: (dimension - 1) * coordinateVariance + alongVariance,
    coordinateVariance,
    alongVariance,
  };
}

/**
 * α of one report: its component along the unit vector, before scaling. All that a report draws for its own datum; the
 * rest is Gaussian.
 *
 * Law: see {@link privUnitG}; by inversion of one uniform in the accurate tail, without retries.
 */
export function drawAlong({ keep, cap }: Pick<PrivUnitG, 'keep' | 'cap'>, random: Random): number {
  // The tail beyond α is uniform on (0, q) in the cap, and Φ(α) is uniform on (0, 1 − q) outside.
  return bernoulli(keep, random) ? -normalQuantile(cap * uniform(random)) : normalQuantile((1 - cap) * uniform(random));
}

// Scratch of the kernel, kept between calls and overwritten by each.
const scratch = /* @__PURE__ */ createScratch(256);

/**
 * One report of a unit vector, written into the first `dimension` entries of `target`; `unit` may be longer as well.
 *
 * Law: see {@link privUnitG}; α by `drawAlong`. Allocates nothing.
 * The law is stated for real numbers; no proof covers the grid of doubles on which the normals lie.
 *
 * @throws RangeError for a vector that is not of norm 1 (to 1e-9), without its values.
 */
export function randomizePrivUnitG(
  parameters: PrivUnitG,
  unit: ArrayLike<number>,
  target: Float64Array | Float32Array,
  random: Random,
): void {
  const { dimension, scale } = parameters;
  const g = reserve(scratch, dimension);
  const alpha = drawAlong(parameters, random);
  fillNormal(g, random, 0, dimension);
  // Two sums of each kind halve the chain of dependent additions, which limits the speed of the loop.
  let dot = 0;
  let dotOdd = 0;
  let squared = 0;
  let squaredOdd = 0;
  let i = 0;
  for (; i + 1 < dimension; i += 2) {
    const u = unit[i];
    const v = unit[i + 1];
    dot += g[i] * u;
    dotOdd += g[i + 1] * v;
    squared += u * u;
    squaredOdd += v * v;
  }
  if (i < dimension) {
    dot += g[i] * unit[i];
    squared += unit[i] * unit[i];
  }
  checkUnitNorm(squared + squaredOdd);
  const shift = alpha - (dot + dotOdd);
  for (i = 0; i < dimension; i++) target[i] = (g[i] + shift * unit[i]) * scale;
}

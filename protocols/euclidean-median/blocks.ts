import { checkInteger, RefusedValue } from '../../src/check/refusal.ts';
import { createLift, type Lift, liftSize, MAXIMUM_LIFT } from '../../src/polynomial/lift.ts';

/** One feature vector of x: ‖x‖^{2·radial}·sym^power(x), of norm ‖x‖^{2·radial + power}. */
export interface RadialBlock {
  /** a, the power of ‖x‖². */
  readonly radial: number;
  /** b, the symmetric power of x; 0 for a number. */
  readonly power: number;
  /** Its first entry among the features. */
  readonly offset: number;
  /** Number of entries. */
  readonly size: number;
}

/**
 * The features ‖x‖^{2a}·sym^b(x), 1 ≤ a + b ≤ k + 1. For every w, the mean of any polynomial of degree k + 1 in
 * r = ‖w − x‖² is linear in their means. For k = 1 they are x, ‖x‖², sym²(x), x‖x‖² and ‖x‖⁴; gradients do not need
 * the last.
 */
export interface RadialFeatures {
  /** p. */
  readonly dimension: number;
  /** k, the degree of the polynomial Q(r) in a gradient Q(r)(w − x). */
  readonly degree: number;
  /** The blocks, by a + b and then by a. */
  readonly blocks: readonly RadialBlock[];
  /** Number of entries of all blocks together. */
  readonly size: number;
  /** Symmetric powers of x up to k + 1. */
  readonly lift: Lift;
}

/** Highest degree of every variant. */
export const MAXIMUM_DEGREE = 8;

/**
 * The features for gradients of degree k in dimension p.
 *
 * @throws TypeError or RangeError naming the field; RangeError when there are too many, naming a degree that fits.
 */
export function radialFeatures(dimension: number, degree: number): RadialFeatures {
  checkInteger('dimension', dimension, 1, MAXIMUM_LIFT);
  checkInteger('degree', degree, 0, MAXIMUM_DEGREE);
  if (featureCount(dimension, degree) > MAXIMUM_LIFT) {
    let most = degree - 1;
    while (most >= 0 && featureCount(dimension, most) > MAXIMUM_LIFT) most--;
    const size = `(${MAXIMUM_LIFT} features at most)`;
    if (most < 0) throw new RefusedValue('dimension', `at most ${MAXIMUM_LIFT - 1} ${size}`, dimension);
    throw new RefusedValue('degree', `at most ${most} in dimension ${dimension} ${size}`, degree);
  }
  const lift = createLift(dimension, degree + 1);
  const blocks: RadialBlock[] = [];
  let offset = 0;
  for (let order = 1; order <= degree + 1; order++) {
    for (let radial = 0; radial <= order; radial++) {
      const power = order - radial;
      const size = blockSize(dimension, power);
      blocks.push({ radial, power, offset, size });
      offset += size;
    }
  }
  return { dimension, degree, blocks, size: offset, lift };
}

/** C(p + b − 1, b) entries in the b-th symmetric power. */
function blockSize(dimension: number, power: number): number {
  if (power === 0) return 1;
  return liftSize(dimension, power) - (power === 1 ? 0 : liftSize(dimension, power - 1));
}

function featureCount(dimension: number, degree: number): number {
  let count = 0;
  for (let order = 1; order <= degree + 1; order++) {
    for (let power = 0; power <= order; power++) count += blockSize(dimension, power);
  }
  return Number.isNaN(count) ? Infinity : count;
}

/**
 * Writes the features of x into the first `features.size` entries of `target`, block after block, each multiplied by
 * its scale. The symmetric powers of x, unscaled, are in `powers` (see `fillLift`). No allocation.
 */
export function fillFeatures(
  features: RadialFeatures,
  scales: ArrayLike<number>,
  powers: ArrayLike<number>,
  squaredNorm: number,
  target: Float64Array,
): void {
  const { blocks, lift } = features;
  for (let block = 0; block < blocks.length; block++) {
    const { radial, power, offset, size } = blocks[block];
    let factor = scales[block];
    for (let i = 0; i < radial; i++) factor *= squaredNorm;
    if (power === 0) {
      target[offset] = factor;
      continue;
    }
    const from = lift.offsets[power - 1];
    for (let i = 0; i < size; i++) target[offset + i] = factor * powers[from + i];
  }
}

/**
 * The symmetric powers of x up to 2k + 2: what a tally of Gaussian copies holds.
 *
 * @throws TypeError or RangeError naming the field; RangeError when there are too many, naming a degree that fits.
 */
export function momentLift(dimension: number, degree: number): Lift {
  checkInteger('dimension', dimension, 1, MAXIMUM_LIFT);
  checkInteger('degree', degree, 0, MAXIMUM_DEGREE);
  if (liftSize(dimension, 2 * degree + 2) > MAXIMUM_LIFT) {
    let most = degree - 1;
    while (most >= 0 && liftSize(dimension, 2 * most + 2) > MAXIMUM_LIFT) most--;
    const expected = `powers of x up to 2k + 2 with at most ${MAXIMUM_LIFT} entries in dimension ${dimension}`;
    const fits = most < 0 ? 'no degree fits' : `k = ${most} fits`;
    throw new RefusedValue('degree', `${expected} (${fits})`, degree);
  }
  return createLift(dimension, 2 * degree + 2);
}

/**
 * The coefficient of ‖w‖^{2α}·⟨sym^b(w), ‖x‖^{2a}sym^b(x)⟩ in r^m = (‖w‖² − 2⟨w, x⟩ + ‖x‖²)^m, α = m − a − b:
 * m!/(α!·b!·a!)·(−2)^b; 0 when a + b > m.
 */
export function blockCoefficient(m: number, { radial, power }: Pick<RadialBlock, 'radial' | 'power'>): number {
  const alpha = m - radial - power;
  if (alpha < 0) return 0;
  let coefficient = (-2) ** power;
  // m!/(α!·a!·b!) factor by factor: whole at every step.
  for (let i = 1; i <= radial; i++) coefficient *= (alpha + i) / i;
  for (let i = 1; i <= power; i++) coefficient *= (alpha + radial + i) / i;
  return Math.round(coefficient);
}

/**
 * Coefficients of the potential S with S′ = Q/2, so that the gradient of S(‖w − x‖²) in w is Q(r)(w − x):
 * s_m = c_{m−1}/(2m); s_0 is given.
 */
export function potential(gradient: ArrayLike<number>, constant: number = 0): Float64Array {
  return Float64Array.from({ length: gradient.length + 1 }, (_, m) => (m === 0 ? constant : gradient[m - 1] / (2 * m)));
}

/**
 * The mean of ⟨noise of one gradient, noise of another⟩, from noise of variance 1 in every entry of one block. The
 * gradients are Q(r)(w − x) with the coefficients `left` and `right`, at ‖w‖² = ρ.
 *
 * Law: the block's part of a gradient is ∇(A(ρ)·⟨sym^b(w), M⟩), A = Σ_m s_m·coefficient·ρ^α. With
 * ⟨sym^b, ∇sym^b⟩ = bρ^{b−1}·w and `‖∇sym^b‖² = b(p + b − 1)ρ^{b−1}`, a pair of powers α, α′ contributes
 * `ρ^{α+α′+b−1}·(4αα′ + 2(α + α′)b + b(p + b − 1))`.
 */
export function liftedGradientNoise(
  block: RadialBlock,
  left: ArrayLike<number>,
  right: ArrayLike<number>,
  dimension: number,
  squaredNorm: number,
): number {
  const { radial, power } = block;
  let sum = 0;
  for (let m = 1; m <= left.length; m++) {
    const alpha = m - radial - power;
    if (alpha < 0 || left[m - 1] === 0) continue;
    for (let n = 1; n <= right.length; n++) {
      const beta = n - radial - power;
      if (beta < 0 || right[n - 1] === 0) continue;
      const bracket = 4 * alpha * beta + 2 * (alpha + beta) * power + power * (dimension + power - 1);
      if (bracket === 0) continue;
      const coefficients = ((blockCoefficient(m, block) * left[m - 1]) / (2 * m)) * blockCoefficient(n, block);
      sum += ((coefficients * right[n - 1]) / (2 * n)) * bracket * squaredNorm ** (alpha + beta + power - 1);
    }
  }
  return sum;
}

/** Variance of the value of a potential Σ s_m r^m at ‖w‖² = ρ, from noise of variance 1 in each entry of one block. */
export function liftedValueNoise(block: RadialBlock, values: ArrayLike<number>, squaredNorm: number): number {
  const { radial, power } = block;
  let factor = 0;
  for (let m = radial + power; m < values.length; m++) {
    factor += values[m] * blockCoefficient(m, block) * squaredNorm ** (m - radial - power);
  }
  return factor * factor * squaredNorm ** power;
}

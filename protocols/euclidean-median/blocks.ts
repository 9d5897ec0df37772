import { checkInteger, refusal } from '../../src/check/number.ts';
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
 * The features ‖x‖^{2a}·sym^b(x), 1 ≤ a + b ≤ k + 1: what the mean of any polynomial of degree k + 1 in r = ‖w − x‖² is
 * linear in, whatever w. For k = 1 they are x, ‖x‖², sym²(x), x‖x‖² and ‖x‖⁴; gradients do not need the last.
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
    if (most < 0) throw new RangeError(refusal('dimension', `at most ${MAXIMUM_LIFT - 1} ${size}`, dimension));
    throw new RangeError(refusal('degree', `at most ${most} in dimension ${dimension} ${size}`, degree));
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
 * Writes the features of x into the first `features.size` entries of `target`, block after block, each times its scale. The
 * symmetric powers of x, unscaled, are in `powers` (see `fillLift`). No allocation.
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
    throw new RangeError(refusal('degree', `${expected} (${fits})`, degree));
  }
  return createLift(dimension, 2 * degree + 2);
}

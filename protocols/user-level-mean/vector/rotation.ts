import { checkPositive } from '../../../src/check/number.ts';
import { walshHadamard } from '../../../src/numeric/walsh-hadamard.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { bits } from '../../../src/random/uniform.ts';

const { log, sqrt } = Math;

/**
 * A public rotation of R^D, where D is the least power of two that is at least d: y ↦ H·diag(s)·y/√D. Here y is padded
 * with zeros, H is the Walsh–Hadamard matrix and s are random signs. It spreads every vector: each coordinate of the
 * image is a Rademacher sum, so it is subgaussian with standard deviation ‖y‖₂/√D.
 *
 * Source: Ailon, Chazelle (2009), The fast Johnson–Lindenstrauss transform, section 2.
 */
export interface Rotation {
  /** d, the number of coordinates before the padding. */
  readonly dimension: number;
  /** D, a power of two. */
  readonly size: number;
  /** s/√D, for the first d coordinates; the other signs would only multiply zeros. */
  readonly signs: Float64Array;
}

/** The rotation of a public seed; signs are the low bits of the seed's words. */
export function createRotation(dimension: number, seed: string): Rotation {
  let size = 1;
  while (size < dimension) size *= 2;
  const random = seededRandom(`${seed} rotation`);
  const signs = new Float64Array(dimension);
  for (let i = 0; i < dimension; i++) signs[i] = (bits(random) & 1 ? 1 : -1) / sqrt(size);
  return { dimension, size, signs };
}

/**
 * Writes row `index` of the rotation into the first d entries of `target`; a player who answers one coordinate needs
 * only this row.
 *
 * Law: H has the entry (−1)^(number of ones of i AND j) at (i, j), i and j from 0.
 */
export function fillRotationRow({ dimension, signs }: Rotation, index: number, target: Float64Array): void {
  for (let i = 0; i < dimension; i++) {
    // The parity of a word, folded into its low bit.
    let parity = i & index;
    parity ^= parity >>> 16;
    parity ^= parity >>> 8;
    parity ^= parity >>> 4;
    parity ^= parity >>> 2;
    parity ^= parity >>> 1;
    target[i] = parity & 1 ? -signs[i] : signs[i];
  }
}

/** The image of a vector of R^d: D numbers, the first entries of `image` if that is given. */
export function rotate(
  { dimension, size, signs }: Rotation,
  vector: ArrayLike<number>,
  image: Float64Array = new Float64Array(size),
): Float64Array {
  for (let i = 0; i < dimension; i++) image[i] = vector[i] * signs[i];
  image.fill(0, dimension, size);
  walshHadamard(image, size);
  return image;
}

/** The vector of R^d whose image is nearest to `image`: the inverse rotation without its padding. */
export function rotateBack({ dimension, signs }: Rotation, image: Float64Array): Float64Array {
  const vector = Float64Array.from(image);
  walshHadamard(vector);
  for (let i = 0; i < dimension; i++) vector[i] *= signs[i];
  return vector.slice(0, dimension);
}

/**
 * The lemma of the rotation: with probability 1 − ξ over the signs, no coordinate of n rotated vectors of norm at most
 * B is larger than B·√(2·ln(2Dn/ξ)/D).
 *
 * Source: Hoeffding's inequality for Rademacher sums, and a union bound over nD of them; slides of Avella Medina
 * (2023).
 *
 * @throws TypeError or RangeError unless every number is > 0.
 */
export function rotationBound(bound: number, size: number, players: number, failure: number): number {
  checkPositive('bound', bound);
  const ratio =
    (2 * checkPositive('size', size) * checkPositive('players', players)) / checkPositive('failure', failure);
  return bound * sqrt((2 * log(ratio)) / size);
}

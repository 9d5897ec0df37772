import { checkInteger, checkPositive, refusal } from '../check/number.ts';
import { RefusedKind, RefusedValue } from '../check/refusal.ts';

const { abs, max, sqrt } = Math;

/** How far outside the ball a start may lie because of rounding, as a fraction of the radius. */
const START_TOLERANCE = 1e-12;

/**
 * Checks that a vector has `length` finite numbers, in one pass that allocates nothing.
 *
 * @throws RangeError for a wrong length or an entry that is not finite.
 */
export function checkVector(name: string, vector: ArrayLike<number>, length: number = vector.length): void {
  let sum = vector.length - length;
  // 0·x is 0 for a finite x and NaN otherwise; a missing entry is NaN too.
  for (let i = 0; i < length; i++) sum += 0 * vector[i];
  if (sum !== 0) refuseVector(name, vector, length);
}

function refuseVector(name: string, vector: ArrayLike<number>, length: number): never {
  if (vector.length !== length) throw new RefusedValue(refusal(name, `${length} numbers`, vector.length));
  throw new RefusedValue(
    refusal(
      name,
      'finite numbers',
      Array.from(vector).find((entry) => !Number.isFinite(entry)),
    ),
  );
}

/** The inner product ⟨a, b⟩ of two vectors of one length. */
export function innerProduct(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

/** The Euclidean norm ‖a‖, without overflow or underflow of the squares. */
export function euclideanNorm(a: Float64Array): number {
  const squared = innerProduct(a, a);
  // If the squares neither overflow nor come near the subnormals, the plain root is exact to rounding.
  if (squared > 1e-280 && squared < Infinity) return sqrt(squared);
  let largest = 0;
  for (let i = 0; i < a.length; i++) largest = max(largest, abs(a[i]));
  if (!(largest > 0 && largest < Infinity)) return largest;
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] / largest) ** 2;
  return largest * sqrt(sum);
}

/** The Euclidean distance ‖a − b‖ of two vectors of one length. */
export function euclideanDistance(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] - b[i]) ** 2;
  return sqrt(sum);
}

/**
 * The Euclidean projection of `point` on the ball of the given radius about the origin, written into `target`, by
 * default in place; returns `target`. The norm of the result exceeds the radius by rounding at most.
 *
 * @throws RangeError for a point with a NaN or an infinity.
 * @theorem noninteractive Assumption 1
 */
export function projectBall(point: Float64Array, radius: number, target: Float64Array = point): Float64Array {
  const norm = euclideanNorm(point);
  if (!(norm < Infinity)) throw new RefusedValue(refusal('point', 'a finite norm', norm));
  if (norm <= radius) {
    if (target !== point) target.set(point);
  } else {
    for (let i = 0; i < point.length; i++) target[i] = radius * (point[i] / norm);
  }
  return target;
}

/**
 * A copy of the start of a method on the ball, the origin if none is given.
 *
 * @throws TypeError or RangeError for a start of wrong length, outside the ball or not finite, or for an invalid
 * dimension or radius.
 */
export function ballStart(dimension: number, radius: number, start?: Float64Array): Float64Array {
  checkInteger('dimension', dimension, 1);
  checkPositive('radius', radius);
  if (start === undefined) return new Float64Array(dimension);
  if (!(start instanceof Float64Array)) throw new RefusedKind(refusal('start', 'a Float64Array', start));
  if (start.length !== dimension) throw new RefusedValue(refusal('start', `${dimension} numbers`, start.length));
  const norm = euclideanNorm(start);
  if (!(norm <= radius * (1 + START_TOLERANCE))) {
    throw new RefusedValue(refusal('start', `a norm of at most the radius ${radius}`, norm));
  }
  return start.slice();
}

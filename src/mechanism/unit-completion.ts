import { checkUnitBall } from '../check/datum.ts';

const { sqrt } = Math;

/**
 * Completes a vector of the unit ball to the unit sphere with one more coordinate, √(1 − ‖u‖²): the norm is private too,
 * and mechanisms for unit vectors hide it with the direction.
 *
 * Shape: `vector` has `dimension` entries, `target` at least one more; an unbiased report of the completed vector is an
 * unbiased report of `vector` in its first entries.
 *
 * @throws TypeError or RangeError for anything but `dimension` numbers in the unit ball, without their values.
 */
export function completeToSphere(vector: ArrayLike<number>, dimension: number, target: Float64Array): void {
  const squared = checkUnitBall('vector', vector, dimension);
  for (let i = 0; i < dimension; i++) target[i] = vector[i];
  // Above 1 by rounding only: the check refuses more.
  target[dimension] = squared < 1 ? sqrt(1 - squared) : 0;
}

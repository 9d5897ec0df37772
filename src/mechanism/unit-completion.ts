import { checkUnitBall } from '../check/datum.ts';
import type { Random } from '../random/random.ts';
import { uniform } from '../random/uniform.ts';

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

/**
 * Replaces a vector of the unit ball by a random unit vector with that mean, in the same dimension: u/‖u‖ with probability
 * ½(1 + ‖u‖) and −u/‖u‖ otherwise; the zero vector becomes ±e₁.
 *
 * Whatever mechanism for unit vectors follows keeps its guarantee, since the report's law is a mixture of its laws. The
 * price is 1 − ‖u‖² in squared error before that mechanism; {@link completeToSphere} costs one coordinate instead.
 *
 * @throws TypeError or RangeError for anything but `dimension` numbers in the unit ball, without their values.
 */
export function randomSignToSphere(
  vector: ArrayLike<number>,
  dimension: number,
  target: Float64Array,
  random: Random,
): void {
  const norm = sqrt(checkUnitBall('vector', vector, dimension));
  const sign = 2 * uniform(random) < 1 + norm ? 1 : -1;
  if (norm > 0) {
    const scale = sign / norm;
    for (let i = 0; i < dimension; i++) target[i] = vector[i] * scale;
    return;
  }
  target.fill(0, 0, dimension);
  target[0] = sign;
}

/**
 * How far above 1 a norm may lie because of rounding: a vector that was divided by its own norm in double precision
 * is within a few units in the last place of the sphere. Nothing beyond that is accepted, and nothing is clipped.
 */
export const UNIT_TOLERANCE = 1e-12;

/**
 * A vector of the given length in the closed unit ball (up to rounding, {@link UNIT_TOLERANCE}). It is private, so the
 * messages never contain a value of it.
 *
 * Returns the squared ℓ₂ norm.
 *
 * @throws TypeError for anything that is not an array of numbers, RangeError for a wrong length, a NaN, an infinity or
 * a norm above 1.
 * @theorem noninteractive Assumption 1
 */
export function checkUnitBall(name: string, vector: ArrayLike<number>, dimension: number): number {
  if (vector === null || typeof vector !== 'object' || typeof vector.length !== 'number') {
    throw new TypeError(`"${name}" expected an array of ${dimension} numbers`);
  }
  if (vector.length !== dimension) throw new RangeError(`"${name}" expected ${dimension} numbers`);
  let squared = 0;
  for (let i = 0; i < dimension; i++) {
    const entry = vector[i];
    if (typeof entry !== 'number') throw new TypeError(`"${name}" expected an array of ${dimension} numbers`);
    squared += entry * entry;
  }
  // One comparison covers NaN and both infinities as well.
  if (!(squared <= 1 + UNIT_TOLERANCE)) {
    throw new RangeError(`"${name}" expected finite numbers with an l2 norm of at most 1`);
  }
  return squared;
}

/**
 * A private number in [−1, 1]; the message never contains it.
 *
 * @throws TypeError for anything that is not a number, RangeError outside [−1, 1].
 * @theorem noninteractive Assumption 1
 */
export function checkUnitInterval(name: string, value: unknown): number {
  if (typeof value !== 'number') throw new TypeError(`"${name}" expected a number from -1 to 1`);
  if (!(value >= -1 && value <= 1)) throw new RangeError(`"${name}" expected a number from -1 to 1`);
  return value;
}

import { refusal } from '../check/number.ts';

/**
 * A vector of `length` finite numbers, for hot loops: one pass, nothing allocated.
 *
 * @throws RangeError for another length or an entry that is not finite.
 */
export function checkVector(name: string, vector: ArrayLike<number>, length: number): void {
  let sum = vector.length - length;
  // 0·x is 0 for a finite x and NaN otherwise; a missing entry is NaN too.
  for (let i = 0; i < length; i++) sum += 0 * vector[i];
  if (sum !== 0) refuseVector(name, vector, length);
}

function refuseVector(name: string, vector: ArrayLike<number>, length: number): never {
  if (vector.length !== length) throw new RangeError(refusal(name, `${length} numbers`, vector.length));
  throw new RangeError(
    refusal(
      name,
      'finite numbers',
      Array.from(vector).find((entry) => !Number.isFinite(entry)),
    ),
  );
}

import { fillNormal } from './normal.ts';
import type { Random } from './random.ts';

/**
 * Fills a vector with a uniform point of the unit sphere S^(p−1), p = `target.length`.
 *
 * Law: a standard normal vector divided by its norm; for p = 1 a fair sign.
 *
 * @throws RangeError for an empty target.
 */
export function fillSphere(target: Float64Array, random: Random): void {
  if (target.length === 0) throw new RangeError('"target" expected at least one entry, got none');
  fillNormal(target, random);
  let squared = 0;
  for (let i = 0; i < target.length; i++) squared += target[i] * target[i];
  // No normal is 0, so the norm is not.
  const norm = Math.sqrt(squared);
  for (let i = 0; i < target.length; i++) target[i] /= norm;
}

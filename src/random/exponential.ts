import { checkPositive } from '../check/number.ts';
import type { Random } from './random.ts';
import { uniform } from './uniform.ts';

const { log } = Math;

/**
 * An exponential number with mean `scale`.
 *
 * Law: density exp(−x/s)/s on (0, ∞), by inversion of a 53-bit uniform: never 0, at most 36.8 s.
 *
 * @throws TypeError or RangeError for a scale that is not a finite number > 0.
 */
export function exponential(scale: number, random: Random): number {
  return -checkPositive('scale', scale) * log(uniform(random));
}

import { checkPositive } from '../check/number.ts';
import { bits, type Random } from './random.ts';
import { uniform } from './uniform.ts';

const { log } = Math;

/**
 * A Laplace number of scale `scale` around 0.
 *
 * Law: density exp(−|x|/s)/(2s): an exponential number with a fair sign. Simulation-grade: the grid of doubles shows in
 * the lowest bits (Mironov 2012), so it must not be the noise of a deployed report.
 *
 * Units: the standard deviation is √2 times the scale.
 *
 * @throws TypeError or RangeError for a scale that is not a finite number > 0.
 */
export function laplace(scale: number, random: Random): number {
  const magnitude = exponential(scale, random);
  return (bits(random) & 1) === 0 ? magnitude : -magnitude;
}

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

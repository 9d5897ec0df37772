import { checkPositive } from '../check/refusal.ts';
import { bits, normal, type Random, uniform } from './random.ts';

const { log, sqrt } = Math;

/**
 * A gamma number.
 *
 * Law: density proportional to x^(k−1)·exp(−x/s) on (0, ∞), for any shape k > 0 and scale s > 0. Exact rejection. For
 * shapes below about 0.05, part of the law lies below the smallest double and gives 0.
 *
 * Source: G. Marsaglia, W. Tsang, "A simple method for generating gamma variables", ACM TOMS 26(3), 2000.
 */
export function gamma(shape: number, scale: number, random: Random): number {
  checkPositive('shape', shape);
  checkPositive('scale', scale);
  if (shape >= 1) return standardGamma(shape, random) * scale;
  // A gamma number of shape k + 1 times U^(1/k) has shape k (section 6). Computed in logarithms, so that a tiny power
  // times a large scale does not underflow in between.
  const raised = standardGamma(shape + 1, random);
  return Math.exp(log(uniform(random)) / shape + log(raised) + log(scale));
}

/** Shape ≥ 1, scale 1: a cubed normal, refused in less than 5 % of all tries. */
function standardGamma(shape: number, random: Random): number {
  const d = shape - 1 / 3;
  const c = 1 / sqrt(9 * d);
  for (;;) {
    const x = normal(random);
    const root = 1 + c * x;
    if (root <= 0) continue;
    const v = root * root * root;
    const u = uniform(random);
    // The quartic lies below the exact bound, and saves most of the logarithms.
    if (u < 1 - 0.0331 * x * x * x * x || log(u) < 0.5 * x * x + d * (1 - v + log(v))) return d * v;
  }
}

/**
 * A Laplace number of scale `scale` around 0.
 *
 * Law: density exp(−|x|/s)/(2s): an exponential number with a fair sign. Simulation-grade: the lowest bits reveal
 * the grid of doubles (Mironov 2012), so it must not be the noise of a deployed report.
 *
 * Units: the standard deviation is √2 times the scale.
 */
export function laplace(scale: number, random: Random): number {
  const magnitude = exponential(scale, random);
  return (bits(random) & 1) === 0 ? magnitude : -magnitude;
}

/**
 * An exponential number with mean `scale`.
 *
 * Law: density exp(−x/s)/s on (0, ∞), by inversion of a 53-bit uniform: never 0, at most 36.8 s.
 */
export function exponential(scale: number, random: Random): number {
  return -checkPositive('scale', scale) * log(uniform(random));
}

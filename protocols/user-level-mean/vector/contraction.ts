import { logGamma } from '../../../src/numeric/gamma.ts';

const { exp, log, max, sqrt } = Math;

/** Intervals of each side of Simpson's rule, and how far the length of a normal vector is followed from √d. */
const INTERVALS = 200;
const RANGE = 9;

/**
 * How much of a small shift is left after a clip: the derivative of E clip(g + t) at t = 0, g standard normal in R^d, clip the
 * projection on the ball of radius r.
 *
 * Law: E of 1 where ‖g‖ ≤ r and of (1 − 1/d)·r/‖g‖ beyond, since a projection keeps a shift along the sphere only, shrunk; by
 * Simpson's rule on both sides of r, to 1e-6.
 */
export function clipContraction(dimension: number, radius: number): number {
  const logNorm = (dimension / 2 - 1) * Math.LN2 + logGamma(dimension / 2);
  const density = (x: number): number =>
    x > 0 ? exp((dimension - 1) * log(x) - 0.5 * x * x - logNorm) : dimension === 1 ? sqrt(2 / Math.PI) : 0;
  const least = max(0, sqrt(dimension) - RANGE);
  const most = sqrt(dimension) + RANGE;
  const inner = simpson(density, Math.min(least, radius), Math.min(radius, most));
  const outer = simpson((x) => (density(x) * radius) / x, max(radius, least), max(radius, most));
  return inner + (1 - 1 / dimension) * outer;
}

function simpson(f: (x: number) => number, from: number, to: number): number {
  const step = (to - from) / INTERVALS;
  if (!(step > 0)) return 0;
  let sum = f(from) + f(to);
  for (let i = 1; i < INTERVALS; i++) sum += (i % 2 === 1 ? 4 : 2) * f(from + i * step);
  return (sum * step) / 3;
}

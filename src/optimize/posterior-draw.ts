import { logGamma } from '../numeric/beta.ts';
import { normalCdf, normalDensity } from '../numeric/normal.ts';
import { normal, type Random, uniform } from '../random/random.ts';

const { abs, exp, log, log1p, max, min } = Math;

/** Relative: far below what the cells of the grid do to a draw. */
const PRECISION = 1e-12;

/** Cells of a density on (0, 1). */
const CELLS = 128;

/** Their middles, with two functions of them that are asked for thousands of times. */
const PLACES = Float64Array.from({ length: CELLS }, (_, i) => (i + 0.5) / CELLS);
const [LOGARITHMS, FOURTH_POWERS] = [PLACES.map(log), PLACES.map((place) => place ** 4)];

/** The logarithm of a density on (0, 1) at the middle of a cell, up to a constant. */
export type LogDensity = (place: number, cell: number) => number;

/** A number from a density, which is taken to be constant in each cell. */
export function drawFromGrid(logDensity: LogDensity, random: Random): number {
  return placeIn(cellMasses(logDensity), random);
}

function placeIn(masses: Float64Array, random: Random): number {
  return (drawIndex(masses, random) + uniform(random)) / CELLS;
}

/** A density in the middle of each cell, in units of the largest one there. */
function cellMasses(logDensity: LogDensity): Float64Array {
  const masses = new Float64Array(CELLS);
  let most = -Infinity;
  for (let i = 0; i < CELLS; i++) most = max(most, (masses[i] = logDensity(PLACES[i], i)));
  for (let i = 0; i < CELLS; i++) masses[i] = exp(masses[i] - most);
  return masses;
}

/** A place with a probability in proportion to its mass. */
export function drawIndex(masses: ArrayLike<number>, random: Random): number {
  let sum = 0;
  for (let i = 0; i < masses.length; i++) sum += masses[i];
  let left = uniform(random) * sum;
  let at = 0;
  while (at < masses.length - 1 && left > masses[at]) left -= masses[at++];
  return at;
}

/**
 * The posterior of what d measured numbers are shrunk by, a factor B that is uniform on (0, 1) before: B^{d/2}·exp(−B·z/2), z the
 * square of the numbers in units of their noise. It is that of the fourth root of B: where there is hardly any noise B is nearly 0.
 *
 * Source: Strawderman 1971.
 */
export const shrinkage =
  (freedom: number, square: number): LogDensity =>
  (_, cell) =>
    (2 * freedom + 3) * LOGARITHMS[cell] - (FOURTH_POWERS[cell] * square) / 2;

/**
 * The logarithm of ∫ B^{d/2}·exp(−B·z/2) dB over (0, 1): how likely the measured numbers are under {@link shrinkage}, up to a factor.
 *
 * With a = d/2 + 1 and x = z/2 it is γ(a, x)/xᵃ of the incomplete gamma function: a series of positive terms up to its mean, a
 * continued fraction of what is missing beyond.
 */
export function logShrinkageMass(freedom: number, square: number): number {
  const [a, x] = [freedom / 2 + 1, square / 2];
  if (x <= a + 1) {
    let sum = 0;
    let term = 1 / a;
    for (let n = 1; term > PRECISION * sum; n++) {
      sum += term;
      term *= x / (a + n);
    }
    return log(sum) - x;
  }
  // Γ(a, x) = xᵃ·exp(−x)·fraction, from the convergents of 1/(x + 1 − a − 1·(1 − a)/(x + 3 − a − 2·(2 − a)/…)).
  let below = x + 1 - a;
  let ratio = Infinity;
  let inverse = 1 / below;
  let fraction = inverse;
  for (let n = 1, change = 0; abs(change - 1) > PRECISION; n++) {
    below += 2;
    inverse = 1 / (below - n * (n - a) * inverse);
    ratio = below - (n * (n - a)) / ratio;
    change = ratio * inverse;
    fraction *= change;
  }
  const whole = logGamma(a) - a * log(x);
  return whole + log1p(-fraction * exp(-x - whole));
}

/** A draw of 1 − B, the part that is kept: see {@link shrinkage}. */
export function drawKept(density: LogDensity, random: Random): number {
  return keptFrom(density)(random);
}

/** Draws of one law of {@link drawKept}, whose masses are computed once. */
export function keptFrom(density: LogDensity): (random: Random) => number {
  const masses = cellMasses(density);
  return (random) => 1 - placeIn(masses, random) ** 4;
}

/** N(mean, deviation²) on [0, 1]. */
export function drawShare(mean: number, deviation: number, random: Random): number {
  const nearest = min(1, max(0, mean));
  // In a tail that is thinner than the cells of the grid, the density falls off from its end.
  if (deviation < 1 / CELLS) return min(1, max(0, nearest + deviation * normal(random)));
  return drawFromGrid((place) => -0.5 * ((place - mean) / deviation) ** 2, random);
}

/** The mean of N(value, deviation²) on the positive half-line: the value itself where it is far above its noise. */
export function positiveMean(value: number, deviation: number): number {
  const ratio = value / deviation;
  if (ratio > 8) return value;
  // Far below 0 the law is nearly exponential.
  if (ratio < -6) return deviation / -ratio;
  return value + (deviation * normalDensity(ratio)) / normalCdf(ratio);
}

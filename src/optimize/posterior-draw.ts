import { normalCdf, normalDensity } from '../numeric/normal.ts';
import { normal, type Random, uniform } from '../random/random.ts';

const { exp, log, max, min } = Math;

/** Cells of a density on (0, 1). */
const CELLS = 128;

/** Their middles, with two functions of them that are asked for thousands of times. */
const PLACES = Float64Array.from({ length: CELLS }, (_, i) => (i + 0.5) / CELLS);
const [LOGARITHMS, FOURTH_POWERS] = [PLACES.map(log), PLACES.map((place) => place ** 4)];

/** The logarithm of a density on (0, 1) at the middle of a cell, up to a constant. */
export type LogDensity = (place: number, cell: number) => number;

/** A number from a density, which is taken to be constant in each cell. */
export function drawFromGrid(logDensity: LogDensity, random: Random): number {
  return (drawIndex(cellMasses(logDensity).masses, random) + uniform(random)) / CELLS;
}

/** The logarithm of the integral of a density. */
export function logMass(logDensity: LogDensity): number {
  const { masses, most } = cellMasses(logDensity);
  return most + log(masses.reduce((sum, mass) => sum + mass, 0) / CELLS);
}

/** A density in the middle of each cell, in units of the largest one there. */
function cellMasses(logDensity: LogDensity): { readonly masses: Float64Array; readonly most: number } {
  const masses = new Float64Array(CELLS);
  let most = -Infinity;
  for (let i = 0; i < CELLS; i++) most = max(most, (masses[i] = logDensity(PLACES[i], i)));
  for (let i = 0; i < CELLS; i++) masses[i] = exp(masses[i] - most);
  return { masses, most };
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

/** A draw of 1 − B, the part that is kept: see {@link shrinkage}. */
export function drawKept(density: LogDensity, random: Random): number {
  return 1 - drawFromGrid(density, random) ** 4;
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

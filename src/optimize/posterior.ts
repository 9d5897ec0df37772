import { logLowerGamma } from '../numeric/beta.ts';
import { normal, type Random, uniform } from '../random/random.ts';

const { exp, log, max, min } = Math;

// Draws from the posterior of one number: a shrinkage factor, a share, one of some candidates.

const CELLS = 128;
const PLACES = Float64Array.from({ length: CELLS }, (_, i) => (i + 0.5) / CELLS);

/** Draws of numbers of (0, 1) from a density, whose logarithm is given up to a constant, and which is taken to be constant in each cell. */
export function drawsFrom(logDensity: (place: number) => number): (random: Random) => number {
  const drawCell = indexFrom(PLACES.map(logDensity));
  return (random) => (drawCell(random) + uniform(random)) / CELLS;
}

/**
 * Draws of what is kept of d measured numbers, 1 − B. The factor B is uniform on (0, 1) before; its posterior is
 * B^{d/2}·exp(−B·z/2), z the square of the numbers in units of their noise. The grid is one of the fourth root of B:
 * where there is hardly any noise B is nearly 0.
 * Source: Strawderman 1971.
 */
export function keptFrom(freedom: number, square: number): (random: Random) => number {
  const drawRoot = drawsFrom((root) => (2 * freedom + 3) * log(root) - (root ** 4 * square) / 2);
  return (random) => 1 - drawRoot(random) ** 4;
}

/** How likely such numbers are: the logarithm of the integral of that posterior. */
export const logShrinkageMass = (freedom: number, square: number): number => logLowerGamma(freedom / 2 + 1, square / 2);

export function drawShare(mean: number, deviation: number, random: Random): number {
  const nearest = min(1, max(0, mean));
  // In a tail that is thinner than the cells of the grid, the density falls off from its end.
  if (deviation < 1 / CELLS) return min(1, max(0, nearest + deviation * normal(random)));
  return drawsFrom((place) => -0.5 * ((place - mean) / deviation) ** 2)(random);
}

/** Draws of places with probabilities in proportion to the exponentials of their entries. */
export function indexFrom(logMasses: Float64Array | readonly number[]): (random: Random) => number {
  const most = max(...logMasses);
  const masses = new Float64Array(logMasses.length);
  let sum = 0;
  for (let i = 0; i < masses.length; i++) sum += masses[i] = exp(logMasses[i] - most);
  return (random) => {
    let left = uniform(random) * sum;
    let at = 0;
    while (at < masses.length - 1 && left > masses[at]) left -= masses[at++];
    return at;
  };
}

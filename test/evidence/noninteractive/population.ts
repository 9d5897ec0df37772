import { seededRandom } from 'ldpkit';
import { bernoulli, fillSphere } from 'ldpkit/mechanism';
import { logisticLoss, smoothedHinge } from 'ldpkit/optimize';
import { populationOptimum, populationRisk, referencePopulation } from 'ldpkit/protocols/generalized-linear';
import type { Population } from 'ldpkit/simulate';

const { hypot } = Math;

/** P(right label) − P(wrong label). */
const SIGNAL = 0.5;

/** Smooth, convex and 1-Lipschitz, so that every method is defined: at the width β = 0.2 the hinge still has a bend. */
export const LOSSES = { logistic: logisticLoss(), hinge: smoothedHinge({ beta: 0.2 }) } as const;

/** The name of one of the losses. */
export type LossName = keyof typeof LOSSES;

/** Players of a collection, and the direction that their labels follow. */
export interface People {
  /** x and y of each player. */
  readonly population: Population<{ readonly features: Float64Array; readonly label: number }>;
  /** Signed records y·x, one after the other. */
  readonly records: Float64Array;
  readonly direction: Float64Array;
}

/**
 * n players: x uniform on the unit sphere, y the side of a random direction on which it lies, wrong for one in four.
 *
 * Law: a new direction for every collection, so that no grid or net lies well by chance.
 */
export function drawPeople(dimension: number, players: number, seed: string): People {
  const random = seededRandom(seed);
  const direction = new Float64Array(dimension);
  fillSphere(direction, random);
  const labels = new Int8Array(players);
  const records = new Float64Array(dimension * players);
  const x = new Float64Array(dimension);
  for (let i = 0; i < players; i++) {
    fillSphere(x, random);
    const side = x.reduce((sum, entry, j) => sum + entry * direction[j], 0) > 0;
    labels[i] = side === bernoulli((1 + SIGNAL) / 2, random) ? 1 : -1;
    for (let j = 0; j < dimension; j++) records[i * dimension + j] = labels[i] * x[j];
  }
  const datum = (i: number) => ({
    features: records.slice(i * dimension, (i + 1) * dimension).map((entry) => labels[i] * entry),
    label: labels[i],
  });
  return { population: { players, datum }, records, direction };
}

const optima = new Map<string, number>();

/** Excess risk over the unit ball on the reference population, whose labels follow e_1. */
export function excessOf(name: LossName, dimension: number): (w: Float64Array, direction: Float64Array) => number {
  const loss = LOSSES[name];
  const reference = referencePopulation(dimension, SIGNAL);
  // Computed once for each loss and dimension.
  const key = `${name} ${dimension}`;
  const best = optima.get(key) ?? populationOptimum(reference, loss, 1);
  optima.set(key, best);
  return (w, direction) => populationRisk(reference, loss, turned(w, direction)) - best;
}

/** The reflection that takes the direction to e_1, applied to w. */
function turned(w: Float64Array, direction: Float64Array): Float64Array {
  const normal = direction.map((entry, j) => entry - (j === 0 ? 1 : 0));
  const length = hypot(...normal);
  if (length < 1e-9) return w;
  const along = w.reduce((sum, entry, j) => sum + entry * normal[j], 0) / length ** 2;
  return w.map((entry, j) => entry - 2 * along * normal[j]);
}

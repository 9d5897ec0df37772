import { seededRandom } from 'ldpkit';
import { bernoulli, fillSphere } from 'ldpkit/mechanism';
import { innerProduct, logisticLoss, smoothedHinge } from 'ldpkit/optimize';
import { populationOptimum, populationRisk, referencePopulation } from 'ldpkit/protocols/generalized-linear';
import type { Population } from 'ldpkit/simulate';

/** P(right label) − P(wrong label). */
const SIGNAL = 0.5;

/** Smooth, convex and 1-Lipschitz, so that every method is defined. The logistic loss is nearly straight, the hinge bends. */
export const LOSSES = { logistic: logisticLoss(), hinge: smoothedHinge({ beta: 0.2 }) } as const;

/** The players of a collection. */
export interface People {
  readonly population: Population<{ readonly features: Float64Array; readonly label: number }>;
  /** Signed records y·x, one after the other. */
  readonly records: Float64Array;
  /** What the labels follow. */
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
  const own = (i: number): Float64Array => records.subarray(i * dimension, (i + 1) * dimension);
  for (let i = 0; i < players; i++) {
    fillSphere(own(i), random);
    labels[i] = innerProduct(own(i), direction) > 0 === bernoulli((1 + SIGNAL) / 2, random) ? 1 : -1;
    for (let j = 0; j < dimension; j++) own(i)[j] *= labels[i];
  }
  const datum = (i: number) => ({ features: own(i).map((entry) => labels[i] * entry), label: labels[i] });
  return { population: { players, datum }, records, direction };
}

const made = new Map<string, { readonly reference: ReturnType<typeof referencePopulation>; readonly best: number }>();

/** Excess risk over the unit ball of w where labels follow a direction, by the reference population, whose labels follow e_1. */
export function excessOf(name: keyof typeof LOSSES, w: Float64Array, direction: Float64Array): number {
  const loss = LOSSES[name];
  const key = `${name} ${w.length}`;
  const reference = made.get(key)?.reference ?? referencePopulation(w.length, SIGNAL);
  const best = made.get(key)?.best ?? populationOptimum(reference, loss, 1);
  made.set(key, { reference, best });
  // The law is symmetric about the direction: what lies across it may be turned to e_2.
  const turned = new Float64Array(w.length);
  turned[0] = innerProduct(w, direction);
  if (w.length > 1) turned[1] = Math.sqrt(Math.max(0, innerProduct(w, w) - turned[0] ** 2));
  return populationRisk(reference, loss, turned) - best;
}

import { seededRandom } from 'ldpkit';
import { bernoulli, normal } from 'ldpkit/mechanism';
import { hingeLoss } from 'ldpkit/optimize';
import { populationRisk, publicPopulation } from 'ldpkit/protocols/generalized-linear';
import type { Dataset } from 'ldpkit/simulate';

const { hypot, max, min, sign } = Math;

/** A synthetic file: records with a constant and features, and labels that a line divides but for some wrong ones. */
export type FileShape = {
  /** p, with the constant. */
  readonly dimension: number;
  /** Share of positive labels before some are turned round. */
  readonly positive: number;
  /** Share of labels that are turned round. */
  readonly wrong: number;
};

/** Distinct records of a file. */
export const RECORDS = 10_000;

/**
 * The records of a synthetic file. A constant of 1 and normal features of deviation ⅓, cut off at ±1, and each record divided
 * by its norm, as a schema does it. The label is positive where a random direction of the features with a little noise is above
 * its quantile.
 */
export function makeFile({ dimension, positive, wrong }: FileShape, seed: string): Dataset {
  const random = seededRandom(`${seed} ${dimension} ${positive} ${wrong}`);
  const law = seededRandom(`direction ${dimension} ${positive} ${wrong}`);
  const direction = Float64Array.from({ length: dimension }, (_, j) => (j === 0 ? 0 : normal(law)));
  const length = hypot(...direction);
  const features = new Float32Array(RECORDS * dimension);
  const scores = new Float64Array(RECORDS);
  const record = new Float64Array(dimension);
  for (let i = 0; i < RECORDS; i++) {
    scores[i] = 0.1 * normal(random);
    for (let j = 0; j < dimension; j++) {
      record[j] = j === 0 ? 1 : max(-1, min(1, normal(random) / 3));
      scores[i] += (direction[j] / length) * record[j];
    }
    const norm = hypot(...record);
    for (let j = 0; j < dimension; j++) features[i * dimension + j] = (record[j] / norm) * (1 - 2 ** -22);
  }
  const threshold = [...scores].sort((a, b) => b - a)[Math.round(positive * RECORDS)];
  const labels = Int8Array.from(scores, (score) => {
    const right = score > threshold ? 1 : -1;
    return bernoulli(wrong, random) ? -right : right;
  });
  const names = Array.from({ length: dimension }, (_, j) => (j === 0 ? 'constant' : `feature ${j}`));
  return { players: RECORDS, dimension, names, features, labels };
}

/** The least hinge risk of a model that uses the constant alone, ‖w‖ ≤ R: what one can do who knows the labels. */
export function constantModelRisk(file: Dataset, radius: number): number {
  const population = publicPopulation(file);
  const loss = hingeLoss();
  const mean = population.records.filter((_, i) => i % file.dimension === 0).reduce((sum, entry) => sum + entry, 0);
  let least = loss.value(0);
  for (let step = 1; step <= 100; step++) {
    const w = new Float64Array(file.dimension);
    w[0] = (sign(mean) * radius * step) / 100;
    least = min(least, populationRisk(population, loss, w));
  }
  return least;
}

import { checkInteger, RefusedValue } from '../../../src/check/refusal.ts';
import { innerProduct } from '../../../src/numeric/matrix.ts';
import {
  type ProjectedGradientOptions,
  type ProjectedGradientResult,
  projectedGradient,
} from '../../../src/optimize/ball.ts';
import type { PolynomialFit } from '../../../src/optimize/corrected-risk.ts';
import { bernoulli, fillSphere } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { KINK_WIDTHS, type MarginLoss, roundedLoss } from '../../../src/risk/margin-loss.ts';
import type { BaselineRecords } from '../../../src/simulation/metrics.ts';
import type { MarginParameters } from './parameters.ts';
import type { CopiesDecoder, MarginQuery } from './query.ts';

/** A designer's query before collection. */
export interface ForecastQuery extends Pick<MarginQuery, 'radius' | 'intercept' | 'unitNorm'> {
  /** n, the number of players; may be 1e9 and more. */
  readonly players: number;
  /** The loss f of the margin. */
  readonly loss: MarginLoss;
  /** P(right label) − P(wrong label) of the reference population, in (0, 1]. Default 0.5. */
  readonly signal?: number;
  /** The population in the place of the reference population: public records like those of the players. */
  readonly population?: ReferencePopulation;
  /** How noisy copies are decoded, all at once. Default `averaged`. */
  readonly decoder?: CopiesDecoder;
  /** Draws of the noise that are averaged, 2 or more. By default 8 to 36, and to 100 where there are fewer than nine features, until the standard error of the mean is 12 % of it. */
  readonly draws?: number;
  /** How the protocol's server fits the polynomial, where this differs from the default of `minimizeCorrectedRisk`. */
  readonly fit?: (parameters: MarginParameters) => PolynomialFit;
}

/** Members of a reference population: enough for risks to three digits, few enough for a forecast in about a second. */
export const MEMBERS: number = 20_000;

/**
 * An artificial population for forecasts, before any data: x is uniform on the unit sphere, y is the sign of one
 * coordinate except for a share of wrong labels. All of it is public; no player is in it.
 */
export interface ReferencePopulation {
  /** p. */
  readonly dimension: number;
  /** Number of members. */
  readonly members: number;
  /** The signed records v = y·x, one after the other. */
  readonly records: Float64Array;
}

/** Features for which a population is made: its records are kept in memory. */
const MOST_FEATURES = 1000;

/**
 * The reference population of a dimension, at most 1000: `signal` in (0, 1] is P(right label) − P(wrong label).
 *
 * Law: E v = signal·E|u₁|·e₁ with u uniform on the sphere, E vvᵀ = I/p.
 */
export function referencePopulation(dimension: number, signal: number): ReferencePopulation {
  checkInteger('dimension', dimension, 1, MOST_FEATURES);
  if (!(signal > 0 && signal <= 1)) throw new RefusedValue(`"signal" expected a number in (0, 1], got ${signal}`);
  const random = seededRandom(`reference population ${dimension} ${signal}`);
  const records = new Float64Array(MEMBERS * dimension);
  for (let i = 0; i < MEMBERS; i++) {
    const record = records.subarray(i * dimension, (i + 1) * dimension);
    fillSphere(record, random);
    const right = bernoulli((1 + signal) / 2, random);
    if (record[0] > 0 !== right) for (let j = 0; j < dimension; j++) record[j] = -record[j];
  }
  return { dimension, members: MEMBERS, records };
}

/** Public records as a population for forecasts: all of them, or every k-th of more than `most`. */
export function publicPopulation(
  { players, dimension, features, labels }: BaselineRecords,
  most: number = MEMBERS,
): ReferencePopulation {
  const step = Math.max(1, Math.ceil(players / most));
  const members = Math.ceil(players / step);
  const records = new Float64Array(members * dimension);
  for (let i = 0; i < members; i++) {
    for (let j = 0; j < dimension; j++) {
      records[i * dimension + j] = labels[i * step] * features[i * step * dimension + j];
    }
  }
  return { dimension, members, records };
}

/** The mean loss of a model over the population. */
export function populationRisk(
  population: ReferencePopulation,
  loss: Pick<MarginLoss, 'value'>,
  w: ArrayLike<number>,
): number {
  const { dimension, members, records } = population;
  let sum = 0;
  for (let i = 0, at = 0; i < members; i++) {
    let t = 0;
    for (let j = 0; j < dimension; j++, at++) t += w[j] * records[at];
    sum += loss.value(t);
  }
  return sum / members;
}

/** The least mean loss over ‖w‖ ≤ R: a forecast counts excess risk from it. */
export function populationOptimum(population: ReferencePopulation, loss: MarginLoss, radius: number): number {
  if (loss.kinks.length === 0) return leastPoint(population, loss, { radius, iterations: 200 }).value;
  let start: Float64Array = new Float64Array(population.dimension);
  for (const width of KINK_WIDTHS) {
    const smooth = roundedLoss(loss, width);
    start = leastPoint(population, smooth, { radius, start, iterations: 100, tolerance: 1e-5 }).point;
  }
  return leastPoint(population, loss, { radius, start, iterations: 50 }).value;
}

interface Descent extends Omit<ProjectedGradientOptions, 'objective'> {
  readonly pull?: Float64Array;
}

/** Where the mean of a loss over the population, plus ⟨pull, w⟩, is least in the ball: by descent. Default of `pull`: 0. */
export function leastPoint(
  population: ReferencePopulation,
  loss: Pick<MarginLoss, 'value' | 'derivative'>,
  { pull = new Float64Array(population.dimension), ...options }: Descent,
): ProjectedGradientResult {
  const { dimension, members, records } = population;
  const gradient = (w: Float64Array, target: Float64Array): void => {
    target.set(pull);
    for (let i = 0, at = 0; i < members; i++, at += dimension) {
      let t = 0;
      for (let j = 0; j < dimension; j++) t += w[j] * records[at + j];
      const slope = loss.derivative(t) / members;
      for (let j = 0; j < dimension; j++) target[j] += slope * records[at + j];
    }
  };
  const value = (w: Float64Array): number => innerProduct(pull, w) + populationRisk(population, loss, w);
  return projectedGradient({ objective: { dimension, value, gradient }, ...options });
}

import { averagedSgd } from '../../../src/optimize/averaged-sgd.ts';
import { type CorrectedMoments, minimizeCorrectedRisk } from '../../../src/optimize/corrected-risk.ts';
import { euclideanNorm } from '../../../src/optimize/projection.ts';
import { sigm } from '../../../src/optimize/sigm.ts';
import { createLift } from '../../../src/polynomial/lift.ts';
import { evaluatePolynomial } from '../../../src/polynomial/monomial.ts';
import { normal } from '../../../src/random/normal.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { coordinateNoise, populationMoments } from './forecast.ts';
import type { CopiesParameters } from './parameters.ts';
import type { MarginQuery, WalkPlan } from './query.ts';
import type { ReferencePopulation } from './reference-population.ts';
import type { Serving } from './serving.ts';
import { startDegree, type WalkModel, type WalkPolynomial, walkDeviation } from './walk-model.ts';

const { floor, min, sqrt } = Math;

/** What a plan is made for: a query, whose own choices are kept, and n. */
export type WalkSetting = Pick<MarginQuery, 'degree' | 'beta' | 'start' | 'distance'> &
  Serving & {
    /** n. */
    readonly players: number;
  };

/** Steps of a forecast: each stands for as many reports as make them n, with the noise of their mean. */
const BATCHES = 64;

/** Draws of the noise that a forecast averages over, the same ones for every plan. */
export const DRAWS = 8;

/** Members of the reference population whose mean gradient a step takes, and whose risk is what a plan is judged by. */
const MEMBERS = 1000;

/** Signed records of the reference population, as far as a margin sees them: along e₁ and along one direction across it. */
export interface Plane {
  readonly along: Float64Array;
  readonly across: Float64Array;
}

/** The plane of a population: across e₁ it is the same in every direction, so that coordinate 2 stands for that of w. */
export function planeOf({ dimension, records }: ReferencePopulation): Plane {
  const column = (j: number): Float64Array =>
    Float64Array.from({ length: MEMBERS }, (_, i) => (j < dimension ? records[i * dimension + j] : 0));
  return { along: column(0), across: column(1) };
}

/** The mean loss of a model over the plane. */
export function planeRisk({ along, across }: Plane, { loss }: WalkModel, w: Float64Array): number {
  const beside = euclideanNorm(w.subarray(1));
  let sum = 0;
  for (let i = 0; i < MEMBERS; i++) sum += loss.value(w[0] * along[i] + beside * across[i]);
  return sum / MEMBERS;
}

/** What one forecast of a pass needs. */
export interface WalkTrial {
  readonly plan: WalkPlan;
  readonly polynomial: WalkPolynomial;
  readonly plane: Plane;
  readonly start: Float64Array | undefined;
  readonly normal: () => number;
}

/** Where a pass of 64 steps leads, each with the noise of so many reports as make them n. */
export function forecastWalk(
  parameters: CopiesParameters,
  { players, server }: WalkSetting,
  { radius }: WalkModel,
  { plan, polynomial, plane, start, normal: draw }: WalkTrial,
): Float64Array {
  const { dimension } = parameters;
  const { slope, smoothness } = polynomial;
  const left = players - floor(plan.start * players);
  const steps = min(BATCHES, left);
  const record = Float64Array.from({ length: dimension }, (_, i) => (i === 0 ? 1 : 0));
  const gradient = (w: Float64Array, target: Float64Array): void => {
    const beside = euclideanNorm(w.subarray(1));
    let [first, second] = [0, 0];
    for (let i = 0; i < MEMBERS; i++) {
      const value = evaluatePolynomial(slope, w[0] * plane.along[i] + beside * plane.across[i]);
      first += value * plane.along[i];
      second += value * plane.across[i];
    }
    const deviation = sqrt(((1 + polynomial.variance(w, record)) * steps) / (left * dimension));
    const turn = beside > 0 ? second / (MEMBERS * beside) : 0;
    target[0] = first / MEMBERS + deviation * draw();
    for (let j = 1; j < dimension; j++) target[j] = turn * w[j] + deviation * draw();
  };
  const deviation = walkDeviation(parameters, radius, polynomial) * sqrt(steps / left);
  const options = { oracle: { dimension, gradient }, radius, smoothness, deviation, distance: plan.distance };
  const from = start === undefined ? options : { ...options, start };
  if (server === 'average') return averagedSgd({ ...from, steps }).point;
  return sigm({ ...from, iterations: steps, order: 1, growth: 'constant' }).point;
}

/** The start of each draw: exact moments of the reference population and the noise of so many reports, through the server's own fit. */
export function forecastStarts(
  parameters: CopiesParameters,
  { players: all, decoder }: WalkSetting,
  { loss, radius, fit }: WalkModel,
  { population, start }: { readonly population: ReferencePopulation; readonly start: number },
): readonly Float64Array[] {
  const players = floor(start * all);
  const lift = createLift(parameters.dimension, startDegree(parameters) + 1);
  const exact = populationMoments(population, lift);
  const noise = coordinateNoise(parameters, decoder)
    .map((variance) => variance / players)
    .subarray(0, lift.degree);
  return Array.from({ length: DRAWS }, (_, draw) => {
    const random = seededRandom(`start ${parameters.digest} ${start} ${draw}`);
    const values = Float64Array.from(exact);
    for (let j = 1; j <= lift.degree; j++) {
      const scale = sqrt(noise[j - 1]);
      for (let entry = lift.offsets[j - 1]; entry < lift.offsets[j]; entry++) values[entry] += scale * normal(random);
    }
    const moments: CorrectedMoments = { lift, values, noise, players };
    return minimizeCorrectedRisk(moments, { ...fit, loss, radius }).w;
  });
}

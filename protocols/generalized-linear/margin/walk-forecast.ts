import { averagedSgd } from '../../../src/optimize/averaged-sgd.ts';
import { type CorrectedMoments, minimizeCorrectedRisk } from '../../../src/optimize/corrected-risk.ts';
import { euclideanNorm } from '../../../src/optimize/projection.ts';
import { sigm } from '../../../src/optimize/sigm.ts';
import { createLift } from '../../../src/polynomial/lift.ts';
import { setMomentMatrix } from '../../../src/polynomial/lifted-polynomial.ts';
import { normal } from '../../../src/random/normal.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { coordinateNoise } from './forecast.ts';
import type { CopiesParameters } from './parameters.ts';
import type { MarginQuery, WalkPlan } from './query.ts';
import type { Serving } from './serving.ts';
import { startDegree, type WalkModel, type WalkPolynomial, walkDeviation } from './walk-model.ts';
import { type MarginPopulation, populationGradient } from './walk-population.ts';

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

/** What one forecast of a pass needs. */
export interface WalkTrial {
  readonly plan: WalkPlan;
  readonly polynomial: WalkPolynomial;
  readonly population: MarginPopulation;
  readonly start: Float64Array | undefined;
  readonly normal: () => number;
}

/** Where a pass of 64 steps leads, each with the noise of so many reports as make them n. */
export function forecastWalk(
  parameters: CopiesParameters,
  { players, server }: WalkSetting,
  { radius }: WalkModel,
  { plan, polynomial, population, start, normal: draw }: WalkTrial,
): Float64Array {
  const { dimension } = parameters;
  const { slope, smoothness } = polynomial;
  const left = players - floor(plan.start * players);
  const steps = min(BATCHES, left);
  // The noise is that of a record along the mean.
  const length = euclideanNorm(population.mean);
  const record = population.mean.map((entry, i) => (length > 0 ? entry / length : i === 0 ? 1 : 0));
  const gradient = (w: Float64Array, target: Float64Array): void => {
    populationGradient(population, slope, w, target);
    const deviation = sqrt(((1 + polynomial.variance(w, record)) * steps) / (left * dimension));
    for (let j = 0; j < dimension; j++) target[j] += deviation * draw();
  };
  const deviation = walkDeviation(parameters, radius, polynomial) * sqrt(steps / left);
  const options = { oracle: { dimension, gradient }, radius, smoothness, deviation, distance: plan.distance };
  const from = start === undefined ? options : { ...options, start };
  if (server === 'average') return averagedSgd({ ...from, steps }).point;
  return sigm({ ...from, iterations: steps, order: 1, growth: 'constant' }).point;
}

/** The start of each draw: exact moments of the population and the noise of so many reports, through the server's own fit. */
export function forecastStarts(
  parameters: CopiesParameters,
  { players: all, decoder }: WalkSetting,
  { loss, radius, fit }: WalkModel,
  { population, start }: { readonly population: MarginPopulation; readonly start: number },
): readonly Float64Array[] {
  const players = floor(start * all);
  const lift = createLift(parameters.dimension, startDegree(parameters) + 1);
  const exact = new Float64Array(lift.size);
  exact.set(population.mean);
  if (lift.degree > 1) setMomentMatrix(lift, population.second ?? isotropic(parameters.dimension), exact);
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

// I/p.
function isotropic(dimension: number): Float64Array {
  return Float64Array.from({ length: dimension * dimension }, (_, i) =>
    i % (dimension + 1) === 0 ? 1 / dimension : 0,
  );
}

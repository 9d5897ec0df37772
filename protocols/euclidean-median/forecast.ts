import { checkInteger, checkPositive, RefusedValue } from '../../src/check/refusal.ts';
import { createReport } from '../../src/core/frame.ts';
import { addUnitReport } from '../../src/core/vector-channel.ts';
import { innerProduct } from '../../src/numeric/matrix.ts';
import { weiszfeld } from '../../src/optimize/weiszfeld.ts';
import { fillHermiteLift } from '../../src/polynomial/heat.ts';
import { fillLift } from '../../src/polynomial/lift.ts';
import { fillSphere, normal, uniform } from '../../src/random/random.ts';
import { type SeededRandom, seededRandom } from '../../src/random/seeded.ts';
import type { Forecast } from '../../src/simulation/study.ts';
import { productSecondMoment, stepCoefficients } from './algorithm-3.ts';
import { DEFAULT_BETA, estimateFromMoments } from './estimate.ts';
import { fillFeatures, gaussianMoments, type RadialFeatures, type RadialMoments, radialFeatures } from './moments.ts';
import {
  type CopiesParameters,
  type EuclideanMedianParameters,
  type GaussianParameters,
  gaussian,
  type LiftedParameters,
} from './parameters.ts';
import { player } from './player.ts';
import { channelOf, gradientVariance } from './server.ts';

const { ceil, floor, max, min, round, sqrt } = Math;

/** A number of players so large that all noise vanishes in the fit. */
const NOISELESS = 1e30;

/** A designer's assumptions before collecting. */
export interface MedianForecastSetting {
  /** R > 0. Default 1. */
  readonly radius?: number;
  /** Share of the reference population's points that are far, in [0, ½). Default 0.2. */
  readonly far?: number;
}

/** A designer's query before collection. */
export interface MedianForecastQuery extends MedianForecastSetting {
  /** n, the number of players; may be 1e9 and more. */
  readonly players: number;
}

/** Forecasts for one population and radius: the parameters may differ in everything but the dimension. */
export type MedianForecaster = (parameters: EuclideanMedianParameters, players: number) => Forecast;

/**
 * Forecasts for the reports of a variant without any data. The exact moments of an artificial population
 * (`pointPopulation`), plus noise with the covariance of the mechanism, go through the server's own estimate. Risks are
 * counted from the Weiszfeld median of that population. The population, its median and the noise of every variant are
 * computed once.
 *
 * `noise` is the standard deviation of the gradient at the median of the population; `bias` is the systematic error of
 * one unit of pull, as in an estimate. The expected gradient of `printed` is 0 for every n. Its excess risk is
 * therefore that of the start, w = 0: around it, noise alone moves a run. Its `bias` is the full pull, ½.
 * @throws TypeError or RangeError naming the field.
 */
export function createMedianForecaster(dimension: number, setting: MedianForecastSetting = {}): MedianForecaster {
  const radius = checkPositive('radius', setting.radius ?? 1);
  const population = pointPopulation(dimension, setting.far);
  const median = weiszfeld({ dimension, points: population.points }, { tolerance: 1e-9 });
  // The variance of the printed product depends on this: the mean of ‖m − x‖² about the median m.
  const squaredDistance = meanSquaredDistance(population, median.point);
  const excessOf = (w: ArrayLike<number>): number => pointRisk(population, w) - median.value;
  const noises = new Map<string, NoisyMoments>();
  const noiseOf = (parameters: EuclideanMedianParameters): NoisyMoments => {
    const known = noises.get(parameters.digest);
    if (known !== undefined) return known;
    const made = forecastNoise(parameters, population);
    noises.set(parameters.digest, made);
    return made;
  };
  return (parameters, players) => {
    checkPositive('players', players);
    checkInteger('dimension', parameters.dimension, dimension, dimension);
    if (channelOf(parameters).decoder === 'product') {
      const excessRisk = excessOf(new Float64Array(dimension));
      const coefficients = stepCoefficients(parameters.degree, DEFAULT_BETA, radius);
      const noise = sqrt(productSecondMoment(parameters as CopiesParameters, coefficients, squaredDistance) / players);
      return { bias: 0.5, noise, excessRisk, deviation: 0, floor: excessRisk, degree: parameters.degree };
    }
    const { features, exact, draws, noise } = noiseOf(parameters);
    const estimated = (scale: number, draw: Float64Array, count: number) => {
      const values = exact.map((value, entry) => value + scale * draw[entry]);
      const estimate = estimateFromMoments({ features, values, players: count, noise: noise(count) }, { radius });
      return { estimate, excess: excessOf(estimate.w) };
    };
    const all = draws.map((draw) => estimated(1 / sqrt(players), draw, players));
    const average = (of: (each: (typeof all)[number]) => number): number =>
      all.reduce((sum, each) => sum + of(each), 0) / draws.length;
    const excessRisk = average(({ excess }) => excess);
    const variance = average(({ estimate }) => varianceAt(parameters, population, median.point, estimate.coefficients));
    return {
      bias: average(({ estimate }) => estimate.bias),
      noise: sqrt(max(0, variance) / players),
      excessRisk,
      deviation: sqrt((average(({ excess }) => (excess - excessRisk) ** 2) * draws.length) / (draws.length - 1)),
      floor: estimated(0, draws[0], NOISELESS).excess,
      degree: round(average(({ estimate }) => estimate.degree)),
    };
  };
}

function meanSquaredDistance({ dimension, members, points }: PointPopulation, w: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < points.length; i++) sum += (points[i] - w[i % dimension]) ** 2;
  return sum / members;
}

// Variance of one report's gradient at a place, averaged over a hundred members of the population.
function varianceAt(
  parameters: EuclideanMedianParameters,
  { dimension, members, points }: PointPopulation,
  w: Float64Array,
  coefficients: ArrayLike<number>,
): number {
  const asked = 100;
  let sum = 0;
  for (let i = 0; i < asked; i++) {
    const at = floor((i * members) / asked) * dimension;
    sum += gradientVariance(parameters, { coefficients, w, point: points.subarray(at, at + dimension) }) / asked;
  }
  return sum;
}

/** One forecast: see {@link createMedianForecaster}. */
export function forecastMedian(parameters: EuclideanMedianParameters, query: MedianForecastQuery): Forecast {
  return createMedianForecaster(parameters.dimension, query)(parameters, query.players);
}

/** Draws that a forecast averages over: more in few dimensions, where a quadratic form of noise varies by 2/p. */
function drawCount(dimension: number): number {
  return max(24, ceil(120 / dimension));
}

/** Amount of work for the noise of a Gaussian copy: fewer members report where a report has many powers. */
const NOISE_WORK = 2e7;

/** Moments without noise, and draws of what the privacy noise adds to them. */
export interface NoisyMoments {
  /** Which moments. */
  readonly features: RadialFeatures;
  /** Those of the reference population. */
  readonly exact: Float64Array;
  /** Draws of the noise of one report: for the mean of n, divided by √n. */
  readonly draws: readonly Float64Array[];
  /** What the server knows of the noise in the mean of n reports. */
  readonly noise: (players: number) => RadialMoments['noise'];
}

function exactMoments(features: RadialFeatures, { dimension, members, points }: PointPopulation): Float64Array {
  const { lift, size, blocks } = features;
  const sums = new Float64Array(size);
  const entries = new Float64Array(size);
  const powers = new Float64Array(lift.size);
  const ones = blocks.map(() => 1);
  for (let i = 0; i < members; i++) {
    const point = points.subarray(i * dimension, (i + 1) * dimension);
    fillLift(lift, lift.weight, point, powers);
    fillFeatures(features, ones, powers, innerProduct(point, point), entries);
    for (let entry = 0; entry < size; entry++) sums[entry] += entries[entry] / members;
  }
  return sums;
}

/** Members whose reports show the noise of one report with `size` numbers, spread evenly over the population. */
function reportingMembers({ dimension, members }: PointPopulation, size: number): Int32Array {
  const count = floor(min(members, max(1000, NOISE_WORK / (drawCount(dimension) * size))));
  return Int32Array.from({ length: count }, (_, i) => floor((i * members) / count));
}

/** Draws Σ ξ_i h_i/√N with normal ξ, where `fill` writes h_i: normal vectors whose covariance is the mean of h hᵀ. */
function combinations(
  population: PointPopulation,
  size: number,
  fill: (member: number, target: Float64Array) => void,
  random: SeededRandom,
): Float64Array[] {
  const indexes = reportingMembers(population, size);
  const sums = Array.from({ length: drawCount(population.dimension) }, () => new Float64Array(size));
  const each = new Float64Array(size);
  for (const member of indexes) {
    fill(member, each);
    for (const sum of sums) {
      const factor = normal(random) / sqrt(indexes.length);
      for (let entry = 0; entry < size; entry++) sum[entry] += factor * each[entry];
    }
  }
  return sums;
}

/** Members report once, through the player; h_i is the estimate of the moments from one report minus the moments. */
function liftedNoise(parameters: LiftedParameters, population: PointPopulation, random: SeededRandom): NoisyMoments {
  const { features, scales, mechanism } = parameters;
  const { dimension, points } = population;
  const exact = exactMoments(features, population);
  const report = createReport(parameters);
  const reported = new Float64Array(features.size);
  const fill = (member: number, target: Float64Array): void => {
    const point = points.subarray(member * dimension, (member + 1) * dimension);
    player.randomizeInto(parameters, { point }, random, report);
    // For a deployed report: the vector that it stands for.
    reported.fill(0);
    addUnitReport(mechanism, report.values, reported);
    features.blocks.forEach(({ offset, size }, block) => {
      for (let i = offset; i < offset + size; i++) target[i] = reported[i] / scales[block] - exact[i];
    });
  };
  const draws = combinations(population, features.size, fill, random);
  const variances = scales.map((scale) => mechanism.coordinateVariance / scale ** 2);
  const noise = (players: number): RadialMoments['noise'] => ({
    kind: 'blocks',
    variances: variances.map((variance) => variance / players),
  });
  return { features, exact, draws, noise };
}

/** The same for one Gaussian copy, h_i its corrected powers minus those of the population. */
function copyNoise(
  parameters: GaussianParameters | CopiesParameters,
  population: PointPopulation,
  random: SeededRandom,
): NoisyMoments {
  const { dimension, degree, budget } = parameters;
  const sigma = 'copies' in parameters ? parameters.sigma / sqrt(parameters.copies) : parameters.sigma;
  // Averaged copies are one Gaussian copy: its variant has the table of powers and the server's decoding.
  const single = gaussian({ ...budget, degree, dimension });
  const { lift } = single;
  const copy = new Float64Array(dimension);
  const powers = new Float64Array(lift.size);
  const means = new Float64Array(lift.size);
  const pointOf = (member: number) => population.points.subarray(member * dimension, (member + 1) * dimension);
  const members = reportingMembers(population, lift.size);
  for (const member of members) {
    fillLift(lift, lift.weight, pointOf(member), powers);
    for (let entry = 0; entry < lift.size; entry++) means[entry] += powers[entry] / members.length;
  }
  const fill = (member: number, target: Float64Array): void => {
    const point = pointOf(member);
    for (let j = 0; j < dimension; j++) copy[j] = point[j] + sigma * normal(random);
    fillHermiteLift(lift, copy, sigma * sigma, target);
    for (let entry = 0; entry < lift.size; entry++) target[entry] -= means[entry];
  };
  const decode = (sums: Float64Array): Float64Array =>
    gaussianMoments(single, { kind: 'moments', digest: single.digest, players: 1, sums }).values;
  const features = radialFeatures(dimension, degree);
  return {
    features,
    exact: exactMoments(features, population),
    draws: combinations(population, lift.size, fill, random).map(decode),
    noise: () => ({ kind: 'copy', sigma }),
  };
}

const NOISES = { lifted: liftedNoise, gaussian: copyNoise, copies: copyNoise, printed: copyNoise } as const;

/** The noise of a variant's reports about the moments of the reference population; the same for the same parameters. */
export function forecastNoise(parameters: EuclideanMedianParameters, population: PointPopulation): NoisyMoments {
  const noiseOf: (made: never, people: PointPopulation, random: SeededRandom) => NoisyMoments =
    NOISES[parameters.variant];
  return noiseOf(parameters as never, population, seededRandom(`forecast ${parameters.digest}`));
}

/** Members of a reference population: enough for risks to three digits. */
const MEMBERS = 20_000;

/** The most coordinates of a member: a gigabyte of points. */
const MOST_COORDINATES = 6000;

const CENTRE = 0.7;
const SPREAD = 0.25;

/** Public points for forecasts: a share `far` at −e₁, the others uniform in the ball of radius ¼ around 0.7e₁. */
export interface PointPopulation {
  /** p. */
  readonly dimension: number;
  /** Number of members. */
  readonly members: number;
  /** The points, one after the other, the near ones first. */
  readonly points: Float64Array;
}

/**
 * The reference population of a dimension.
 *
 * Law: the mean of the points is (0.7 − 1.7·far)e₁; at w = 0 the excess risk is about .15, at the mean about .04
 * (far = .2).
 * @throws TypeError or RangeError naming the field.
 */
export function pointPopulation(dimension: number, far: number = 0.2): PointPopulation {
  checkInteger('dimension', dimension, 1, MOST_COORDINATES);
  if (!(far >= 0 && far < 0.5)) throw new RefusedValue('far', 'a share from 0 to below 0.5', far);
  const random = seededRandom(`reference points ${dimension}`);
  const points = new Float64Array(MEMBERS * dimension);
  const near = MEMBERS - round(far * MEMBERS);
  for (let i = 0; i < MEMBERS; i++) {
    const point = points.subarray(i * dimension, (i + 1) * dimension);
    if (i >= near) {
      point[0] = -1;
      continue;
    }
    fillSphere(point, random);
    const length = SPREAD * uniform(random) ** (1 / dimension);
    for (let j = 0; j < dimension; j++) point[j] *= length;
    point[0] += CENTRE;
  }
  return { dimension, members: MEMBERS, points };
}

/** The risk ½E‖w − x‖ of a place over the population. */
export function pointRisk({ dimension, members, points }: PointPopulation, w: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0, at = 0; i < members; i++) {
    let squared = 0;
    for (let j = 0; j < dimension; j++, at++) squared += (w[j] - points[at]) ** 2;
    sum += sqrt(squared);
  }
  return sum / (2 * members);
}

import { addUnitReport } from '../../src/core/unit-report.ts';
import { fillHermiteLift } from '../../src/polynomial/hermite.ts';
import { fillLift } from '../../src/polynomial/lift.ts';
import { normal } from '../../src/random/normal.ts';
import { type SeededRandom, seededRandom } from '../../src/random/seeded.ts';
import { fillFeatures, type RadialFeatures, radialFeatures } from './blocks.ts';
import { gaussianMoments, type RadialMoments } from './moments.ts';
import {
  type CopiesParameters,
  type EuclideanMedianParameters,
  type GaussianParameters,
  gaussian,
  type LiftedParameters,
} from './parameters.ts';
import { randomizeInto } from './player.ts';
import type { PointPopulation } from './reference-points.ts';
import { createReport } from './report.ts';

const { ceil, floor, max, min, sqrt } = Math;

/**
 * Draws of the noise that a forecast averages over: at least 24, and more in few dimensions, since the relative variance of a
 * quadratic form of noise in p directions is 2/p.
 */
function drawCount(dimension: number): number {
  return max(24, ceil(120 / dimension));
}

/** Numbers touched for the noise of a Gaussian copy: fewer members report where a report has many powers. */
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
    let squaredNorm = 0;
    for (let j = 0; j < dimension; j++) squaredNorm += point[j] * point[j];
    fillLift(lift, lift.weight, point, powers);
    fillFeatures(features, ones, powers, squaredNorm, entries);
    for (let entry = 0; entry < size; entry++) sums[entry] += entries[entry] / members;
  }
  return sums;
}

/** Members whose reports tell the noise of one report with so many numbers, spread evenly over the population. */
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

/**
 * Members of the reference population report once, through the player; h_i is what their report says of the moments, less what
 * is true of the population. The chance of who is among the players is in it.
 */
function liftedNoise(parameters: LiftedParameters, population: PointPopulation, random: SeededRandom): NoisyMoments {
  const { features, scales, mechanism } = parameters;
  const { dimension, points } = population;
  const exact = exactMoments(features, population);
  const report = createReport(parameters);
  const reported = new Float64Array(features.size);
  const fill = (member: number, target: Float64Array): void => {
    const point = points.subarray(member * dimension, (member + 1) * dimension);
    randomizeInto(parameters, { point }, random, report);
    // Of a deployed report, the vector that it stands for.
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

/**
 * The same for one Gaussian copy, with corrected powers h_i less the powers of the member: their noise depends on x, and its
 * entries hang together.
 */
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
  const fill = (member: number, target: Float64Array): void => {
    const point = population.points.subarray(member * dimension, (member + 1) * dimension);
    for (let j = 0; j < dimension; j++) copy[j] = point[j] + sigma * normal(random);
    fillHermiteLift(lift, copy, sigma * sigma, target);
    fillLift(lift, lift.weight, point, powers);
    for (let entry = 0; entry < lift.size; entry++) target[entry] -= powers[entry];
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

/** The noise of a variant's reports about the moments of the reference population; the same for the same parameters. */
export function forecastNoise(parameters: EuclideanMedianParameters, population: PointPopulation): NoisyMoments {
  const random = seededRandom(`forecast ${parameters.digest}`);
  if (parameters.variant === 'lifted') return liftedNoise(parameters, population, random);
  return copyNoise(parameters, population, random);
}

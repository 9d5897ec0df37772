import type { ReportTally } from '../../../src/core/channel.ts';
import { logGamma } from '../../../src/numeric/gamma.ts';
import { normalQuantile } from '../../../src/numeric/normal.ts';
import {
  type CorrectedMoments,
  type CorrectedRiskQuery,
  denoisedMatrix,
} from '../../../src/optimize/corrected-risk.ts';
import { innerProduct } from '../../../src/optimize/projection.ts';
import type { MarginLoss } from '../../../src/risk/margin-loss.ts';
import type { ReportOracle } from './copies-oracle.ts';
import type { CopiesParameters } from './parameters.ts';
import type { Serving } from './query.ts';

const { PI, exp, max, min, sqrt } = Math;

/** A polynomial in the place of f′, and the properties of its estimates from single reports. */
export interface WalkPolynomial {
  /** The polynomial P that the estimates give in expectation, in monomials of the margin. */
  readonly slope: Float64Array;
  /** The derivative that P stands for, and the loss at a margin of 0. */
  readonly derivative: (t: number) => number;
  readonly origin: number;
  /** L of the steps: the smoothness of the loss that P stands for. */
  readonly smoothness: number;
  /** E‖G − E G‖² of one estimate at w, for a record with these features and the label 1. */
  variance(w: ArrayLike<number>, features: ArrayLike<number>): number;
  /** The estimates of single reports. */
  oracle(tally: ReportTally): ReportOracle;
}

/** What an algorithm with one stochastic step per report puts in the place of f′. */
export interface WalkModel {
  /** The loss whose risk is to be small. */
  readonly loss: MarginLoss;
  /** R. */
  readonly radius: number;
  /** The values of β to choose from; the first is that of the printed algorithm. */
  readonly betas: readonly number[];
  /** How the model that the steps start from is fitted. */
  readonly fit?: Pick<CorrectedRiskQuery, 'coefficients' | 'leastSpread' | 'noiseFactors'>;
  /** The series of a degree and β from which a polynomial is made. */
  series(degree: number, beta: number): Float64Array;
  /** The polynomial of a series. */
  polynomial(series: Float64Array, beta: number): WalkPolynomial;
}

/** A {@link WalkModel} of parameters, a query and its decoder. */
export type WalkModelOf = (radius: number, serving: Serving) => WalkModel;

/**
 * The deviation that sets the step sizes. Its square is the variance of one estimate at ‖w‖ = R for a record along w,
 * plus at most 1 for the spread of the records.
 */
export function walkDeviation({ dimension }: CopiesParameters, radius: number, { variance }: WalkPolynomial): number {
  const w = new Float64Array(dimension).fill(radius / Math.sqrt(dimension));
  const features = new Float64Array(dimension).fill(1 / Math.sqrt(dimension));
  return Math.sqrt(1 + variance(w, features));
}

/** Degree of the model that steps start from: at most 1, so that it needs few moments. */
export function startDegree({ degree }: CopiesParameters): number {
  return Math.min(1, degree);
}

/** Quantiles of the standard normal law that a mean loss is taken over. */
const QUANTILES = Float64Array.from({ length: 128 }, (_, i) => normalQuantile((i + 0.5) / 128));

/**
 * The signed records v = y·x of a population, described by their first two moments. At every w the margin ⟨w, v⟩ is
 * taken as normal with these moments.
 */
export interface MarginPopulation {
  /** E v, p entries. */
  readonly mean: Float64Array;
  /** E vvᵀ, p × p row-major; I/p where there is none. */
  readonly second?: Float64Array;
}

/** The moments of the reference population of a dimension, in closed form: see `referencePopulation`. */
export function referenceMargins(dimension: number, signal: number): MarginPopulation {
  const mean = new Float64Array(dimension);
  // E|u₁| = Γ(p/2)/(√π·Γ((p + 1)/2)) for u uniform on the sphere.
  mean[0] = (signal * exp(logGamma(dimension / 2) - logGamma((dimension + 1) / 2))) / sqrt(PI);
  return { mean };
}

/**
 * The population as estimated from reports. Noise makes a mean longer, so the squared length is ‖T_1‖² minus the noise
 * in it. The second moment is the one that the minimiser uses.
 */
export function estimatedMargins(moments: CorrectedMoments): MarginPopulation {
  const { dimension } = moments.lift;
  const raw = moments.values.subarray(0, dimension);
  const squared = innerProduct(raw, raw);
  const kept = squared > 0 ? sqrt(max(0, 1 - (dimension * moments.noise[0]) / squared)) : 0;
  const mean = raw.map((entry) => kept * entry);
  const { matrix } = denoisedMatrix(moments, {});
  return matrix === undefined ? { mean } : { mean, second: matrix };
}

/** The mean loss of a model, with margins cut off at |⟨w, v⟩| ≤ R. */
export function populationLoss(population: MarginPopulation, { loss, radius }: WalkModel, w: Float64Array): number {
  const { centre, deviation } = marginLaw(population, w, timesSecond(population, w));
  let sum = 0;
  for (const z of QUANTILES) sum += loss.value(max(-radius, min(radius, centre + deviation * z)));
  return sum / QUANTILES.length;
}

/**
 * Fills `target` with E P(t)v at w, t = ⟨w, v⟩, for the polynomial P with these coefficients.
 *
 * Law: E P(t)·m + E P′(t)·(E vvᵀ − mmᵀ)w with m = E v, exact for a normal v (Stein's identity).
 */
export function populationGradient(
  population: MarginPopulation,
  slope: Float64Array,
  w: Float64Array,
  target: Float64Array,
): void {
  const { mean } = population;
  const product = timesSecond(population, w);
  const { centre, deviation } = marginLaw(population, w, product);
  let [value, derivative] = [0, 0];
  let [before, power] = [0, 1];
  for (let k = 0; k < slope.length; k++) {
    value += slope[k] * power;
    if (k + 1 < slope.length) derivative += (k + 1) * slope[k + 1] * power;
    // E t^(k+1) = c·E t^k + k·s²·E t^(k−1).
    [before, power] = [power, centre * power + k * deviation * deviation * before];
  }
  for (let i = 0; i < w.length; i++) target[i] = value * mean[i] + derivative * (product[i] - centre * mean[i]);
}

// Mean and standard deviation of the margin at w, given E vvᵀ·w.
function marginLaw({ mean }: MarginPopulation, w: Float64Array, product: Float64Array) {
  const centre = innerProduct(mean, w);
  return { centre, deviation: sqrt(max(0, innerProduct(product, w) - centre * centre)) };
}

function timesSecond({ second }: MarginPopulation, w: Float64Array): Float64Array {
  const dimension = w.length;
  if (second === undefined) return w.map((entry) => entry / dimension);
  const product = new Float64Array(dimension);
  for (let i = 0, at = 0; i < dimension; i++) {
    for (let j = 0; j < dimension; j++, at++) product[i] += second[at] * w[j];
  }
  return product;
}

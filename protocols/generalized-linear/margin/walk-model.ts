import type { ReportTally } from '../../../src/core/channel.ts';
import { averageCopies, averagedNoise, type NoisyCopies } from '../../../src/mechanism/added-noise.ts';
import { logGamma } from '../../../src/numeric/beta.ts';
import { innerProduct, timesVector } from '../../../src/numeric/matrix.ts';
import { normalQuantile } from '../../../src/numeric/normal.ts';
import { type CorrectedMoments, denoisedMatrix, type PolynomialFit } from '../../../src/optimize/corrected-risk.ts';
import type { ReportGradients } from '../../../src/optimize/oracle.ts';
import { correctedGradient, correctedPolynomial } from '../../../src/polynomial/heat.ts';
import type { MarginLoss } from '../../../src/risk/margin-loss.ts';
import { labelPowers } from './moments.ts';
import type { CopiesParameters } from './parameters.ts';
import type { CopiesDecoder, Serving } from './query.ts';

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

/** Width β of the smoothed loss, or of the smoothed step, for `printed` where the query names none. */
export const DEFAULT_BETA = 0.1;

/** Widths that a forecast chooses from for `copies`. */
export const BETAS: readonly number[] = [DEFAULT_BETA, 0.3, 1];

/** What an algorithm with one stochastic step per report puts in the place of f′. */
export interface WalkModel {
  /** The loss whose risk is to be small. */
  readonly loss: MarginLoss;
  /** R. */
  readonly radius: number;
  /** The values of β to choose from; the first is that of the printed algorithm. */
  readonly betas: readonly number[];
  /** How the model that the steps start from is fitted. */
  readonly fit?: PolynomialFit;
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
  return second === undefined ? w.map((entry) => entry / w.length) : timesVector(second, w);
}

/** Estimates from single reports at any w: of P(t)·v, the gradient, and of ∫_0^t P, the risk minus f(0). */
export interface ReportOracle extends ReportGradients {
  /** An unbiased estimate of ∫_0^t P, t = y⟨w, x⟩, from report `index`. */
  value(index: number, w: ArrayLike<number>): number;
}

/** The mean estimate of ∫_0^t P at w, and its standard error over the reports. */
export function reportRisk(
  oracle: ReportOracle,
  w: ArrayLike<number>,
): { readonly mean: number; readonly standardError: number } {
  let mean = 0;
  let squares = 0;
  for (let i = 0; i < oracle.reports; i++) {
    const risk = oracle.value(i, w);
    // Welford's update: the values may be of any size, their mean is of order 1.
    const step = risk - mean;
    mean += step / (i + 1);
    squares += step * (risk - mean);
  }
  const variance = oracle.reports > 1 ? squares / (oracle.reports - 1) : Infinity;
  return { mean, standardError: Math.sqrt(variance / oracle.reports) };
}

/**
 * The estimates from single reports, where X is the average of a report's copies of x, and Y that of its copies of y:
 * `Σ_j c_j·Y_{j+1}·(H_j(⟨w, X⟩)·X − j·σ²·H_{j−1}(⟨w, X⟩)·w)`. H_j are the Hermite-corrected powers and Y_j the
 * estimates of y^j.
 *
 * Law: unbiased. For `averaged` it has, at every y, the least variance of all unbiased estimators from these copies
 * (Lehmann and Scheffé: the averages are a complete sufficient statistic). For `signs` y is −1 or 1, and the variance
 * is smaller still.
 */
export function averagedGradients(
  copies: NoisyCopies,
  coefficients: ArrayLike<number>,
  tally: ReportTally,
  decoder: CopiesDecoder,
): ReportOracle {
  const { dimension, length } = copies;
  const { features: sigma, label: labelSigma } = averagedNoise(copies);
  const features = new Float64Array(dimension);
  const labels = new Float64Array(coefficients.length + 1);
  const scaled = new Float64Array(coefficients.length);
  const integral = new Float64Array(coefficients.length + 1);
  const read = (index: number): void => {
    const label = averageCopies(copies, tally.values, index * length, features);
    labelPowers(decoder, label, labelSigma, labels);
  };
  return {
    dimension,
    reports: tally.players,
    gradient(index, point, target) {
      read(index);
      for (let j = 0; j < scaled.length; j++) scaled[j] = coefficients[j] * labels[j + 1];
      correctedGradient(scaled, point, features, sigma, target);
    },
    value(index, w) {
      read(index);
      for (let j = 0; j < scaled.length; j++) integral[j + 1] = (coefficients[j] * labels[j + 1]) / (j + 1);
      let inner = 0;
      let squared = 0;
      for (let i = 0; i < dimension; i++) {
        inner += w[i] * features[i];
        squared += w[i] * w[i];
      }
      return correctedPolynomial(integral, inner, sigma * Math.sqrt(squared));
    },
  };
}

/** y_k⟨w, x_k⟩ of the copy of (x, y) that begins at `at`. */
export function copyProduct(values: ArrayLike<number>, at: number, dimension: number, w: ArrayLike<number>): number {
  let inner = 0;
  for (let i = 0; i < dimension; i++) inner += w[i] * values[at + i];
  return values[at + dimension] * inner;
}

/**
 * Writes the product estimate of one report, (Σ_j c_j t_j)·y_0x_0 with t_j = ∏ y_k⟨w, x_k⟩ over the j copies of
 * group j, into `target`. Its expectation is P(y⟨w, x⟩)·yx because no two factors share a copy.
 *
 * Shape: the report begins at entry `at` of `values`.
 *
 * Source: Wang, Smith, Xu 2020, algorithm 1, lines 13–17.
 * @theorem noninteractive Algorithm 1
 */
export function productGradient(
  copies: NoisyCopies,
  coefficients: ArrayLike<number>,
  values: ArrayLike<number>,
  at: number,
  w: ArrayLike<number>,
  target: Float64Array,
): void {
  const { dimension } = copies;
  const factor = productSeries(copies, coefficients, values, at, w) * values[at + dimension];
  for (let i = 0; i < dimension; i++) target[i] = factor * values[at + i];
}

/** Σ_j c_j t_j of one report: an unbiased estimate of P(y⟨w, x⟩) from the copies other than copy 0. */
function productSeries(
  copies: NoisyCopies,
  coefficients: ArrayLike<number>,
  values: ArrayLike<number>,
  at: number,
  w: ArrayLike<number>,
): number {
  const { dimension } = copies;
  const stride = dimension + 1;
  let sum = coefficients[0];
  // Group j is copies j(j − 1)/2 + 1 to j(j + 1)/2: the next j copies.
  for (let j = 1, copy = at + stride; j < coefficients.length; j++) {
    let product = 1;
    for (let k = 0; k < j; k++, copy += stride) product *= copyProduct(values, copy, dimension, w);
    sum += coefficients[j] * product;
  }
  return sum;
}

/**
 * The gradient estimates of a tally's reports, one report at a time, and the estimates of the risk:
 * Σ_j c_j/(j + 1)·t_j·y_0⟨w, x_0⟩ is unbiased for ∫_0^t P, t = y⟨w, x⟩.
 */
export function productGradients(
  copies: NoisyCopies,
  coefficients: ArrayLike<number>,
  tally: ReportTally,
): ReportOracle {
  const { dimension, length } = copies;
  const integral = Array.from(coefficients, (c, j) => c / (j + 1));
  return {
    dimension,
    reports: tally.players,
    gradient: (index, point, target) =>
      productGradient(copies, coefficients, tally.values, index * length, point, target),
    value: (index, w) =>
      productSeries(copies, integral, tally.values, index * length, w) *
      copyProduct(tally.values, index * length, dimension, w),
  };
}

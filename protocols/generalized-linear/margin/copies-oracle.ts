import type { ReportTally } from '../../../src/core/channel.ts';
import { averageCopies, averagedNoise, type NoisyCopies } from '../../../src/mechanism/noisy-copies.ts';
import type { ReportGradients } from '../../../src/optimize/oracle.ts';
import { correctedGradient, correctedPolynomial } from '../../../src/polynomial/hermite.ts';
import { labelPowers } from './moments.ts';
import type { CopiesDecoder } from './query.ts';

/** Estimates from single reports at any w: of P(t)·v, the gradient, and of ∫_0^t P, the risk minus f(0). */
export interface ReportOracle extends ReportGradients {
  /** An unbiased estimate of ∫_0^t P, t = y⟨w, x⟩, from report `index`. */
  value(index: number, w: ArrayLike<number>): number;
}

/** A mean over reports. */
export interface ReportRisk {
  readonly mean: number;
  readonly standardError: number;
}

/** The mean estimate of ∫_0^t P at w, and its standard error over the reports. */
export function reportRisk(oracle: ReportOracle, w: ArrayLike<number>): ReportRisk {
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

// y_k⟨w, x_k⟩ of the copy that begins at `at`.
function copyProduct(values: ArrayLike<number>, at: number, dimension: number, w: ArrayLike<number>): number {
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

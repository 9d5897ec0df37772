import type { NoisyCopies } from '../../../src/mechanism/noisy-copies.ts';
import { type ReportOracle, type ReportRisk, reportRisk } from './copies-oracle.ts';
import type { ReportTally } from './tally.ts';

// y_k⟨w, x_k⟩ of the copy that begins at `at`.
function copyProduct(values: ArrayLike<number>, at: number, dimension: number, w: ArrayLike<number>): number {
  let inner = 0;
  for (let i = 0; i < dimension; i++) inner += w[i] * values[at + i];
  return values[at + dimension] * inner;
}

/**
 * Writes the product estimate of one report, (Σ_j c_j t_j)·y_0x_0 with t_j = ∏ y_k⟨w, x_k⟩ over the j copies of group j,
 * into `target`. Its expectation is P(y⟨w, x⟩)·yx because no two factors share a copy.
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
export function productSeries(
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

/** The product estimate of the risk at w and its standard error over the reports. The standard error is that of a mean. */
export function productRisk(
  copies: NoisyCopies,
  coefficients: ArrayLike<number>,
  tally: ReportTally,
  w: ArrayLike<number>,
): ReportRisk {
  return reportRisk(productGradients(copies, coefficients, tally), w);
}

/**
 * The gradient estimates of a tally's reports, one report at a time, and those of the risk: Σ_j c_j/(j + 1)·t_j·y_0⟨w, x_0⟩ is unbiased
 * for ∫_0^t P, t = y⟨w, x⟩.
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

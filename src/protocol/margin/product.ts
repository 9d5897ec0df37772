import { checkFinite, checkInteger, refusal } from '../../check/number.ts';
import type { NoisyCopies } from '../../mechanism/noisy-copies.ts';
import type { ReportGradients } from '../../optimize/oracle.ts';
import type { CopiesParameters } from './parameters.ts';
import type { MarginEstimate, MarginQuery } from './query.ts';
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

/**
 * The product estimate of the risk at w and its standard error over the reports: Σ_j c_j/(j + 1)·t_j·y_0⟨w, x_0⟩ is
 * unbiased for ∫_0^t P, t = y⟨w, x⟩.
 */
export function productRisk(
  copies: NoisyCopies,
  coefficients: ArrayLike<number>,
  tally: ReportTally,
  w: ArrayLike<number>,
): { readonly mean: number; readonly standardError: number } {
  const integral = Array.from(coefficients, (c, j) => c / (j + 1));
  let mean = 0;
  let squares = 0;
  for (let i = 0; i < tally.players; i++) {
    const at = i * copies.length;
    const series = productSeries(copies, integral, tally.values, at, w);
    const risk = series * copyProduct(tally.values, at, copies.dimension, w);
    // Welford's update: the values may be of any size, their mean is of order 1.
    const step = risk - mean;
    mean += step / (i + 1);
    squares += step * (risk - mean);
  }
  const variance = tally.players > 1 ? squares / (tally.players - 1) : Infinity;
  return { mean, standardError: Math.sqrt(variance / tally.players) };
}

/** The gradient estimates of a tally's reports, one report at a time. */
export function productGradients(
  copies: NoisyCopies,
  coefficients: ArrayLike<number>,
  tally: ReportTally,
): ReportGradients {
  return {
    dimension: copies.dimension,
    reports: tally.players,
    gradient: (index, point, target) =>
      productGradient(copies, coefficients, tally.values, index * copies.length, point, target),
  };
}

/**
 * The order of reports in which the server reads them: sorted by their numbers, so that the estimate does not depend on
 * the order they arrived in or on the machine that tallied them.
 *
 * Shape: `length` is that of one report.
 */
export function canonicalOrder({ length }: { readonly length: number }, tally: ReportTally): Uint32Array {
  const { values, players } = tally;
  const order = Uint32Array.from({ length: players }, (_, i) => i);
  return order.sort((a, b) => {
    for (let i = 0; i < length; i++) {
      const difference = values[a * length + i] - values[b * length + i];
      if (difference !== 0) return difference;
    }
    return 0;
  });
}

/**
 * The coefficients that a query of the product decoder asks for: its own, or those made for its degree.
 *
 * @throws TypeError or RangeError naming the field.
 */
export function productCoefficients(
  parameters: CopiesParameters,
  query: MarginQuery,
  make: (degree: number) => Float64Array,
): Float64Array {
  const wanted = query.degree === undefined || query.degree === 'automatic' ? parameters.degree : query.degree;
  const degree = checkInteger('degree', wanted, 0, parameters.degree);
  const coefficients = query.coefficients === undefined ? make(degree) : Float64Array.from(query.coefficients);
  checkInteger('coefficients.length', coefficients.length, 1, parameters.degree + 1);
  coefficients.forEach((c, k) => {
    checkFinite(`coefficients[${k}]`, c);
  });
  return coefficients;
}

/** What the product decoder says of the point that its steps led to; `origin` is the loss at a margin of 0. */
export function productEstimate(
  { copies, dimension }: CopiesParameters,
  tally: ReportTally,
  found: Pick<MarginEstimate, 'w' | 'radius' | 'coefficients' | 'bias'> & { readonly origin: number },
): MarginEstimate {
  const { w, radius, coefficients, bias, origin } = found;
  const riskAt = (at: ArrayLike<number>): number => {
    if (at.length !== dimension) throw new RangeError(refusal('w', `${dimension} numbers`, at.length));
    return origin + productRisk(copies, coefficients, tally, at).mean;
  };
  const { mean, standardError } = productRisk(copies, coefficients, tally, w);
  const degree = coefficients.length - 1;
  const risk = origin + mean;
  return { players: tally.players, w, radius, degree, coefficients, ridge: 0, bias, risk, standardError, riskAt };
}

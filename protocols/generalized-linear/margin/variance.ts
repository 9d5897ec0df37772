import { checkInteger } from '../../../src/check/number.ts';
import { averagedNoise, type NoisyCopies } from '../../../src/mechanism/noisy-copies.ts';
import { correctedGradientSecondMoment } from '../../../src/polynomial/corrected-variance.ts';
import { liftedNoiseNorm } from '../../../src/polynomial/lifted-polynomial.ts';
import { evaluatePolynomial } from '../../../src/polynomial/monomial.ts';
import type { MarginParameters } from './parameters.ts';
import type { CopiesDecoder } from './query.ts';

/** A record, a point and a polynomial: what the variance of one report's gradient estimate depends on. */
export interface GradientSetting {
  /** c_0 … c_d of the polynomial in the place of f′. */
  readonly coefficients: ArrayLike<number>;
  /** The point w. */
  readonly w: ArrayLike<number>;
  /** The record's x. */
  readonly features: ArrayLike<number>;
  /** The record's y. */
  readonly label: number;
}

/** How a report is decoded; `product`, `averaged` and `signs` are for noisy copies, the others for the maker of their name. */
export type Decoder = CopiesDecoder | 'gaussian' | 'lifted';

/**
 * The variance E‖G − E G‖² of the gradient estimate from one report, in closed form, given the record.
 *
 * Law: for the product estimator E‖G‖² = E(Σ c_j t_j)²·E y_0²·E‖x_0‖² by independence of the copies; for one (averaged)
 * Gaussian copy see `correctedGradientSecondMoment`; for the lifted report the covariance of PrivUnitG,
 * (1/m²)(I + (γm − m²)uuᵀ), through the linear map from report to gradient.
 *
 * Source: Wang, Smith, Xu 2020, theorem 10 (third claim), with constants.
 *
 * @throws TypeError when the decoder does not fit the maker or the task is regression, RangeError for a wrong number of
 * coefficients or coordinates.
 * @theorem noninteractive Theorem 10
 * @theorem noninteractive Remark 15
 */
export function gradientVariance(parameters: MarginParameters, decoder: Decoder, setting: GradientSetting): number {
  const { coefficients, w, features, label } = setting;
  checkInteger('coefficients.length', coefficients.length, 1, parameters.degree + 1);
  checkInteger('w.length', w.length, parameters.dimension, parameters.dimension);
  checkInteger('features.length', features.length, parameters.dimension, parameters.dimension);
  if ('task' in parameters && parameters.task === 'regression') {
    throw new TypeError('"parameters" expected those of a classification, got those of a regression');
  }
  const inner = dot(w, features);
  const norm = Math.sqrt(dot(w, w));
  const recordNorm = Math.sqrt(dot(features, features));
  const mean = evaluatePolynomial(coefficients, label * inner) * label * recordNorm;
  const { dimension } = parameters;
  if ('copies' in parameters && decoder === 'product') {
    return productSecondMoment(parameters.copies, coefficients, { inner, norm, recordNorm, label }) - mean * mean;
  }
  if ('copies' in parameters && (decoder === 'averaged' || decoder === 'signs')) {
    const { features: sigma, label: labelSigma } = averagedNoise(parameters.copies);
    const at = { inner, label, norm, recordNorm, dimension, sigma, labelSigma, signs: decoder === 'signs' };
    return correctedGradientSecondMoment(coefficients, at) - mean * mean;
  }
  if (parameters.maker === 'gaussian' && decoder === 'gaussian') {
    const { sigma } = parameters;
    const signed = { inner: label * inner, label: 1, norm, recordNorm: Math.abs(label) * recordNorm };
    return correctedGradientSecondMoment(coefficients, { ...signed, dimension, sigma, labelSigma: 0 }) - mean * mean;
  }
  if (parameters.maker === 'lifted' && decoder === 'lifted') {
    const { scales, mechanism } = parameters;
    let squares = 0;
    for (let k = 0; k < coefficients.length; k++) {
      squares += (coefficients[k] / scales[k]) ** 2 * liftedNoiseNorm(dimension, k, norm);
    }
    // The map sends the unit vector itself to the mean gradient.
    return (
      mechanism.coordinateVariance * squares + (mechanism.alongVariance - mechanism.coordinateVariance) * mean * mean
    );
  }
  throw new TypeError(`"decoder" expected one that fits maker ${parameters.maker}, got ${JSON.stringify(decoder)}`);
}

function productSecondMoment(
  copies: NoisyCopies,
  coefficients: ArrayLike<number>,
  at: { readonly inner: number; readonly norm: number; readonly recordNorm: number; readonly label: number },
): number {
  const { dimension, firstNoise, furtherNoise } = copies;
  const { inner, norm, recordNorm, label } = at;
  const mean = label * inner;
  const square = (label ** 2 + furtherNoise.label ** 2) * (inner ** 2 + (furtherNoise.features * norm) ** 2);
  let first = 0;
  let spread = 0;
  for (let j = 0; j < coefficients.length; j++) {
    first += coefficients[j] * mean ** j;
    spread += coefficients[j] ** 2 * (square ** j - mean ** (2 * j));
  }
  const gradient = (label ** 2 + firstNoise.label ** 2) * (recordNorm ** 2 + dimension * firstNoise.features ** 2);
  return (first * first + spread) * gradient;
}

function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

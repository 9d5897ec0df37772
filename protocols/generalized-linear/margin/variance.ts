import { checkInteger } from '../../../src/check/number.ts';
import { evaluatePolynomial } from '../../../src/polynomial/monomial.ts';
import type { Decoder } from './channel.ts';
import { channelOf } from './channels.ts';
import type { MarginParameters } from './parameters.ts';

export type { Decoder } from './channel.ts';

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

/**
 * The variance E‖G − E G‖² of the gradient estimate from one report, in closed form, given the record.
 *
 * Law: for the product estimator E‖G‖² = E(Σ c_j t_j)²·E y_0²·E‖x_0‖² by independence of the copies; for one (averaged)
 * Gaussian copy see `correctedGradientSecondMoment`; for the lifted report the covariance of PrivUnitG,
 * (1/m²)(I + (γm − m²)uuᵀ), through the linear map from report to gradient.
 *
 * Source: Wang, Smith, Xu 2020, theorem 10 (third claim), with constants.
 *
 * @throws TypeError when the decoder does not fit the variant or the task is regression, RangeError for a wrong number of
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
  const at = { coefficients, inner, norm, recordNorm, label, mean };
  const variance = channelOf(parameters).variance(decoder, at);
  if (variance !== undefined) return variance;
  throw new TypeError(`"decoder" expected one that fits variant ${parameters.variant}, got ${JSON.stringify(decoder)}`);
}

function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

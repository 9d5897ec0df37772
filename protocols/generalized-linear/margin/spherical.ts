import { checkInteger, checkPositive, refusal } from '../../../src/check/number.ts';
import { agreementOf } from '../../../src/core/agreement.ts';
import { checkGrade, type Grade } from '../../../src/core/grade.ts';
import { type SphericalLaplace, sphericalLaplace } from '../../../src/mechanism/spherical-laplace.ts';
import { MAXIMUM_DERIVATIVE_ORDER } from '../../../src/polynomial/monomial.ts';
import { type MarginFamily, NEIGHBOUR_DISTANCE, precisionOf } from './parameters.ts';
import type { ReportParameters } from './shape.ts';

/** What the variant of spherical Laplace reports is asked for; no degree, since no polynomial stands in for the loss. */
export interface MarginSphericalRequest {
  /** ε > 0 of the player's one report. */
  readonly epsilon: number;
  /** p, from 1 to 29: the number of features. */
  readonly dimension: number;
  /** Only `simulation`: the noise has no deployment form. */
  readonly grade?: Grade;
}

/** Parameters of the variant `sphericalLaplace`: v = y·x with noise of density exp(−κ‖η‖), pure ε. */
export interface SphericalParameters extends ReportParameters {
  readonly variant: 'sphericalLaplace';
  /** What the noise is made of. */
  readonly grade: Grade;
  /** p. */
  readonly dimension: number;
  /** Pure ε of the report. */
  readonly epsilon: number;
  /** The mechanism; an even p is completed by a zero. */
  readonly mechanism: SphericalLaplace;
}

/** Largest number of features whose noise can be undone: P + 2 derivatives of the loss are needed, P odd and ≥ p. */
export const MAXIMUM_SPHERICAL_DIMENSION: number = MAXIMUM_DERIVATIVE_ORDER - 3;

/**
 * One copy of v = y·x with spherical Laplace noise, whose decoding is exact for a loss with all derivatives.
 *
 * Guarantee: pure ε, δ = 0.
 *
 * Source: mathematics of the toolkit, docs/generalized-linear.md.
 *
 * @throws TypeError or RangeError naming the field.
 */
export function marginSpherical(family: MarginFamily, request: MarginSphericalRequest): SphericalParameters {
  const { protocol, version } = family;
  const variant = 'sphericalLaplace';
  const epsilon = checkPositive('epsilon', request.epsilon);
  const grade = checkGrade(request.grade, variant, false);
  const dimension = checkInteger('dimension', request.dimension, 1, MAXIMUM_SPHERICAL_DIMENSION);
  const mechanism = sphericalLaplace({ epsilon, dimension, sensitivity: NEIGHBOUR_DISTANCE });
  const deviation = Math.sqrt(mechanism.coordinateVariance);
  if (!(deviation > 1e-100 && deviation < 1e100)) {
    throw new RangeError(refusal('epsilon', 'a budget whose noise has a size between 1e-100 and 1e100', epsilon));
  }
  // The tail is that of a gamma law: 8 deviations further out than a normal one.
  const precision = precisionOf(epsilon, deviation, 8 * deviation);
  const agreement = agreementOf(family, { variant, epsilon, dimension });
  return {
    protocol,
    version,
    variant,
    grade,
    ...agreement,
    epsilon,
    dimension,
    length: dimension,
    precision,
    mechanism,
  };
}

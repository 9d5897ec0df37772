import { refusal } from '../check/number.ts';
import type { PureGuarantee } from '../privacy/guarantee.ts';
import type { CapSplit } from './cap-split.ts';

/** What is asked of a randomizer of a unit vector under pure ε-local differential privacy. */
export interface UnitRequest {
  /** ε of one report. */
  readonly epsilon: number;
  /** d, the number of coordinates of the vector. */
  readonly dimension: number;
}

/** Public constants of an unbiased randomizer of a unit vector u, and what can be said of its report z. Plain data. */
export interface UnitMechanism extends CapSplit, UnitRequest {
  /** γ, where the cap begins. */
  readonly threshold: number;
  /** m, the mean of the component along u before scaling. */
  readonly mean: number;
  /** 1/m, which makes the report unbiased. */
  readonly scale: number;
  /** What one report guarantees. */
  readonly guarantee: PureGuarantee;
  /** E‖z − u‖², exactly. */
  readonly squaredError: number;
  /** Variance of z in any direction orthogonal to u. */
  readonly coordinateVariance: number;
  /** Variance of z in the direction of u; at the best threshold it is the `coordinateVariance`, up to rounding. */
  readonly alongVariance: number;
}

/**
 * How far a squared norm may be from 1: beyond the rounding of a long vector that was completed to the sphere, and far
 * too small to weaken the guarantee in any digit that is printed.
 */
const NORM_TOLERANCE = 1e-9;

/**
 * Refuses a vector that is not on the unit sphere, since the guarantee is proved there only. The message has no value of
 * the vector, which is private.
 *
 * @throws RangeError.
 */
export function checkUnitNorm(squaredNorm: number): void {
  if (!(Math.abs(squaredNorm - 1) <= NORM_TOLERANCE)) throw new RangeError('"unit" expected a vector of l2 norm 1');
}

/**
 * A privacy budget within the range a mechanism resolves in double precision.
 *
 * @throws TypeError for anything that is not a number, RangeError outside [1e-9, maximum].
 */
export function checkEpsilonRange(epsilon: unknown, maximum: number): number {
  const expected = `a number from 1e-9 to ${maximum}`;
  if (typeof epsilon !== 'number') throw new TypeError(refusal('epsilon', expected, epsilon));
  if (!(epsilon >= 1e-9 && epsilon <= maximum)) throw new RangeError(refusal('epsilon', expected, epsilon));
  return epsilon;
}

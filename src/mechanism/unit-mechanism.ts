import { checkUnitBall } from '../check/datum.ts';
import { refusal } from '../check/number.ts';
import { RefusedKind, RefusedValue } from '../check/refusal.ts';
import type { PureGuarantee } from '../privacy/guarantee.ts';

const { exp, sqrt } = Math;

/** Raises the cap probability by more than the rounding errors in it; far too small to matter. */
const SLACK: number = 2 ** -48;

/**
 * The side of a threshold on which a report falls: the cap around the datum, or the rest.
 */
interface CapSplit {
  /** p, the probability that the report is drawn from the cap of the datum. */
  readonly keep: number;
  /** q, the probability of that cap under the law without a datum. */
  readonly cap: number;
  /** p(1 − q)/(q(1 − p)), the largest ratio of two densities of a report, rounded up; never above e^ε. */
  readonly densityRatio: number;
}

/**
 * The keep probability that spends all of ε on a cap of a given probability, and the cap probability adjusted to the
 * safe side: p(1 − q)/(q(1 − p)) ≤ e^ε holds exactly for the two doubles, not only up to rounding.
 */
export function splitCap(wanted: number, epsilon: number): CapSplit {
  const shrink = exp(-epsilon);
  const keep = wanted / (wanted + (1 - wanted) * shrink);
  // keep ≥ ½ is a multiple of 2⁻⁵³, so 1 − keep is exact and only the cap has to be rounded with care.
  const cap = ((keep * shrink) / (1 - keep + keep * shrink)) * (1 + SLACK);
  const densityRatio = ((keep * (1 - cap)) / (cap * (1 - keep))) * (1 + SLACK / 8);
  return { keep, cap, densityRatio };
}

/**
 * The threshold γ that maximises the mean m, for caps with m(γ) = A(γ)/(1/(e^ε − 1) + Q(γ)), where Q is the probability
 * of the cap and A its share of the mean.
 *
 * Since A′ = −γ·density and Q′ = −density, m′ = 0 exactly where γ = m(γ). There m is flat, so the iteration γ ← m(γ)
 * converges quadratically. It never overshoots, since m(γ) ≤ max m, so it ends when γ stops rising.
 */
export function bestThreshold(mean: (threshold: number) => number): number {
  let threshold = mean(0);
  for (;;) {
    const next = mean(threshold);
    if (!(next > threshold * (1 + 1e-15))) return threshold;
    threshold = next;
  }
}

/** What is requested of a randomizer of a unit vector under pure ε-local differential privacy. */
export interface UnitRequest {
  /** ε of one report. */
  readonly epsilon: number;
  /** d, the number of coordinates of the vector. */
  readonly dimension: number;
}

/** Public constants of an unbiased randomizer of a unit vector u, and the properties of its report z. Plain data. */
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
 * How far a squared norm may be from 1. It is larger than the rounding error of a long vector completed to the sphere,
 * and far too small to change any printed digit of the guarantee.
 */
const NORM_TOLERANCE = 1e-9;

/**
 * Refuses a vector that is not on the unit sphere, since the guarantee is proved only there. The vector is private, so
 * the message contains no value of it.
 *
 * @throws RangeError.
 */
export function checkUnitNorm(squaredNorm: number): void {
  if (!(Math.abs(squaredNorm - 1) <= NORM_TOLERANCE)) throw new RefusedValue('"unit" expected a vector of l2 norm 1');
}

/**
 * Checks that ε is within the range that a mechanism can handle in double precision.
 *
 * @throws TypeError for anything that is not a number, RangeError outside [1e-9, maximum].
 */
export function checkEpsilonRange(epsilon: unknown, maximum: number): number {
  const expected = `a number from 1e-9 to ${maximum}`;
  if (typeof epsilon !== 'number') throw new RefusedKind(refusal('epsilon', expected, epsilon));
  if (!(epsilon >= 1e-9 && epsilon <= maximum)) throw new RefusedValue(refusal('epsilon', expected, epsilon));
  return epsilon;
}

/**
 * Completes the first `size` entries of a vector, of norm at most 1, to the unit sphere by the entry after them: the
 * norm is private too, and is hidden in this way.
 */
export function padToSphere(vector: Float64Array, size: number): void {
  let squared = 0;
  for (let i = 0; i < size; i++) squared += vector[i] * vector[i];
  vector[size] = squared < 1 ? sqrt(1 - squared) : 0;
}

/**
 * Completes a vector of the unit ball to the unit sphere with one more coordinate, √(1 − ‖u‖²): the norm is private
 * too, and a mechanism for unit vectors then hides it together with the direction.
 *
 * Shape: `vector` has `dimension` entries, `target` at least one more; an unbiased report of the completed vector is an
 * unbiased report of `vector` in its first entries.
 *
 * @throws TypeError or RangeError for anything but `dimension` numbers in the unit ball, without their values.
 */
export function completeToSphere(vector: ArrayLike<number>, dimension: number, target: Float64Array): void {
  const squared = checkUnitBall('vector', vector, dimension);
  for (let i = 0; i < dimension; i++) target[i] = vector[i];
  // Above 1 only by rounding: the check refuses larger values.
  target[dimension] = squared < 1 ? sqrt(1 - squared) : 0;
}

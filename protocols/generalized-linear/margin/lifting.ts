import { checkInteger, checkPositive, refusal } from '../../../src/check/number.ts';
import { MAXIMUM_COPIES_DEGREE } from '../../../src/mechanism/noisy-copies.ts';
import { createLift, type Lift, liftSize, MAXIMUM_LIFT } from '../../../src/polynomial/lift.ts';
import type { MarginModelRequest, MarginTask } from './request.ts';

/**
 * Highest degree of every variant. More could be collected, but neither the copies nor the fit of a polynomial go beyond.
 */
export const MAXIMUM_DEGREE: number = MAXIMUM_COPIES_DEGREE;

/**
 * The symmetric powers that a request needs, of vectors of R^p, or of R^(p + 1) for a regression.
 *
 * @throws TypeError or RangeError naming `dimension` or `degree`.
 */
export function liftFor({ dimension, degree }: MarginModelRequest, task: MarginTask): Lift {
  const regression = task === 'regression' ? 1 : 0;
  checkInteger('dimension', dimension, 1, MAXIMUM_LIFT);
  // A regression of degree 0 would know E y and nothing that depends on w.
  checkInteger('degree', degree, regression, MAXIMUM_DEGREE);
  if (liftSize(dimension + regression, degree + 1) > MAXIMUM_LIFT) {
    const expected = `powers of v up to d + 1 with at most ${MAXIMUM_LIFT} entries in dimension ${dimension}`;
    throw new RangeError(refusal('degree', expected, degree));
  }
  return createLift(dimension + regression, degree + 1);
}

/**
 * a_1, …, a_{d+1} from the shares of the unit norm, or the default ones.
 *
 * @throws TypeError or RangeError naming the share.
 */
export function scalesFrom(shares: readonly number[] | undefined, powers: number, task: MarginTask): number[] {
  const usual = Array.from({ length: powers }, (_, j) => 2 ** -j);
  // The mean of (x, y) says little of a residual whose law is nearly symmetric.
  if (task === 'regression') usual[0] = 1 / 16;
  const given = shares ?? usual;
  if (!Array.isArray(given) || given.length !== powers) {
    throw new RangeError(refusal('shares', `${powers} positive numbers`, given?.length));
  }
  const total = given.reduce((sum, share, j) => sum + checkPositive(`shares[${j}]`, share), 0);
  // A power with less is lost in rounding: leave it out by a smaller degree.
  given.forEach((share, j) => {
    if (!(share / total >= 1e-12)) throw new RangeError(refusal(`shares[${j}]`, 'at least 1e-12 of their sum', share));
  });
  return given.map((share) => Math.sqrt(share / total));
}

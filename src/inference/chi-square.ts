import { checkInteger, checkNonNegative, checkOpenUnit } from '../check/number.ts';
import { normalCdf } from '../numeric/normal.ts';
import { solveDecreasing } from './root.ts';

const { exp, PI, sqrt } = Math;

/**
 * P(χ² > x) for a whole number of degrees of freedom: the finite sum over Poisson or half-integer terms, all positive. To
 * about 1e-13 relative.
 *
 * Source: Abramowitz and Stegun (1964), 26.4.4 and 26.4.5.
 *
 * @throws TypeError or RangeError unless x is finite and ≥ 0 and the degrees are a whole number from 1 to 1000.
 */
export function chiSquareExceedance(x: number, degrees: number): number {
  checkNonNegative('x', x);
  checkInteger('degrees', degrees, 1, 1000);
  return chiSquareTail(x, degrees);
}

/** {@link chiSquareExceedance} without its checks, for loops. */
export function chiSquareTail(x: number, degrees: number): number {
  if (x === 0) return 1;
  const odd = degrees % 2 === 1;
  // From the larger of e^{−x/2} and its square root onwards, so that a long sum does not start from an underflow.
  const half = exp(-x / 4);
  let term = odd ? sqrt((2 * x) / PI) * half : half;
  let sum = 0;
  for (let k = odd ? 3 : 2; k <= degrees; k += 2) {
    sum += term;
    term *= x / k;
  }
  return (odd ? 2 * normalCdf(-sqrt(x)) : 0) + sum * half;
}

/**
 * The x with P(χ² ≤ x) = level: the critical value of a joint ellipsoid with an estimated covariance.
 *
 * @throws TypeError or RangeError for a level outside (0, 1) or degrees that are not a whole number from 1 to 1000.
 */
export function chiSquareCriticalValue(level: number, degrees: number): number {
  checkOpenUnit('level', level);
  checkInteger('degrees', degrees, 1, 1000);
  return solveDecreasing((x) => chiSquareTail(x, degrees), 1 - level);
}

import { checkInteger } from '../check/number.ts';

/** Writes f(t), f′(t), …, f⁽ⁿ⁾(t) into entries 0 to n of `target`; the order n was fixed when it was made. */
export type DerivativeFiller = (t: number, target: Float64Array) => void;

/** Prepares the derivatives of one function up to an order, at most `MAXIMUM_DERIVATIVE_ORDER`. */
export type DerivativeMaker = (order: number) => DerivativeFiller;

/** Highest order of a derivative: for the logistic loss rounding is then 1e-9 of its largest value, and grows from there. */
export const MAXIMUM_DERIVATIVE_ORDER = 32;

/**
 * A whole number from 0 to `MAXIMUM_DERIVATIVE_ORDER`.
 *
 * @throws TypeError or RangeError for anything else.
 */
export function checkDerivativeOrder(order: unknown): number {
  return checkInteger('order', order, 0, MAXIMUM_DERIVATIVE_ORDER);
}

/** All derivatives of the polynomial Σ c_k t^k. The coefficients are copied. */
export function polynomialDerivatives(coefficients: ArrayLike<number>): DerivativeMaker {
  const fixed = Float64Array.from(coefficients);
  return (order) => {
    checkDerivativeOrder(order);
    return (t, target) => {
      target.fill(0, 0, order + 1);
      // Horner's scheme for the Taylor coefficients at t, all at once; the factorials come after.
      for (let k = fixed.length - 1; k >= 0; k--) {
        for (let n = order; n >= 1; n--) target[n] = target[n] * t + target[n - 1];
        target[0] = target[0] * t + fixed[k];
      }
      let factorial = 1;
      for (let n = 2; n <= order; n++) target[n] *= factorial *= n;
    };
  };
}

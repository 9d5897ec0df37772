import { checkInteger } from '../check/number.ts';

/**
 * A polynomial in one variable is the Float64Array of its monomial coefficients, constant first: entry k multiplies
 * t^k. The empty array is the zero polynomial.
 */

/**
 * P(t), by Horner's rule.
 *
 * @example
 * ```ts
 * import { evaluatePolynomial } from 'ldpkit/polynomial';
 * // 1 + 2t + 3t² at t = 2.
 * console.log(evaluatePolynomial([1, 2, 3], 2)); // 17
 * ```
 */
export function evaluatePolynomial(coefficients: ArrayLike<number>, t: number): number {
  let value = 0;
  for (let k = coefficients.length - 1; k >= 0; k--) value = value * t + coefficients[k];
  return value;
}

/**
 * The derivative P′.
 *
 * Shape: one entry fewer, but at least one (a constant has derivative `[0]`).
 */
export function polynomialDerivative(coefficients: ArrayLike<number>): Float64Array {
  const derivative = new Float64Array(Math.max(1, coefficients.length - 1));
  for (let k = 1; k < coefficients.length; k++) derivative[k - 1] = k * coefficients[k];
  return derivative;
}

/** The product P·Q. */
export function polynomialProduct(left: ArrayLike<number>, right: ArrayLike<number>): Float64Array {
  if (left.length === 0 || right.length === 0) return new Float64Array(0);
  const product = new Float64Array(left.length + right.length - 1);
  for (let i = 0; i < left.length; i++) {
    for (let j = 0; j < right.length; j++) product[i + j] += left[i] * right[j];
  }
  return product;
}

/**
 * The polynomial t ↦ P(slope·t + intercept).
 *
 * With intercept 0 every coefficient is only rescaled. Otherwise terms of both signs cancel when the new origin lies
 * far from the old one: the rounding error is that of coefficients of size Σ_k |c_k|·(|slope| + |intercept|)^k.
 */
export function composeAffine(coefficients: ArrayLike<number>, slope: number, intercept: number): Float64Array {
  const composed = Float64Array.from(coefficients);
  const last = composed.length - 1;
  // Taylor shift to the new origin by repeated Horner steps, then rescaling.
  if (intercept !== 0) {
    for (let i = 0; i < last; i++) {
      for (let k = last - 1; k >= i; k--) composed[k] += intercept * composed[k + 1];
    }
  }
  let power = 1;
  for (let k = 0; k <= last; k++) {
    composed[k] *= power;
    power *= slope;
  }
  return composed;
}

/** Writes f(t), f′(t), …, f⁽ⁿ⁾(t) into entries 0 to n of `target`; the order n was fixed when the filler was made. */
export type DerivativeFiller = (t: number, target: Float64Array) => void;

/** Prepares the derivatives of one function up to an order, at most `MAXIMUM_DERIVATIVE_ORDER`. */
export type DerivativeMaker = (order: number) => DerivativeFiller;

/**
 * Highest order of a derivative: at this order the rounding error for the logistic loss is 1e-9 of the largest value;
 * it grows with the order.
 */
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
      // Horner's scheme for all Taylor coefficients at t together; the factorials are applied afterwards.
      for (let k = fixed.length - 1; k >= 0; k--) {
        for (let n = order; n >= 1; n--) target[n] = target[n] * t + target[n - 1];
        target[0] = target[0] * t + fixed[k];
      }
      let factorial = 1;
      for (let n = 2; n <= order; n++) target[n] *= factorial *= n;
    };
  };
}

import { checkInteger } from '../check/number.ts';

const { SQRT2, abs, sqrt } = Math;

/**
 * A polynomial in one variable is the Float64Array of its monomial coefficients, constant first: entry k multiplies t^k.
 * The empty array is the zero polynomial.
 */

/** P(t), by Horner's rule. */
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

/**
 * The antiderivative of P that is 0 at 0. If P approximates f′, this is the surrogate risk of one margin.
 *
 * Shape: one entry more, the first of them 0.
 */
export function polynomialIntegral(coefficients: ArrayLike<number>): Float64Array {
  const integral = new Float64Array(coefficients.length + 1);
  for (let k = 0; k < coefficients.length; k++) integral[k + 1] = coefficients[k] / (k + 1);
  return integral;
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
  // Taylor shift to the new origin by repeated Horner steps, then a rescaling.
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

/**
 * Σ_k |b_mk|, b_mk the coefficient of x^k in T_m: |T_m(i)| = ½|(1 + √2)^m + (1 − √2)^m|, since i^k turns the alternating signs into one.
 * No coefficient is larger, and the largest is at least this over ⌊m/2⌋ + 1.
 *
 * @throws RangeError for a degree that is not a whole number ≥ 0.
 * @theorem noninteractive Theorem 10
 */
export function monomialCoefficientBound(degree: number): number {
  checkInteger('degree', degree, 0);
  return abs((1 + SQRT2) ** degree + (1 - SQRT2) ** degree) / 2;
}

/**
 * The bound √m·2^m of the proof of theorem 10, without the constant of its O. No constant makes it one: |b_mk| grows like
 * (1 + √2)^m.
 *
 * Source: Wang, Smith, Xu 2020, appendix A.
 *
 * @throws RangeError for a degree that is not a whole number ≥ 0.
 * @theorem noninteractive Theorem 10
 */
export function printedMonomialBound(degree: number): number {
  checkInteger('degree', degree, 0);
  return sqrt(degree) * 2 ** degree;
}

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

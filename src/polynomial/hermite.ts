import type { Lift } from './lift.ts';

const { SQRT2, sqrt } = Math;

/**
 * The inverse Weierstrass transform: polynomials of a Gaussian-noised margin whose expectation is a polynomial of the
 * clean one. One noisy copy Z = v + σg is enough for any degree; Algorithm 1 of the paper uses d(d + 1)/2 + 1 copies.
 *
 * Throughout, u ~ N(t, s²) is the noisy margin, s its standard deviation (0 allowed), and
 * H_k = s^k·He_k(u/s) with He the probabilists' Hermite polynomials, so that E[H_k] = t^k.
 *
 * Source: Stefanski 1989; Nakamura 1990 (corrected scores).
 */

/**
 * Fills `target` with `H_0 … H_{length−1}`: unbiased estimates of 1, t, t², … from u ~ N(t, s²).
 *
 * Law: `H_{k+1} = u·H_k − k·s²·H_{k−1}`; E[H_k] = t^k.
 */
export function correctedMonomials(u: number, s: number, target: Float64Array): void {
  const variance = s * s;
  const size = target.length;
  if (size > 0) target[0] = 1;
  if (size > 1) target[1] = u;
  for (let k = 1; k + 1 < size; k++) target[k + 1] = u * target[k] - k * variance * target[k - 1];
}

/**
 * h(u) = Σ c_k·H_k: an unbiased estimate of P(t) = Σ c_k t^k from u ~ N(t, s²).
 */
export function correctedPolynomial(coefficients: ArrayLike<number>, u: number, s: number): number {
  const variance = s * s;
  let before = 0;
  let power = 1;
  let value = 0;
  for (let k = 0; k < coefficients.length; k++) {
    value += coefficients[k] * power;
    const next = u * power - k * variance * before;
    before = power;
    power = next;
  }
  return value;
}

/**
 * `h′(u) = Σ k·c_k·H_{k−1}` at fixed s: an unbiased estimate of P′(t).
 */
export function correctedPolynomialDerivative(coefficients: ArrayLike<number>, u: number, s: number): number {
  const variance = s * s;
  let before = 0;
  let power = 1;
  let slope = 0;
  for (let k = 1; k < coefficients.length; k++) {
    slope += k * coefficients[k] * power;
    const next = u * power - (k - 1) * variance * before;
    before = power;
    power = next;
  }
  return slope;
}

/**
 * Writes h(u)·z − σ²·h′(u)·w with u = ⟨w, z⟩ and s = σ‖w‖ into `target`: an unbiased estimate of P(⟨w, v⟩)·v from one
 * copy z ~ N(v, σ²I). It is the gradient in w of the corrected polynomial of ∫P, so the average over reports is the
 * gradient of one function.
 *
 * The second term removes the covariance of z and u: E[g·h(u)] = σ·w·E[h′(u)] (Stein's lemma).
 *
 * Shape: `w`, `z` and `target` have the same length; no allocation.
 */
export function correctedGradient(
  coefficients: ArrayLike<number>,
  w: ArrayLike<number>,
  z: ArrayLike<number>,
  sigma: number,
  target: Float64Array,
): void {
  const dimension = target.length;
  let u = 0;
  let squared = 0;
  for (let i = 0; i < dimension; i++) {
    u += w[i] * z[i];
    squared += w[i] * w[i];
  }
  const noise = sigma * sigma;
  const s = sigma * sqrt(squared);
  const value = correctedPolynomial(coefficients, u, s);
  const slope = noise * correctedPolynomialDerivative(coefficients, u, s);
  for (let i = 0; i < dimension; i++) target[i] = value * z[i] - slope * w[i];
}

/**
 * E[H_k·H_l] for u ~ N(t, s²): `Σ_i C(k, i)·C(l, i)·i!·s^{2i}·t^{k+l−2i}`. All terms are positive for t > 0, so no
 * digits cancel. The variance of H_k is this at l = k minus `t^{2k}`.
 */
export function correctedProductMoment(k: number, l: number, t: number, s: number): number {
  const variance = s * s;
  const most = k < l ? k : l;
  // Coefficient of the i-th term, C(k, i)·C(l, i)·i!·s^{2i}, computed from the previous one.
  let factor = 1;
  let moment = 0;
  for (let i = 0; i <= most; i++) {
    moment += factor * t ** (k + l - 2 * i);
    factor *= ((k - i) * (l - i) * variance) / (i + 1);
  }
  return moment;
}

/**
 * Writes the corrected symmetric powers of z into `target`: the lift of v, estimated without bias from one Gaussian
 * copy z ~ N(v, σ²I), variance = σ². The entry with exponents m is `√(j!/∏ m_i!)·∏ σ^{m_i}·He_{m_i}(z_i/σ)`.
 *
 * Law: entry = z_i·parent − (m_i − 1)·σ²·grandparent (both raw, i the factor), E = sym^j(v).
 *
 * Shape: `lift.size` entries, in the unscaled orthonormal basis of the lift.
 */
export function fillHermiteLift(lift: Lift, z: ArrayLike<number>, variance: number, target: Float64Array): void {
  const { dimension, degree, size, weight } = lift;
  for (let i = 0; i < dimension; i++) target[i] = z[i];
  if (degree === 1) return;
  if (degree === 2) {
    // The weight of every mixed product of two coordinates is √2, and of every square 1.
    for (let i = 0, entry = dimension; i < dimension; i++) {
      const left = z[i];
      target[entry++] = left * left - variance;
      const row = SQRT2 * left;
      for (let j = i + 1; j < dimension; j++, entry++) target[entry] = row * z[j];
    }
    return;
  }
  const { parent, factor, multiplicity, grandparent } = lift;
  for (let entry = dimension; entry < size; entry++) {
    const up = target[parent[entry]] * z[factor[entry]];
    const m = multiplicity[entry];
    // With m = 1 the factor occurs for the first time in the monomial, and there is nothing to correct.
    if (m === 1) target[entry] = up;
    else target[entry] = up - (m - 1) * variance * (grandparent[entry] < 0 ? 1 : target[grandparent[entry]]);
  }
  for (let entry = dimension; entry < size; entry++) target[entry] *= weight[entry];
}

/**
 * Adds the corrected symmetric powers of z ({@link fillHermiteLift}) to `sums`: divided by the number of reports, the
 * sums are the moments T_j = E[sym^j(v)].
 *
 * Shape: `sums` and `scratch` have `lift.size` entries; `scratch` is overwritten when J > 2 and not touched otherwise.
 */
export function addHermiteLift(
  lift: Lift,
  z: ArrayLike<number>,
  variance: number,
  sums: Float64Array,
  scratch: Float64Array,
): void {
  const { dimension, degree, size } = lift;
  if (degree > 2) {
    fillHermiteLift(lift, z, variance, scratch);
    for (let entry = 0; entry < size; entry++) sums[entry] += scratch[entry];
    return;
  }
  for (let i = 0; i < dimension; i++) sums[i] += z[i];
  if (degree === 1) return;
  for (let i = 0, entry = dimension; i < dimension; i++) {
    const left = z[i];
    sums[entry++] += left * left - variance;
    const row = SQRT2 * left;
    for (let j = i + 1; j < dimension; j++, entry++) sums[entry] += row * z[j];
  }
}

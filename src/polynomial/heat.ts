import { checkFinite, checkInteger, checkNonNegative, RefusedValue } from '../check/refusal.ts';
import { polynomialProduct } from './chebyshev.ts';
import type { Lift } from './lift.ts';

const { SQRT2, sqrt } = Math;

/** The kind of a radial polynomial, and the time of the heat operator. */
export interface HeatFlow {
  readonly dimension: number;
  /** The factor of the polynomial of r: for 0 no factor (a value), for 1 the vector v itself (a gradient). */
  readonly harmonic: 0 | 1;
  /** Time t of the heat operator exp(tΔ): σ²/2 gives the mean over noise N(0, σ²I), −σ²/2 its correction. */
  readonly time: number;
}

/**
 * The heat operator exp(tΔ) on H(v)·Σ c_k r^k, r = ‖v‖², H = 1 or v: returns as many coefficients, constant first.
 * Law: Δ(H r^k) = 2k(2k + p + 2l − 2)·H r^{k−1} with l = 0 for H = 1 and l = 1 for H = v, hence `exp(tΔ)(H r^k) = H Σ_j
 * t^j/j!·∏_{i<j} 2(k−i)(2(k−i) + p + 2l − 2)·r^{k−j}`. For z ~ N(v, σ²I) the mean of a polynomial of z is its heat flow
 * at t = σ²/2, so the flow at −σ²/2 is the polynomial of z whose mean is the given polynomial.
 * Source: the inverse Weierstrass transform of radial polynomials; Stefanski 1989 (corrected scores).
 */
export function heatFlow(coefficients: ArrayLike<number>, flow: HeatFlow): Float64Array {
  const p = checkInteger('dimension', flow.dimension, 1);
  const time = checkFinite('time', flow.time);
  if (flow.harmonic !== 0 && flow.harmonic !== 1) throw new RefusedValue('harmonic', '0 or 1', flow.harmonic);
  const shift = p + 2 * flow.harmonic - 2;
  const flowed = new Float64Array(coefficients.length);
  for (let k = 0; k < coefficients.length; k++) {
    let term = checkFinite(`coefficients[${k}]`, coefficients[k]);
    flowed[k] += term;
    for (let j = 1; j <= k; j++) {
      // The factor of i = j − 1.
      const power = 2 * (k - j + 1);
      term *= (time / j) * power * (power + shift);
      flowed[k - j] += term;
    }
  }
  return flowed;
}

/** A noisy copy z ~ N(v, σ²I) of a vector v of R^p. */
export interface RadialNoise {
  readonly dimension: number;
  /** σ ≥ 0. */
  readonly sigma: number;
}

/**
 * The polynomial L of r̃ = ‖z‖² with E[z·L(r̃)] = v·Q(r), r = ‖v‖², for z ~ N(v, σ²I): it corrects the gradient of one
 * noisy copy.
 *
 * Shape: `coefficients` are those of Q, constant first; the result has as many, those of L.
 *
 * Source: the inverse Weierstrass transform of radial polynomials.
 * @throws TypeError or RangeError for a coefficient or a σ that is not finite, σ < 0, or a dimension that is not a whole
 * number ≥ 1.
 */
export function radialGradientCorrection(
  coefficients: ArrayLike<number>,
  { dimension, sigma }: RadialNoise,
): Float64Array {
  checkNonNegative('sigma', sigma);
  return heatFlow(coefficients, { dimension, harmonic: 1, time: -(sigma * sigma) / 2 });
}

/** The polynomial of r̃ = ‖z‖² whose mean is S(r): it corrects the value of one noisy copy. */
export function radialValueCorrection(
  coefficients: ArrayLike<number>,
  { dimension, sigma }: RadialNoise,
): Float64Array {
  return heatFlow(coefficients, { dimension, harmonic: 0, time: -(sigma * sigma) / 2 });
}

/**
 * E⟨z L(r̃), z M(r̃)⟩ − r·Q(r)·P(r) as a polynomial of r = ‖v‖²: the covariance, as an inner product, of the corrected
 * gradients L and M of v·Q and v·P.
 * Law: r̃LM is a radial polynomial of z, so its mean is its heat flow at σ²/2, exactly, for every v. The subtraction is
 * done on the coefficients, where the terms cancel, and not on values.
 */
export function radialGradientCovariance(
  left: ArrayLike<number>,
  right: ArrayLike<number>,
  noise: RadialNoise,
): Float64Array {
  const corrected = polynomialProduct(radialGradientCorrection(left, noise), radialGradientCorrection(right, noise));
  return spread(Float64Array.of(0, ...corrected), Float64Array.of(0, ...polynomialProduct(left, right)), noise);
}

/** Variance of the corrected value of one noisy copy as a polynomial of r = ‖v‖²: E V² − S(r)², in closed form. */
export function radialValueVariance(coefficients: ArrayLike<number>, noise: RadialNoise): Float64Array {
  const corrected = radialValueCorrection(coefficients, noise);
  return spread(polynomialProduct(corrected, corrected), polynomialProduct(coefficients, coefficients), noise);
}

/** The heat flow of the corrected product at σ²/2, minus the product of the estimated polynomials. */
function spread(corrected: Float64Array, exact: Float64Array, { dimension, sigma }: RadialNoise): Float64Array {
  const mean = heatFlow(corrected, { dimension, harmonic: 0, time: (sigma * sigma) / 2 });
  return mean.map((coefficient, k) => coefficient - exact[k]);
}

/** The properties of a record and a point on which the variance of a corrected estimate depends. */
export interface CorrectedSetting {
  readonly inner: number;
  /** y; 1 where the copy is one of v = y·x. */
  readonly label: number;
  /** ‖w‖. */
  readonly norm: number;
  /** ‖x‖. */
  readonly recordNorm: number;
  readonly dimension: number;
  /** σ of the noise on each coordinate of x. */
  readonly sigma: number;
  /** σ of the noise on y; 0 where the copy is one of v = y·x. */
  readonly labelSigma: number;
  /** Whether y is known to be −1 or 1; see {@link labelProductMoment}. Default false. */
  readonly signs?: boolean;
}

/**
 * The mean of the product of the estimates of y^k and y^l from one noisy label: Hermite-corrected powers; where y is
 * known to be −1 or 1 (`signs`) they are 1 for even powers and the noisy label itself for odd ones.
 */
export function labelProductMoment(k: number, l: number, label: number, labelSigma: number, signs = false): number {
  if (!signs) return correctedProductMoment(k, l, label, labelSigma);
  if ((k + l) % 2 === 1) return label;
  return k % 2 === 1 ? label ** 2 + labelSigma ** 2 : 1;
}

/**
 * E‖G‖² of the corrected gradient Σ_k c_k·H_{k+1}(y)·T_{k+1}(w, …, w, ·) from one Gaussian copy of (x, y), H_j the
 * Hermite-corrected powers. Its mean is P(y⟨w, x⟩)·yx, so the variance is this minus P(t)²·y²‖x‖². Orthogonal to w, the
 * copy of x and the polynomial are independent; along w, the estimate is the corrected monomial z^{k+1} of z = ⟨w,
 * X⟩/‖w‖.
 * Source: Stein's lemma and the orthogonality of Hermite polynomials.
 */
export function correctedGradientSecondMoment(coefficients: ArrayLike<number>, setting: CorrectedSetting): number {
  const { inner, label, norm, recordNorm, dimension, sigma, labelSigma, signs } = setting;
  const along = norm > 0 ? inner / norm : recordNorm;
  const across = recordNorm ** 2 - along ** 2 + sigma ** 2 * (dimension - 1);
  let sum = 0;
  for (let k = 0; k < coefficients.length; k++) {
    for (let l = 0; l < coefficients.length; l++) {
      const labels = labelProductMoment(k + 1, l + 1, label, labelSigma, signs);
      const perpendicular = correctedProductMoment(k, l, inner, sigma * norm) * across;
      const parallel = norm ** (k + l) * correctedProductMoment(k + 1, l + 1, along, sigma);
      sum += coefficients[k] * coefficients[l] * labels * (perpendicular + parallel);
    }
  }
  return sum;
}

/** The quantities, averaged over the players, on which the variance of a corrected value depends. */
export interface CorrectedPopulation extends Pick<CorrectedSetting, 'norm' | 'sigma' | 'labelSigma' | 'signs'> {
  /** E t^m for m = 0, 1, …, 2J − 2, and to 2J where y is noisy too, J the number of coefficients. */
  readonly margins: ArrayLike<number>;
}

/**
 * Mean over the players of the noise variance of the corrected value Σ_j q_j·H_j(y)·H_j(⟨w, X⟩) of one report, j from 1,
 * for labels y = ±1; its mean, given the record, is Σ q_j·t^j. `coefficients` holds q_1, …, q_J.
 */
export function correctedValueVariance(coefficients: ArrayLike<number>, population: CorrectedPopulation): number {
  const { margins, norm, sigma, labelSigma, signs } = population;
  const spread = (sigma * norm) ** 2;
  let sum = 0;
  for (let k = 1; k <= coefficients.length; k++) {
    for (let l = 1; l <= coefficients.length; l++) {
      const labels = labelProductMoment(k, l, 1, labelSigma, signs);
      // E[H_k·H_l] − E t^{k+l} term by term, with the powers of the margin averaged over the players.
      let factor = 1;
      let covariance = labels === 1 ? 0 : (labels - 1) * margins[k + l];
      for (let i = 1; i <= Math.min(k, l); i++) {
        factor *= ((k - i + 1) * (l - i + 1) * spread) / i;
        covariance += labels * factor * margins[k + l - 2 * i];
      }
      sum += coefficients[k - 1] * coefficients[l - 1] * covariance;
    }
  }
  return sum;
}

/**
 * The inverse Weierstrass transform: polynomials of a Gaussian-noised margin whose mean is a polynomial of the clean one.
 * One noisy copy Z = v + σg is enough for any degree; Algorithm 1 of the paper uses d(d + 1)/2 + 1 copies. Throughout, u
 * ~ N(t, s²) is the noisy margin, and H_k = s^k·He_k(u/s) with He the probabilists' Hermite polynomials, so that E[H_k] =
 * t^k.
 * Source: Stefanski 1989; Nakamura 1990 (corrected scores).
 */

/** Fills `target` with `H_0 … H_{length−1}`, estimates of 1, t, t², …: `H_{k+1} = u·H_k − k·s²·H_{k−1}`. */
export function correctedMonomials(u: number, s: number, target: Float64Array): void {
  const variance = s * s;
  const size = target.length;
  if (size > 0) target[0] = 1;
  if (size > 1) target[1] = u;
  for (let k = 1; k + 1 < size; k++) target[k + 1] = u * target[k] - k * variance * target[k - 1];
}

/** h(u) = Σ c_k·H_k: an unbiased estimate of P(t) = Σ c_k t^k from u ~ N(t, s²). */
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

/** `h′(u) = Σ k·c_k·H_{k−1}` at fixed s: an unbiased estimate of P′(t). */
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
 * copy z ~ N(v, σ²I), and the gradient in w of the corrected polynomial of ∫P. The second term removes the covariance of
 * z and u: E[g·h(u)] = σ·w·E[h′(u)] (Stein's lemma). No allocation.
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

/** E[H_k·H_l] for u ~ N(t, s²): `Σ_i C(k, i)·C(l, i)·i!·s^{2i}·t^{k+l−2i}`; for t > 0 nothing cancels. */
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
 * Writes the corrected symmetric powers of z: the lift of v, estimated without bias from one copy z ~ N(v, σ²I), variance
 * = σ², in its unscaled basis. The entry with exponents m is `√(j!/∏ m_i!)·∏ σ^{m_i}·He_{m_i}(z_i/σ)`.
 * Law: entry = z_i·parent − (m_i − 1)·σ²·grandparent (both raw, i the factor), E = sym^j(v).
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
 * Adds the corrected symmetric powers of z ({@link fillHermiteLift}) to `sums`, which over the number of reports are the
 * moments T_j = E[sym^j(v)]. `scratch`, of `lift.size` entries, is overwritten when J > 2.
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

import { checkFinite, checkInteger, refusal } from '../check/number.ts';
import { RefusedValue } from '../check/refusal.ts';
import { polynomialProduct } from './chebyshev.ts';
import { correctedProductMoment } from './hermite.ts';

/** The kind of a radial polynomial, and the time of the heat operator. */
export interface HeatFlow {
  /** p ≥ 1, the dimension of v; r = ‖v‖². */
  readonly dimension: number;
  /** The factor of the polynomial of r: for 0 no factor (a value), for 1 the vector v itself (a gradient). */
  readonly harmonic: 0 | 1;
  /** Time t of the heat operator exp(tΔ): σ²/2 gives the mean over noise N(0, σ²I), −σ²/2 its correction. */
  readonly time: number;
}

/**
 * The heat operator exp(tΔ) on H(v)·Σ c_k r^k, r = ‖v‖², H = 1 or v: returns the coefficients of the result.
 *
 * Law: Δ(H r^k) = 2k(2k + p + 2l − 2)·H r^{k−1} with l = 0 for H = 1 and l = 1 for H = v, hence
 * `exp(tΔ)(H r^k) = H Σ_j t^j/j!·∏_{i<j} 2(k−i)(2(k−i) + p + 2l − 2)·r^{k−j}`. For z ~ N(v, σ²I) the mean of a
 * polynomial of z is its heat flow at t = σ²/2, so the flow at −σ²/2 is the polynomial of z whose mean is the given
 * polynomial.
 *
 * Shape: as many coefficients as the input has, constant first.
 *
 * Source: the inverse Weierstrass transform of radial polynomials; Stefanski 1989 (corrected scores).
 *
 * @throws TypeError or RangeError for an invalid dimension or a number that is not finite.
 */
export function heatFlow(coefficients: ArrayLike<number>, flow: HeatFlow): Float64Array {
  const p = checkInteger('dimension', flow.dimension, 1);
  const time = checkFinite('time', flow.time);
  if (flow.harmonic !== 0 && flow.harmonic !== 1) throw new RefusedValue(refusal('harmonic', '0 or 1', flow.harmonic));
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
  /** p. */
  readonly dimension: number;
  /** σ ≥ 0. */
  readonly sigma: number;
}

/** The polynomial L of r̃ = ‖z‖² with E[z·L(r̃)] = v·Q(r): it corrects the gradient of one noisy copy. */
export function radialGradientCorrection(
  coefficients: ArrayLike<number>,
  { dimension, sigma }: RadialNoise,
): Float64Array {
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
 * E⟨z L(r̃), z M(r̃)⟩ − r·Q(r)·P(r) as a polynomial of r = ‖v‖²: the covariance, in the sense of the inner product, of
 * the corrected gradients L and M of v·Q and v·P.
 *
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
  /** ⟨w, x⟩, the inner product without the label. */
  readonly inner: number;
  /** y; 1 where the copy is one of v = y·x. */
  readonly label: number;
  /** ‖w‖. */
  readonly norm: number;
  /** ‖x‖. */
  readonly recordNorm: number;
  /** p. */
  readonly dimension: number;
  /** σ of the noise on each coordinate of x. */
  readonly sigma: number;
  /** σ of the noise on y; 0 where the copy is one of v = y·x. */
  readonly labelSigma: number;
  /** Whether y is known to be −1 or 1; see {@link labelProductMoment}. Default false. */
  readonly signs?: boolean;
}

/**
 * The mean of the product of the estimates of y^k and y^l from one noisy label. They are Hermite-corrected powers;
 * where y is known to be −1 or 1 (`signs`) they are 1 for even powers and the noisy label itself for odd ones.
 */
export function labelProductMoment(k: number, l: number, label: number, labelSigma: number, signs = false): number {
  if (!signs) return correctedProductMoment(k, l, label, labelSigma);
  if ((k + l) % 2 === 1) return label;
  return k % 2 === 1 ? label ** 2 + labelSigma ** 2 : 1;
}

/**
 * E‖G‖² of the corrected gradient Σ_k c_k·H_{k+1}(y)·T_{k+1}(w, …, w, ·) from one Gaussian copy of (x, y), H_j the
 * Hermite-corrected powers. Its mean is P(y⟨w, x⟩)·yx, so the variance is this minus P(t)²·y²‖x‖².
 *
 * Orthogonal to w, the copy of x and the polynomial are independent. Along w, the estimate is the corrected monomial
 * z^{k+1} of z = ⟨w, X⟩/‖w‖. Both have product moments in closed form.
 *
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
export interface CorrectedPopulation {
  /** E t^m for m = 0, 1, …, 2J − 2, and to 2J where y is noisy too, J the number of coefficients. */
  readonly margins: ArrayLike<number>;
  /** ‖w‖. */
  readonly norm: number;
  /** σ of the noise on each coordinate of x. */
  readonly sigma: number;
  /** σ of the noise on y; 0 where the copy is one of v = y·x. */
  readonly labelSigma: number;
  /** Whether even powers of y are taken as 1; see {@link labelProductMoment}. Default false. */
  readonly signs?: boolean;
}

/**
 * Mean over the players of the noise variance of the corrected value Σ_j q_j·H_j(y)·H_j(⟨w, X⟩) of one report, j from
 * 1, for labels y = ±1. Its mean, given the record, is Σ q_j·t^j.
 *
 * Shape: `coefficients` holds q_1, …, q_J.
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

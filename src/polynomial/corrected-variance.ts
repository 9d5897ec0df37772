import { correctedProductMoment } from './hermite.ts';

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

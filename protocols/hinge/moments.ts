import { averagedNoise } from '../../src/mechanism/noisy-copies.ts';
import type { CorrectedMoments } from '../../src/optimize/corrected-risk.ts';
import { euclideanNorm } from '../../src/optimize/projection.ts';
import { correctedValueVariance } from '../../src/polynomial/corrected-variance.ts';
import { correctedProductMoment } from '../../src/polynomial/hermite.ts';
import { createLiftedPolynomial } from '../../src/polynomial/lifted-polynomial.ts';
import type { HingeParameters } from './parameters.ts';

const { sqrt } = Math;

/**
 * Variance of ⟨sym^j(u), T_j⟩, ‖u‖ = 1, in one report of a Gaussian copy corrected by Hermite polynomials, for |y| = 1 and
 * ⟨u, x⟩² equal to `squaredMargin`.
 */
export function correctedProducts(j: number, sigma: number, labelSigma: number, squaredMargin: number): number {
  const margin = sqrt(squaredMargin);
  return correctedProductMoment(j, j, margin, sigma) * correctedProductMoment(j, j, 1, labelSigma) - margin ** (2 * j);
}

/**
 * Standard deviation of the privacy noise in the reconstructed risk Σ c_k/(k + 1)·⟨sym^{k+1}(w), T_{k+1}⟩ at a w fixed in
 * advance, given the records.
 *
 * Law: exact for `lifted`; for `gaussian` exact up to degree 1 in a tally of degree 1 and more, where it needs E t and
 * E t² only. These are taken from the tally itself; powers it does not carry, which also `copies` needs because y is noisy
 * too, are replaced by (E t²)^{m/2} for even m, at most the true one, and by 0 for odd m.
 */
export function riskDeviation(
  parameters: HingeParameters,
  moments: CorrectedMoments,
  coefficients: ArrayLike<number>,
  w: ArrayLike<number>,
): number {
  const norm = euclideanNorm(Float64Array.from(w));
  const integral = Array.from(coefficients, (c, k) => c / (k + 1));
  if (parameters.maker === 'lifted') {
    let sum = 0;
    for (let j = 1; j <= integral.length; j++) sum += moments.noise[j - 1] * (integral[j - 1] * norm ** j) ** 2;
    return sqrt(sum);
  }
  const margins = marginMoments(moments, w, norm, 2 * integral.length);
  const noise =
    parameters.maker === 'gaussian'
      ? { sigma: parameters.sigma, labelSigma: 0 }
      : { sigma: averagedNoise(parameters.copies).features, labelSigma: averagedNoise(parameters.copies).label };
  return sqrt(Math.max(0, correctedValueVariance(integral, { margins, norm, ...noise })) / moments.players);
}

// E t^m, m = 0 … highest: from the tally where it carries the power, within what ‖v‖ ≤ 1 allows.
function marginMoments(moments: CorrectedMoments, w: ArrayLike<number>, norm: number, highest: number): Float64Array {
  const { lift, values } = moments;
  const margins = new Float64Array(highest + 1);
  margins[0] = 1;
  for (let m = 1; m <= highest; m++) {
    if (m <= lift.degree) {
      const only = Array.from({ length: lift.degree }, (_, j) => (j + 1 === m ? 1 : 0));
      const value = createLiftedPolynomial(lift, only, values).value(w);
      const least = m % 2 === 0 ? 0 : -(norm ** m);
      margins[m] = Math.min(norm ** m, Math.max(least, value));
    } else if (m % 2 === 0) {
      margins[m] = (lift.degree >= 2 ? margins[2] : norm ** 2 / lift.dimension) ** (m / 2);
    }
  }
  return margins;
}

import { momentMatrix } from '../polynomial/lifted-polynomial.ts';
import { seededRandom } from '../random/seeded.ts';
import type { MarginLoss } from '../risk/margin-loss.ts';
import {
  type CorrectedMoments,
  type CorrectedRisk,
  meanSquareOf,
  minimizeCorrectedRisk,
  projectSecondMoment,
} from './corrected-risk.ts';
import { minimizeCrossedRisk, thinMoments } from './crossed-risk.ts';
import { isotropicLaw, lawMean, marginLawOf } from './margin-law.ts';
import { euclideanNorm } from './projection.ts';

const { sqrt } = Math;

/** Thinnings of a comparison. */
const THINNINGS = 6;

/**
 * The risk E f(⟨w, v⟩) of a model that does not come from the noise of these moments: the mean loss under the law of
 * its margins that the moments say, as far as their noise allows.
 */
export function marginRisk(moments: CorrectedMoments, w: Float64Array, loss: MarginLoss): number {
  const { lift, values } = moments;
  const { dimension } = lift;
  const norm = euclideanNorm(w);
  if (!(norm > 0)) return loss.value(0);
  const matrix = projectSecondMoment(momentMatrix(lift, values), dimension);
  const prior = isotropicLaw(norm, meanSquareOf(matrix, dimension), dimension);
  return lawMean(marginLawOf(moments, w, prior, new Float64Array(lift.size)), loss.value);
}

/**
 * The better of two minimisers of the risk from moments up to the power d + 1 ≥ 3: with a polynomial that is fitted to
 * the margins of the model (`minimizeCrossedRisk`), or with one that is fitted to margins anywhere
 * (`minimizeCorrectedRisk`), where that one is better by more than the error of the comparison.
 *
 * Both are found from the first half of a few thinnings and judged by the second, whose noise is independent. The
 * difference varies over thinnings with about the variance that the noise of the moments themselves gives it, so that
 * with K thinnings its error is √(1 + 1/K) times their deviation (the one-standard-error rule).
 *
 * Shape: `seed` is public and draws the thinnings.
 *
 * Source: Oliveira, Lei and Tibshirani 2021 (coupled bootstrap); Breiman et al. 1984 (one standard error).
 *
 * @throws RangeError for moments of fewer than three powers, or a radius that is refused.
 */
export function minimizeComparedRisk(
  moments: CorrectedMoments,
  { loss, radius = 1 }: { readonly loss: MarginLoss; readonly radius?: number },
  seed: string,
): CorrectedRisk {
  const random = seededRandom(`${seed} comparison`);
  const differences = Array.from({ length: THINNINGS }, (_, k) => {
    const { first, second } = thinMoments(moments, random);
    const crossed = minimizeCrossedRisk(first, { loss, radius }, `${seed} ${k}`);
    const anywhere = minimizeCorrectedRisk(first, { loss, radius });
    return marginRisk(second, crossed.w, loss) - marginRisk(second, anywhere.w, loss);
  });
  const mean = differences.reduce((sum, difference) => sum + difference, 0) / THINNINGS;
  const square = differences.reduce((sum, difference) => sum + (difference - mean) ** 2, 0) / (THINNINGS - 1);
  const error = sqrt(square * (1 + 1 / THINNINGS));
  return mean > error
    ? minimizeCorrectedRisk(moments, { loss, radius })
    : minimizeCrossedRisk(moments, { loss, radius }, seed);
}

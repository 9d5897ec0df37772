import { seededRandom } from '../random/seeded.ts';
import type { MarginLoss } from '../risk/margin-loss.ts';
import { type ClassLaw, type ClassLawOptions, drawClassLaws, usualDraws } from './class-law.ts';
import { classMarginLaw, classRisk, minimizeClassRisk } from './class-risk.ts';
import { type CorrectedMoments, type CorrectedRisk, checkRadius, minimizeCorrectedRisk } from './corrected-risk.ts';
import { fitToMargins, minimizeCrossedRisk, thinMoments } from './crossed-risk.ts';
import { lawMean, marginLawOf } from './margin-law.ts';
import { euclideanNorm } from './projection.ts';

/** A question to moments after collection, where the choice of the fit is left open. */
export interface ComparedRiskQuery extends Pick<ClassLawOptions, 'intercept'> {
  /** The loss f of the margin. */
  readonly loss: MarginLoss;
  /** R > 0: the constraint is ‖w‖ ≤ R. Default 1. */
  readonly radius?: number;
  /** Whether the noise is as small as that of a planned degree: then moments may judge a model that they made. */
  readonly quiet: boolean;
}

const { sqrt } = Math;

/** Thinnings of a comparison, with large noise and with small. */
const [THINNINGS, FEW_THINNINGS] = [6, 4];

/** How much of the way from the model of the classes to that of the polynomial a candidate goes. */
const STEPS: readonly number[] = [0, 0.5, 1];

/**
 * The risk E f(⟨w, v⟩) as a function of w, as far as moments tell it: from two powers the mean risk over the laws of v;
 * from three on the mean loss under the law of the margin nearest to these whose moments agree with the measured ones.
 */
export function marginRisk(
  moments: CorrectedMoments,
  laws: readonly ClassLaw[],
  loss: MarginLoss,
): (w: Float64Array) => number {
  const { lift } = moments;
  if (lift.degree < 3) return classRisk(laws, loss).value;
  const scratch = new Float64Array(lift.size);
  return (w) => {
    const norm = euclideanNorm(w);
    if (!(norm > 0)) return loss.value(0);
    return lawMean(marginLawOf(moments, w, classMarginLaw(laws, w, norm), scratch), loss.value);
  };
}

/**
 * Minimises the risk E f(⟨w, v⟩) over ‖w‖ ≤ R from moments of two powers or more, by the better of two models or the
 * point half way between them. One model minimises the risk under laws of normal classes (`drawClassLaws`): it has
 * hardly any bias where margins are nearly normal given the label, whatever the shares of the classes. The other replaces f′ by a
 * polynomial (`minimizeCrossedRisk`; with two powers or large noise `minimizeCorrectedRisk`), and assumes no law.
 *
 * The risk of a candidate is that of `marginRisk`. Each thinning in two halves with independent noise makes candidates from
 * one half and judges them by the other. Where the noise is large, the model of the polynomial stays unless another is
 * better by more than the error of the comparison. Where it is small, moments also judge their own candidates: that is
 * as much too kind to a model which follows the noise as halves, with twice the noise, are too severe, and the two count
 * alike. The risk is convex: the point half way is never worse than the mean of the two.
 *
 * Shape: `seed` is public and draws laws and thinnings: everybody finds the same model.
 *
 * Source: Oliveira, Lei and Tibshirani 2021 (coupled bootstrap); Breiman et al. 1984 (one standard error).
 *
 * @throws TypeError or RangeError for moments of one power, an intercept that is no coordinate, or a radius that is refused.
 */
export function minimizeComparedRisk(moments: CorrectedMoments, query: ComparedRiskQuery, seed: string): CorrectedRisk {
  const { loss, intercept, quiet } = query;
  const radius = checkRadius(query.radius ?? 1);
  const seeing = quiet && moments.lift.degree >= 3;
  const candidatesOf = (from: CorrectedMoments, laws: readonly ClassLaw[], name: string) => {
    const classes = minimizeClassRisk(laws, loss, radius);
    const polynomial = seeing
      ? minimizeCrossedRisk(from, { loss, radius }, name)
      : minimizeCorrectedRisk(from, { loss, radius });
    const models = STEPS.map((step) => classes.map((entry, j) => (1 - step) * entry + step * polynomial.w[j]));
    return { models, polynomial };
  };
  const laws = drawClassLaws(moments, { intercept }, seededRandom(`${seed} classes`));
  const { models, polynomial } = candidatesOf(moments, laws, seed);
  const random = seededRandom(`${seed} comparison`);
  const judges = Math.ceil(usualDraws(moments.lift.dimension) / 2);
  const risks = Array.from({ length: seeing ? FEW_THINNINGS : THINNINGS }, (_, k) => {
    const { first, second } = thinMoments(moments, random);
    const others = candidatesOf(first, drawClassLaws(first, { intercept }, random), `${seed} ${k}`).models;
    return others.map(marginRisk(second, drawClassLaws(second, { intercept, draws: judges }, random), loss));
  });
  const best = seeing ? leastOf(models.map(marginRisk(moments, laws, loss)), risks) : clearlyBest(risks);
  if (best === models.length - 1) return polynomial;
  return fitToMargins(moments, { loss, radius, w: models[best], margins: classMarginLaw(laws, models[best], radius) });
}

/** The candidate whose own risk and mean risk over thinnings have the least sum. */
function leastOf(own: readonly number[], risks: readonly (readonly number[])[]): number {
  const sums = own.map((risk, at) => risk + risks.reduce((sum, row) => sum + row[at], 0) / risks.length);
  return sums.indexOf(Math.min(...sums));
}

/**
 * The candidate of least mean risk, or the last one where its mean is not above that by more than the error of the
 * comparison. The differences vary over K thinnings with about the variance that the noise of the moments themselves
 * gives them: the error is √(1 + 1/K) times their deviation.
 */
function clearlyBest(risks: readonly (readonly number[])[]): number {
  const count = risks.length;
  const last = risks[0].length - 1;
  let [best, most] = [last, 0];
  for (let at = 0; at < last; at++) {
    const gains = risks.map((row) => row[last] - row[at]);
    const mean = gains.reduce((sum, gain) => sum + gain, 0) / count;
    const square = gains.reduce((sum, gain) => sum + (gain - mean) ** 2, 0) / (count - 1);
    if (mean > sqrt(square * (1 + 1 / count)) && mean > most) [best, most] = [at, mean];
  }
  return best;
}

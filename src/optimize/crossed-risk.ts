import { checkInteger } from '../check/number.ts';
import { noiseAwareFit } from '../polynomial/fit.ts';
import { liftedNoiseNorm } from '../polynomial/lifted-polynomial.ts';
import { fillNormal } from '../random/normal.ts';
import type { Random } from '../random/random.ts';
import { seededRandom } from '../random/seeded.ts';
import type { MarginLoss } from '../risk/margin-loss.ts';
import {
  type CorrectedMoments,
  type CorrectedRisk,
  checkRadius,
  denoisedMatrix,
  foundRisk,
  meanSquareOf,
  ridgedSurrogate,
} from './corrected-risk.ts';
import { type DiscreteLaw, isotropicLaw, marginLawOf, mixedLaw, pathLaw } from './margin-law.ts';
import { projectedGradient } from './projected-gradient.ts';

const { sqrt } = Math;

/** Two estimates of the same moments with independent noise: see {@link thinMoments}. */
export interface ThinnedMoments {
  readonly first: CorrectedMoments;
  readonly second: CorrectedMoments;
}

/**
 * Splits moments with normal noise of known variance in two with twice that variance each, independent of each other:
 * T + Z and T − Z, where Z has the law of the noise. A model found from one half is judged by the other as by fresh
 * reports.
 *
 * Source: Tibshirani and Rosset 2019, Oliveira, Lei and Tibshirani 2021 (coupled bootstrap); Neufeld et al. 2024 (thinning).
 */
export function thinMoments(moments: CorrectedMoments, random: Random): ThinnedMoments {
  const { lift, values, noise } = moments;
  const draws = new Float64Array(lift.size);
  fillNormal(draws, random);
  for (let j = 1; j <= lift.degree; j++) {
    const scale = sqrt(noise[j - 1]);
    for (let entry = lift.offsets[j - 1]; entry < lift.offsets[j]; entry++) draws[entry] *= scale;
  }
  const doubled = noise.map((variance) => 2 * variance);
  const half = (side: number): CorrectedMoments => ({
    ...moments,
    values: values.map((value, i) => value + side * draws[i]),
    noise: doubled,
  });
  return { first: half(1), second: half(-1) };
}

/** Moments with the second one denoised. */
interface Prepared {
  readonly moments: CorrectedMoments;
  readonly matrix: Float64Array;
  readonly ridge: number;
}

function prepare(moments: CorrectedMoments): Prepared {
  const { matrix, ridge } = denoisedMatrix(moments, {});
  // Moments of two powers or more have a second one.
  return { moments, matrix: matrix as Float64Array, ridge };
}

/** The least point over the ball of the risk with P in the place of f′, which may not be convex: from `start` on. */
function leastPoint(prepared: Prepared, coefficients: Float64Array, radius: number, start: Float64Array): Float64Array {
  const objective = ridgedSurrogate(prepared.moments, prepared, coefficients);
  return projectedGradient({ objective, radius, start, iterations: 100, tolerance: 1e-6 }).point;
}

/** Number of thinnings of a fit, and of its rounds. */
const [THINNINGS, ROUNDS] = [4, 8];

/** A tenth of the weight stays where margins may be anywhere, so that the fit is good at other models too. */
const ANYWHERE = 0.1;

/** How a polynomial of the degree of these moments is fitted to a law of margins; without one, to margins anywhere. */
function fitting(
  { moments, matrix }: Prepared,
  loss: MarginLoss,
  radius: number,
): { readonly prior: DiscreteLaw; fitAt(margins: DiscreteLaw | undefined): Float64Array } {
  const { lift, noise: variances } = moments;
  const { dimension } = lift;
  const degree = lift.degree - 1;
  const meanSquare = meanSquareOf(matrix, dimension);
  const prior = isotropicLaw(radius, meanSquare, dimension);
  const price = sqrt(dimension / meanSquare);
  // The noise of c_0 only changes the length of the gradient.
  const noise = Float64Array.from({ length: degree + 1 }, (_, k) =>
    k === 0 ? 0 : price * variances[k] * liftedNoiseNorm(dimension, k, radius),
  );
  return {
    prior,
    fitAt(margins) {
      const weight = margins === undefined ? prior : mixedLaw(pathLaw(margins), prior, ANYWHERE);
      return noiseAwareFit({ target: loss.derivative, degree, lower: -radius, upper: radius, weight, noise })
        .coefficients;
    },
  };
}

/**
 * A model that was found otherwise, with a polynomial fitted to the law of its margins and the risk that follows from it.
 */
export function fitToMargins(
  moments: CorrectedMoments,
  found: Pick<CorrectedRisk, 'w' | 'radius'> & { readonly loss: MarginLoss; readonly margins: DiscreteLaw },
): CorrectedRisk {
  const { w, radius, loss, margins } = found;
  const whole = prepare(moments);
  const coefficients = fitting(whole, loss, radius).fitAt(margins);
  return foundRisk(moments, { loss, radius, w, coefficients, ridge: whole.ridge });
}

/**
 * Minimises the risk E f(⟨w, v⟩) over ‖w‖ ≤ R from moments up to the power d + 1 ≥ 3, with a polynomial of degree d in
 * the place of f′ that is fitted to the places which the margins of the model cross. Fit and model are repeated until
 * they agree.
 *
 * A model that follows the noise of its moments makes its own margins look good in these moments. So the law of the
 * margins is seen through other noise: for each of a few thinnings, the model of the first half is looked at in the
 * second one.
 *
 * The fit weighs the mean square of the error r = P − f′ against the noise of the gradient. The error adds E r(t)v to
 * the gradient: its squared length is E r²·E‖v‖² if the records lie along w, and about a p-th of that if they lie in all
 * directions alike. Between the two the noise counts √(p/E‖v‖²) times.
 *
 * Shape: `seed` is public, and draws the thinnings: everybody finds the same model.
 *
 * @throws RangeError for moments of fewer than three powers, or a radius that is refused.
 */
export function minimizeCrossedRisk(
  moments: CorrectedMoments,
  { loss, radius: asked = 1 }: { readonly loss: MarginLoss; readonly radius?: number },
  seed: string,
): CorrectedRisk {
  const random = seededRandom(seed);
  const { lift } = moments;
  const { dimension } = lift;
  checkInteger('moments.lift.degree', lift.degree, 3);
  const radius = checkRadius(asked);
  const whole = prepare(moments);
  const halves = Array.from({ length: THINNINGS }, () => {
    const { first, second } = thinMoments(moments, random);
    return { first: prepare(first), second };
  });
  const { prior, fitAt } = fitting(whole, loss, radius);
  const scratch = new Float64Array(lift.size);
  /** The mean law of the margins of the models, each seen through the half that it was not made from. */
  const seenByOthers = (found: readonly Float64Array[]): DiscreteLaw => {
    const masses = new Float64Array(prior.points.length);
    halves.forEach(({ second }, at) => {
      const law = marginLawOf(second, found[at], prior, scratch);
      for (let i = 0; i < masses.length; i++) masses[i] += law.masses[i] / halves.length;
    });
    return { points: prior.points, masses };
  };
  let w: Float64Array = new Float64Array(dimension);
  let models: readonly Float64Array[] = halves.map(() => w);
  let coefficients: Float64Array = new Float64Array(0);
  for (let round = 0; round < ROUNDS; round++) {
    const fit = fitAt(round === 0 ? undefined : seenByOthers(models));
    // Half a step: with full steps the fit and the minimiser would oscillate.
    coefficients = round === 0 ? fit : coefficients.map((c, k) => (c + fit[k]) / 2);
    w = leastPoint(whole, coefficients, radius, w);
    models = halves.map(({ first }, i) => leastPoint(first, coefficients, radius, models[i]));
  }
  return foundRisk(moments, { loss, radius, w, coefficients, ridge: whole.ridge });
}

import { checkInteger } from '../check/refusal.ts';
import { seededRandom } from '../random/seeded.ts';
import { checkRadius, type MarginLoss } from '../risk/margin-loss.ts';
import { projectedGradient } from './ball.ts';
import { type ClassLaw, drawClassLaws, usualDraws } from './class-law.ts';
import {
  agreedOn,
  between,
  type ComparedRiskQuery,
  fitToMargins,
  fitting,
  minimizeClassRisk,
  type Prepared,
  prepare,
  thinMoments,
} from './compared-risk.ts';
import {
  type CorrectedMoments,
  type CorrectedRisk,
  foundRisk,
  minimizeCorrectedRisk,
  ridgedSurrogate,
} from './corrected-risk.ts';
import { type DiscreteLaw, marginLawOf } from './entropic-law.ts';
import { MOST_ROWS, misfitTo, spanOf, type TiltedLaw, tiltedLaws, tiltedRisk } from './tilted-law.ts';

/** Number of thinnings of a fit, and of its rounds. */
const [THINNINGS, ROUNDS] = [4, 8];

/** The least point over the ball of the risk with P in the place of f′, which may not be convex: from `start` on. */
function leastPoint(prepared: Prepared, coefficients: Float64Array, radius: number, start: Float64Array): Float64Array {
  const objective = ridgedSurrogate(prepared.moments, prepared, coefficients);
  return projectedGradient({ objective, radius, start, iterations: 100, tolerance: 1e-6 }).point;
}

/**
 * Minimises the risk E f(⟨w, v⟩) over ‖w‖ ≤ R from moments up to the power d + 1 ≥ 3, with a polynomial of degree d in
 * the place of f′ that is fitted to the places which the margins of the model cross. Fit and model are repeated until
 * they agree.
 * A model that follows the noise of its moments makes its own margins look good in these moments. So the law of the
 * margins is seen through other noise: for each of a few thinnings, the model of the first half is looked at in the
 * second one.
 * The fit weighs the mean square of the error r = P − f′ against the noise of the gradient. The error adds E r(t)v to
 * the gradient: its squared length is E r²·E‖v‖² if the records lie along w, and about a p-th of that if they lie in all
 * directions alike. Between the two the noise counts √(p/E‖v‖²) times.
 * Shape: `seed` is public, and draws the thinnings: everybody finds the same model.
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
  const radius = checkRadius(asked, loss);
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

/** How far moments may tilt the laws of classes: 0 not at all, 1 to the most probable law. */
const TEMPERATURES: readonly number[] = [0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1];

const [POINTS, HALF_POINTS] = [4096, 2048];

const COMPARISONS = 3;

/** The temperature at which laws tilted by one half first fit the other half best, and these laws. */
function chooseTemperature(
  halves: readonly {
    readonly lawAt: (temperature: number, start?: TiltedLaw) => TiltedLaw;
    readonly misfit: (law: TiltedLaw) => number;
  }[],
): { readonly temperature: number; readonly tilted: readonly TiltedLaw[] } {
  let best = { temperature: 0, tilted: halves.map(({ lawAt }) => lawAt(0)), misfit: Infinity };
  for (const temperature of TEMPERATURES) {
    const tilted = halves.map(({ lawAt }, k) => lawAt(temperature, best.tilted[k]));
    const misfit = halves.reduce((sum, half, k) => sum + half.misfit(tilted[k]), 0);
    if (misfit >= best.misfit) break;
    best = { temperature, tilted, misfit };
  }
  return best;
}

/** By how much an end has to be better, in parts of the risk at 0: less is within what a sample misses, and what a span that is not all of v misses. */
const leastPart = (dimension: number): number => (dimension <= MOST_ROWS ? 0.0001 : 0.0006);

/** How many models, each with coins of its own, are averaged: in up to four coordinates each takes less than a second, and their coins matter most. */
const repetitionsOf = (dimension: number): number => (dimension <= MOST_ROWS ? 3 : 1);

/**
 * The better of two models or the point half way between them, where moments of three powers or more have little noise. The laws of
 * normal classes are tilted towards these moments (`tiltedLaws`) in the span of both models, the constant coordinate and the mean, and the first model
 * minimises the risk under the tilted law in that span. How far they are tilted is found by thinnings: the moments of a law that one half
 * has tilted are compared with the other half, up to the first temperature that fits worse.
 * Candidates of one half are judged under the laws that the other half has tilted as far. Moments also judge their own candidates, with other
 * points: that is as much too kind to a model which follows the noise as halves, with twice the noise, are too severe, and the
 * two count alike. The point half way stays where thinnings do not agree.
 * All this rests on coins: laws, thinnings and points of a sample. So it is done three times in up to four coordinates, and the mean of the models is returned:
 * by convexity its risk is at most theirs in the mean, and mostly less.
 * Shape: `seed` is public and draws the coins: everybody finds the same model.
 */
export function minimizeTiltedRisk(moments: CorrectedMoments, query: ComparedRiskQuery, seed: string): CorrectedRisk {
  const { loss, intercept, fit } = query;
  const radius = checkRadius(query.radius ?? 1, loss);
  const coefficients = fit?.coefficients;
  const repetitions = repetitionsOf(moments.lift.dimension);
  const found = Array.from({ length: repetitions }, (_, repetition) => {
    const own = repetition === 0 ? seed : `${seed} again ${repetition}`;
    return tiltedModel(moments, { loss, intercept, radius, coefficients }, own);
  });
  const [first] = found;
  if (repetitions === 1 && first.polynomial !== undefined) return first.polynomial;
  const w = first.w.map((_, j) => found.reduce((sum, model) => sum + model.w[j], 0) / repetitions);
  return fitToMargins(moments, { loss, radius, w, laws: found.flatMap(({ laws }) => laws), coefficients });
}

interface TiltedQuery extends Pick<ComparedRiskQuery, 'loss' | 'intercept'> {
  readonly radius: number;
  /** A polynomial that stands for f′ beforehand. */
  readonly coefficients: ArrayLike<number> | undefined;
}

/** The model of one repetition, and the laws of classes that it is made of; `polynomial` where the one of a polynomial is the better end. */
function tiltedModel(
  moments: CorrectedMoments,
  { loss, intercept, radius, coefficients }: TiltedQuery,
  seed: string,
): { readonly laws: readonly ClassLaw[]; readonly w: Float64Array; readonly polynomial?: CorrectedRisk } {
  const laws = drawClassLaws(moments, { intercept }, seededRandom(`${seed} classes`));
  const sideOf = (from: CorrectedMoments, ownLaws: readonly ClassLaw[], name: string) => {
    const classes = minimizeClassRisk(ownLaws, loss, radius);
    const polynomial =
      coefficients === undefined
        ? minimizeCrossedRisk(from, { loss, radius }, name)
        : minimizeCorrectedRisk(from, { loss, radius, coefficients });
    const span = spanOf(from, [classes, polynomial.w], intercept);
    /** The candidates in the coordinates of the span, if the first one is made under this law. */
    const candidates = (law: TiltedLaw): readonly Float64Array[] => {
      const objective = tiltedRisk(law, loss);
      const start = span.coordinates(classes);
      const { point } = projectedGradient({ objective, radius, start, iterations: 100, tolerance: 1e-5 });
      return between(point, span.coordinates(polynomial.w));
    };
    return { polynomial, span, candidates };
  };
  const random = seededRandom(`${seed} comparison`);
  const draws = Math.ceil(usualDraws(moments.lift.dimension) / 2);
  const drawnFor = (half: CorrectedMoments) => drawClassLaws(half, { intercept, draws }, random);
  const halves = Array.from({ length: COMPARISONS }, (_, k) => {
    const { first, second } = thinMoments(moments, random);
    const ownLaws = drawnFor(first);
    const side = sideOf(first, ownLaws, `${seed} ${k}`);
    const lawAt = tiltedLaws(side.span, first, ownLaws, HALF_POINTS, random);
    const otherAt = tiltedLaws(side.span, second, drawnFor(second), HALF_POINTS, random);
    return { ...side, lawAt, otherAt, misfit: misfitTo(side.span, second) };
  });
  const { temperature, tilted } = chooseTemperature(halves);
  const whole = sideOf(moments, laws, seed);
  const lawOf = (start?: TiltedLaw): TiltedLaw =>
    tiltedLaws(whole.span, moments, laws, POINTS, random)(temperature, start);
  const law = lawOf();
  const models = whole.candidates(law);
  const ownRisks = models.map(tiltedRisk(lawOf(law), loss).value);
  const rows = halves.map(({ candidates, otherAt }, k) => {
    const risk = tiltedRisk(otherAt(temperature, tilted[k]), loss);
    return candidates(tilted[k]).map((w, at) => (ownRisks[at] + risk.value(w)) / 2);
  });
  const best = agreedOn(rows, leastPart(moments.lift.dimension) * loss.value(0));
  const { polynomial } = whole;
  return best === models.length - 1
    ? { laws, w: polynomial.w, polynomial }
    : { laws, w: whole.span.vector(models[best]) };
}

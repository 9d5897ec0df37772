import { euclideanNorm, innerProduct, normalize, timesVector } from '../numeric/matrix.ts';
import { normalCdf, normalDensity } from '../numeric/normal.ts';
import { noiseAwareFit } from '../polynomial/fit.ts';
import { byPower, liftedNoiseNorm } from '../polynomial/lift.ts';
import { sphereMoments } from '../polynomial/sphere.ts';
import { fillNormal, type Random } from '../random/random.ts';
import { seededRandom } from '../random/seeded.ts';
import { checkRadius, type MarginLoss, slopesAt } from '../risk/margin-loss.ts';
import { projectedGradient } from './ball.ts';
import { type ClassLaw, type ClassLawOptions, drawClassLaws, usualDraws } from './class-law.ts';
import {
  type CorrectedMoments,
  type CorrectedRisk,
  type CorrectedRiskQuery,
  denoisedMatrix,
  foundRisk,
  meanSquareOf,
  minimizeCorrectedRisk,
  type PolynomialFit,
} from './corrected-risk.ts';
import { type DiscreteLaw, marginLawOf } from './entropic-law.ts';
import type { SmoothFunction } from './oracle.ts';

const { exp, max, sqrt } = Math;

/** Places of a law of margins: enough for risks to four digits. */
export const MARGIN_PLACES = 241;

/** The law of the margin in an unknown direction: N(0, R²·E‖v‖²/p), cut off at ±R. `meanSquare` is E‖v‖². */
export function isotropicLaw(radius: number, meanSquare: number, dimension: number): DiscreteLaw {
  const deviation = radius * sqrt(meanSquare / dimension);
  return equallySpacedLaw(radius, (t) => exp(-0.5 * (t / deviation) ** 2));
}

/** The law on the places of [−R, R] with masses in proportion to a density. */
function equallySpacedLaw(radius: number, density: (t: number) => number): DiscreteLaw {
  const points = Float64Array.from({ length: MARGIN_PLACES }, (_, i) => radius * ((2 * i) / (MARGIN_PLACES - 1) - 1));
  const masses = points.map(density);
  normalize(masses);
  return { points, masses };
}

export function lawMean({ points, masses }: DiscreteLaw, f: (t: number) => number): number {
  return masses.reduce((sum, mass, i) => sum + mass * f(points[i]), 0);
}

/**
 * The law of the places τ between the margin 0 of w = 0 and the margin t: its density is P(t beyond τ), up to a factor.
 * L(w) − L(0) is the mean of ∫_0^t f′(τ) dτ, so an error of a polynomial in the place of f′ counts with it.
 */
export function pathLaw({ points, masses }: DiscreteLaw): DiscreteLaw {
  const beyond = new Float64Array(points.length);
  let sum = 0;
  for (let i = 0; i < points.length && points[i] <= 0; i++) beyond[i] = sum += masses[i];
  sum = 0;
  for (let i = points.length - 1; points[i] > 0; i--) beyond[i] = sum += masses[i];
  normalize(beyond);
  return { points, masses: beyond };
}

export function mixedLaw(first: DiscreteLaw, second: DiscreteLaw, share: number): DiscreteLaw {
  const masses = first.masses.map((mass, i) => (1 - share) * mass + share * second.masses[i]);
  return { points: first.points, masses };
}

/** E f(T) for T ~ N(m, s²), and its derivatives in m and s. */
interface NormalMean {
  value: number;
  inMean: number;
  inDeviation: number;
}

/** Nodes of the trapezoidal rule over six deviations on each side: exact to eleven digits for a smooth loss. */
const NODES = 25;

/**
 * E f(T) of a normal T: the kinks in closed form, E(T − k)₊ = (m − k)Φ(z) + sφ(z), z = (m − k)/s; the rest of f by a
 * rule. Derivatives only where they are `wanted`.
 */
function normalMeanOf(loss: MarginLoss): (mean: number, deviation: number, wanted: boolean, to: NormalMean) => void {
  const { kinks } = loss;
  const jumps = kinks.map((kink) => {
    const { left, right } = slopesAt(loss, kink);
    return right - left;
  });
  const nodes = Float64Array.from({ length: NODES }, (_, i) => 12 * (i / (NODES - 1) - 0.5));
  const weights = nodes.map((u) => exp(-0.5 * u * u));
  const mass = weights.reduce((sum, weight) => sum + weight);
  const parts = weights.map((weight) => weight / mass);
  return (mean, deviation, wanted, target) => {
    let [sum, inMean, inDeviation] = [0, 0, 0];
    for (let i = 0; i < NODES; i++) {
      const t = mean + deviation * nodes[i];
      // The smooth part and its slope; at a kink both are those from the left.
      let value = loss.value(t);
      for (let q = 0; q < kinks.length; q++) value -= jumps[q] * max(0, t - kinks[q]);
      sum += parts[i] * value;
      if (!wanted) continue;
      let slope = slopesAt(loss, t).left;
      for (let q = 0; q < kinks.length; q++) if (t > kinks[q]) slope -= jumps[q];
      inMean += parts[i] * slope;
      inDeviation += parts[i] * slope * nodes[i];
    }
    for (let q = 0; q < kinks.length; q++) {
      const z = (mean - kinks[q]) / deviation;
      const [above, density] = [normalCdf(z), normalDensity(z)];
      sum += jumps[q] * ((mean - kinks[q]) * above + deviation * density);
      inMean += jumps[q] * above;
      inDeviation += jumps[q] * density;
    }
    target.value = sum;
    target.inMean = inMean;
    target.inDeviation = inDeviation;
  };
}

/** The least deviation of a margin: a normal law needs one. */
const LEAST_DEVIATION = 1e-5;

/** The mean over some laws of the risk E f(⟨w, v⟩), with its gradient: convex, since margins are linear in w. */
export function classRisk(laws: readonly ClassLaw[], loss: MarginLoss): SmoothFunction {
  const dimension = laws[0].means[0].length;
  const normalMean = normalMeanOf(loss);
  const found: NormalMean = { value: 0, inMean: 0, inDeviation: 0 };
  const turned = new Float64Array(dimension);
  const walk = (w: Float64Array, gradient: Float64Array | undefined): number => {
    gradient?.fill(0);
    let risk = 0;
    for (const law of laws) {
      const deviation = deviationOf(law, w, turned);
      for (let c = 0; c < law.means.length; c++) {
        const weight = law.shares[c] / laws.length;
        const mean = law.means[c];
        normalMean(innerProduct(mean, w), deviation, gradient !== undefined, found);
        risk += weight * found.value;
        if (gradient === undefined) continue;
        const across = (weight * found.inDeviation) / deviation;
        const along = weight * found.inMean;
        for (let j = 0; j < dimension; j++) gradient[j] += along * mean[j] + across * turned[j];
      }
    }
    return risk;
  };
  return {
    dimension,
    value: (w) => walk(w, undefined),
    gradient(w, target) {
      walk(w, target);
    },
  };
}

/** The deviation of the margin of w given the label; Σw is written into `turned`. */
function deviationOf({ covariance }: ClassLaw, w: Float64Array, turned: Float64Array): number {
  return max(sqrt(max(0, innerProduct(timesVector(covariance, w, turned), w))), LEAST_DEVIATION);
}

export function minimizeClassRisk(laws: readonly ClassLaw[], loss: MarginLoss, radius: number): Float64Array {
  const objective = classRisk(laws, loss);
  const start = new Float64Array(objective.dimension);
  return projectedGradient({ objective, radius, start, iterations: 300, tolerance: 1e-6 }).point;
}

/** A little weight everywhere: moments can move a law only to places that it knows. */
const ELSEWHERE = 0.02;

/** The law of the margin of w under some laws of v, on the places of [−R, R]. */
export function classMarginLaw(laws: readonly ClassLaw[], w: Float64Array, radius: number): DiscreteLaw {
  const everywhere = equallySpacedLaw(radius, () => 1);
  const { points } = everywhere;
  const masses = new Float64Array(points.length);
  const least = points[1] - points[0];
  const turned = new Float64Array(w.length);
  for (const law of laws) {
    const deviation = max(least, deviationOf(law, w, turned));
    law.means.forEach((mean, c) => {
      const middle = innerProduct(mean, w);
      const part = equallySpacedLaw(radius, (t) => exp(-0.5 * ((t - middle) / deviation) ** 2));
      for (let i = 0; i < masses.length; i++) masses[i] += (law.shares[c] / laws.length) * part.masses[i];
    });
  }
  normalize(masses);
  return mixedLaw({ points, masses }, everywhere, ELSEWHERE);
}

export interface Prepared {
  readonly moments: CorrectedMoments;
  readonly matrix: Float64Array;
  readonly ridge: number;
}

export function prepare(moments: CorrectedMoments): Prepared {
  const { matrix, ridge } = denoisedMatrix(moments, {});
  // Moments of two powers or more have a second one.
  return { moments, matrix: matrix as Float64Array, ridge };
}

/** A tenth of the weight stays where margins may be anywhere, so that the fit is good at other models too. */
const ANYWHERE = 0.1;

/** How a polynomial of the degree of these moments is fitted to a law of margins; without one, to margins anywhere. */
export function fitting(
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

/** A model that was found otherwise, with the given polynomial or one fitted to the law of its margins, and its risk. */
export function fitToMargins(
  moments: CorrectedMoments,
  found: Pick<CorrectedRisk, 'w' | 'radius'> & {
    readonly loss: MarginLoss;
    readonly laws: readonly ClassLaw[];
    readonly coefficients?: ArrayLike<number> | undefined;
  },
): CorrectedRisk {
  const { w, radius, loss, laws } = found;
  const whole = prepare(moments);
  const fitted = () => fitting(whole, loss, radius).fitAt(classMarginLaw(laws, w, radius));
  const coefficients = Float64Array.from(found.coefficients ?? fitted());
  return foundRisk(moments, { loss, radius, w, coefficients, ridge: whole.ridge });
}

/**
 * Splits moments with normal noise of known variance in two with twice that variance each, independent of each other: T +
 * Z and T − Z, Z of the law of the noise. A model found from one half is judged by the other as by fresh reports.
 * Source: Tibshirani and Rosset 2019, Oliveira, Lei and Tibshirani 2021 (coupled bootstrap); Neufeld et al. 2024
 * (thinning).
 */
export function thinMoments(
  moments: CorrectedMoments,
  random: Random,
): { readonly first: CorrectedMoments; readonly second: CorrectedMoments } {
  const { lift, values, noise, reported } = moments;
  let draws: Float64Array = new Float64Array(lift.size);
  fillNormal(draws, random);
  const scales = byPower(lift, (j) => sqrt((reported ?? noise)[j - 1]));
  for (let entry = 0; entry < lift.size; entry++) draws[entry] *= scales[entry];
  // Pooling is linear: the noise of the reports is pooled as they were.
  if (reported !== undefined) draws = sphereMoments(lift).pool(draws, reported, 0);
  const doubled = {
    noise: noise.map((variance) => 2 * variance),
    ...(reported === undefined ? {} : { reported: reported.map((variance) => 2 * variance) }),
  };
  const half = (side: number): CorrectedMoments => ({
    ...moments,
    ...doubled,
    values: values.map((value, i) => value + side * draws[i]),
  });
  return { first: half(1), second: half(-1) };
}

/** How much of the way from the model of the classes to that of the polynomial a candidate goes. */
const STEPS: readonly number[] = [0, 0.5, 1];

export const between = (first: Float64Array, second: Float64Array): readonly Float64Array[] =>
  STEPS.map((step) => first.map((entry, j) => (1 - step) * entry + step * second[j]));

/** How much better than the point half way an end has to be, in deviations over thinnings. */
const LEAST_DEVIATIONS = 0.5;

/**
 * The place of the candidate to take: the better end where it beats the point half way by half a deviation over thinnings
 * and by more than `least`; else the point half way, by convexity not worse than the two in the mean.
 */
export function agreedOn(rows: readonly (readonly number[])[], least = 0): number {
  const mean = (of: (row: readonly number[]) => number): number =>
    rows.reduce((sum, row) => sum + of(row), 0) / rows.length;
  const end = mean((row) => row[0] - row[2]) <= 0 ? 0 : 2;
  const gain = mean((row) => row[1] - row[end]);
  const deviation = sqrt(mean((row) => (row[1] - row[end] - gain) ** 2) * (rows.length / (rows.length - 1)));
  return gain > max(LEAST_DEVIATIONS * deviation, least) ? end : 1;
}

/** A question to moments after collection, where the choice of the fit is left open. */
export interface ComparedRiskQuery
  extends Pick<ClassLawOptions, 'intercept'>,
    Pick<CorrectedRiskQuery, 'loss' | 'radius'> {
  /** How the polynomial in the place of f′ is made. Default: as `minimizeCorrectedRisk` makes it. */
  readonly fit?: PolynomialFit | undefined;
}

const COMPARISONS = 6;

/** How many times the usual number of laws the model of a smooth loss is made of: where a slope has no bound, as that of squares, single laws weigh more. */
const SMOOTH_DRAWS = 4;

/** The place of the candidate of least mean risk, from the risks of all of them in each thinning. */
function leastOf(rows: readonly (readonly number[])[]): number {
  const sums = rows[0].map((_, at) => rows.reduce((sum, row) => sum + row[at], 0));
  return sums.indexOf(Math.min(...sums));
}

/**
 * The risk E f(⟨w, v⟩) as far as moments tell it: from two powers the mean over the laws of v; from three on under the
 * law of the margin nearest to these whose moments agree with the measured ones.
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
 * polynomial (`minimizeCorrectedRisk`), and assumes no law. Where the noise of three powers or more is small, `minimizeTiltedRisk` is better.
 * The risk of a candidate is that of `marginRisk`. Each thinning in two halves with independent noise makes candidates from
 * one half and judges them by the other: the one of least mean risk is returned, whichever it is. The risk is convex: the point half way
 * is never worse than the mean of the two. For a smooth loss, where the two often are nearly as good, it stays unless the thinnings agree, and
 * each half judges the other: without this the few thinnings of an unlucky seed chose the worse end too often.
 * Shape: `seed` is public and draws laws and thinnings: everybody finds the same model.
 * Source: Oliveira, Lei and Tibshirani 2021 (coupled bootstrap).
 */
export function minimizeComparedRisk(moments: CorrectedMoments, query: ComparedRiskQuery, seed: string): CorrectedRisk {
  const { loss, intercept, fit } = query;
  const radius = checkRadius(query.radius ?? 1, loss);
  const { dimension } = moments.lift;
  const smooth = loss.kinks.length === 0;
  const drawn = { intercept, draws: (smooth ? SMOOTH_DRAWS : 1) * usualDraws(dimension) };
  const laws = drawClassLaws(moments, drawn, seededRandom(`${seed} classes`));
  const candidatesOf = (from: CorrectedMoments, ownLaws: readonly ClassLaw[]) => {
    const polynomial = minimizeCorrectedRisk(from, { ...fit, loss, radius });
    return { models: between(minimizeClassRisk(ownLaws, loss, radius), polynomial.w), polynomial };
  };
  const { models, polynomial } = candidatesOf(moments, laws);
  const random = seededRandom(`${seed} comparison`);
  const draws = Math.ceil(usualDraws(dimension) / 2);
  const rows = Array.from({ length: COMPARISONS }, () => {
    const { first, second } = thinMoments(moments, random);
    const [own, others] = [first, second].map((half) => drawClassLaws(half, { intercept, draws }, random));
    const risks = candidatesOf(first, own).models.map(marginRisk(second, others, loss));
    if (!smooth) return risks;
    const crossed = candidatesOf(second, others).models.map(marginRisk(first, own, loss));
    return risks.map((risk, at) => (risk + crossed[at]) / 2);
  });
  const best = smooth ? agreedOn(rows) : leastOf(rows);
  if (best === models.length - 1) return polynomial;
  return fitToMargins(moments, { loss, radius, w: models[best], laws, coefficients: fit?.coefficients });
}

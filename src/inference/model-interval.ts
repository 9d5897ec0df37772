import { checkInteger, checkPositive, checkVector } from '../check/refusal.ts';
import { euclideanNorm, innerProduct } from '../numeric/matrix.ts';
import { normalQuantile } from '../numeric/normal.ts';
import { type ClassLaw, drawClassLaws } from '../optimize/class-law.ts';
import type { CorrectedMoments } from '../optimize/corrected-risk.ts';
import { normal, type Random, uniform } from '../random/random.ts';
import type { MarginLoss } from '../risk/margin-loss.ts';
import { chiSquareCriticalValue } from './critical-value.ts';

const { log, max, min, sqrt } = Math;

/** The two ends of an interval, the lower one first. */
export type Ends = readonly [low: number, high: number];

/** What the noise of the reports leaves open about a model that was found from them. */
export interface ModelIntervals {
  /** The risk E f(⟨w, v⟩) over the players' records. */
  readonly risk: Ends;
  /** How far the model tells the labels apart: 0 or less where it knows nothing of them. */
  readonly effect: Ends;
  /**
   * What the effect is. `sides`: how much further the mean score ⟨w, x⟩ of the positive records is than that of the negative ones,
   * where a constant coordinate and two powers are known. `margin`: the mean margin E⟨w, v⟩.
   */
  readonly of: 'sides' | 'margin';
  /** The middle of an effect's interval that noise alone exceeds in a tenth of all collections, where there is no effect. */
  readonly noise: number;
}

/** A model and its loss. */
export interface ModelIntervalQuery {
  /** The model, found from these moments or not. */
  readonly w: Float64Array;
  /** The loss f of the margin. */
  readonly loss: MarginLoss;
  /** The place of a coordinate that is nearly the same positive number for every record; absent if none is known. */
  readonly intercept?: number | undefined;
}

/** The level of both intervals, each for itself. */
export const MODEL_LEVEL = 0.95;

/**
 * The share of the draws that an interval holds. It is more than the level: the laws take an eigenvalue of a second moment at its
 * mean, as if that were known.
 */
const HELD = 0.99;

/** The most coordinates for which laws of classes are drawn: a law costs p³. */
const MOST_COORDINATES = 128;

/**
 * Intervals for the risk and for the effect of a model, from moments with noise of known variance. The model may be the one that
 * these moments chose: no interval assumes that w was fixed before.
 *
 * From two powers on, and up to 128 coordinates, they hold 99 % of what follows from laws of classes that the noisy moments leave
 * open (`drawClassLaws`), whose shapes are drawn too: see `shapes`. From one power the mean margin lies in the ellipsoid of all
 * means, (√χ²_p)·σ₁‖w‖ around its estimate; between a mean and the ends ±‖w‖ of a margin the risk lies by convexity.
 *
 * Law: with probability .95 over the noise of the reports an interval holds its value, each for itself: at least that from one
 * power; from two it is a claim of the prior, and measured (test/unit/inference/model-interval.long.test.ts).
 */
export function modelIntervals(moments: CorrectedMoments, query: ModelIntervalQuery, random: Random): ModelIntervals {
  const { dimension, degree } = moments.lift;
  const { w, intercept } = query;
  checkVector('w', w, dimension);
  if (intercept !== undefined) checkInteger('intercept', intercept, 0, dimension - 1);
  const norm = euclideanNorm(w);
  if (!(norm > 0)) return { risk: [query.loss.value(0), query.loss.value(0)], effect: [0, 0], of: 'margin', noise: 0 };
  return degree < 2 || dimension > MOST_COORDINATES ? fromMean(moments, query, norm) : fromLaws(moments, query, random);
}

/** What holds for every law of margins in [−‖w‖, ‖w‖] whose mean is in the interval. */
function fromMean(
  { lift, values, noise }: CorrectedMoments,
  { w, loss }: ModelIntervalQuery,
  norm: number,
): ModelIntervals {
  const { dimension } = lift;
  const middle = innerProduct(values.subarray(0, dimension), w);
  const shift = sqrt(noise[0]) * norm;
  const half = ellipsoidRadius(dimension, MODEL_LEVEL) * shift;
  const inside = (mean: number): number => max(-norm, min(norm, mean));
  const effect: Ends = [inside(middle - half), inside(middle + half)];
  // A convex function of the mean: between two equal numbers of steps it is searched in thirds.
  let [low, high] = effect;
  for (let i = 0; i < 100; i++) {
    const third = (high - low) / 3;
    if (loss.value(low + third) < loss.value(high - third)) high -= third;
    else low += third;
  }
  const chord = (mean: number): number =>
    ((norm - mean) * loss.value(-norm) + (norm + mean) * loss.value(norm)) / (2 * norm);
  return {
    risk: [loss.value((low + high) / 2), max(...effect.map(chord))],
    effect,
    of: 'margin',
    // A model that follows noise alone has the length of that noise for its margin.
    noise: ellipsoidRadius(dimension, 1 - CHANCE) * shift,
  };
}

/** r with P(‖Z‖ ≤ r) ≥ the level for p standard normals: exact up to 1000, then ‖Z‖ ≤ √p + √(−2 log(1 − level)) by concentration. */
function ellipsoidRadius(dimension: number, level: number): number {
  if (dimension <= 1000) return sqrt(chiSquareCriticalValue(level, dimension));
  return sqrt(dimension) + sqrt(-2 * log(1 - level));
}

/** Share of itself by which an effect is uncertain because the constant coordinate is only nearly constant. */
const CONSTANT = 0.03;

function fromLaws(
  moments: CorrectedMoments,
  { w, loss, intercept }: ModelIntervalQuery,
  random: Random,
): ModelIntervals {
  const { dimension } = moments.lift;
  const draws = max(128, min(512, Math.floor(8192 / dimension)));
  const laws = drawClassLaws(moments, { intercept, draws }, random);
  const risks = new Float64Array(draws);
  const effects = new Float64Array(draws);
  laws.forEach((law, at) => {
    risks[at] = shapedRisk(law, w, loss, random);
    const effect = law.means.reduce((sum, mean) => sum + innerProduct(mean, w), 0);
    effects[at] = effect * (law.means.length > 1 ? 1 + CONSTANT * normal(random) : 1);
  });
  const effect = held(effects);
  return { risk: held(risks), effect, of: intercept === undefined ? 'margin' : 'sides', noise: noiseOf(effect, HELD) };
}

/** The interval that leaves out equally many of the draws on each side. */
function held(draws: Float64Array): Ends {
  const sorted = draws.slice().sort();
  const out = Math.floor((sorted.length * (1 - HELD)) / 2);
  return [sorted[out], sorted[sorted.length - 1 - out]];
}

/** Points of equal weight that stand for a shape. */
const POINTS = 64;

/**
 * Laws of mean 0 and variance 1, as points of equal weight: normal, uniform, Laplace, exponential to either side, and two points
 * with a half, a fifth or four fifths of the weight on the lower one. The
 * moments of a margin leave its shape open, and a risk with a kink depends on it: at a kink in the middle E(−T)₊ is from .35 to .5.
 */
const shapes: readonly Float64Array[] = [
  normalQuantile,
  (q: number) => q,
  (q: number) => (q < 0.5 ? log(2 * q) : -log(2 - 2 * q)),
  (q: number) => -log(1 - q),
  (q: number) => log(q),
  (q: number) => (q < 0.5 ? -1 : 1),
  (q: number) => (q < 0.2 ? -1 : 1),
  (q: number) => (q < 0.8 ? -1 : 1),
].map((quantile) => {
  const places = Float64Array.from({ length: POINTS }, (_, i) => quantile((i + 0.5) / POINTS));
  const mean = places.reduce((sum, place) => sum + place, 0) / POINTS;
  const variance = places.reduce((sum, place) => sum + (place - mean) ** 2, 0) / POINTS;
  return places.map((place) => (place - mean) / sqrt(variance));
});

/** The variances of the margins of two classes differ by a factor of up to this. */
const UNEQUAL = 4;

/** The risk under a law of classes, whose margins have a shape for each class and, in the mean, the variance of the law. */
function shapedRisk(
  { shares, means, covariance }: ClassLaw,
  w: Float64Array,
  loss: MarginLoss,
  random: Random,
): number {
  const dimension = w.length;
  let variance = 0;
  for (let i = 0; i < dimension; i++) {
    variance += w[i] * innerProduct(covariance.subarray(i * dimension, (i + 1) * dimension), w);
  }
  const weights = means.map((_, c) => (c === 0 ? 1 : UNEQUAL ** (2 * uniform(random) - 1)));
  const whole = weights.reduce((sum, weight, c) => sum + shares[c] * weight, 0);
  return means.reduce((risk, mean, c) => {
    const middle = innerProduct(mean, w);
    const deviation = sqrt((max(0, variance) * weights[c]) / whole);
    const shape = shapes[Math.floor(uniform(random) * shapes.length)];
    let sum = 0;
    for (const place of shape) sum += loss.value(middle + deviation * place);
    return risk + (shares[c] * sum) / POINTS;
  }, 0);
}

/** The probability with which noise alone makes an effect of which it is then told how many players would do. */
const CHANCE = 0.1;

/** What noise alone exceeds with that probability, by a normal law whose interval of this level is as long. */
function noiseOf([low, high]: Ends, level: number): number {
  return ((high - low) / 2) * (normalQuantile(1 - CHANCE) / normalQuantile((1 + level) / 2));
}

/** What the noise of the reports leaves open about an estimate, as the server knows it: from reports alone. */
export interface Uncertainty {
  /** The level of every interval; null where it is twice the forecast error to both sides, and no level is claimed. */
  readonly level: number | null;
  /** The risk of the estimate over the players' records; null where the reports do not tell it. */
  readonly risk: Ends | null;
  /** What was learnt beyond an answer that asks nobody: 0 or less is nothing. */
  readonly effect: Ends;
  /** What the effect is, in words that end in "is". */
  readonly what: string;
  /** Whether the whole interval of the effect is above 0. */
  readonly enough: boolean;
  /** Players who would do; null where they are enough, and where noise alone may have made the middle of the interval. */
  readonly playersNeeded: number | null;
}

/**
 * The uncertainty of an estimate from so many reports. The length of an interval falls like 1/√n: players who would do are so many
 * that half its length is a third of where its middle is now, n·(3·half/middle)². A middle that was found among noise is mostly too high:
 * the lower end is then above 0 even where a third of it was noise, and the next collection errs by as much. Of a middle that noise alone
 * exceeds in a tenth of all cases nothing follows: then it is not told how many would do.
 *
 * `noise` is where that tenth begins: for a normal law by default. `middle` is the effect, where that is not the middle of the interval.
 * `most` is the largest effect that there can be: a middle beyond it is noise too.
 */
export function uncertaintyOf(
  players: number,
  {
    risk,
    effect,
    what,
    level = MODEL_LEVEL,
    middle = (effect[0] + effect[1]) / 2,
    noise = noiseOf(effect, level ?? MODEL_LEVEL),
    most = Infinity,
  }: Pick<Uncertainty, 'risk' | 'effect' | 'what'> &
    Partial<Pick<Uncertainty, 'level'>> & { readonly middle?: number; readonly noise?: number; readonly most?: number },
): Uncertainty {
  checkPositive('players', players);
  const [low, high] = effect;
  const enough = low > 0;
  const told = middle > noise && middle <= most;
  const playersNeeded = enough || !told ? null : players * ((1.5 * (high - low)) / middle) ** 2;
  return { level, risk, effect, what, enough, playersNeeded };
}

/** An estimated number, and half the length of its own interval. */
export interface Coefficient {
  readonly name: string;
  readonly value: number;
  readonly half: number;
}

/**
 * The uncertainty of an estimate of several numbers with an interval each: that of the number which is furthest from 0 beside its
 * interval, where 0 stands for `origin` and none is further from it than `most`. So that choosing it costs nothing, its interval is widened to the level 1 − .05/d of each of d numbers (Bonferroni), by the
 * ratio of critical values; `critical` gives them, and `level` is that of the intervals as they are.
 */
export function clearestCoefficient(
  players: number,
  coefficients: readonly Coefficient[],
  {
    level,
    critical,
    origin = '0',
    most = Infinity,
  }: {
    readonly level: number;
    readonly critical: (level: number) => number;
    readonly origin?: string;
    readonly most?: number;
  },
): Uncertainty {
  // Of the clearest of d numbers, as the chance that one of them is as clear by noise.
  const widenedBy = (chance: number): number => critical(1 - chance / coefficients.length) / critical(level);
  const clearer = (a: Coefficient, b: Coefficient): Coefficient =>
    Math.abs(b.value) * a.half > Math.abs(a.value) * b.half ? b : a;
  const { name, value, half } = coefficients.reduce(clearer);
  const [size, reach] = [Math.abs(value), widenedBy(1 - MODEL_LEVEL) * half];
  const whose =
    coefficients.length === 1
      ? name
      : `${name}, the clearest of ${coefficients.length} numbers (with a wider interval, because it was chosen),`;
  const what = `${whose} is away from ${origin} by`;
  const noise = widenedBy(CHANCE) * half;
  return uncertaintyOf(players, { risk: null, effect: [size - reach, size + reach], what, noise, most });
}

import { fieldOf } from '../../../src/check/datum.ts';
import { RefusedValue } from '../../../src/check/refusal.ts';
import { choosePrecision, type Precision, type Values } from '../../../src/core/frame.ts';
import { checkNorm, gaussianNormLimit, HONEST_REFUSAL, squaredNorm } from '../../../src/core/influence.ts';
import { digestOf } from '../../../src/core/request.ts';
import { normalLogRatio, unitChannel, unitRelease } from '../../../src/core/vector-channel.ts';
import {
  type DiscreteGaussianMechanism,
  discreteGaussianRelease,
  integerNoise,
} from '../../../src/mechanism/discrete-gaussian.ts';
import { K_CLOSEST_WORDS, kClosest } from '../../../src/mechanism/k-closest.ts';
import { privUnitG, type UnitRandomizer } from '../../../src/mechanism/unit-mechanism.ts';
import { logGamma } from '../../../src/numeric/beta.ts';
import { analyticGaussianSigma } from '../../../src/privacy/gaussian.ts';
import { gaussianRelease, type Release } from '../../../src/privacy/totals.ts';
import { checkMagnitude, LARGEST_SENT, receivedNumbers } from '../course.ts';
import {
  type MeanEstimate,
  type MeanTally,
  type OfVectors,
  type PlanFields,
  type RoundChannel,
  type RoundOfVectors,
  roundFields,
  type UserLevelPlan,
} from '../shape.ts';
import { rotateBack, type SignPlan } from './coordinate-round.ts';
import type { Location } from './location.ts';

const { exp, hypot, log, max, min, sqrt } = Math;

/** A round of residuals. */
export interface ResidualRound extends RoundOfVectors, Pick<ResidualDesign, 'mechanism' | 'sigma' | 'noise'> {
  readonly kind: 'residual';
  /** c, the location of the mean by the rounds before: d numbers. */
  readonly centre: Float64Array;
  /** r > 0: residuals are clipped to this norm. */
  readonly radius: number;
  /** Standard error of each coordinate of c, on average. */
  readonly centreError: number;
  /** √(E‖δ‖⁴/E‖δ‖²) of the error δ of the centre, if the rounds before tell it: √(d + 2) times it if it is normal. */
  readonly reach?: number;
  /** τ of a coordinate of a local mean, as estimated by the rounds before. */
  readonly deviation: number;
}

/** How the residual of the last round is sent. */
export interface ResidualDesign {
  readonly form: 'unit' | 'gaussian';
  /** The randomizer of the residual completed to the unit sphere; absent if the noise is Gaussian. */
  readonly mechanism?: UnitRandomizer;
  readonly delta?: number;
  /** σ of the Gaussian noise on the unit ball, where the sensitivity is 2. */
  readonly sigma?: number;
  /** Grid and integer noise of the grade `deployment`. */
  readonly noise?: DiscreteGaussianMechanism;
  /** Variance of the noise on a coordinate of the unit ball. */
  readonly coordinateVariance: number;
}

/** Radii of the clip that are tried, in units of the root mean square length of a residual: steps of a fifth. */
const CLIPS: readonly number[] = [1, 1.2, 1.44, 1.73, 2.07, 2.49, 2.99];

export function unitDesign({ epsilon, dimension, grade }: PlanFields): ResidualDesign {
  const request = { epsilon, dimension: dimension + 1 };
  const mechanism = grade === 'deployment' ? kClosest(request) : privUnitG(request);
  return { form: 'unit', mechanism, coordinateVariance: mechanism.coordinateVariance };
}

export function gaussianDesign({ epsilon, dimension, grade }: PlanFields, delta: number): ResidualDesign {
  if (grade === 'deployment') {
    const noise = integerNoise({ epsilon, delta, dimension });
    return { form: 'gaussian', delta, sigma: noise.deviation, noise, coordinateVariance: noise.coordinateVariance };
  }
  const sigma = analyticGaussianSigma({ epsilon, delta, sensitivity: 2 });
  return { form: 'gaussian', delta, sigma, coordinateVariance: sigma * sigma };
}

/** The results of the rounds before, for a round of residuals. */
export type Located = Pick<ResidualRound, 'centre' | 'radius' | 'centreError' | 'reach' | 'deviation'>;

/** The fields that a round of residuals takes from its plan; no `residual` if all rounds request signs. */
export interface ResidualPlan extends UserLevelPlan, OfVectors {
  readonly shares: readonly number[];
  readonly residual?: ResidualDesign;
}

/** The round of a plan that requests residuals. */
export function residualRound(plan: ResidualPlan, round: number, located: Located): ResidualRound {
  const { dimension, domain } = plan;
  const { form, mechanism, sigma, noise } = plan.residual!;
  const { centre, radius } = located;
  const digest = digestOf({ plan: plan.digest, round, kind: form, centre: Array.from(centre), radius });
  const fields = roundFields(plan, round, plan.shares[round]);
  const common = { ...fields, kind: 'residual', digest, domain, ...located } as const;
  if (mechanism === undefined) {
    const shape = { length: dimension, precision: noise === undefined ? floatPrecision(sigma!) : 'int32' } as const;
    return { ...common, ...shape, sigma: sigma!, ...(noise === undefined ? {} : { noise }) };
  }
  if (mechanism.name === 'k-closest') return { ...common, length: K_CLOSEST_WORDS, precision: 'uint32', mechanism };
  const precision = floatPrecision(sqrt(mechanism.coordinateVariance));
  return { ...common, length: dimension + 1, precision, mechanism };
}

// Values stay within 8 deviations of the unit ball except for 1 in 10¹⁵.
function floatPrecision(deviation: number): Precision {
  return choosePrecision(deviation, 1 + 8 * deviation);
}

/** The channel of a round: unit vectors, or residuals with Gaussian noise. */
export function residualChannel(round: ResidualRound): RoundChannel {
  const { dimension, length, sigma = 0, noise, mechanism } = round;
  const common = {
    sums: dimension,
    view: (values: Values): ArrayLike<number> => values,
    probabilities: () => undefined,
  };
  if (mechanism !== undefined) {
    const unit = unitChannel({ what: 'residual', epsilon: mechanism.epsilon, mechanism, moments: dimension });
    const { view = common.view, logRatio } = unit;
    const { check } = unit.limits();
    return { ...common, view, check, add: (sums, values) => unit.add(values, sums), logRatio };
  }
  const { radius, sigma: deviation, step } = noise ?? { radius: 1, sigma, step: 1 };
  const limit = gaussianNormLimit(radius, deviation, length, HONEST_REFUSAL);
  return {
    ...common,
    check: (values) => checkNorm(squaredNorm(values, 0, length), limit),
    add(sums, values) {
      for (let i = 0; i < sums.length; i++) sums[i] += step * values[i];
    },
    logRatio: (first, second) => normalLogRatio(first, second, new Float64Array(length).fill(sigma), step),
  };
}

/** The release of the last round, if that requests residuals. */
export function residualRelease({ residual, shares }: Pick<ResidualPlan, 'residual' | 'shares'>): Release | undefined {
  if (residual === undefined) return undefined;
  const { mechanism, noise, sigma } = residual;
  const what = `residual of the local mean, in round ${shares.length} of ${shares.length}`;
  if (mechanism !== undefined) return unitRelease(what, mechanism);
  if (noise !== undefined) return discreteGaussianRelease(what, noise);
  return gaussianRelease({ what, count: 1, sensitivity: 2, sigma: sigma! });
}

/** What is known of a centre, without it. */
type Doubtful = Pick<ResidualRound, 'dimension' | 'centreError' | 'deviation' | 'reach'>;

/**
 * The radius of the clip of a round of residuals.
 *
 * A clip at r loses what the centre is off beyond r, for all players alike. What it costs is weighted by ‖δ‖², so that
 * the length which counts is √(E‖δ‖⁴/E‖δ‖²): for a normal δ nearly its root mean square, and about ‖δ‖ itself where a
 * coordinate is far off with a small probability. Where that is not known, δ is taken for normal, and r is the one of least
 * squared error, what the clip leaves of δ included: noise grows with r, but falls with the number of players.
 */
export function clipRadius(
  { residual, players, shares }: Pick<ResidualPlan, 'residual' | 'players' | 'shares'>,
  found: Doubtful,
): number {
  const { dimension, centreError, deviation, reach } = found;
  if (reach !== undefined) return hypot(sqrt(dimension) * deviation, reach);
  const length = sqrt(dimension) * hypot(deviation, centreError);
  const reports = players * shares[shares.length - 1];
  const squares = CLIPS.map((clip) => {
    const { left, error, weight } = residualNoise(residual!, { ...found, radius: clip * length }, reports);
    return weight * error ** 2 + (weight * left) ** 2;
  });
  return CLIPS[squares.indexOf(min(...squares))] * length;
}

/** The results of the rounds before; residuals then vary with local means and with the uncertainty of the centre. */
export function residualAround(
  plan: Pick<ResidualPlan, 'residual' | 'players' | 'shares'>,
  { mean, standardError, deviation: deviations, reach }: Estimated,
): Located {
  const [centreError, deviation] = [standardError[0], deviations[0]];
  const found = { centreError, deviation, ...(reach === undefined ? {} : { reach }) };
  return { ...found, centre: mean, radius: clipRadius(plan, { ...found, dimension: mean.length }) };
}

/** Centre and radius that a device was sent, checked: d numbers, and a number > 0. */
export function receivedResidual({ dimension }: Pick<ResidualPlan, 'dimension'>, received: unknown): Located {
  const centre = receivedNumbers(received, 'centre', dimension);
  const radius = checkMagnitude('round.radius', fieldOf(received, 'radius'));
  if (!(radius >= 1 / LARGEST_SENT)) throw new RefusedValue('round.radius', `a number >= ${1 / LARGEST_SENT}`, radius);
  // The other fields serve the server's estimate and do not concern a player.
  return { centre, radius, centreError: 0, deviation: 0 };
}

/** A mean with its errors, in the coordinates of the samples. */
export type Estimated = Required<Pick<MeanEstimate, 'mean' | 'standardError' | 'deviation'>> &
  Pick<ResidualRound, 'reach'>;

/**
 * c and c + r·(mean report)/a, weighted by precision; a is the contraction of the clip for normal local means.
 *
 * a is that of an error δ of average length. If ‖δ‖² is farther by its own deviation, of √(2/(d + 2)) of its size for a
 * normal δ weighted by ‖δ‖², the contraction is another one, and a part of δ stays; it is in the standard error. It
 * matters where the centre is off by as much as local means vary. So is what stays where they all vary along one direction, of which two rounds
 * know nothing: with few coordinates that is up to as much as the rest of the error.
 */
export function residualMean(
  { residual }: Pick<ResidualPlan, 'residual'>,
  round: ResidualRound,
  { players, sums }: MeanTally,
): Estimated {
  const { dimension, centre, radius, deviation } = round;
  const { contraction, left, error, weight } = residualNoise(residual!, round, players);
  const mean = Float64Array.from(centre, (c, i) => c + ((weight * radius) / contraction) * (sums[i] / players));
  return {
    mean,
    standardError: new Float64Array(dimension).fill(
      hypot(error * sqrt(weight), weight * hypot(left, leftOfOneDirection(round, contraction))),
    ),
    deviation: new Float64Array(dimension).fill(deviation),
  };
}

/** What the clip and the noise of a round of residuals do to its estimate, before its reports are read. */
export function residualNoise(
  { coordinateVariance }: ResidualDesign,
  round: Doubtful & Pick<ResidualRound, 'radius'>,
  players: number,
): {
  /** a, by which the clip shrinks an error of the centre of average length. */
  readonly contraction: number;
  /** What stays of the error of the centre where it is longer or shorter, in a coordinate. */
  readonly left: number;
  /** Standard error of a coordinate by this round alone. */
  readonly error: number;
  /** The weight of this round beside the centre. */
  readonly weight: number;
} {
  const { dimension, radius, centreError, reach, deviation } = round;
  const centreLength = reach === undefined ? centreError : reach / sqrt(dimension + 2);
  const contractionAt = (factor: number): number =>
    clipContraction(dimension, radius / hypot(deviation, centreLength * sqrt(factor)));
  const contraction = contractionAt(1);
  const apart = sqrt(2 / (dimension + 2));
  const left =
    reach === undefined
      ? leftOfNormal(round, contraction)
      : ((contractionAt(1 - apart) - contractionAt(1 + apart)) / 2 / contraction) * centreError;
  const noise = (radius * radius * coordinateVariance) / (contraction * contraction);
  const error = sqrt((noise + deviation * deviation) / players);
  return { contraction, left, error, weight: centreError ** 2 / (centreError ** 2 + error ** 2) };
}

/** Lengths of δ that are averaged over, in steps of their deviation. */
const LENGTH_STEP = 0.25;

/**
 * Root mean square, in a coordinate, of δ − E[clip(δ + τg)]/a for a normal δ: what stays of it because all players share it.
 *
 * Law: by the density of ‖δ‖, at places where √2·‖δ‖ is up to five deviations from its mean: √(2d − 1) and 1, nearly (Fisher).
 */
function leftOfNormal(
  { dimension, radius, centreError, deviation }: Doubtful & Pick<ResidualRound, 'radius'>,
  contraction: number,
): number {
  if (!(centreError > 0)) return 0;
  const density = lengthDensity(dimension);
  let [sum, total] = [0, 0];
  for (let z = -5; z <= 5; z += LENGTH_STEP) {
    const units = sqrt(dimension - 0.5) + z * Math.SQRT1_2;
    if (!(units > 0)) continue;
    const weight = density(units);
    const distance = units * centreError;
    sum += weight * (distance - clippedMean(dimension, distance, deviation, radius) / contraction) ** 2;
    total += weight;
  }
  return sqrt(sum / total / dimension);
}

/**
 * The same for a small δ where local means vary along one direction alone, of which the rounds before, if they tell no reach, know nothing: a clip
 * at r keeps P(|g| ≤ r) of a shift along it, g the distance there, and E min(1, r/|g|) of one across it, in the place of a for both.
 */
function leftOfOneDirection(
  { dimension, radius, centreError, deviation, reach }: ResidualRound,
  contraction: number,
): number {
  if (reach !== undefined || !(centreError > 0)) return 0;
  const ends = radius / (sqrt(dimension) * deviation);
  const density = lengthDensity(1);
  const along = clipContraction(1, ends);
  const across = along + simpson((x) => (density(x) * ends) / x, ends, max(ends, RANGE));
  return (
    centreError * sqrt(((along / contraction - 1) ** 2 + (dimension - 1) * (across / contraction - 1) ** 2) / dimension)
  );
}

/** The density of the length of a standard normal vector of R^d. */
function lengthDensity(dimension: number): (x: number) => number {
  const logNorm = (dimension / 2 - 1) * Math.LN2 + logGamma(dimension / 2);
  return (x) =>
    x > 0 ? exp((dimension - 1) * log(x) - 0.5 * x * x - logNorm) : dimension === 1 ? sqrt(2 / Math.PI) : 0;
}

/** The mean along δ of a residual of this distance ‖δ‖ and deviation τ, clipped to the radius. */
export function clippedMean(dimension: number, distance: number, tau: number, radius: number): number {
  const across = tau * sqrt(dimension - 1);
  let [sum, total] = [0, 0];
  for (let z = -3.5; z <= 3.5; z += 0.5) {
    const along = distance + tau * z;
    const weight = exp(-0.5 * z * z);
    sum += weight * along * min(1, radius / hypot(along, across));
    total += weight;
  }
  return sum / total;
}

/** Intervals on each side of Simpson's rule, and how far from √d the length of a normal vector is integrated. */
const INTERVALS = 200;
const RANGE = 9;

/**
 * The part of a small shift that remains after a clip: the derivative of E clip(g + t) at t = 0. Here g is standard
 * normal in R^d, and clip is the projection on the ball of radius r.
 *
 * Law: E of 1 where ‖g‖ ≤ r and of (1 − 1/d)·r/‖g‖ beyond, because a projection keeps only a shift along the sphere,
 * shrunk. By Simpson's rule on both sides of r, to 1e-6.
 */
export function clipContraction(dimension: number, radius: number): number {
  const density = lengthDensity(dimension);
  const least = max(0, sqrt(dimension) - RANGE);
  const most = sqrt(dimension) + RANGE;
  const inner = simpson(density, min(least, radius), min(radius, most));
  const outer = simpson((x) => (density(x) * radius) / x, max(radius, least), max(radius, most));
  return inner + (1 - 1 / dimension) * outer;
}

function simpson(f: (x: number) => number, from: number, to: number): number {
  const step = (to - from) / INTERVALS;
  if (!(step > 0)) return 0;
  let sum = f(from) + f(to);
  for (let i = 1; i < INTERVALS; i++) sum += (i % 2 === 1 ? 4 : 2) * f(from + i * step);
  return (sum * step) / 3;
}

/** A location in the coordinates of the samples. */
export function unrotated(
  { rotation, size, dimension }: Pick<SignPlan, 'rotation' | 'size' | 'dimension'>,
  { mean, error, fourth, deviation }: Location,
): Estimated {
  if (rotation === undefined) return { mean, standardError: error, deviation };
  // A rotation spreads the variances of all coordinates evenly.
  let variance = 0;
  let excess = 0;
  let squares = 0;
  for (let j = 0; j < size; j++) {
    variance += (error[j] * error[j]) / size;
    if (fourth !== undefined) excess += fourth[j] - error[j] ** 4;
    // Relative to the first: exactly 1 where all are equal.
    squares += (deviation[j] / deviation[0]) ** 2 / size;
  }
  return {
    mean: rotateBack(rotation, mean),
    // E‖δ‖⁴/E‖δ‖², for independent coordinates δ_j, of which d/D are left without the padding.
    ...(fourth === undefined ? {} : { reach: sqrt(dimension * (variance + excess / (size * size * variance))) }),
    standardError: new Float64Array(dimension).fill(sqrt(variance)),
    // The padding has no variance, so the d coordinates have all of it.
    deviation: new Float64Array(dimension).fill(deviation[0] * sqrt(size / dimension) * sqrt(squares)),
  };
}

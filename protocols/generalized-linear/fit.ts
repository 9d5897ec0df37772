import {
  checkBoolean,
  checkInteger,
  checkNonNegative,
  checkPositive,
  checkWord,
  RefusedValue,
} from '../../src/check/refusal.ts';
import { type ChannelTally, checkFilled, type ReportTally, reportTally } from '../../src/core/channel.ts';
import type { Server } from '../../src/core/contract.ts';
import type { ValuesReport } from '../../src/core/frame.ts';
import { privUnitG } from '../../src/mechanism/unit-mechanism.ts';
import { productError, productPrivUnitG } from '../../src/mechanism/unit-products.ts';
import { minimizeComparedRisk } from '../../src/optimize/compared-risk.ts';
import {
  type CorrectedMoments,
  type CorrectedRisk,
  type CorrectedRiskQuery,
  foundRisk,
  givenCoefficients,
  largestGap,
  minimizeCorrectedRisk,
  type PolynomialFit,
} from '../../src/optimize/corrected-risk.ts';
import { minimizeTiltedRisk } from '../../src/optimize/crossed-risk.ts';
import { noiseAwareFit } from '../../src/polynomial/fit.ts';
import { createLift, liftedNoiseNorm, liftSize } from '../../src/polynomial/lift.ts';
import { sphereMoments } from '../../src/polynomial/sphere.ts';
import { checkRadius, type MarginLoss } from '../../src/risk/margin-loss.ts';
import type { PlanQuestion } from '../../src/simulation/study.ts';
import { channelOf, marginTallying } from './margin/channels.ts';
import type { ChannelParameters, CopiesParameters, MarginParameters, PowerVariant } from './margin/parameters.ts';
import {
  checkWalk,
  DECODERS,
  type DeviationSetting,
  type MarginEstimate,
  type MarginQuery,
  type MomentChannel,
  SERVERS,
  type Serving,
  servingOf,
} from './margin/query.ts';

const { abs } = Math;

/**
 * For a smooth loss: the least spread of the margins at a w of which nothing is known yet, and how much more than its
 * forecast the noise of the slope counts. The best model under such a loss has margins of a few units, where the loss
 * levels off. Both are chosen on the Adult benchmark (docs/generalized-linear.md).
 */
const SMOOTH = { leastSpread: 2.4, noiseFactors: [0, 10, 10] };

/** The line c_0 + c_1·t that equals f′ on [−R, R], to rounding; undefined if f′ is not a line. */
export function straightSlope(loss: MarginLoss, radius: number): Float64Array | undefined {
  if (loss.kinks.some((kink) => abs(kink) < radius)) return undefined;
  const c0 = loss.derivative(0);
  const c1 = (loss.derivative(radius) - loss.derivative(-radius)) / (2 * radius);
  const line = Float64Array.of(c0, c1);
  return largestGap(line, loss.derivative, radius) <= 1e-12 * (abs(c0) + abs(c1) * radius) ? line : undefined;
}

/** What stands for f′: f′ itself where it is a straight line; for a smooth loss, a fit over margins of a few units. */
export function fitOf(
  parameters: MarginParameters,
  query: MarginQuery,
  loss: MarginLoss,
  radius: number,
): PolynomialFit {
  const { degree = 'automatic', coefficients } = query;
  if (coefficients !== undefined || (channelOf(parameters).serving?.(query).server ?? 'newton') !== 'newton') return {};
  const line = parameters.degree > 0 && degree !== 0 ? straightSlope(loss, radius) : undefined;
  if (line !== undefined) return { coefficients: line };
  return loss.kinks.length === 0 ? SMOOTH : {};
}

/** A question to the moments in a tally. */
export interface FitQuery extends CorrectedRiskQuery, Pick<MarginQuery, 'intercept' | 'unitNorm' | 'seed'> {
  /** How the polynomial in the place of f′ is made, where the query leaves it open: see {@link fitOf}. */
  readonly fit?: PolynomialFit | undefined;
}

/**
 * The model that minimises the risk in the ball, from the moments in a tally of these parameters. Where the query leaves
 * the fit open, the noise is normal and there are at most 128 coordinates, the better of two models: see `minimizeComparedRisk`, and for a
 * degree above 1, where the noise is as small as that of a planned degree, `minimizeTiltedRisk`. A smooth f′ and two powers
 * need a known constant coordinate too: one class alone is more biased than a line.
 *
 * Where all records have norm 1, the model is found from moments that are pooled over the powers; its risk is that of the moments as they are.
 * @throws TypeError or RangeError naming the field.
 */
export function fitMoments(parameters: MarginParameters, moments: CorrectedMoments, query: FitQuery): CorrectedRisk {
  const { loss, radius = 1, intercept, unitNorm = false, fit, seed = parameters.digest } = query;
  if (intercept !== undefined) checkInteger('intercept', intercept, 0, parameters.dimension - 1);
  // Without noise there is nothing to gain, and of a power without reports nothing is known.
  const noisy = moments.noise.every((variance) => variance > 0 && variance < Infinity);
  const alike = unitNorm && noisy && channelOf(parameters).normalNoise === true;
  const known = alike ? pooledMoments(moments) : moments;
  const found = (): CorrectedRisk => {
    if (!isOpen(parameters, moments, query)) return minimizeCorrectedRisk(known, { ...query, ...fit });
    const minimize =
      moments.lift.degree >= 3 && isQuiet(moments, { radius, loss, unitNorm: alike })
        ? minimizeTiltedRisk
        : minimizeComparedRisk;
    return minimize(known, { loss, radius, intercept, fit }, seed);
  };
  if (!alike) return found();
  const risk = foundRisk(moments, { ...found(), loss });
  // The mean alone is told nothing by an equation.
  return moments.lift.degree > 1 ? { ...risk, pooled: true } : risk;
}

/**
 * The moments of records that all have norm 1, each power estimated from itself and from those above and below it: see `sphereMoments`.
 * What is found from them has less noise; their errors are no longer independent from one power to another.
 */
export function pooledMoments(moments: CorrectedMoments): CorrectedMoments {
  const { lift, values, noise } = moments;
  const { pool, pooledNoise } = sphereMoments(lift);
  return { ...moments, values: pool(values, noise, 1), noise: pooledNoise(noise), reported: noise };
}

/** The most coordinates of a model of classes: its laws cost p³ each, seconds in all. Beyond, the polynomial stays. */
const MOST_COORDINATES = 128;

function isOpen(parameters: MarginParameters, moments: CorrectedMoments, query: FitQuery): boolean {
  if (parameters.dimension > MOST_COORDINATES) return false;
  const { loss, degree = 'automatic', ridge = 'automatic', coefficients, semidefinite = true, fit, intercept } = query;
  const open = degree === 'automatic' && ridge === 'automatic' && coefficients === undefined && semidefinite;
  if (!open || channelOf(parameters).normalNoise !== true) return false;
  if (loss.kinks.length === 0) return moments.lift.degree > (intercept === undefined ? 2 : 1) && isTame(query);
  return parameters.degree >= 1 && fit?.coefficients === undefined;
}

/** Normal laws go beyond [−R, R]: their means are at most R, their deviations too, and their nodes within six deviations. */
const FARTHEST = 7;

/** Whether a loss stays a number with digits to spare wherever a model of classes asks for it: the exponential one grows too fast. */
function isTame({ loss, radius = 1 }: FitQuery): boolean {
  return [-1, 1].every((side) => abs(loss.value(side * FARTHEST * radius)) < 1e100);
}

/** What is public before the collection. */
export interface DegreeQuestion extends PlanQuestion {
  /** The loss f of the margin. */
  readonly loss: MarginLoss;
}

/** The largest degree that is planned: the powers are then at most 7. */
const MOST = 6;

/** The most numbers in all powers together: a tally of 64 kB, and moments that a server handles in milliseconds. */
const MOST_NUMBERS = 8192;

/** By how much noise may raise the error of the polynomial: six in a hundred of what its degree leaves as bias. */
const NOISE_SHARE = 0.06;

/** How many times the noise counts for a smooth loss, of which two powers tell more: chosen from 1, 2, 4 and 10 (docs/generalized-linear.md). */
const SMOOTH_PRICE = 2;

/**
 * The degree to collect for, from public numbers: the largest one at which noise raises the error of the polynomial by
 * at most 6 %. A power more then costs next to nothing and removes bias, which no number of players removes.
 *
 * The error is that of the noise-aware fit on [−R, R] with margins equally likely everywhere, J = d + 1 powers with
 * equal shares, and noise that counts p times (see `minimizeCrossedRisk`, at the cautious end). It is compared with the
 * error of the same fit without noise. From degree 3 on the noise is what pooling leaves where all records have norm 1.
 * For a smooth loss it counts twice.
 *
 * @returns 1, …, 6.
 * @throws TypeError or RangeError naming the field.
 */
export function plannedDegree(question: DegreeQuestion): number {
  const { loss, unitNorm = false } = question;
  const players = checkPositive('players', question.players);
  const dimension = checkInteger('dimension', question.dimension, 1);
  const epsilon = checkPositive('epsilon', question.epsilon);
  const radius = checkRadius(question.radius, loss);
  const price = loss.kinks.length === 0 ? SMOOTH_PRICE : 1;
  let degree = 1;
  for (let next = 2; next <= MOST; next++) {
    const size = liftSize(dimension, next + 1);
    if (size > MOST_NUMBERS) break;
    const { coordinateVariance } = privUnitG({ epsilon, dimension: size + 1 });
    const variances = new Float64Array(next + 1).fill((price * coordinateVariance * (next + 1)) / players);
    // Degree 1 is one report of both powers. What pooling wins at degree 2 is less than what one power a report costs.
    const pools = unitNorm && next > 2;
    const noise = pools ? sphereMoments(createLift(dimension, next + 1)).pooledNoise(variances) : variances;
    if (!(raisedBy(noise, { dimension, radius, loss }) <= NOISE_SHARE)) break;
    degree = next;
  }
  return degree;
}

/** What a polynomial is fitted to. */
interface FitSetting {
  readonly dimension: number;
  readonly radius: number;
  readonly loss: MarginLoss;
}

/** By what share of itself noise of these variances, on the entries of each power, raises the error of the polynomial. */
function raisedBy(variances: Float64Array, { dimension, radius, loss }: FitSetting): number {
  const degree = variances.length - 1;
  const error = (price: number): number => {
    const noise = variances.map((variance, k) => price * variance * liftedNoiseNorm(dimension, k, radius));
    return noiseAwareFit({ target: loss.derivative, degree, lower: -radius, upper: radius, noise }).objective;
  };
  return error(dimension) / error(0) - 1;
}

/** What {@link isQuiet} is told besides moments. */
type QuietQuestion = Pick<DegreeQuestion, 'loss' | 'radius' | 'unitNorm'>;

/** Fewer players than planned may have answered: twice the share is still taken for the plan's noise. */
const SLACK = 2;

/**
 * Whether the noise of moments is as small as that of a planned degree: then the margins of a model can be seen. Shares
 * of the powers do not matter, only what all of them together tell.
 */
export function isQuiet({ lift, noise }: CorrectedMoments, { radius, loss, unitNorm = false }: QuietQuestion): boolean {
  const { dimension, degree: powers } = lift;
  let told = 0;
  for (let j = 0; j < powers; j++) told += 1 / noise[j];
  const alike = new Float64Array(powers).fill(powers / told);
  const left = unitNorm ? sphereMoments(lift).pooledNoise(alike) : alike;
  return raisedBy(left, { dimension, radius, loss }) <= SLACK * NOISE_SHARE;
}

/** What `productError` is with `lifted`, of which two parts carry the first power and one the second. */
const LIFTED_ERROR = 9 / 4;

/** Parts for the first two powers beside two for each later one: for a polynomial, and for models of classes. */
const PARTS = { polynomial: [4, 1], classes: [13, 3] } as const;

/** From so many coordinates and from such a radius on, models of classes are mostly better than the polynomial. */
const CLASSES = { dimension: 8, radius: 2 };

/** What is collected where the caller leaves it open: plain data, a type alias so that it is part of a request for `open`. */
export type PlannedCollection = {
  readonly variant: PowerVariant;
  readonly degree: number;
  readonly shares?: readonly number[];
};

/**
 * Variant, degree and shares of the powers where the caller leaves them open. Reports of v itself tell of two powers: they are
 * planned for degree 1 where this is less noise than in reports of both, by `productError`. From degree 2 on a report carries one
 * power, so that a high degree costs a player little: four parts go to the first power, which every gradient starts from, one part
 * to the second, which a server denoises, and two to each later one. Where five parts of reports of v itself leave the first
 * power no more noise than the four, they take the place of both. With many coordinates in a large ball the first two powers have
 * sixteen parts, since models of classes rest on these two, and reports of v itself serve them as they serve degree 1.
 * @throws TypeError or RangeError naming the field.
 */
export function plannedCollection(question: DegreeQuestion): PlannedCollection {
  const degree = plannedDegree(question);
  const { epsilon, dimension, radius } = question;
  const unit = { epsilon, dimension: dimension + 1 };
  const classes = dimension >= CLASSES.dimension && radius >= CLASSES.radius;
  const [first, second] = classes ? PARTS.classes : PARTS.polynomial;
  const firstPart = (): number => privUnitG(unit).coordinateVariance / productPrivUnitG(unit).coordinateVariance;
  const direct = classes || degree === 1 ? productError(unit) < LIFTED_ERROR : firstPart() >= first / (first + second);
  if (degree === 1) return { variant: direct ? 'direct' : 'lifted', degree };
  const later = new Array<number>(degree - 1).fill(2);
  return direct
    ? { variant: 'direct', degree, shares: [first + second, ...later] }
    : { variant: 'sampled', degree, shares: [first, second, ...later] };
}

/** What a query asks of steps report by report, and of nothing else. */
export const OF_STEPS = ['beta', 'start', 'distance'] as const;

/** Refuses a query that no tally of these parameters can answer. What stands for f′ beforehand leaves no degree to choose. */
export function checkMarginQuery(parameters: MarginParameters, query: MarginQuery & Pick<FitQuery, 'fit'>): Serving {
  const { degree = 'automatic', ridge = 'automatic', coefficients, fit, intercept, unitNorm = false } = query;
  checkPositive('radius', query.radius ?? 1);
  checkBoolean('unitNorm', unitNorm);
  const serving = servedBy(parameters, query);
  givenCoefficients(query, parameters.degree + 1);
  if (serving.server !== 'newton') {
    refuseUnread(query, ['ridge', 'semidefinite', 'intercept', 'unitNorm'], `server ${serving.server}`);
    checkWalk(parameters, query, serving);
    return serving;
  }
  refuseUnread(query, OF_STEPS, 'server newton');
  if (intercept !== undefined) checkInteger('intercept', intercept, 0, parameters.dimension - 1);
  const open = coefficients === undefined && fit?.coefficients === undefined;
  if (open && degree !== 'automatic') checkInteger('degree', degree, 0, parameters.degree);
  if (ridge !== 'automatic') checkNonNegative('ridge', ridge);
  return serving;
}

/** Refuses what is asked for and would change nothing. */
export function refuseUnread(query: MarginQuery, names: readonly (keyof MarginQuery)[], by: string): void {
  const asked = names.find((name) => query[name] !== undefined);
  if (asked !== undefined) throw new RefusedValue(asked, `none for ${by}`, query[asked]);
}

/** A protocol's own method to step through the reports of noisy copies one by one. */
type ReportWalk = (parameters: CopiesParameters, tally: ReportTally, query: MarginQuery) => MarginEstimate;

/**
 * The model that minimises the reconstructed risk E f(y⟨w, x⟩) over ‖w‖ ≤ R, and that risk. Each protocol decides how
 * the polynomial is fitted, and has its own walk over noisy copies.
 */
export function estimateMargin(
  parameters: MarginParameters,
  tally: ChannelTally,
  query: MarginQuery & Pick<FitQuery, 'fit'>,
  loss: MarginLoss,
  walk: ReportWalk,
): MarginEstimate {
  checkFilled(tally, parameters);
  const channel = channelOf(parameters);
  const { decoder, server } = checkMarginQuery(parameters, query);
  // Only noisy copies have another server.
  if (server !== 'newton') return walk(parameters as CopiesParameters, reportTally(tally), query);
  const moments = channel.decode(tally, { decoder });
  const found = fitMoments(parameters, moments, { ...query, loss });
  const { coefficients, w } = found;
  return estimateOf(found, channel, { moments, coefficients, w, tally, decoder });
}

/** The server of a protocol with one loss, and its own walk over noisy copies: see {@link estimateMargin}. */
export function marginServer(
  loss: MarginLoss,
  walk: ReportWalk,
): Server<MarginParameters, ValuesReport, ChannelTally, MarginEstimate, MarginQuery> {
  return {
    ...marginTallying,
    estimate: (parameters, tally, query = {}) => estimateMargin(parameters, tally, query, loss, walk),
  };
}

/** What was found from moments as an estimate, with the deviation of its risk. */
export function estimateOf(found: CorrectedRisk, channel: MomentChannel, setting: DeviationSetting): MarginEstimate {
  const { players } = setting.moments;
  const standardError = channel.riskDeviation(setting);
  return { ...found, players, server: 'newton', risk: found.riskAt(found.w), standardError };
}

/** The decoder and the server that a query requests. */
export function servedBy(parameters: ChannelParameters, query: Pick<MarginQuery, 'decoder' | 'server'>): Serving {
  return channelOf(parameters).serving?.(query) ?? onlyServing(parameters.variant, query);
}

/** The serving of all mechanisms except noisy copies: one decoder, for all reports at once. Another one is refused. */
function onlyServing(variant: string, query: Pick<MarginQuery, 'decoder' | 'server'>): Serving {
  if (query.decoder !== undefined) {
    throw new RefusedValue('decoder', `none for variant ${variant}, which has one only`, query.decoder);
  }
  if (query.server !== undefined && query.server !== 'newton') {
    throw new RefusedValue(
      'server',
      `newton or none for variant ${variant}: others are for noisy copies`,
      query.server,
    );
  }
  return { decoder: 'averaged', server: 'newton' };
}

/** How a study decodes: the labels of its records are −1 or 1, and averaged copies can use this. */
export function studyServing(
  variant: string | undefined,
  asked: { readonly server?: string | undefined; readonly decoder?: string | undefined },
): Pick<MarginQuery, 'decoder' | 'server'> {
  const query = {
    ...(asked.server === undefined ? {} : { server: checkWord('server', asked.server, SERVERS) }),
    ...(asked.decoder === undefined ? {} : { decoder: checkWord('decoder', asked.decoder, DECODERS) }),
  };
  if (variant !== 'copies' && variant !== 'printed') {
    if (variant !== undefined) onlyServing(variant, query);
    return query;
  }
  return variant === 'copies' && query.decoder === undefined
    ? servingOf(variant, { ...query, decoder: 'signs' })
    : servingOf(variant, query);
}

/** What a study asks of its server: how reports are decoded, and what it knows of the records, where that is of use. */
export function studyQuery(
  variant: string | undefined,
  { intercept, unitNorm, ...asked }: Parameters<typeof studyServing>[1] & Pick<MarginQuery, 'intercept' | 'unitNorm'>,
): Pick<MarginQuery, 'decoder' | 'server' | 'intercept' | 'unitNorm'> {
  const serving = studyServing(variant, asked);
  const { server = 'newton' } = serving;
  return server === 'newton' && variant !== 'sphericalLaplace' ? { intercept, unitNorm, ...serving } : serving;
}

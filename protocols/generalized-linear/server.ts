import { checkBoolean, checkPositive, RefusedValue } from '../../src/check/refusal.ts';
import { type ChannelTally, checkFilled } from '../../src/core/channel.ts';
import type { Server } from '../../src/core/contract.ts';
import type { ValuesReport } from '../../src/core/frame.ts';
import { innerProduct } from '../../src/numeric/matrix.ts';
import { minimizeBallQuadratic, projectedGradient, quadraticForm } from '../../src/optimize/ball.ts';
import {
  type CorrectedMoments,
  type CorrectedRisk,
  type CorrectedRiskQuery,
  denoisedMatrix,
  givenCoefficients,
  integralOn,
  largestGap,
  marginWeight,
  NOISE_FACTOR,
  riskOf,
  settleFit,
} from '../../src/optimize/corrected-risk.ts';
import { noiseAwareFit } from '../../src/polynomial/fit.ts';
import { liftedNoiseNorm, setMomentMatrix } from '../../src/polynomial/lift.ts';
import { checkRadius, type MarginLoss } from '../../src/risk/margin-loss.ts';
import { minimizeByMixture } from './algorithm-2.ts';
import {
  checkMarginQuery,
  estimateMargin,
  estimateOf,
  fitOf,
  OF_STEPS,
  refuseUnread,
  servedBy,
  straightSlope,
} from './fit.ts';
import { channelOf, marginTallying, momentsOf } from './margin/channels.ts';
import type { ChannelParameters, MarginParameters, VectorParameters } from './margin/parameters.ts';
import {
  type CopiesDecoder,
  type MarginEstimate,
  type MarginQuery,
  marginLossOf,
  type QueryLoss,
  residualLossOf,
} from './margin/query.ts';
import { checkSphericalQuery, estimateSpherical } from './margin/spherical.ts';

const { SQRT2, abs, exp, max, min, sqrt } = Math;

/** A query to a tally after collection; it names the loss too. */
export interface GeneralizedLinearQuery extends Omit<MarginQuery, 'radius'> {
  /** The loss, by name or as functions. Default `logistic`, for a regression `squared`. */
  readonly loss?: QueryLoss;
  /** R > 0: the constraint is ‖w‖ ≤ R. Default 1. `automatic`: chosen from the tally, see `chooseRadius`. */
  readonly radius?: number | 'automatic';
  /** For `sphericalLaplace`: answer even where lifted reports are forecast to be better. Default false. */
  readonly force?: boolean;
}

/** The server of the generalized-linear protocol. */
export const server: Server<ChannelParameters, ValuesReport, ChannelTally, MarginEstimate, GeneralizedLinearQuery> = {
  ...marginTallying,
  estimate,
};

/** Refuses a query that no tally of these parameters can answer. */
export function checkQuery(parameters: ChannelParameters, query: GeneralizedLinearQuery): void {
  const { loss: wanted, radius = 1, force = false, ...rest } = query;
  if (radius !== 'automatic') checkPositive('radius', radius);
  checkBoolean('force', force);
  if (!hasMoments(parameters)) {
    const unread = ['decoder', 'coefficients', 'semidefinite', 'intercept', 'unitNorm', ...OF_STEPS] as const;
    refuseUnread(rest, unread, 'variant sphericalLaplace');
    servedBy(parameters, rest);
    if (radius === 'automatic') throw new RefusedValue('radius', 'a number for variant sphericalLaplace', radius);
    checkSphericalQuery(parameters, { ...rest, loss: marginLossOf(wanted), radius, force });
    return;
  }
  if (query.force !== undefined) throw new RefusedValue('force', `none for variant ${parameters.variant}`, force);
  const residual = isRegression(parameters);
  const loss = residual ? residualLossOf(wanted) : marginLossOf(wanted);
  if (loss.interval !== undefined) {
    if (radius === 'automatic') throw new RefusedValue('radius', 'a number for a loss on an interval', radius);
    checkRadius(radius, loss);
  }
  if (radius === 'automatic' && servedBy(parameters, rest).server !== 'newton') {
    throw new RefusedValue('radius', 'a number where the server steps report by report', radius);
  }
  if (residual) refuseUnread(rest, ['intercept', 'unitNorm'], 'a regression');
  for (const one of radius === 'automatic' ? RADII : [radius]) {
    const asked = residual ? rest : { ...rest, fit: fitOf(parameters, rest, loss, one) };
    checkMarginQuery(parameters, { ...asked, radius: one });
  }
}

/** The model that minimises the reconstructed risk of the requested loss over ‖w‖ ≤ R, and that risk. */
export function estimate(
  parameters: ChannelParameters,
  tally: ChannelTally,
  query: GeneralizedLinearQuery = {},
): MarginEstimate {
  const { loss: wanted, radius: asked = 1, force = false, ...rest } = query;
  checkQuery(parameters, query);
  if (!hasMoments(parameters)) {
    // Else it was refused.
    const radius = asked as number;
    return estimateSpherical(parameters, tally, { ...rest, loss: marginLossOf(wanted), radius, force });
  }
  const residual = isRegression(parameters);
  const loss = residual ? residualLossOf(wanted) : marginLossOf(wanted);
  const at = (radius: number): MarginEstimate => {
    if (residual) return estimateRegression(parameters, tally, { ...rest, radius }, loss);
    const fit = fitOf(parameters, rest, loss, radius);
    return estimateMargin(parameters, tally, { ...rest, fit, radius }, loss, (made, reports, question) =>
      minimizeByMixture(made, reports, question, loss),
    );
  };
  if (asked !== 'automatic') return at(asked);
  if (tally.players < 1) return at(1);
  return chooseRadius(parameters, tally, loss, at, rest.decoder);
}

/** Whether reports give moments of the records: all do except those with spherical Laplace noise, decoded exactly. */
export const hasMoments = (parameters: ChannelParameters): parameters is MarginParameters => 'degree' in parameters;

const isRegression = (parameters: MarginParameters): parameters is VectorParameters =>
  'task' in parameters && parameters.task === 'regression';

/**
 * The model that minimises the reconstructed risk E ρ(y − ⟨w, x⟩) over ‖w‖ ≤ R, and that risk, from reports of
 * (x, y)/√2. `coefficients` and `bias` are those of the polynomial in the place of ρ′; `ridge` applies to E zzᵀ,
 * z = (x, y)/√2: it is half of the same ridge on E xxᵀ.
 *
 * Law: where ρ′ is a straight line, as in least squares, ρ′ itself is used and the reconstruction is unbiased.
 */
function estimateRegression(
  parameters: VectorParameters,
  tally: ChannelTally,
  query: MarginQuery,
  residualLoss: MarginLoss,
): MarginEstimate {
  checkFilled(tally, parameters);
  const channel = channelOf(parameters);
  const { decoder } = servedBy(parameters, query);
  const radius = checkPositive('radius', query.radius ?? 1);
  const moments = channel.decode(tally, {});
  const automatic = query.degree === undefined || query.degree === 'automatic';
  const line = automatic && query.coefficients === undefined ? straightSlope(residualLoss, 1 + radius) : undefined;
  const asked = { ...query, ...(line === undefined ? {} : { coefficients: line }), loss: residualLoss };
  const found = minimizeCorrectedRegression(moments, asked);
  // In the margin ⟨ŵ, z⟩ = r/√2 the coefficient of power k is √2^(k + 1) times that of the residual.
  const coefficients = found.coefficients.map((c, k) => c * SQRT2 ** (k + 1));
  const w = Float64Array.of(...found.w.map((entry) => -entry), 1);
  return estimateOf(found, channel, { moments, coefficients, w, tally, decoder });
}

/**
 * Minimises E ρ(y − ⟨w, x⟩) over ‖w‖ ≤ R from the moments of z = (x, y)/√2. The residual is r = √2·⟨ŵ, z⟩, ŵ = (−w, 1).
 * So the problem is that of a margin τ = ⟨ŵ, z⟩ under the loss τ ↦ ρ(√2·τ), with ŵ on a plane.
 *
 * Law: if ρ′ is a straight line (least squares), no polynomial is fitted, and the reconstruction is unbiased.
 *
 * Shape: `moments.lift` has dimension p + 1 and degree ≥ 2; `coefficients` of query and result are those of ρ′(r).
 *
 * Source: Wang, Smith, Xu 2020, remark 15.
 * @theorem noninteractive Remark 15
 */
export function minimizeCorrectedRegression(moments: CorrectedMoments, query: CorrectedRiskQuery): CorrectedRisk {
  const { lift, values } = moments;
  const { loss } = query;
  const radius = checkPositive('radius', query.radius ?? 1);
  const dimension = lift.dimension - 1;
  const { matrix, ridge } = denoisedMatrix(moments, query);
  if (matrix === undefined) throw new RefusedValue('moments', 'those up to a power of 2 or more', lift.degree);
  const denoised = Float64Array.from(values);
  setMomentMatrix(lift, matrix, denoised);
  const range = (1 + radius) / SQRT2;
  const slope = (tau: number): number => SQRT2 * loss.derivative(SQRT2 * tau);
  const extended = new Float64Array(dimension + 1);
  const extend = (w: ArrayLike<number>): Float64Array => {
    for (let i = 0; i < dimension; i++) extended[i] = -w[i];
    extended[dimension] = 1;
    return extended;
  };
  const solve = (coefficients: ArrayLike<number>): Float64Array => {
    const [c0, c1] = [coefficients[0], coefficients.length > 1 ? coefficients[1] : 0];
    const linear = new Float64Array(dimension);
    const quadratic = new Float64Array(dimension * dimension);
    for (let i = 0; i < dimension; i++) {
      const row = i * (dimension + 1);
      linear[i] = -c0 * values[i] - c1 * matrix[row + dimension];
      for (let j = 0; j < dimension; j++) quadratic[i * dimension + j] = c1 * matrix[row + j];
      quadratic[i * dimension + i] += abs(c1) * ridge;
    }
    const start = minimizeBallQuadratic(linear, quadratic, radius).point;
    if (coefficients.length <= 2) return start;
    const surrogate = integralOn(lift, coefficients, denoised);
    const partial = new Float64Array(dimension + 1);
    const penalty = (w: Float64Array): number => (abs(c1) * ridge * innerProduct(w, w)) / 2;
    const objective = {
      dimension,
      value: (w: Float64Array): number => surrogate.value(extend(w)) + penalty(w),
      gradient(w: Float64Array, target: Float64Array): void {
        surrogate.gradient(extend(w), partial);
        for (let i = 0; i < dimension; i++) target[i] = abs(c1) * ridge * w[i] - partial[i];
      },
    };
    return projectedGradient({ objective, radius, start }).point;
  };
  const fitAt = (w: Float64Array, degree: number) => {
    const longest = sqrt(1 + radius * radius);
    const noise = Float64Array.from(
      { length: degree + 1 },
      (_, k) => NOISE_FACTOR[min(k, 2)] * moments.noise[k] * liftedNoiseNorm(dimension + 1, k, longest),
    );
    const at = extend(w);
    const mean = innerProduct(values.subarray(0, dimension + 1), at);
    const deviation = sqrt(max(0, quadraticForm(matrix, at) - mean * mean));
    // For an unknown w, ⟨w, x⟩ adds R²·E‖x‖²/p to E y².
    let trace = 0;
    for (let i = 0; i < dimension; i++) trace += matrix[i * (dimension + 2)];
    const isotropic = sqrt(max(0, matrix[dimension * (dimension + 2)] + (radius * radius * trace) / dimension));
    const kinks = loss.kinks.map((kink) => kink / SQRT2);
    const weight = marginWeight({ radius: range, mean, deviation, isotropic, kinks });
    return noiseAwareFit({ target: slope, degree, lower: -range, upper: range, weight, noise });
  };
  const scaled = givenCoefficients(query, lift.degree)?.map((c, k) => c * SQRT2 ** (k + 1));
  const { w, coefficients: inner } =
    scaled === undefined
      ? settleFit({ dimension, highest: lift.degree - 1, degree: query.degree ?? 'automatic', fitAt, solve })
      : { w: solve(scaled), coefficients: scaled };
  const reconstruction = integralOn(lift, inner, values);
  const riskAt = riskOf(dimension, (at) => loss.value(0) + reconstruction.value(extend(at)));
  const coefficients = inner.map((c, k) => c / SQRT2 ** (k + 1));
  const bias = largestGap(coefficients, loss.derivative, SQRT2 * range);
  return { w, radius, degree: coefficients.length - 1, coefficients, ridge, bias, riskAt };
}

/** The radii that `automatic` chooses from. */
export const RADII: readonly number[] = [0.5, 1, 2, 4, 8, 16];

/** What is known of the margins, or of the residuals, of a model. */
export interface MarginLaw {
  /** E t. */
  readonly mean: number;
  /** E t². */
  readonly second: number;
  /** Standard deviation of the privacy noise on `mean`. */
  readonly meanNoise: number;
  /** Standard deviation of the privacy noise on `second`. */
  readonly secondNoise: number;
  /** Largest |t| there can be. */
  readonly range: number;
}

/** Nodes of the trapezoidal rule over six deviations on each side. */
const NODES = 240;

/**
 * E f(t) for a normal t with these first two moments, cut off at ±`range`. For the squared loss it is exact for every
 * law of the margins, as long as no margin is cut off.
 */
export function normalRisk(loss: MarginLoss, law: Pick<MarginLaw, 'mean' | 'second' | 'range'>): number {
  const { mean, second, range } = law;
  const deviation = sqrt(max(0, second - mean * mean));
  let [mass, risk] = [0, 0];
  for (let i = 0; i <= NODES; i++) {
    const u = 12 * (i / NODES - 0.5);
    const weight = exp(-0.5 * u * u);
    mass += weight;
    risk += weight * loss.value(max(-range, min(range, mean + deviation * u)));
  }
  return risk / mass;
}

/**
 * The worst risk of a model whose moments are off by up to `factor` deviations of their privacy noise, kept within what
 * ‖v‖ ≤ 1 allows. For a loss that levels off, a forecast to first order would miss the noise.
 */
export function worstRisk(loss: MarginLoss, law: MarginLaw, factor: number): number {
  const { mean, second, meanNoise, secondNoise, range } = law;
  let worst = -Infinity;
  for (const side of [-1, 1]) {
    const shifted = max(-range, min(range, mean + side * factor * meanNoise));
    for (const spread of [-1, 1]) {
      const wide = max(shifted * shifted, min(range * range, second + spread * factor * secondNoise));
      worst = max(worst, normalRisk(loss, { mean: shifted, second: wide, range }));
    }
  }
  return worst;
}

/**
 * The estimate at the radius of `RADII` with the least worst risk. The minimiser follows the noise in p directions: √p
 * deviations in all. The two moments of its margins share them: √(p/2) deviations each. The same holds for the
 * residuals of a regression.
 */
export function chooseRadius(
  parameters: MarginParameters,
  tally: ChannelTally,
  loss: MarginLoss,
  at: (radius: number) => MarginEstimate,
  decoder: CopiesDecoder = 'averaged',
): MarginEstimate {
  const moments = momentsOf(parameters, tally, { decoder });
  const { matrix } = denoisedMatrix(moments, {});
  const p = moments.lift.dimension;
  const regression = isRegression(parameters);
  const lawAt = (w: Float64Array, radius: number): MarginLaw => {
    // The residual is √2·⟨(−w, 1), z⟩.
    const factor = regression ? SQRT2 : 1;
    const u = regression ? Float64Array.of(...w.map((entry) => -entry), 1) : w;
    const norm = sqrt(innerProduct(u, u));
    const mean = innerProduct(moments.values.subarray(0, p), u);
    const second = matrix === undefined ? norm ** 2 / p : quadraticForm(matrix, u);
    return {
      mean: factor * mean,
      second: factor ** 2 * max(second, mean * mean),
      meanNoise: factor * norm * sqrt(moments.noise[0]),
      secondNoise: matrix === undefined ? 0 : (factor * norm) ** 2 * sqrt(moments.noise[1]),
      range: regression ? 1 + radius : radius,
    };
  };
  let best: { readonly estimate: MarginEstimate; readonly cost: number } | undefined;
  for (const radius of RADII) {
    const estimate = at(radius);
    const cost = worstRisk(loss, lawAt(estimate.w, radius), sqrt(p / 2));
    if (best === undefined || cost < best.cost) best = { estimate, cost };
  }
  return (best as { readonly estimate: MarginEstimate }).estimate;
}

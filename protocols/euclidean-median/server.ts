import { checkInteger, checkWord, RefusedValue } from '../../src/check/refusal.ts';
import {
  type Channel,
  type ChannelTally,
  channelsBy,
  channelTallying,
  channelTheory,
  channelWire,
  checkFilled,
  momentTally,
  reportTally,
} from '../../src/core/channel.ts';
import type { Server, Theory, Wire } from '../../src/core/contract.ts';
import type { ValuesReport } from '../../src/core/frame.ts';
import {
  checkNorm,
  checkNorms,
  correctedLiftBounds,
  finiteOrInfinity,
  GAUSSIAN_THEOREM,
  gaussianNormLimit,
  HONEST_REFUSAL,
  type NormLimit,
  type ReportLimits,
  totalNorm,
} from '../../src/core/influence.ts';
import { gaussianChannel, normalLogRatio, unitChannel } from '../../src/core/vector-channel.ts';
import { evaluatePolynomial } from '../../src/polynomial/fit.ts';
import { radialGradientCovariance } from '../../src/polynomial/heat.ts';
import { approximate, type Guarantee, gdp } from '../../src/privacy/guarantee.ts';
import { gaussianRelease } from '../../src/privacy/totals.ts';
import { minimizeByDirections } from './algorithm-3.ts';
import {
  type EuclideanMedianEstimate,
  type EuclideanMedianQuery,
  estimateFromMoments,
  settingsOf,
} from './estimate.ts';
import { averagedMoments, gaussianMoments, liftedGradientNoise, liftedMoments, type RadialMoments } from './moments.ts';
import {
  type CopiesParameters,
  type EuclideanMedianParameters,
  type GaussianParameters,
  type LiftedParameters,
  NEIGHBOUR_DISTANCE,
} from './parameters.ts';

const { sqrt } = Math;

/** Where the variance of one report's gradient is computed: polynomial, place and point, by their products. */
interface GradientPlace extends GradientSetting {
  /** ‖w − x‖². */
  readonly squaredDistance: number;
  /** ‖w‖². */
  readonly squaredNorm: number;
}

/** A mechanism on a point, with what its reports say about the distances to the point. */
export interface MedianChannel extends Channel {
  /** How reports are decoded where a query does not say; absent where there is only one way. */
  readonly decoder?: 'product' | 'averaged';
  /** The means of the features of x in a tally. */
  decode(tally: ChannelTally): RadialMoments;
  /** See `gradientVariance`. */
  variance(place: GradientPlace): number;
}

/** The channel of public parameters: the same object for the same parameters. A new mechanism needs one line here. */
export const channelOf: (parameters: EuclideanMedianParameters) => MedianChannel = channelsBy<
  EuclideanMedianParameters,
  MedianChannel
>({ lifted: liftedChannel, gaussian: gaussianPointChannel, copies: copiesChannel, printed: printedChannel });

/** The wire of the Euclidean median protocol; see `channelWire`. */
export const report: Wire<EuclideanMedianParameters, ValuesReport> = channelWire(channelOf);

/** The theory without its forecast. */
export const channelClaims: Theory<EuclideanMedianParameters> = channelTheory(channelOf);

/** Reports of the features of x: pure ε, and a tally that is the sum of the reports. */
function liftedChannel(parameters: LiftedParameters): MedianChannel {
  const { epsilon, features, scales, mechanism, dimension } = parameters;
  return {
    ...unitChannel({ what: 'features of x', epsilon, mechanism, moments: features.size }),
    decode: (tally) => liftedMoments(parameters, momentTally(tally)),
    variance({ coefficients, w, point, squaredDistance, squaredNorm }) {
      let noise = 0;
      features.blocks.forEach((block, b) => {
        noise += liftedGradientNoise(block, coefficients, coefficients, dimension, squaredNorm) / scales[b] ** 2;
      });
      // The part that depends on w alone, Q(ρ)w, does not come from the report.
      const there = evaluatePolynomial(coefficients, squaredDistance);
      const alone = evaluatePolynomial(coefficients, squaredNorm);
      let along = 0;
      for (let i = 0; i < dimension; i++) along += (there * (w[i] - point[i]) - alone * w[i]) ** 2;
      const { coordinateVariance, alongVariance } = mechanism;
      return coordinateVariance * noise + (alongVariance - coordinateVariance) * along;
    },
  };
}

/** One Gaussian copy of x, and a tally of its corrected symmetric powers. */
function gaussianPointChannel(parameters: GaussianParameters): MedianChannel {
  const { sigma, dimension } = parameters;
  return {
    ...gaussianChannel({ what: 'x', neighbourDistance: NEIGHBOUR_DISTANCE, parameters }),
    decode: (tally) => gaussianMoments(parameters, momentTally(tally)),
    variance: copyVariance(dimension, sigma),
  };
}

/** L copies of x, and a tally of the reports: the product estimator multiplies within a report, at a w known later. */
function copiesChannel(parameters: CopiesParameters): MedianChannel {
  const { budget, copies, sigma, length, dimension } = parameters;
  const means = (x: ArrayLike<number>): Float64Array => Float64Array.from({ length }, (_, i) => x[i % dimension]);
  return {
    guarantee: approximate(budget),
    neighbourDistance: NEIGHBOUR_DISTANCE * sqrt(copies),
    releases: () => [copiesRelease(parameters)],
    limits: () => copiesLimits(parameters),
    decoder: 'averaged',
    decode: (tally) => averagedMoments(parameters, reportTally(tally)),
    logRatio: (first, second) => normalLogRatio(means(first), means(second), new Float64Array(length).fill(sigma)),
    variance: copyVariance(dimension, sigma / sqrt(copies)),
  };
}

/**
 * Copies as printed.
 *
 * Guarantee: the μ-GDP that holds; the certificate shows the paper's claim beside it. Each copy has the (ε/L, δ) that
 * the classical Gaussian mechanism gives it: ε adds up, δ grows to L·δ.
 *
 * Source: Wang, Smith, Xu 2020, theorem 17.
 */
function printedChannel(parameters: CopiesParameters): MedianChannel {
  const { budget, copies } = parameters;
  const claimed = approximate({ epsilon: budget.epsilon / copies, delta: budget.delta });
  return {
    ...copiesChannel(parameters),
    guarantee: gdp(transcriptMu(parameters)),
    claimed: approximate(budget),
    releases: () => [copiesRelease(parameters, { claimed })],
    decoder: 'product',
  };
}

/** μ of one player's whole transcript of copies, by composition of Gaussian DP: 2√L/σ. */
export function transcriptMu({ copies, sigma }: CopiesParameters): number {
  return (NEIGHBOUR_DISTANCE * sqrt(copies)) / sigma;
}

function copiesRelease({ copies, sigma }: CopiesParameters, claim: { readonly claimed?: Guarantee } = {}) {
  const what = `copies 1 to ${copies} of x`;
  return gaussianRelease({ what, count: copies, sensitivity: NEIGHBOUR_DISTANCE, sigma, ...claim });
}

// Every copy has a limit, because products of copies need it. So has their average: corrected powers are made from it.
function copiesLimits({ copies, dimension, degree, length, sigma }: CopiesParameters): ReportLimits {
  const refusal = HONEST_REFUSAL / (copies + 1);
  const norm = gaussianNormLimit(1, sigma, dimension, refusal);
  const limits: NormLimit[] = [];
  for (let from = 0; from < length; from += dimension) limits.push({ from, to: from + dimension, norm });
  const deviation = sigma / sqrt(copies);
  const most = gaussianNormLimit(1, deviation, dimension, refusal);
  return {
    influence: {
      reportNorm: norm * sqrt(copies),
      bound: finiteOrInfinity(totalNorm(correctedLiftBounds({ dimension, degree: 2 * degree + 2 }, deviation, most))),
      honestNorm: sqrt(copies * (1 + dimension * sigma * sigma)),
      honestRefusal: HONEST_REFUSAL,
      theorem: `${GAUSSIAN_THEOREM}, of every copy and of their average`,
    },
    check(values) {
      checkNorms(limits, values);
      let squared = 0;
      for (let i = 0; i < dimension; i++) {
        let sum = 0;
        for (let at = i; at < length; at += dimension) sum += values[at];
        squared += (sum / copies) ** 2;
      }
      checkNorm(squared, most);
    },
  };
}

/** A point, a place and a polynomial: what the variance of one report's gradient estimate Q(r)(w − x) depends on. */
export interface GradientSetting {
  /** c_0 … c_k of Q. */
  readonly coefficients: ArrayLike<number>;
  /** The place w. */
  readonly w: ArrayLike<number>;
  /** The player's x. */
  readonly point: ArrayLike<number>;
}

/**
 * The variance E‖G − Q(r)(w − x)‖² of the gradient estimate from one report: `lifted`, `gaussian` or averaged copies.
 *
 * Law: for a Gaussian copy by the heat flow of the squared estimate; for `lifted` the block noise of PrivUnitG, whose
 * covariance is (1/m²)(I + (γm − m²)uuᵀ), where the second part becomes the gradient without its constant part c(w)w.
 * @throws RangeError for a wrong number of coefficients or coordinates.
 */
export function gradientVariance(parameters: EuclideanMedianParameters, setting: GradientSetting): number {
  const { coefficients, w, point } = setting;
  const { dimension } = parameters;
  checkInteger('coefficients.length', coefficients.length, 1, parameters.degree + 1);
  checkInteger('w.length', w.length, dimension, dimension);
  checkInteger('point.length', point.length, dimension, dimension);
  let squaredDistance = 0;
  let squaredNorm = 0;
  for (let i = 0; i < dimension; i++) {
    squaredDistance += (w[i] - point[i]) ** 2;
    squaredNorm += w[i] * w[i];
  }
  return channelOf(parameters).variance({ ...setting, squaredDistance, squaredNorm });
}

function copyVariance(dimension: number, sigma: number): MedianChannel['variance'] {
  return ({ coefficients, squaredDistance }) =>
    evaluatePolynomial(radialGradientCovariance(coefficients, coefficients, { dimension, sigma }), squaredDistance);
}

/** The server of the Euclidean median protocol. */
export const server: Server<
  EuclideanMedianParameters,
  ValuesReport,
  ChannelTally,
  EuclideanMedianEstimate,
  EuclideanMedianQuery
> = { ...channelTallying(channelOf), estimate };

/** The decoder of a query, which is refused where no tally can answer it; undefined where there is one only. */
export function checkQuery(
  parameters: EuclideanMedianParameters,
  query: EuclideanMedianQuery,
): 'product' | 'averaged' | undefined {
  const { decoder: usual } = channelOf(parameters);
  if (usual === undefined && query.decoder !== undefined) {
    throw new RefusedValue('decoder', `none for variant ${parameters.variant}, which has one only`, query.decoder);
  }
  settingsOf(parameters.degree, query);
  return usual && checkWord('decoder', query.decoder ?? usual, ['product', 'averaged']);
}

/** The Euclidean median of the players' points, ‖w‖ ≤ R, and the risk E ½‖w − x‖. */
function estimate(
  parameters: EuclideanMedianParameters,
  tally: ChannelTally,
  query: EuclideanMedianQuery = {},
): EuclideanMedianEstimate {
  checkFilled(tally, parameters);
  const { decode } = channelOf(parameters);
  if (checkQuery(parameters, query) !== 'product') return estimateFromMoments(decode(tally), query);
  const { coefficients: _, ...rest } = query;
  const averaged = estimateFromMoments(decode(tally), rest);
  // Only noisy copies are decoded by products.
  return minimizeByDirections(parameters as CopiesParameters, reportTally(tally), query, averaged);
}

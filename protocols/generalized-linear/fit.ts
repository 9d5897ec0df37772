import { checkInteger, checkPositive, refusal } from '../../src/check/number.ts';
import { RefusedKind, RefusedValue } from '../../src/check/refusal.ts';
import type { ChannelTally } from '../../src/core/channel.ts';
import { privUnitG } from '../../src/mechanism/unit-mechanism.ts';
import { quadraticValue } from '../../src/optimize/ball-newton.ts';
import {
  type CorrectedMoments,
  type CorrectedRisk,
  type CorrectedRiskQuery,
  denoisedMatrix,
  minimizeCorrectedRisk,
  straightSlope,
} from '../../src/optimize/corrected-risk.ts';
import { minimizeComparedRisk } from '../../src/optimize/crossed-risk.ts';
import { innerProduct } from '../../src/optimize/projection.ts';
import { noiseAwareFit } from '../../src/polynomial/fit.ts';
import { liftedNoiseNorm, liftSize } from '../../src/polynomial/lift.ts';
import type { MarginLoss } from '../../src/risk/margin-loss.ts';
import { lossByName, responseLossByName } from '../../src/risk/named-loss.ts';
import type { ResponseLoss } from '../../src/risk/response-loss.ts';
import { channelOf, momentsOf } from './margin/channels.ts';
import type { MarginParameters } from './margin/parameters.ts';
import type { CopiesDecoder, MarginEstimate, MarginQuery } from './margin/query.ts';

const { exp, max, min, sqrt } = Math;

/** The loss where a query names none. */
export const DEFAULT_LOSS = 'logistic';

/** The loss of a regression where a query names none. */
const DEFAULT_RESPONSE_LOSS = 'squared';

/** A loss as a query may give it: by name, or as the functions themselves. */
export type QueryLoss = string | MarginLoss | ResponseLoss;

/**
 * The loss of the margin that a query means.
 *
 * @throws TypeError or RangeError for an unknown name, or for what is not a loss of a margin.
 */
export function marginLossOf(loss: QueryLoss = DEFAULT_LOSS): MarginLoss {
  if (typeof loss === 'string') return lossByName(loss);
  const known = isLoss(loss) && 'kinks' in loss && Array.isArray(loss.kinks);
  if (!known) throw new RefusedKind(refusal('loss', 'a name or a loss of the margin', loss));
  return loss as MarginLoss;
}

/** Inner products and responses at which a loss is checked to depend on the residual alone. */
const PROBES = [-1.7, -1, -0.6, -0.1, 0, 0.35, 0.8, 1, 1.4];

/**
 * The loss ρ of the residual r = y − ⟨w, x⟩ that the query of a regression means, as a loss of r: ρ(r) = ℓ(0, r).
 *
 * @throws TypeError or RangeError for an unknown name, for what is not a loss of a response, or for a loss that does
 * not depend on the residual alone.
 */
export function residualLossOf(loss: QueryLoss = DEFAULT_RESPONSE_LOSS): MarginLoss {
  const named = typeof loss === 'string' ? responseLossByName(loss) : loss;
  const known = isLoss(named) && 'kinked' in named;
  if (!known) throw new RefusedKind(refusal('loss', 'a name or a loss of inner product and response', loss));
  const response = named as ResponseLoss;
  for (const inner of PROBES) {
    for (const y of PROBES) {
      const [there, here] = [response.value(inner, y), response.value(0, y - inner)];
      if (!(Math.abs(there - here) <= 1e-9 * (1 + Math.abs(here)))) {
        throw new RefusedValue(refusal('loss', 'one of the residual y − ⟨w, x⟩ alone', response.name));
      }
    }
  }
  const { lipschitz, smoothness } = response.constantsOn(2);
  return {
    name: response.name,
    value: (r) => response.value(0, r),
    derivative: (r) => -response.derivative(0, r),
    secondDerivative: (r) => response.secondDerivative(0, r),
    lipschitz,
    smoothness,
    kinks: response.kinked ? [0] : [],
  };
}

function isLoss(loss: unknown): loss is object {
  if (loss === null || typeof loss !== 'object') return false;
  const { value, derivative } = loss as { readonly value?: unknown; readonly derivative?: unknown };
  return typeof value === 'function' && typeof derivative === 'function';
}

/**
 * For a smooth loss: the least spread of the margins at a w of which nothing is known yet, and how much more than its
 * forecast the noise of the slope counts. The best model under such a loss has margins of a few units, where the loss
 * levels off. Both are chosen on the Adult benchmark (docs/generalized-linear.md).
 */
const SMOOTH = { leastSpread: 2.4, noiseFactors: [0, 10, 10] };

/** What stands for f′: f′ itself where it is a straight line; for a smooth loss, a fit over margins of a few units. */
export function fitOf(
  parameters: MarginParameters,
  query: MarginQuery,
  loss: MarginLoss,
  radius: number,
): Pick<CorrectedRiskQuery, 'coefficients' | 'leastSpread' | 'noiseFactors'> {
  const { degree = 'automatic', coefficients } = query;
  if (coefficients !== undefined || (channelOf(parameters).serving?.(query).server ?? 'newton') !== 'newton') return {};
  const line = parameters.degree > 0 && degree !== 0 ? straightSlope(loss, radius) : undefined;
  if (line !== undefined) return { coefficients: line };
  return loss.kinks.length === 0 ? SMOOTH : {};
}

/** A question to the moments in a tally. */
export interface FitQuery extends CorrectedRiskQuery {
  /** The place of a coordinate that is nearly the same positive number for every record; absent if none is known. */
  readonly intercept?: number | undefined;
  /** Public seed of the server's coins. Default: the parameters' digest. */
  readonly seed?: string | undefined;
}

/**
 * The model that minimises the risk in the ball, from the moments in a tally of these parameters. Where the query leaves
 * the fit open, the loss has a kink, the noise is normal and there are at most 128 coordinates, the better of two models: see `minimizeComparedRisk`.
 *
 * @throws TypeError or RangeError naming the field.
 */
export function fitMoments(parameters: MarginParameters, moments: CorrectedMoments, query: FitQuery): CorrectedRisk {
  const { loss, radius = 1, intercept, seed = parameters.digest } = query;
  if (intercept !== undefined) checkInteger('intercept', intercept, 0, parameters.dimension - 1);
  if (!isOpen(parameters, query)) return minimizeCorrectedRisk(moments, query);
  return minimizeComparedRisk(moments, { loss, radius, intercept, quiet: isQuiet(moments, radius, loss) }, seed);
}

/** The most coordinates of a model of classes: its laws cost p³ each, seconds in all. Beyond, the polynomial stays. */
const MOST_COORDINATES = 128;

function isOpen(parameters: MarginParameters, query: FitQuery): boolean {
  if (parameters.dimension > MOST_COORDINATES) return false;
  const { loss, degree = 'automatic', ridge = 'automatic', coefficients, semidefinite = true } = query;
  const open = degree === 'automatic' && ridge === 'automatic' && coefficients === undefined && semidefinite;
  return open && channelOf(parameters).normalNoise === true && parameters.degree >= 1 && loss.kinks.length > 0;
}

/** What is public before the collection. */
export interface DegreeQuestion {
  /** n, the number of players expected. */
  readonly players: number;
  /** p. */
  readonly dimension: number;
  /** ε of one report. */
  readonly epsilon: number;
  /** R: the constraint is ‖w‖ ≤ R. */
  readonly radius: number;
  /** The loss f of the margin. */
  readonly loss: MarginLoss;
}

/** The largest degree that is planned: the powers are then at most 7. */
const MOST = 6;

/** The most numbers in all powers together: a tally of 64 kB, and moments that a server handles in milliseconds. */
const MOST_NUMBERS = 8192;

/** By how much noise may raise the error of the polynomial: six in a hundred of what its degree leaves as bias. */
const NOISE_SHARE = 0.06;

/**
 * The degree to collect for, from public numbers: the largest one at which noise raises the error of the polynomial by
 * at most 6 %. A power more then costs next to nothing and removes bias, which no number of players removes.
 *
 * The error is that of the noise-aware fit on [−R, R] with margins equally likely everywhere, J = d + 1 powers with
 * equal shares, and noise that counts p times (see `minimizeCrossedRisk`, at the cautious end). It is compared with the
 * error of the same fit without noise.
 *
 * @returns 1, …, 6.
 * @throws TypeError or RangeError naming the field.
 */
export function plannedDegree(question: DegreeQuestion): number {
  const { loss } = question;
  const players = checkPositive('players', question.players);
  const dimension = checkInteger('dimension', question.dimension, 1);
  const epsilon = checkPositive('epsilon', question.epsilon);
  const radius = checkPositive('radius', question.radius);
  let degree = 1;
  for (let next = 2; next <= MOST; next++) {
    const size = liftSize(dimension, next + 1);
    if (size > MOST_NUMBERS) break;
    const { coordinateVariance } = privUnitG({ epsilon, dimension: size + 1 });
    const variance = (coordinateVariance * (next + 1)) / players;
    if (raisedBy(variance, { dimension, radius, loss, degree: next }) > NOISE_SHARE) break;
    degree = next;
  }
  return degree;
}

/** What a polynomial is fitted to. */
interface FitSetting {
  readonly dimension: number;
  readonly radius: number;
  readonly loss: MarginLoss;
  readonly degree: number;
}

/** By what share of itself noise of this variance, on every entry of all powers, raises the error of the polynomial. */
function raisedBy(variance: number, { dimension, radius, loss, degree }: FitSetting): number {
  const error = (price: number): number => {
    const noise = Float64Array.from(
      { length: degree + 1 },
      (_, k) => price * variance * liftedNoiseNorm(dimension, k, radius),
    );
    return noiseAwareFit({ target: loss.derivative, degree, lower: -radius, upper: radius, noise }).objective;
  };
  return error(dimension) / error(0) - 1;
}

/** Fewer players than planned may have answered: twice the share is still taken for the plan's noise. */
const SLACK = 2;

/**
 * Whether the noise of moments is as small as that of a planned degree: then the margins of a model can be seen. Shares
 * of the powers do not matter, only what all of them together tell.
 */
export function isQuiet({ lift, noise }: CorrectedMoments, radius: number, loss: MarginLoss): boolean {
  const { dimension, degree: powers } = lift;
  let told = 0;
  for (let j = 0; j < powers; j++) told += 1 / noise[j];
  return raisedBy(powers / told, { dimension, radius, loss, degree: powers - 1 }) <= SLACK * NOISE_SHARE;
}

/**
 * Variant, degree and shares of the powers where the caller leaves them open. From degree 2 on a report carries one
 * power, so that a high degree costs a player little: four parts go to the first power, which every gradient starts
 * from, one part to the second, which a server denoises, and two to each later one.
 *
 * @throws TypeError or RangeError naming the field.
 */
export function plannedCollection(question: DegreeQuestion): {
  readonly variant: 'lifted' | 'sampled';
  readonly degree: number;
  readonly shares?: readonly number[];
} {
  const degree = plannedDegree(question);
  if (degree === 1) return { variant: 'lifted', degree };
  return { variant: 'sampled', degree, shares: Array.from({ length: degree + 1 }, (_, j) => [4, 1][j] ?? 2) };
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
  const regression = 'task' in parameters && parameters.task === 'regression';
  const lawAt = (w: Float64Array, radius: number): MarginLaw => {
    // The residual is √2·⟨(−w, 1), z⟩.
    const factor = regression ? Math.SQRT2 : 1;
    const u = regression ? Float64Array.of(...w.map((entry) => -entry), 1) : w;
    const norm = sqrt(innerProduct(u, u));
    const mean = innerProduct(moments.values.subarray(0, p), u);
    const second = matrix === undefined ? norm ** 2 / p : 2 * quadraticValue(new Float64Array(p), matrix, u);
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

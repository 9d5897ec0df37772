import {
  checkBoolean,
  checkInteger,
  checkNormBound,
  checkPositive,
  checkWord,
  RefusedValue,
} from '../../src/check/refusal.ts';
import { checkGrade, type Grade } from '../../src/core/request.ts';
import { constantsOn, huberHingeLoss, type MarginLoss, squaredHingeLoss } from '../../src/risk/margin-loss.ts';
import { logisticLoss } from '../../src/risk/named-loss.ts';
import { HUBER_THRESHOLD, huberScoreBound, MALLOWS_CURVATURE } from '../../src/risk/response-loss.ts';
import { checkInBall } from '../user-level-mean/course.ts';
import { checkEpsilon } from '../user-level-mean/shape.ts';
import type { VectorRequest } from '../user-level-mean/vector/vector.ts';

const { min } = Math;

export const LOSSES = ['logistic', 'squared-hinge', 'huber-hinge', 'squared', 'huber'] as const;

/**
 * Losses whose gradient is bounded and Lipschitz. Losses of a margin, for labels: `logistic`, `squared-hinge`,
 * `huber-hinge`. Losses of a response: `squared` for features in a ball and responses in [−1, 1], and `huber` with
 * Mallows weights for any numbers.
 */
export type ErmLoss = (typeof LOSSES)[number];

/** The objective whose gradient players compute. Plain data. */
export interface Objective
  extends Required<Pick<ErmRequest, 'loss' | 'dimension' | 'radius' | 'featureBound' | 'threshold' | 'scale'>> {
  /** The largest response that is accepted. */
  readonly responseBound: number;
  /** B: the gradient of the loss of one record has at most this ℓ₂ norm. */
  readonly gradientBound: number;
  /** τ₂: a Lipschitz constant of the gradient of the loss of one record. */
  readonly smoothness: number;
}

/** The losses of a margin, by name; the others are losses of a response. */
export const MARGIN_LOSSES: { readonly [loss in ErmLoss]?: MarginLoss } = {
  logistic: logisticLoss(),
  'squared-hinge': squaredHingeLoss(),
  'huber-hinge': huberHingeLoss(),
};

/** T is never larger. */
export const MOST_ITERATIONS = 10_000;

/** The largest number that `huber` accepts: its square is still a double. */
export const LARGEST = 1e150;

/** Features that were divided by their own norm may exceed the bound by rounding; nothing beyond that is accepted. */
export const TOLERANCE: number = 1 + 1e-12;

/**
 * The objective of a request, with the bounds that hold for every record.
 * @theorem slides Empirical Risk Minimization
 */
export function objectiveOf(
  request: Pick<ErmRequest, 'loss' | 'radius' | 'featureBound' | 'threshold' | 'scale'>,
  dimension: number,
): Objective {
  const loss = checkWord('loss', request.loss, LOSSES);
  const radius = checkPositive('radius', request.radius);
  const robust = loss === 'huber';
  for (const name of robust ? (['featureBound'] as const) : (['threshold', 'scale'] as const)) {
    if (request[name] !== undefined) throw new RefusedValue(name, `nothing for the loss ${loss}`, request[name]);
  }
  const featureBound = robust ? LARGEST : checkNormBound('featureBound', request.featureBound ?? 1);
  const threshold = checkPositive('threshold', request.threshold ?? HUBER_THRESHOLD);
  const scale = checkPositive('scale', request.scale ?? 1);
  const responseBound = robust ? LARGEST : 1;
  const made = { loss, dimension, radius, featureBound, responseBound, threshold, scale };
  if (robust) {
    const gradientBound = usable('threshold', threshold, huberScoreBound(threshold));
    return { ...made, gradientBound, smoothness: MALLOWS_CURVATURE / scale };
  }
  const margin = MARGIN_LOSSES[loss];
  const range = radius * featureBound;
  // Margins stay within R·F, and so do predictions: a residual of the squared loss stays within R·F + 1.
  const { lipschitz, smoothness } =
    margin === undefined ? { lipschitz: range + 1, smoothness: 1 } : constantsOn(margin, range);
  const [name, given] =
    request.featureBound === undefined ? (['radius', radius] as const) : (['featureBound', featureBound] as const);
  const gradientBound = usable(name, given, lipschitz * featureBound);
  return { ...made, gradientBound, smoothness: smoothness * featureBound * featureBound };
}

/** The bound on gradients that follows from a field of the request; beyond 10^±100 its square is no double. */
function usable(name: string, given: number, bound: number): number {
  if (bound >= 1e-100 && bound < 1e100) return bound;
  throw new RefusedValue(name, 'one with a bound on gradients from 1e-100 to 1e100', given);
}

/** Refuses an iterate of another length, with an entry that is not finite, or beyond the ball of radius R. */
export function checkIterate({ dimension, radius }: Objective, theta: Float64Array): void {
  if (theta.length !== dimension) throw new RefusedValue('theta', `${dimension} numbers`, theta.length);
  checkInBall('theta', theta, radius);
}

/** The fields of a request for a plan, as plain data. */
export interface ErmRequest {
  /** ε > 0 of one player's transcript over all rounds. */
  readonly epsilon: number;
  /** δ of one player's transcript; only with `samePlayers`, which is then accounted for as Gaussian. */
  readonly delta?: number;
  /** n, the expected number of players: rounds are designed for it, and the theorem's condition is checked with it. */
  readonly players: number;
  /** m, the nominal number of records of a player. The guarantee does not depend on it. */
  readonly samples: number;
  /** d ≥ 1, the number of features. */
  readonly dimension: number;
  /** The loss of a record. */
  readonly loss: ErmLoss;
  /** F: ‖x‖₂ ≤ F, from 1e-100 on; 1 by default. `huber` accepts any features and has no F. */
  readonly featureBound?: number;
  /** c of `huber`; 1.345 by default. */
  readonly threshold?: number;
  /** σ of `huber`; 1 by default. */
  readonly scale?: number;
  /** R: the model is sought in the ball of this radius. */
  readonly radius: number;
  /** τ₁ > 0, public: the risk is τ₁-strongly convex in the region of the iterates. */
  readonly strongConvexity: number;
  /** τ₂ ≥ τ₁, public: the risk is τ₂-smooth; by default a value that holds for all records. */
  readonly smoothness?: number;
  /** η; ½·min(1/τ₂, 1) by default, at most 1/τ₂. */
  readonly step?: number;
  /** T ≥ 1; by default just enough to bring the start as near as the noise allows, O(log n). */
  readonly iterations?: number;
  /** s, if it is public: standard deviation of a coordinate of a record's gradient, averaged over coordinates. */
  readonly spread?: number;
  /** Whether the same players answer in all rounds, with the privacy budget split among the rounds; not by default. */
  readonly samePlayers?: boolean;
  /** Whether a gradient is searched for around its prediction from the gradient before; true by default. */
  readonly predict?: boolean;
  /** Public seed of the rotation; any text. */
  readonly seed?: string;
  /** The kind of noise; `simulation` by default. Reports are finite, so both grades have the same law. */
  readonly grade?: Grade;
  /** Makes a plan even if there are fewer players than the theorem requires. */
  readonly force?: boolean;
  /** How gradients are estimated; by signs by default. */
  readonly gradients?: 'signs';
}

/** A request for gradients of two rounds each, as in the slides: players are fresh, and nothing is predicted. */
export interface TwoRoundErmRequest extends Omit<ErmRequest, 'gradients' | 'delta' | 'samePlayers' | 'predict'> {
  readonly gradients: 'two-round';
  /** s, which is required: the bins are designed for it before anybody answers. */
  readonly spread: number;
}

/** The numbers that every request and every plan has. */
export type CheckedFields = Pick<ErmRequest, 'epsilon' | 'players' | 'samples' | 'dimension'>;

export interface CheckedRequest {
  readonly fields: CheckedFields;
  readonly grade: Grade;
  readonly objective: Objective;
  /** τ₁, τ₂ and η. */
  readonly shape: Required<Pick<ErmRequest, 'strongConvexity' | 'smoothness' | 'step'>>;
  /** T, if it was requested. */
  readonly asked: Pick<ErmRequest, 'iterations'>;
  /** The numbers in the condition on the number of players, and whether the condition is waived. */
  readonly condition: CheckedFields &
    Pick<ErmRequest, 'strongConvexity' | 'radius'> &
    Pick<Objective, 'gradientBound'> &
    Required<Pick<ErmRequest, 'force'>>;
}

/** Checks the fields that are common to requests of both kinds of gradients. */
export function checked(request: ErmRequest | TwoRoundErmRequest): CheckedRequest {
  const { force = false } = request;
  const grade = checkGrade(request.grade, 'descent', true);
  const players = checkInteger('players', request.players, 1, 2 ** 40);
  const samples = checkInteger('samples', request.samples, 1, 2 ** 40);
  const dimension = checkInteger('dimension', request.dimension, 1, 2 ** 20);
  checkBoolean('force', force);
  const objective = objectiveOf(request, dimension);
  const shape = stepOf(request, objective);
  const epsilon = checkEpsilon(request.epsilon);
  const asked =
    request.iterations === undefined
      ? {}
      : { iterations: checkInteger('iterations', request.iterations, 1, MOST_ITERATIONS) };
  const { gradientBound, radius } = objective;
  const { strongConvexity } = shape;
  const fields = { epsilon, players, samples, dimension };
  const condition = { ...fields, gradientBound, strongConvexity, radius, force };
  return { fields, grade, objective, shape, asked, condition };
}

/** τ₁, τ₂ and η ≤ ½·min(1/τ₂, 1), the theorem's rule, unless another η was requested. */
function stepOf(request: ErmRequest | TwoRoundErmRequest, objective: Objective): CheckedRequest['shape'] {
  const smoothness = checkPositive('smoothness', request.smoothness ?? objective.smoothness);
  const strongConvexity = checkPositive('strongConvexity', request.strongConvexity);
  if (strongConvexity > smoothness) {
    throw new RefusedValue('strongConvexity', `at most the smoothness ${smoothness}`, strongConvexity);
  }
  const step = checkPositive('step', request.step ?? 0.5 * min(1 / smoothness, 1));
  if (step > 1 / smoothness) throw new RefusedValue('step', `at most 1/τ₂ = ${1 / smoothness}`, step);
  return { strongConvexity, smoothness, step };
}

/** The request for a mean of gradients, except its players: samples in a ball. */
export function meanRequest(
  { spread, seed }: ErmRequest | TwoRoundErmRequest,
  gradientBound: number,
): Pick<VectorRequest, 'spread' | 'seed'> & { readonly bound: number; readonly domain: 'ball' } {
  return {
    // The mean of gradients of the largest norm may exceed it by rounding.
    bound: gradientBound * (1 + 1e-9),
    domain: 'ball',
    ...(spread === undefined ? {} : { spread }),
    ...(seed === undefined ? {} : { seed }),
  };
}

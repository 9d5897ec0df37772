import { checkBoolean, checkInteger, checkPositive, refusal } from '../../src/check/number.ts';
import { RefusedValue } from '../../src/check/refusal.ts';
import { checkGrade, type Grade } from '../../src/core/digest.ts';
import { checkEpsilon } from '../user-level-mean/shape.ts';
import type { VectorRequest } from '../user-level-mean/vector/vector.ts';
import { type ErmLoss, type Objective, objectiveOf } from './objective.ts';
import { type ConditionFields, MOST_ITERATIONS } from './schedule.ts';

const { min } = Math;

/** The fields of a request for a plan, as plain data. */
export interface ErmRequest {
  /** ε > 0 of one player's transcript over all rounds. */
  readonly epsilon: number;
  /**
   * δ of one player's transcript; allowed only if the same players answer in all rounds, which is then accounted for as
   * Gaussian.
   */
  readonly delta?: number;
  /** n, the expected number of players: rounds are designed for it, and the theorem's condition is checked with it. */
  readonly players: number;
  /** m, the nominal number of records of a player. The guarantee does not depend on it. */
  readonly samples: number;
  /** d ≥ 1, the number of features. */
  readonly dimension: number;
  /** The loss of a record. */
  readonly loss: ErmLoss;
  /** F: ‖x‖₂ ≤ F; 1 by default. `huber` accepts any features and has no F. */
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

/**
 * The fields of a request for a plan in which each gradient is a mean of two rounds, as in the slides. Players are
 * fresh, and no gradient is predicted from the one before.
 */
export interface TwoRoundErmRequest extends Omit<ErmRequest, 'gradients' | 'delta' | 'samePlayers' | 'predict'> {
  readonly gradients: 'two-round';
  /** s, which is required: the bins are designed for it before anybody answers. */
  readonly spread: number;
}

/** The checked fields that every request has. */
export interface CheckedRequest {
  readonly fields: Required<Pick<ErmRequest, 'epsilon' | 'players' | 'samples' | 'dimension'>>;
  readonly grade: Grade;
  readonly objective: Objective;
  /** τ₁, τ₂ and η. */
  readonly shape: { readonly strongConvexity: number; readonly smoothness: number; readonly step: number };
  /** T, if it was requested. */
  readonly asked: { readonly iterations?: number };
  /** The numbers in the condition on the number of players, and whether the condition is waived. */
  readonly condition: ConditionFields & { readonly force: boolean };
}

/**
 * Checks the fields that are common to requests of both kinds of gradients.
 *
 * @throws TypeError or RangeError naming the field.
 */
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
  const condition = { epsilon, samples, dimension, gradientBound, strongConvexity, radius, force };
  return { fields: { epsilon, players, samples, dimension }, grade, objective, shape, asked, condition };
}

/** τ₁, τ₂ and η ≤ ½·min(1/τ₂, 1), the theorem's rule, unless another η was requested. */
function stepOf(request: ErmRequest | TwoRoundErmRequest, objective: Objective): CheckedRequest['shape'] {
  const smoothness = checkPositive('smoothness', request.smoothness ?? objective.smoothness);
  const strongConvexity = checkPositive('strongConvexity', request.strongConvexity);
  if (strongConvexity > smoothness) {
    throw new RefusedValue(refusal('strongConvexity', `at most the smoothness ${smoothness}`, strongConvexity));
  }
  const step = checkPositive('step', request.step ?? 0.5 * min(1 / smoothness, 1));
  if (step > 1 / smoothness) throw new RefusedValue(refusal('step', `at most 1/τ₂ = ${1 / smoothness}`, step));
  return { strongConvexity, smoothness, step };
}

/**
 * Refuses fewer players than the condition requires, if each of several gradients has its own players.
 *
 * @throws RangeError with the number of missing players.
 */
export function refuseShortfall(players: number, shortfall: number): void {
  if (shortfall === 0) return;
  const expected = `at least ${players + shortfall}, which √(mn) ≥ Bd²/(ε·τ₁R) and the rounds ask for (${shortfall} more; "force" plans without them)`;
  throw new RefusedValue(refusal('players', expected, players));
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

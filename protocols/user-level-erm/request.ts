import { checkInteger, checkPositive, refusal } from '../../src/check/number.ts';
import { checkGrade, type Grade } from '../../src/core/grade.ts';
import type { VectorRequest } from '../user-level-mean/vector/vector.ts';
import { type ErmLoss, type Objective, objectiveOf } from './objective.ts';
import { type ConditionFields, MOST_ITERATIONS } from './schedule.ts';

const { min } = Math;

/** What a plan is asked for, as plain data. */
export interface ErmRequest {
  /** ε > 0 of one player's transcript over all rounds. */
  readonly epsilon: number;
  /** δ of one player's transcript; only where the same players answer in all rounds, which is then accounted for as Gaussian. */
  readonly delta?: number;
  /** n, the number of players that are expected: rounds are designed for it, and it is held against the theorem's condition. */
  readonly players: number;
  /** m, the nominal number of records a player holds. The guarantee does not depend on it. */
  readonly samples: number;
  /** d ≥ 1, the number of features. */
  readonly dimension: number;
  /** The loss of a record. */
  readonly loss: ErmLoss;
  /** F: ‖x‖₂ ≤ F; 1 by default. `huber` takes any features and has none. */
  readonly featureBound?: number;
  /** c of `huber`; 1.345 by default. */
  readonly threshold?: number;
  /** σ of `huber`; 1 by default. */
  readonly scale?: number;
  /** R: the model is sought in the ball of this radius. */
  readonly radius: number;
  /** τ₁ > 0, public: the risk is τ₁-strongly convex where the iterates go. */
  readonly strongConvexity: number;
  /** τ₂ ≥ τ₁, public: the risk is τ₂-smooth; by default what holds for all records. */
  readonly smoothness?: number;
  /** η; ½·min(1/τ₂, 1) by default, at most 1/τ₂. */
  readonly step?: number;
  /** T ≥ 1; by default what brings the start as near as the noise lets it, O(log n). */
  readonly iterations?: number;
  /** s where it is public: standard deviation of a coordinate of a record's gradient, in the mean over coordinates. */
  readonly spread?: number;
  /** Whether the same players answer in all rounds, with the budget split; they do not by default. */
  readonly samePlayers?: boolean;
  /** Whether a gradient is looked for around what the one before it predicts; it is by default. */
  readonly predict?: boolean;
  /** Public seed of the rotation; any text. */
  readonly seed?: string;
  /** What the noise is made of (default: `simulation`). Reports are finite, so that both grades have the same law. */
  readonly grade?: Grade;
  /** Makes a plan although there are fewer players than the theorem asks for. */
  readonly force?: boolean;
  /** How a gradient is found; by signs unless asked for otherwise. */
  readonly gradients?: 'signs';
}

/**
 * What a plan is asked for whose gradients are each a mean of two rounds, as the slides have it. Players are fresh, and nothing is
 * predicted from one gradient for the next.
 */
export interface TwoRoundErmRequest extends Omit<ErmRequest, 'gradients' | 'delta' | 'samePlayers' | 'predict'> {
  readonly gradients: 'two-round';
  /** s, which has to be stated: bins are laid out for it before anybody answers. */
  readonly spread: number;
}

/** What every request has, checked. */
export interface CheckedRequest {
  readonly fields: Required<Pick<ErmRequest, 'epsilon' | 'players' | 'samples' | 'dimension'>>;
  readonly grade: Grade;
  readonly objective: Objective;
  /** τ₁, τ₂ and η. */
  readonly shape: { readonly strongConvexity: number; readonly smoothness: number; readonly step: number };
  /** T, where it was asked for. */
  readonly asked: { readonly iterations?: number };
  /** What the condition on the number of players is about, and whether it is waived. */
  readonly condition: ConditionFields & { readonly force: boolean };
}

/**
 * Checks what requests of every kind of gradients have.
 *
 * @throws TypeError or RangeError naming the field.
 */
export function checked(request: ErmRequest | TwoRoundErmRequest): CheckedRequest {
  const grade = checkGrade(request.grade, 'descent', true);
  const players = checkInteger('players', request.players, 1, 2 ** 40);
  const samples = checkInteger('samples', request.samples, 1, 2 ** 40);
  const dimension = checkInteger('dimension', request.dimension, 1, 2 ** 20);
  const force = flag('force', request.force, false);
  const objective = objectiveOf(request, dimension);
  const shape = stepOf(request, objective);
  const epsilon = checkPositive('epsilon', request.epsilon);
  if (epsilon > 500 || epsilon < 1e-6) throw new RangeError(refusal('epsilon', 'a number from 1e-6 to 500', epsilon));
  const asked =
    request.iterations === undefined
      ? {}
      : { iterations: checkInteger('iterations', request.iterations, 1, MOST_ITERATIONS) };
  const { gradientBound, radius } = objective;
  const { strongConvexity } = shape;
  const condition = { epsilon, samples, dimension, gradientBound, strongConvexity, radius, force };
  return { fields: { epsilon, players, samples, dimension }, grade, objective, shape, asked, condition };
}

/**
 * A choice that was made, or the other.
 *
 * @throws TypeError for anything but true or false.
 */
export function flag(name: string, value: unknown, otherwise: boolean): boolean {
  if (value === undefined) return otherwise;
  if (typeof value !== 'boolean') throw new TypeError(refusal(name, 'true or false', value));
  return value;
}

/** τ₁, τ₂ and η ≤ ½·min(1/τ₂, 1), the theorem's rule, unless another one was asked for. */
function stepOf(request: ErmRequest | TwoRoundErmRequest, objective: Objective): CheckedRequest['shape'] {
  const smoothness = checkPositive('smoothness', request.smoothness ?? objective.smoothness);
  const strongConvexity = checkPositive('strongConvexity', request.strongConvexity);
  if (strongConvexity > smoothness) {
    throw new RangeError(refusal('strongConvexity', `at most the smoothness ${smoothness}`, strongConvexity));
  }
  const step = checkPositive('step', request.step ?? 0.5 * min(1 / smoothness, 1));
  if (step > 1 / smoothness) throw new RangeError(refusal('step', `at most 1/τ₂ = ${1 / smoothness}`, step));
  return { strongConvexity, smoothness, step };
}

/**
 * Refuses fewer players than the condition asks for, each of so many gradients having its own.
 *
 * @throws RangeError naming how many are missing.
 */
export function refuseShortfall(players: number, shortfall: number): void {
  if (shortfall === 0) return;
  const expected = `at least ${players + shortfall}, which √(mn) ≥ Bd²/(ε·τ₁R) and the rounds ask for (${shortfall} more; "force" plans without them)`;
  throw new RangeError(refusal('players', expected, players));
}

/** What a plan of a mean of gradients is asked for besides its players: samples in a ball. */
export function meanRequest(
  { spread, seed }: ErmRequest | TwoRoundErmRequest,
  gradientBound: number,
): Pick<VectorRequest, 'spread' | 'seed'> & { readonly bound: number; readonly domain: 'ball' } {
  return {
    // The mean of gradients of the largest norm is above it by rounding.
    bound: gradientBound * (1 + 1e-9),
    domain: 'ball',
    ...(spread === undefined ? {} : { spread }),
    ...(seed === undefined ? {} : { seed }),
  };
}

import { fieldOf } from '../../src/check/datum.ts';
import { checkInteger, refusal } from '../../src/check/number.ts';
import type { Rounds } from '../../src/core/rounds.ts';
import { checkReplay, goOn } from '../../src/core/rounds.ts';
import { euclideanNorm } from '../../src/optimize/projection.ts';
import { receivedNumbers } from '../user-level-mean/scalar/received.ts';
import { checkPlace, checkRoundTally } from '../user-level-mean/scalar/round.ts';
import { checkIterate } from './objective.ts';
import type { UserLevelErmPlan } from './parameters.ts';
import type { ErmTally, FinishedErm, UserLevelErmRound } from './round.ts';
import { bySigns } from './sign-gradients.ts';
import type { Way } from './step.ts';
import { byTwoRounds } from './two-round-gradients.ts';

const { ceil } = Math;

/** What a descent comes to. */
export interface ErmEstimate {
  /** Number of reports, over all rounds. */
  readonly players: number;
  /** θ_T. */
  readonly theta: Float64Array;
  /** θ_0 … θ_T. */
  readonly iterates: readonly Float64Array[];
  /** The gradient at θ_T, as the rounds before predict it. */
  readonly gradient: Float64Array;
  /** Its standard error in ℓ₂, √E‖ĝ − g‖², that of the prediction included. */
  readonly gradientError: number;
  /** How far θ_T may be from the minimiser of a τ₁-strongly convex risk: (‖ĝ‖ + its error)/τ₁. */
  readonly distance: number;
  /** Standard deviation of a coordinate of a player's gradient, in the mean over coordinates, as the rounds that located one tell it. */
  readonly deviation: number;
}

// Each way is given its own plans and rounds only, which their digests see to and the type of a lookup does not.
const wayOf = ({ gradients }: UserLevelErmPlan): Way<UserLevelErmPlan, UserLevelErmRound> =>
  (gradients === 'signs' ? bySigns : byTwoRounds) as unknown as Way<UserLevelErmPlan, UserLevelErmRound>;

/**
 * The model after the last iteration.
 *
 * @throws RangeError for a round that is missing or empty, naming how many players are needed.
 */
function estimate(plan: UserLevelErmPlan, finished: readonly FinishedErm[]): ErmEstimate {
  if (finished.length !== plan.shares.length) {
    throw new RangeError(refusal('finished', `${plan.shares.length} rounds`, finished.length));
  }
  checkFinished(plan, finished);
  const { theta, gradient, gradientError, deviation } = wayOf(plan).step(plan, finished);
  const iterates = finished.filter(({ round }) => round.place === 0).map(({ round }) => round.theta);
  return {
    players: finished.reduce((sum, { tally }) => sum + tally.players, 0),
    theta,
    iterates: [...iterates, theta],
    gradient,
    gradientError,
    distance: (euclideanNorm(gradient) + gradientError) / plan.strongConvexity,
    deviation,
  };
}

/** The round that a device was sent, made again from its plan: the iterate and what locates the gradient are taken and checked. */
function remake(plan: UserLevelErmPlan, received: unknown): UserLevelErmRound {
  const round = checkInteger('round.round', fieldOf(received, 'round'), 0, plan.shares.length - 1);
  const theta = receivedNumbers(received, 'theta', plan.dimension);
  checkIterate(plan.objective, theta);
  return wayOf(plan).remake(plan, { round, theta }, received);
}

/**
 * What is over are rounds of this plan, each in its place and with reports.
 *
 * @throws RangeError for one that is not, or without a report, or with a group of coordinates without one in the first iteration.
 */
function checkFinished(plan: UserLevelErmPlan, finished: readonly FinishedErm[]): void {
  const way = wayOf(plan);
  const most = plan.shares.length;
  if (finished.length > most) throw new RangeError(refusal('finished', `at most ${most} rounds`, finished.length));
  finished.forEach(({ round, tally }, index) => {
    checkRoundTally(`finished[${index}].tally`, tally, round);
    checkPlace(index, plan, round, () =>
      'signs' in round === (plan.gradients === 'signs') ? way.digest(plan, round) : 'none: it asks otherwise',
    );
    checkIterate(plan.objective, round.theta);
    if (!(tally.players >= 1)) {
      const needed = ceil(1 / plan.shares[index]);
      const expected = `at least 1 report in round ${index} (${needed} players in all)`;
      throw new RangeError(refusal(`finished[${index}].tally.players`, expected, tally.players));
    }
  });
  way.check(plan, finished);
  checkReplay(plan, finished, way.after);
}

/** From round to round of a descent, and to its estimate. */
export const rounds: Rounds<UserLevelErmPlan, UserLevelErmRound, ErmTally, ErmEstimate, undefined> = {
  // At the same θ while its gradient is being located, else at the next θ.
  ...goOn(checkFinished, (plan: UserLevelErmPlan, finished) => wayOf(plan).after(plan, finished)),
  estimate,
  remake,
  answers: ({ samePlayers, shares }) => (samePlayers ? shares.length : 1),
};

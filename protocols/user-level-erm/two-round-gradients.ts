import { fieldOf } from '../../src/check/datum.ts';
import type { FinishedVector, Located, ResidualRound } from '../user-level-mean/vector/round.ts';
import { receivedResidual, residualMean } from '../user-level-mean/vector/rounds.ts';
import { locatedByFirst } from '../user-level-mean/vector/two-round.ts';
import type { TwoRoundErmPlan } from './parameters.ts';
import { type FinishedErm, type TwoRoundErmRound, twoRoundErmRound } from './round.ts';
import { type Step, stepBy, type Way } from './step.ts';

const { sqrt } = Math;

type Over = FinishedErm<TwoRoundErmRound>;

/** What a round and its reports are to the plan of the mean. */
const meanOf = ({ round, tally }: Over): FinishedVector => ({ round: round.mean, tally });

function step(plan: TwoRoundErmPlan, finished: readonly Over[]): Step {
  const last = finished[finished.length - 1];
  const { tally } = last;
  const { mean, standardError, deviation } = residualMean(plan.gradient, last.round.mean as ResidualRound, tally);
  const error = standardError[0] * sqrt(plan.dimension);
  return { ...stepBy(plan, last.round.theta, { gradient: mean, error }), deviation: deviation[0] };
}

function after(plan: TwoRoundErmPlan, finished: readonly Over[]): TwoRoundErmRound | undefined {
  const round = finished.length;
  if (round === 0) return twoRoundErmRound(plan, { round, theta: new Float64Array(plan.dimension) });
  const last = finished[round - 1];
  if (last.round.place === 0) {
    const { theta } = last.round;
    return twoRoundErmRound(plan, { round, theta }, locatedByFirst(plan.gradient, meanOf(last)));
  }
  if (round === plan.shares.length) return undefined;
  return twoRoundErmRound(plan, { round, theta: step(plan, finished).theta });
}

function digest(plan: TwoRoundErmPlan, { round, theta, mean }: TwoRoundErmRound): string {
  if (round % 2 === 0) return twoRoundErmRound(plan, { round, theta }).digest;
  return mean.kind === 'residual'
    ? twoRoundErmRound(plan, { round, theta }, mean).digest
    : 'none: it asks for residuals';
}

function remake(
  plan: TwoRoundErmPlan,
  place: Pick<TwoRoundErmRound, 'round' | 'theta'>,
  received: unknown,
): TwoRoundErmRound {
  const located: Located | undefined =
    place.round % 2 === 0 ? undefined : receivedResidual(plan.gradient, fieldOf(received, 'mean'));
  return twoRoundErmRound(plan, place, located);
}

/**
 * Every gradient by two rounds of players of its own: a coordinate nobody was asked about has its prior.
 *
 * Source: slides of Avella Medina (2023), user-level LDP ERM.
 */
export const byTwoRounds: Way<TwoRoundErmPlan, TwoRoundErmRound> = {
  after,
  digest,
  check: () => {},
  step,
  remake,
};

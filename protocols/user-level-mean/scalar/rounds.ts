import { refusal } from '../../../src/check/number.ts';
import type { Rounds } from '../../../src/core/rounds.ts';
import { checkReplay, goOn } from '../../../src/core/rounds.ts';
import { naiveRound, noisyEstimate } from './naive.ts';
import { oneBitEstimate, oneBitRound } from './one-bit.ts';
import type { ScalarPlan } from './plan.ts';
import { printedRound } from './printed.ts';
import { remakeScalar } from './remake.ts';
import {
  checkPlace,
  checkRoundTally,
  type FinishedScalar,
  finishedRound,
  type ScalarRound,
  type ScalarTally,
  scalarRound,
} from './round.ts';
import { twoRoundEstimate, twoRoundRound } from './two-round.ts';
import type { MeanEstimate } from './types.ts';

/** The round after those that are over, undefined after the last. */
function roundAfter(plan: ScalarPlan, finished: readonly FinishedScalar[]): ScalarRound | undefined {
  switch (plan.variant) {
    case 'printed':
      return printedRound(plan, finished);
    case 'twoRound':
      return twoRoundRound(plan, finished);
    case 'oneBit':
      return oneBitRound(plan, finished);
    default:
      return finished.length === 0 ? naiveRound(plan) : undefined;
  }
}

/**
 * What all rounds say of the mean of the local means.
 *
 * @throws RangeError when a round is missing or empty, naming how many reports it needs, or as {@link checkFinished}.
 */
function estimate(plan: ScalarPlan, finished: readonly FinishedScalar[]): MeanEstimate {
  checkFinished(plan, finished);
  finishedRound(finished, roundsOf(plan) - 1, 1);
  switch (plan.variant) {
    case 'printed':
      return noisyEstimate(finished, 1);
    case 'twoRound':
      return twoRoundEstimate(plan, finished);
    case 'oneBit':
      return oneBitEstimate(plan, finished);
    default:
      return noisyEstimate(finished, 0);
  }
}

/** How many rounds a plan has. */
function roundsOf(plan: ScalarPlan): number {
  if (plan.variant === 'oneBit') return plan.shares.length;
  return plan.variant === 'printed' || plan.variant === 'twoRound' ? 2 : 1;
}

/**
 * Every round is the one of its place in this plan, with its own reports, and somebody answered.
 *
 * @throws RangeError when a round brought no report, is not the one of its place, or its tally is one of another round.
 */
function checkFinished(plan: ScalarPlan, finished: readonly FinishedScalar[]): void {
  const most = roundsOf(plan);
  if (finished.length > most) throw new RangeError(refusal('finished', `at most ${most} rounds`, finished.length));
  finished.forEach(({ round, tally }, i) => {
    checkRoundTally(`finished[${i}].tally`, tally, round);
    checkPlace(i, plan, round, () => scalarRound(plan, round, round.question).digest);
    finishedRound(finished, i, 1);
  });
  checkReplay(plan, finished, roundAfter);
}

/** From round to round of a scalar plan, and to the estimate. */
export const scalarRounds: Rounds<ScalarPlan, ScalarRound, ScalarTally, MeanEstimate, undefined> = {
  ...goOn(checkFinished, roundAfter),
  estimate,
  remake: remakeScalar,
  answers: (plan) => (plan.variant === 'printed' || (plan.variant === 'twoRound' && plan.samePlayers) ? 2 : 1),
};

import type { Rounds } from '../rounds.ts';
import { naiveRound, noisyEstimate } from './naive.ts';
import { oneBitEstimate, oneBitRound } from './one-bit.ts';
import type { ScalarPlan } from './plan.ts';
import { printedRound } from './printed.ts';
import { checkRoundTally, type FinishedScalar, type ScalarRound, type ScalarTally } from './round.ts';
import { twoRoundEstimate, twoRoundRound } from './two-round.ts';
import type { MeanEstimate } from './types.ts';

/**
 * The round after those that are over, undefined after the last.
 *
 * @throws RangeError when a round brought no report, or its tally is one of another round.
 */
function next(plan: ScalarPlan, finished: readonly FinishedScalar[]): ScalarRound | undefined {
  finished.forEach(({ round, tally }, i) => {
    checkRoundTally(`finished[${i}].tally`, tally, round);
  });
  switch (plan.maker) {
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
 * @throws RangeError when a round that is needed is missing or empty, naming how many reports it needs.
 */
function estimate(plan: ScalarPlan, finished: readonly FinishedScalar[]): MeanEstimate {
  switch (plan.maker) {
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

/** From round to round of a scalar plan, and to the estimate. */
export const scalarRounds: Rounds<ScalarPlan, ScalarRound, ScalarTally, MeanEstimate, undefined> = {
  first: (plan) => next(plan, []) as ScalarRound,
  next,
  estimate,
};

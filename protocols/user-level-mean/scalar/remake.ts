import { fieldOf } from '../../../src/check/datum.ts';
import { checkFinite, checkInteger, checkWord, refusal } from '../../../src/check/number.ts';
import type { LocatedInterval } from './interval.ts';
import { naiveRound } from './naive.ts';
import { oneBitLater, oneBitRound } from './one-bit.ts';
import type { ScalarPlan } from './plan.ts';
import { printedFinal, printedRound } from './printed.ts';
import type { ScalarRound } from './round.ts';
import { twoRoundFinal, twoRoundRound } from './two-round.ts';

/**
 * The round of a scalar plan that a device was sent, made again from the plan: of what was received, its number, its role and the
 * ends of its interval are taken.
 *
 * @throws TypeError or RangeError for a round that the plan cannot ask: no such round, or ends that are not finite, in the wrong
 * order, or outside [−B, B].
 */
export function remakeScalar(plan: ScalarPlan, received: unknown): ScalarRound {
  const last =
    plan.variant === 'oneBit'
      ? plan.shares.length - 1
      : plan.variant === 'printed' || plan.variant === 'twoRound'
        ? 1
        : 0;
  const round = checkInteger('round.round', fieldOf(received, 'round'), 0, last);
  switch (plan.variant) {
    case 'printed':
      return round === 0 ? (printedRound(plan, []) as ScalarRound) : printedFinal(plan, intervalOf(plan, received));
    case 'twoRound':
      return round === 0 ? (twoRoundRound(plan, []) as ScalarRound) : twoRoundFinal(plan, intervalOf(plan, received));
    case 'oneBit': {
      if (round === 0) return oneBitRound(plan, []) as ScalarRound;
      const role = checkWord('round.role', fieldOf(received, 'role'), ['estimate', 'residual']);
      return oneBitLater(plan, { round, role }, intervalOf(plan, received, true));
    }
    default:
      return naiveRound(plan);
  }
}

/** The ends of the interval that was received; equal ones stand for one threshold, where there may be one. */
function intervalOf({ bound }: ScalarPlan, received: unknown, point: boolean = false): LocatedInterval {
  const question = fieldOf(received, 'question');
  const lower = checkFinite('round.question.lower', fieldOf(question, 'lower'));
  const upper = checkFinite('round.question.upper', fieldOf(question, 'upper'));
  // The edge of a bin may be off by the rounding of B.
  const most = bound * (1 + 2 ** -40);
  if (!(lower >= -most)) throw new RangeError(refusal('round.question.lower', `a number >= ${-bound}`, lower));
  if (!(upper <= most && (point ? upper >= lower : upper > lower))) {
    throw new RangeError(refusal('round.question.upper', `a number from ${lower} to ${bound}`, upper));
  }
  return { lower, upper };
}

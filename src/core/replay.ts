import { refusal } from '../check/number.ts';
import type { PublicParameters } from './contract.ts';
import type { FinishedRound, RoundParameters, Rounds } from './rounds.ts';

// Rounds that this program made itself, by the digest of their plan.
const own = new WeakMap<object, string>();

/**
 * `first` and `next` of a protocol in rounds: the round that `after` gives, once `check` lets pass those that are over. What is made
 * here is remembered, so that {@link checkReplay} need not make it again.
 */
export function goOn<Plan extends PublicParameters, Round extends RoundParameters, Tally>(
  check: (plan: Plan, finished: readonly FinishedRound<Round, Tally>[]) => void,
  after: (plan: Plan, finished: readonly FinishedRound<Round, Tally>[]) => Round | undefined,
): Pick<Rounds<Plan, Round, Tally, unknown, unknown>, 'first' | 'next'> {
  const next = (plan: Plan, finished: readonly FinishedRound<Round, Tally>[]): Round | undefined => {
    check(plan, finished);
    const round = after(plan, finished);
    if (round !== undefined) own.set(round, plan.digest);
    return round;
  };
  return { first: (plan) => next(plan, []) as Round, next };
}

/**
 * Refuses finished rounds that are not those which the plan and the tallies before them give. A round that was made here is known;
 * one that came from outside (a file, a server) is made again by `next`, from the rounds before it, and compared by its digest. That
 * the digest is the one of what the round says is for the caller to check.
 *
 * @throws RangeError naming the round.
 */
export function checkReplay<Plan extends PublicParameters, Round extends RoundParameters, Tally>(
  plan: Plan,
  finished: readonly FinishedRound<Round, Tally>[],
  next: (plan: Plan, finished: readonly FinishedRound<Round, Tally>[]) => Round | undefined,
): void {
  finished.forEach(({ round }, i) => {
    if (own.get(round) === plan.digest) return;
    const expected = next(plan, finished.slice(0, i))?.digest ?? 'none: the plan is over';
    if (round.digest !== expected) {
      throw new RangeError(
        refusal(
          `finished[${i}].round.digest`,
          `that of the round which plan and tallies give, ${expected}`,
          round.digest,
        ),
      );
    }
    own.set(round, plan.digest);
  });
}

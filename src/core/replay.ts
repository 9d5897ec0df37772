import { refusal } from '../check/number.ts';
import type { PublicParameters } from './contract.ts';
import type { FinishedRound, RoundParameters } from './rounds.ts';

// Rounds that this program made itself, by the digest of their plan.
const own = new WeakMap<object, string>();

/** Remembers a round as one that was made here from the plan; it comes back as it is. */
export function madeHere<Round extends RoundParameters>(plan: PublicParameters, round: Round): Round {
  own.set(round, plan.digest);
  return round;
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

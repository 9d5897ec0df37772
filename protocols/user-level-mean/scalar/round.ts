import { refusal } from '../../../src/check/number.ts';
import type { PublicParameters } from '../../../src/core/contract.ts';
import { digestOf, type Json } from '../../../src/core/digest.ts';
import type { Precision } from '../../../src/core/frame.ts';
import type { FinishedRound, RoundParameters } from '../../../src/core/rounds.ts';
import type { ScalarPlan } from './plan.ts';
import { type Question, shapeOf, sumsOf } from './question.ts';
import type { UserLevelRound } from './types.ts';

/** One round of a scalar plan: what its players are asked. */
export interface ScalarRound extends UserLevelRound {
  readonly variant: ScalarPlan['variant'];
  /** What the bits of this round are for: to find the mean roughly, to estimate it, or to estimate it whatever their law. */
  readonly role: 'pilot' | 'estimate' | 'residual';
  /** What is asked. */
  readonly question: Question;
  /** Numbers in a report. */
  readonly length: number;
  /** How the numbers travel. */
  readonly precision: Precision;
}

/** What a server keeps of a round: sums, of counts of outputs or of noisy values and their squares. */
export interface ScalarTally {
  /** Digest of the round whose reports it takes. */
  readonly digest: string;
  /** Number of reports. */
  players: number;
  /** See `Question`: counts of every output, or Σ and Σ of squares. */
  readonly sums: Float64Array;
}

/** A round that is over. */
export type FinishedScalar = FinishedRound<ScalarRound, ScalarTally>;

/** A round of a plan. `repeats`: those who answered before answer again, which the plan's budget has to pay for. */
export function scalarRound(
  plan: ScalarPlan,
  place: {
    readonly round: number;
    readonly share: number;
    readonly role: ScalarRound['role'];
    readonly repeats?: boolean;
  },
  question: Question,
): ScalarRound {
  const { protocol, variant, version, grade, bound, dimension } = plan;
  const { round, share, role, repeats = false } = place;
  const digest = digestOf({ plan: plan.digest, round, share, role, repeats, ...spelled(question) });
  const again = repeats ? { repeats: true as const } : {};
  const shape = shapeOf(question);
  return {
    protocol,
    variant,
    version,
    digest,
    grade,
    bound,
    dimension,
    round,
    share,
    role,
    question,
    ...shape,
    ...again,
  };
}

// What tells questions of one round of one plan apart.
function spelled(question: Question): { readonly [name: string]: Json } {
  const { kind, lower, upper } = question;
  if (kind === 'sign') return { kind, lower, upper, cells: question.cells, keep: question.coin.keep };
  if (kind === 'noisy') return { kind, lower, upper, sigma: question.sigma };
  const { name, categories, epsilon } = question.mechanism;
  return { kind, lower, upper, name, categories, epsilon };
}

/** The tally of no reports. */
export function emptyScalarTally({ digest, question }: ScalarRound): ScalarTally {
  return { digest, players: 0, sums: new Float64Array(sumsOf(question)) };
}

/**
 * Refuses a tally of reports of another round or plan.
 *
 * @throws RangeError.
 */
export function checkRoundTally(name: string, tally: { readonly digest: string }, { digest }: PublicParameters): void {
  if (tally.digest !== digest) {
    throw new RangeError(refusal(`${name}.digest`, `the digest of this round, ${digest}`, tally.digest));
  }
}

/**
 * Refuses a round that is not the one of this place in this plan: `digest` finds what the round's own question would be bound
 * by, had this plan asked it.
 *
 * @throws RangeError.
 */
export function checkPlace(
  index: number,
  { protocol, variant }: PublicParameters,
  round: RoundParameters,
  digest: () => string,
): void {
  const name = `finished[${index}].round`;
  if (round.round !== index) throw new RangeError(refusal(`${name}.round`, `${index}`, round.round));
  if (round.protocol !== protocol || round.variant !== variant) {
    const found = `${round.protocol}, ${round.variant}`;
    throw new RangeError(refusal(name, `a round of ${protocol}, ${variant}`, found));
  }
  const expected = digest();
  if (round.digest !== expected) {
    throw new RangeError(refusal(`${name}.digest`, `that of a round of this plan, ${expected}`, round.digest));
  }
}

/**
 * The last of the finished rounds with so many reports as are needed.
 *
 * @throws RangeError naming the number, when the round is missing or has fewer.
 */
export function finishedRound(finished: readonly FinishedScalar[], round: number, needed: number): FinishedScalar {
  const over = finished[round];
  if (over === undefined) throw new RangeError(refusal('finished', `round ${round} to be over`, finished.length));
  checkRoundTally(`finished[${round}].tally`, over.tally, over.round);
  if (over.tally.players < needed) {
    throw new RangeError(
      refusal(`finished[${round}].tally.players`, `at least ${needed} reports in this group`, over.tally.players),
    );
  }
  return over;
}

/** Number of reports, over all rounds. */
export function reportsOf(finished: readonly FinishedScalar[]): number {
  return finished.reduce((sum, { tally }) => sum + tally.players, 0);
}

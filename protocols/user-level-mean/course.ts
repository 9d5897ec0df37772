import { entryOf, fieldOf, lengthOf } from '../../src/check/datum.ts';
import { checkFinite, checkInteger, refusal } from '../../src/check/number.ts';
import type { PublicParameters } from '../../src/core/contract.ts';
import type { FinishedRound, RoundParameters, Rounds } from '../../src/core/rounds.ts';
import { checkReplay, goOn } from '../../src/core/rounds.ts';
import type { Guarantee } from '../../src/privacy/guarantee.ts';
import type { Release } from '../../src/privacy/totals.ts';
import type { MeanEstimate, MeanTally, UserLevelFamily, UserLevelPlan } from './shape.ts';

const { abs, ceil } = Math;

/** A round that is over. */
export type Over<Round extends RoundParameters> = FinishedRound<Round, MeanTally>;

/** How the plans of one variant go on from round to round: what {@link roundsBy} makes the rounds of a protocol from. */
export interface Course<Plan extends PublicParameters, Round extends RoundParameters, Estimate> {
  /** How many rounds a plan has. */
  rounds(plan: Plan): number;
  /** In how many of them one player answers. */
  answers(plan: Plan): number;
  /** The round after those that are over, which are checked; undefined after the last. */
  after(plan: Plan, finished: readonly Over<Round>[]): Round | undefined;
  /**
   * The round of this index, made from the plan and the public numbers of what was received, checked.
   *
   * @throws TypeError or RangeError for a round that the plan cannot ask.
   */
  remake(plan: Plan, index: number, received: unknown): Round;
  /**
   * Refuses reports that do not tell what the next round, or the estimate, has to know.
   *
   * @throws RangeError.
   */
  check?(plan: Plan, finished: readonly Over<Round>[]): void;
  /** What all rounds say, which are over and checked. */
  finish(plan: Plan, finished: readonly Over<Round>[]): Estimate;
}

/** The rounds of a protocol: every plan takes the course of its variant, and finished rounds are held against it. */
export function roundsBy<Plan extends PublicParameters, Round extends RoundParameters, Estimate>(
  courseOf: (plan: Plan) => Course<Plan, Round, Estimate>,
): Rounds<Plan, Round, MeanTally, Estimate, undefined> {
  const after = (plan: Plan, finished: readonly Over<Round>[]): Round | undefined =>
    courseOf(plan).after(plan, finished);
  // What is over are rounds of this plan, each in its place and with reports of its own.
  const check = (plan: Plan, finished: readonly Over<Round>[]): void => {
    const course = courseOf(plan);
    const most = course.rounds(plan);
    if (finished.length > most) throw new RangeError(refusal('finished', `at most ${most} rounds`, finished.length));
    for (const [index, over] of finished.entries()) checkPlace(course, plan, index, over);
    course.check?.(plan, finished);
    checkReplay(plan, finished, after);
  };
  return {
    ...goOn(check, after),
    estimate(plan, finished) {
      const course = courseOf(plan);
      const count = course.rounds(plan);
      if (finished.length < count) throw new RangeError(refusal('finished', `${count} rounds`, finished.length));
      check(plan, finished);
      return course.finish(plan, finished);
    },
    remake(plan, received) {
      const course = courseOf(plan);
      const index = checkInteger('round.round', fieldOf(received, 'round'), 0, course.rounds(plan) - 1);
      return course.remake(plan, index, received);
    },
    answers: (plan) => courseOf(plan).answers(plan),
  };
}

/** Refuses what is not the round of this place in this plan, or nobody answered. */
function checkPlace<Plan extends PublicParameters, Round extends RoundParameters, Estimate>(
  course: Course<Plan, Round, Estimate>,
  plan: Plan,
  index: number,
  { round, tally }: Over<Round>,
): void {
  const name = `finished[${index}]`;
  checkTally(`${name}.tally`, tally, round);
  if (round.round !== index) throw new RangeError(refusal(`${name}.round.round`, `${index}`, round.round));
  if (round.protocol !== plan.protocol || round.variant !== plan.variant) {
    const found = `${round.protocol}, ${round.variant}`;
    throw new RangeError(refusal(`${name}.round`, `a round of ${plan.protocol}, ${plan.variant}`, found));
  }
  const expected = digestOf(course, plan, index, round);
  if (round.digest !== expected) {
    throw new RangeError(refusal(`${name}.round.digest`, `that of a round of this plan, ${expected}`, round.digest));
  }
  if (!(tally.players >= 1)) {
    const needed = `at least 1 report in round ${index} (${ceil(1 / round.share)} players in all)`;
    throw new RangeError(refusal(`${name}.tally.players`, needed, tally.players));
  }
}

/** The digest of what the plan makes of a round's own public numbers. */
function digestOf<Plan extends PublicParameters, Round extends RoundParameters, Estimate>(
  course: Course<Plan, Round, Estimate>,
  plan: Plan,
  index: number,
  round: Round,
): string {
  try {
    return course.remake(plan, index, round).digest;
  } catch (error) {
    // What the plan cannot ask is refused by these.
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
    return 'none: it asks otherwise';
  }
}

/**
 * Refuses a tally of reports of another round or plan.
 *
 * @throws RangeError.
 */
export function checkTally(name: string, tally: { readonly digest: string }, { digest }: PublicParameters): void {
  if (tally.digest !== digest) {
    throw new RangeError(refusal(`${name}.digest`, `the digest of this round, ${digest}`, tally.digest));
  }
}

/** Two rounds: one finds where the mean is, and the other asks there. */
export interface Pair<Plan, Round extends RoundParameters, Located> {
  /** The first round, which is the plan's alone. */
  pilot(plan: Plan): Round;
  /** What the first has found. */
  locate(plan: Plan, pilot: Over<Round>): Located;
  /** The same from what a device was sent, checked. */
  read(plan: Plan, received: unknown): Located;
  /** The second round. */
  final(plan: Plan, located: Located): Round;
}

/** The variant whose rounds are a pair, and of which everything else is given. */
export function pairVariant<Request, Plan extends UserLevelPlan, Round extends RoundParameters, Located>(
  { pilot, locate, read, final }: Pair<Plan, Round, Located>,
  rest: Omit<Variant<Request, Plan, Round>, 'rounds' | 'after' | 'remake'>,
): Variant<Request, Plan, Round> {
  return {
    ...rest,
    rounds: () => 2,
    after(plan, finished) {
      if (finished.length > 1) return undefined;
      return finished.length === 0 ? pilot(plan) : final(plan, locate(plan, finished[0]));
    },
    remake: (plan, index, received) => (index === 0 ? pilot(plan) : final(plan, read(plan, received))),
  };
}

/** Number of reports, over all rounds. */
export function reportsOf(finished: readonly { readonly tally: MeanTally }[]): number {
  return finished.reduce((sum, { tally }) => sum + tally.players, 0);
}

/** Largest absolute value of a number that a device is sent: its square, and many of them, are doubles. */
export const LARGEST_SENT = 1e120;

/**
 * A finite number of at most {@link LARGEST_SENT} that a server sent.
 *
 * @throws TypeError or RangeError.
 */
export function checkMagnitude(name: string, value: unknown): number {
  const number = checkFinite(name, value);
  if (!(abs(number) <= LARGEST_SENT)) throw new RangeError(refusal(name, `a number within ±${LARGEST_SENT}`, number));
  return number;
}

/**
 * So many numbers in a field of a round that a server sent, copied.
 *
 * @throws TypeError or RangeError for another number of them, or one that is not finite or too large.
 */
export function receivedNumbers(round: unknown, name: string, count: number): Float64Array {
  const sent = fieldOf(round, name);
  const length = lengthOf(sent);
  if (length !== count) throw new RangeError(refusal(`round.${name}`, `${count} numbers`, length));
  return Float64Array.from({ length: count }, (_, i) => checkMagnitude(`round.${name}[${i}]`, entryOf(sent, i)));
}

/**
 * The ends of an interval that a server sent, within ±bound up to rounding; equal ones stand for a `point`, where there may be one.
 *
 * @throws TypeError or RangeError.
 */
export function receivedInterval(
  name: string,
  question: unknown,
  bound: number,
  point: boolean = false,
): { readonly lower: number; readonly upper: number } {
  const lower = checkFinite(`${name}.lower`, fieldOf(question, 'lower'));
  const upper = checkFinite(`${name}.upper`, fieldOf(question, 'upper'));
  // The edge of a bin may be off by the rounding of the range.
  const most = bound * (1 + 2 ** -40);
  if (!(lower >= -most)) throw new RangeError(refusal(`${name}.lower`, `a number >= ${-bound}`, lower));
  if (!(upper <= most && (point ? upper >= lower : upper > lower))) {
    throw new RangeError(refusal(`${name}.upper`, `a number from ${lower} to ${bound}`, upper));
  }
  return { lower, upper };
}

/** The error to expect of a plan, in the unit of the samples. */
export interface ExpectedError {
  /** Root mean squared ℓ₂ error. */
  readonly error: number;
  /** The part of it that no number of players removes. */
  readonly floor: number;
}

/**
 * One way to the mean, bound to no plan: what it makes of a request, how its rounds go on and what they say, what is claimed, and
 * what is to be expected. A variant of the protocol is one such object in the table of `variants.ts`; how its rounds are answered is
 * with the kinds of rounds that it asks.
 */
export interface Variant<Request, Plan extends UserLevelPlan, Round extends RoundParameters>
  extends Course<Plan, Round, MeanEstimate> {
  /**
   * The plan that a request asks for.
   *
   * @throws TypeError or RangeError naming the field.
   */
  make(family: UserLevelFamily, request: Request): Plan;
  /** What is claimed of one player's transcript over all rounds. */
  claimed(plan: Plan): Guarantee;
  /** What holds, where that is not what is claimed. */
  holds?(plan: Plan): Guarantee;
  /** Every release of a plan. Where players are fresh a player sends one of them, and every total is that of the weakest. */
  releases(plan: Plan): readonly Release[];
  /** Largest distance between what two data of one player make it randomize, over all rounds that it answers. */
  neighbourDistance(plan: Plan): number;
  /**
   * The error to expect by closed forms, for samples with coordinates of standard deviation s, all players alike, and enough of them
   * to find the mean roughly.
   */
  expected(plan: Plan, spread: number): ExpectedError;
}

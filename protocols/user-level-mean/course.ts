import { fieldOf, lengthOf, UNIT_TOLERANCE } from '../../src/check/datum.ts';
import { checkFinite, checkInteger, RefusedValue, refusedAs } from '../../src/check/refusal.ts';
import type { PublicParameters } from '../../src/core/contract.ts';
import {
  checkReplay,
  type FinishedRound,
  goOn,
  type RoundParameters,
  type Rounds,
} from '../../src/core/interactive.ts';
import type { Guarantee } from '../../src/privacy/guarantee.ts';
import type { Release } from '../../src/privacy/totals.ts';
import type { FoundMean, MeanTally, UserLevelFamily, UserLevelPlan } from './shape.ts';

const { abs, ceil, sqrt } = Math;

export type Over<Round extends RoundParameters> = FinishedRound<Round, MeanTally>;

/** How the plans of one variant go from round to round; {@link roundsBy} makes the rounds of a protocol from it. */
export interface Course<Plan extends PublicParameters, Round extends RoundParameters, Estimate> {
  rounds(plan: Plan): number;
  /** The number of rounds in which one player answers. */
  answers(plan: Plan): number;
  after(plan: Plan, finished: readonly Over<Round>[]): Round | undefined;
  /** The round of this index, made from the plan and the public numbers in `received`, which are checked. */
  remake(plan: Plan, index: number, received: unknown): Round;
  /** Refuses reports that lack information which the next round or the estimate needs. */
  check?(plan: Plan, finished: readonly Over<Round>[]): void;
  finish(plan: Plan, finished: readonly Over<Round>[]): Estimate;
}

/** The rounds of a protocol: a plan follows the course of its variant, and finished rounds are checked against it. */
export function roundsBy<Plan extends PublicParameters, Round extends RoundParameters, Estimate>(
  courseOf: (plan: Plan) => Course<Plan, Round, Estimate>,
): Rounds<Plan, Round, MeanTally, Estimate, undefined> {
  type Finished = readonly Over<Round>[];
  const after = (plan: Plan, finished: Finished): Round | undefined => courseOf(plan).after(plan, finished);
  const digestOf = (plan: Plan, index: number, round: Round): string => {
    try {
      return courseOf(plan).remake(plan, index, round).digest;
    } catch (error) {
      // The plan cannot have such a round.
      if (refusedAs(error) === undefined) throw error;
      return 'none: it asks otherwise';
    }
  };
  // A finished round must belong to its place in this plan, and somebody must have answered it.
  const checkPlace = (plan: Plan, index: number, { round, tally }: Over<Round>): void => {
    const name = `finished[${index}]`;
    checkTally(`${name}.tally`, tally, round);
    if (round.round !== index) throw new RefusedValue(`${name}.round.round`, `${index}`, round.round);
    if (round.protocol !== plan.protocol || round.variant !== plan.variant) {
      const found = `${round.protocol}, ${round.variant}`;
      throw new RefusedValue(`${name}.round`, `a round of ${plan.protocol}, ${plan.variant}`, found);
    }
    if (belonging.get(round) !== plan.digest) {
      const expected = digestOf(plan, index, round);
      if (round.digest !== expected) {
        throw new RefusedValue(`${name}.round.digest`, `that of a round of this plan, ${expected}`, round.digest);
      }
      belonging.set(round, plan.digest);
    }
    if (!(tally.players >= 1)) {
      const needed = `at least 1 report in round ${index} (${ceil(1 / round.share)} players in all)`;
      throw new RefusedValue(`${name}.tally.players`, needed, tally.players);
    }
  };
  const check = (plan: Plan, finished: Finished): void => {
    const course = courseOf(plan);
    const most = course.rounds(plan);
    if (finished.length > most) throw new RefusedValue('finished', `at most ${most} rounds`, finished.length);
    for (const [index, over] of finished.entries()) checkPlace(plan, index, over);
    course.check?.(plan, finished);
    checkReplay(plan, finished, after);
  };
  return {
    ...goOn(check, after),
    estimate(plan, finished) {
      const course = courseOf(plan);
      const count = course.rounds(plan);
      if (finished.length < count) throw new RefusedValue('finished', `${count} rounds`, finished.length);
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

// Rounds whose digest is that of their content, by the digest of their plan: to make all of them again after each round
// would take a time that grows with the square of their number.
const belonging = new WeakMap<object, string>();

/** Refuses a tally of reports of another round or plan. */
export function checkTally(name: string, tally: { readonly digest: string }, { digest }: PublicParameters): void {
  if (tally.digest !== digest) {
    throw new RefusedValue(`${name}.digest`, `the digest of this round, ${digest}`, tally.digest);
  }
}

/** Two rounds: the first finds where the mean is, and the second asks around there. */
export interface Pair<Plan, Round extends RoundParameters, Located> {
  pilot(plan: Plan): Round;
  locate(plan: Plan, pilot: Over<Round>): Located;
  /** The location from what a device was sent, checked. */
  read(plan: Plan, received: unknown): Located;
  final(plan: Plan, located: Located): Round;
}

/** The variant whose rounds are a pair; the caller gives the other fields. */
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

export function reportsOf(finished: readonly { readonly tally: MeanTally }[]): number {
  return finished.reduce((sum, { tally }) => sum + tally.players, 0);
}

/** Largest absolute value of a number that a device is sent: its square, and sums of many squares, are doubles. */
export const LARGEST_SENT = 1e120;

export function checkMagnitude(name: string, value: unknown): number {
  const number = checkFinite(name, value);
  if (!(abs(number) <= LARGEST_SENT)) throw new RefusedValue(name, `a number within ±${LARGEST_SENT}`, number);
  return number;
}

/** So many numbers from a field of a round that a server sent, checked and copied. */
export function receivedNumbers(round: unknown, name: string, count: number): Float64Array {
  const sent = fieldOf(round, name);
  const length = lengthOf(sent);
  if (length !== count) throw new RefusedValue(`round.${name}`, `${count} numbers`, length);
  return Float64Array.from({ length: count }, (_, i) => checkMagnitude(`round.${name}[${i}]`, fieldOf(sent, i)));
}

/** Refuses a point beyond the ball of this radius about the origin, or with an entry that is not finite. */
export function checkInBall(name: string, point: Float64Array, radius: number): void {
  let squared = 0;
  for (let i = 0; i < point.length; i++) squared += point[i] * point[i];
  // A projection may end slightly outside because of rounding. One comparison covers NaN and the infinities too.
  const norm = sqrt(squared);
  if (!(norm <= radius * (1 + UNIT_TOLERANCE))) throw new RefusedValue(name, `an l2 norm of at most ${radius}`, norm);
}

/** An interval in which the mean was found. */
export interface LocatedInterval {
  readonly lower: number;
  readonly upper: number;
}

/** The ends of an interval that a server sent, within ±bound up to rounding; equal ends are a `point`, if allowed. */
export function receivedInterval(
  name: string,
  question: unknown,
  bound: number,
  point: boolean = false,
): LocatedInterval {
  const lower = checkFinite(`${name}.lower`, fieldOf(question, 'lower'));
  const upper = checkFinite(`${name}.upper`, fieldOf(question, 'upper'));
  // The edge of a bin may be off by a rounding error of the range.
  const most = bound * (1 + 2 ** -40);
  if (!(lower >= -most)) throw new RefusedValue(`${name}.lower`, `a number >= ${-bound}`, lower);
  if (!(upper <= most && (point ? upper >= lower : upper > lower))) {
    throw new RefusedValue(`${name}.upper`, `a number from ${lower} to ${bound}`, upper);
  }
  return { lower, upper };
}

/** The expected error of a plan, in the unit of the samples. */
export interface ExpectedError {
  /** Root mean squared ℓ₂ error. */
  readonly error: number;
  /** The part of this error that no number of players removes. */
  readonly floor: number;
  /** Where there are too few players to search for the mean: how many are needed; the error then counts on searches that fail. */
  readonly playersNeeded?: number;
}

/** One way to estimate the mean, bound to no plan: one object in the table of `parameters.ts`. */
export interface Variant<Request, Plan extends UserLevelPlan, Round extends RoundParameters>
  extends Course<Plan, Round, FoundMean> {
  /** @throws TypeError or RangeError naming the field. */
  make(family: UserLevelFamily, request: Request): Plan;
  /** The claimed guarantee of one player's transcript over all rounds. */
  claimed(plan: Plan): Guarantee;
  /** The guarantee that holds, if it differs from the claim. */
  holds?(plan: Plan): Guarantee;
  /** Every release of a plan. If players are fresh, each sends one of them, and every total is that of the weakest. */
  releases(plan: Plan): readonly Release[];
  /** The largest distance between the values that a player randomizes for two data, over all rounds that it answers. */
  neighbourDistance(plan: Plan): number;
  /** The expected error by closed forms, if coordinates have the deviation s and the mean is found roughly. */
  expected(plan: Plan, spread: number): ExpectedError;
}

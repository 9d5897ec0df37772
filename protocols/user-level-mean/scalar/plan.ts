import { checkInteger, checkPositive, refusal } from '../../../src/check/number.ts';
import { digestOf, type Json } from '../../../src/core/digest.ts';
import { checkGrade } from '../../../src/core/grade.ts';
import type { BinQuestion, NoisyQuestion } from './question.ts';
import type { SignQuestion } from './sign.ts';
import type { UserLevelFamily, UserLevelPlan, UserLevelRequest } from './types.ts';

/** A plan of `vector` draws a sign for each coordinate: a million take a blink, a billion all the memory there is. */
const MAXIMUM_DIMENSION = 2 ** 20;

/** Plan of the variants `naive` and `printedNaive`: one round of noisy local means. */
export interface NaivePlan extends UserLevelPlan {
  readonly variant: 'naive' | 'printedNaive';
  /** δ of one player's transcript. */
  readonly delta: number;
  /** The one question. */
  readonly question: NoisyQuestion;
}

/** Plan of the variant `printed`: the two rounds of the slides, both answered by every player. */
export interface PrintedPlan extends UserLevelPlan {
  readonly variant: 'printed';
  /** δ of one player's transcript. */
  readonly delta: number;
  /** ε′ of the randomized bin index. */
  readonly pilotEpsilon: number;
  /** Round 1. */
  readonly pilot: BinQuestion;
  /** Noise of round 2, in units of half the interval. */
  readonly sigma: number;
}

/** Plan of the variant `twoRound`: an interval, then clipped means with the noise of its length. */
export interface TwoRoundPlan extends UserLevelPlan {
  readonly variant: 'twoRound';
  /** δ of one player's transcript; absent where round 2 is pure. */
  readonly delta?: number;
  /** How the interval is chosen. */
  readonly interval: 'pair' | 'triple';
  /** How far local means lie from their mean at most, but with the probability ξ. */
  readonly range: number;
  /** Whether the same players answer both rounds, with a part of the budget each. */
  readonly samePlayers: boolean;
  /** Share of the players in round 1; of those in round 2 the rest. */
  readonly share: number;
  /** Round 1. */
  readonly pilot: BinQuestion;
  /** Round 2 on [−1, 1]: its ends are moved to the interval. */
  readonly final: NoisyQuestion | SignQuestion;
}

/** Plan of the variant `oneBit`: a pilot, then signs around a centre that is moved. */
export interface OneBitPlan extends UserLevelPlan {
  readonly variant: 'oneBit';
  /** Shares of the players, round after round. */
  readonly shares: readonly number[];
  /** s/√m where s was given. */
  readonly deviation?: number;
  /** κ₃ where it was given. */
  readonly skew?: number;
  /** Round 1: bins, or thresholds all over [−B, B]. */
  readonly pilot: BinQuestion | SignQuestion;
  /** The sign question at 0 with its coin: thresholds are moved. */
  readonly sign: SignQuestion;
}

/** Plans of the scalar variants. */
export type ScalarPlan = NaivePlan | PrintedPlan | TwoRoundPlan | OneBitPlan;

/** The checked fields that every plan shares, before the digest. */
export interface PlanFields extends Omit<UserLevelPlan, 'digest' | 'request'> {
  readonly variant: string;
}

/**
 * The fields of a request that every variant shares, checked.
 *
 * @throws TypeError or RangeError naming the field.
 */
export function planFields(
  { protocol, version }: UserLevelFamily,
  variant: string,
  request: UserLevelRequest,
  deployable: boolean,
): PlanFields {
  const grade = checkGrade(request.grade, variant, deployable);
  const epsilon = checkPositive('epsilon', request.epsilon);
  if (epsilon > 500 || epsilon < 1e-6) throw new RangeError(refusal('epsilon', 'a number from 1e-6 to 500', epsilon));
  const bound = checkPositive('bound', request.bound ?? 1);
  if (!(bound >= 1e-100 && bound <= 1e100)) {
    throw new RangeError(refusal('bound', 'a number from 1e-100 to 1e100', bound));
  }
  return {
    protocol,
    version,
    variant,
    grade,
    epsilon,
    bound,
    players: checkInteger('players', request.players, 1, 2 ** 40),
    samples: checkInteger('samples', request.samples, 1, 2 ** 40),
    dimension: checkInteger('dimension', request.dimension ?? 1, 1, MAXIMUM_DIMENSION),
  };
}

/**
 * The same for a variant in one dimension.
 *
 * @throws TypeError or RangeError naming the field.
 */
export function scalarFields(
  family: UserLevelFamily,
  variant: string,
  request: UserLevelRequest,
  deployable: boolean,
): PlanFields {
  const fields = planFields(family, variant, request, deployable);
  if (fields.dimension !== 1) {
    throw new RangeError(
      refusal('dimension', `1 for variant ${variant} (vector and coordinates take more)`, fields.dimension),
    );
  }
  return fields;
}

/**
 * Refuses fewer players than there are groups to fill, one in each round.
 *
 * @throws RangeError naming the number that is needed.
 */
export function checkGroups(players: number, shares: readonly number[]): void {
  const needed = Math.ceil(1 / Math.min(...shares) - 1e-9);
  if (players < needed) {
    throw new RangeError(refusal('players', `at least ${needed}, one for each of ${shares.length} rounds`, players));
  }
}

/** The digest of a plan: of everything that was asked, in the units it was asked in. */
export function planDigest(fields: PlanFields, rest: { readonly [name: string]: Json }): string {
  const { protocol, version, variant, grade, epsilon, players, samples, bound, dimension } = fields;
  return digestOf({ protocol, version, variant, grade, epsilon, players, samples, bound, dimension, ...rest });
}

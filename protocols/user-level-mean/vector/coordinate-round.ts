import { ReportError } from '../../../src/check/refusal.ts';
import { digestOf } from '../../../src/core/digest.ts';
import type { Values } from '../../../src/core/frame.ts';
import type { BinCounts } from '../scalar/answers.ts';
import { type BinQuestion, type NoisyQuestion, questionChannel } from '../scalar/question.ts';
import type { MeanTally, RoundChannel, RoundOfVectors, SampleDomain, UserLevelPlan } from '../shape.ts';
import type { Rotation } from './rotation.ts';

/**
 * A round that asks about rotated coordinates of a local mean the questions of a plan in one dimension: in which bin
 * the coordinate lies, or its value with noise.
 *
 * Shape of a report: for `one`, the number of the coordinate, drawn by the player's own coins, and the answer about it;
 * for `all`, the answers one after the other. Shape of a tally: for each coordinate, the number of answers and the sums
 * of its question.
 */
export interface CoordinateRound extends RoundOfVectors {
  readonly kind: 'coordinate';
  /** `one` coordinate for each player, or `all`. */
  readonly answers: 'one' | 'all';
  /** D. */
  readonly size: number;
  /** The rotation of local means. */
  readonly rotation: Rotation;
  /** The questions about the D rotated coordinates: all of one kind, by one mechanism, each on its own interval. */
  readonly questions: readonly (BinQuestion | NoisyQuestion)[];
}

/** The fields that a round about coordinates takes from its plan. */
export interface CoordinatePlan extends UserLevelPlan {
  readonly domain: SampleDomain;
  readonly rotation: Rotation;
  readonly shares: readonly number[];
}

/** The round of a plan with these questions. `repeats`: the players of earlier rounds answer again. */
export function coordinateRound(
  plan: CoordinatePlan,
  place: { readonly round: number; readonly answers: 'one' | 'all'; readonly repeats?: boolean },
  questions: readonly (BinQuestion | NoisyQuestion)[],
): CoordinateRound {
  const { protocol, variant, version, grade, bound, dimension, domain, rotation } = plan;
  const { round, answers, repeats = false } = place;
  const { size } = rotation;
  const { length, precision } = questionChannel(questions[0]);
  const ends = questions.flatMap(({ lower, upper }) => [lower, upper]);
  // All other fields of a question follow from the plan.
  const digest = digestOf({ plan: plan.digest, round, kind: questions[0].kind, answers, ends });
  return {
    ...{ protocol, variant, version, digest, grade, bound, dimension, domain, round, share: plan.shares[round] },
    ...(repeats ? { repeats: true as const } : {}),
    kind: 'coordinate',
    length: answers === 'one' ? 1 + length : size * length,
    ...{ precision, answers, size, rotation, questions },
  };
}

/** The number of entries of a tally for each coordinate. */
function strideOf({ questions }: CoordinateRound): number {
  return 1 + questionChannel(questions[0]).sums;
}

/** The channel of a round: that of one question, drawn by the player, or of all questions one after the other. */
export function coordinateChannel(round: CoordinateRound): RoundChannel {
  const { size, questions, length } = round;
  const channels = questions.map(questionChannel);
  const stride = strideOf(round);
  const ratios = (first: ArrayLike<number>, second: ArrayLike<number>) =>
    channels.map(({ logRatio }, j) => logRatio(first[j], second[j]));
  const add = (sums: Float64Array, j: number, answer: Values): void => {
    sums[j * stride]++;
    channels[j].add(sums.subarray(j * stride + 1, (j + 1) * stride), answer);
  };
  const common = {
    sums: size * stride,
    view: (values: Values) => values,
  };
  if (round.answers === 'one') {
    return {
      ...common,
      check(values) {
        if (!(values[0] < size)) throw new ReportError(`"report" expected a coordinate below ${size}`);
        channels[values[0]].check(values.subarray(1));
      },
      add: (sums, values) => add(sums, values[0], values.subarray(1)),
      probabilities(image) {
        const each = channels.map(({ probabilities }, j) => probabilities(image[j]));
        if (each.some((one) => one === undefined)) return undefined;
        return Float64Array.from(each.flatMap((one) => Array.from(one!, (probability) => probability / size)));
      },
      logRatio(first, second) {
        const each = ratios(first, second);
        return (values) => each[values[0]]((values as Values).subarray(1));
      },
    };
  }
  const each = length / size;
  const answer = (values: Values, j: number): Values => values.subarray(j * each, (j + 1) * each);
  return {
    ...common,
    check(values) {
      for (let j = 0; j < size; j++) channels[j].check(answer(values, j));
    },
    add(sums, values) {
      for (let j = 0; j < size; j++) add(sums, j, answer(values, j));
    },
    probabilities: () => undefined,
    logRatio(first, second) {
      const found = ratios(first, second);
      return (values) => found.reduce((sum, ratio, j) => sum + ratio(answer(values as Values, j)), 0);
    },
  };
}

/** The tally of each coordinate. */
export function coordinateTallies(round: CoordinateRound, { sums }: Pick<MeanTally, 'sums'>): BinCounts[] {
  const stride = strideOf(round);
  return round.questions.map((_, j) => ({
    players: sums[j * stride],
    sums: sums.subarray(j * stride + 1, (j + 1) * stride),
  }));
}

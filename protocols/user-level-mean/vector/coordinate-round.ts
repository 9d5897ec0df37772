import { ReportError } from '../../../src/check/report-error.ts';
import { digestOf } from '../../../src/core/digest.ts';
import type { Precision, Values } from '../../../src/core/frame.ts';
import { createScratch, reserve } from '../../../src/numeric/scratch.ts';
import type { Random } from '../../../src/random/random.ts';
import { uniformInteger } from '../../../src/random/uniform.ts';
import { randomizeAnswer } from '../scalar/answer.ts';
import type { BinCounts } from '../scalar/interval.ts';
import type { SeveralMaker } from '../scalar/kind.ts';
import {
  addAnswer,
  type BinQuestion,
  checkRoundAnswer,
  type NoisyQuestion,
  shapeOf,
  sumsOf,
} from '../scalar/question.ts';
import type { UserDatum, UserLevelPlan } from '../scalar/types.ts';
import { fillLocalMean } from './local-vector.ts';
import type { RoundOfVector, SampleDomain } from './model.ts';
import { fillRotationRow, type Rotation, rotate } from './rotation.ts';

/**
 * A round that asks about rotated coordinates of a local mean as a plan in one dimension asks about its only one: in which bin it
 * lies, or where, with noise.
 *
 * Shape of a report: of `one`, the number of the coordinate, drawn by the player's own coins, and the answer about it; of `all`, the
 * answers one after the other. Of a tally, for each coordinate the number of answers and the sums of its question.
 */
export interface CoordinateRound extends RoundOfVector {
  readonly kind: 'coordinate';
  /** `one` coordinate a player, or `all`. */
  readonly answers: 'one' | 'all';
  /** D. */
  readonly size: number;
  /** What local means are rotated by. */
  readonly rotation: Rotation;
  /** What is asked about each of the D rotated coordinates: of one kind, by one mechanism, on intervals of their own. */
  readonly questions: readonly (BinQuestion | NoisyQuestion)[];
}

/** What a round about coordinates takes from its plan. */
export interface CoordinatePlan extends UserLevelPlan {
  readonly variant: SeveralMaker;
  readonly domain: SampleDomain;
  readonly rotation: Rotation;
  readonly shares: readonly number[];
}

/** The round of a plan that asks these questions. `repeats`: those who answered before answer again. */
export function coordinateRound(
  plan: CoordinatePlan,
  place: { readonly round: number; readonly answers: 'one' | 'all'; readonly repeats?: boolean },
  questions: readonly (BinQuestion | NoisyQuestion)[],
): CoordinateRound {
  const { protocol, variant, version, grade, bound, dimension, domain, rotation } = plan;
  const { round, answers, repeats = false } = place;
  const { size } = rotation;
  const { length, precision } = shapeOf(questions[0]) as { length: number; precision: Precision };
  const ends = questions.flatMap(({ lower, upper }) => [lower, upper]);
  // Everything else of a question is the plan's.
  const digest = digestOf({ plan: plan.digest, round, kind: questions[0].kind, answers, ends });
  return {
    ...{ protocol, variant, version, digest, grade, bound, dimension, domain, round, share: plan.shares[round] },
    ...(repeats ? { repeats: true as const } : {}),
    kind: 'coordinate',
    length: answers === 'one' ? 1 + length : size * length,
    ...{ precision, answers, size, rotation, questions },
  };
}

// Scratch of one report, overwritten by each.
const means = /* @__PURE__ */ createScratch(64);
const rows = /* @__PURE__ */ createScratch(64);

/** The report of a player in a round about coordinates, written over `values`. */
export function answerCoordinates(round: CoordinateRound, datum: UserDatum, random: Random, values: Values): void {
  const { dimension, size, rotation, questions, answers } = round;
  const mean = reserve(means, dimension);
  fillLocalMean(round, datum, mean);
  if (answers === 'one') {
    const j = uniformInteger(size, random);
    const row = reserve(rows, dimension);
    fillRotationRow(rotation, j, row);
    let y = 0;
    for (let i = 0; i < dimension; i++) y += row[i] * mean[i];
    values[0] = j;
    randomizeAnswer(questions[j], y, values.subarray(1), random);
    return;
  }
  const image = rotate(rotation, mean);
  const each = values.length / size;
  for (let j = 0; j < size; j++)
    randomizeAnswer(questions[j], image[j], values.subarray(j * each, (j + 1) * each), random);
}

/**
 * Refuses a report that no player can have sent.
 *
 * @throws ReportError.
 */
export function checkCoordinates({ questions, size, answers }: CoordinateRound, values: Values): void {
  if (answers === 'one') {
    if (!(values[0] < size)) throw new ReportError(`"report" expected a coordinate below ${size}`);
    checkRoundAnswer(questions[values[0]], values.subarray(1));
    return;
  }
  const each = values.length / size;
  for (let j = 0; j < size; j++) checkRoundAnswer(questions[j], values.subarray(j * each, (j + 1) * each));
}

/** How many numbers a tally keeps of each coordinate. */
function strideOf({ questions }: CoordinateRound): number {
  return 1 + sumsOf(questions[0]);
}

/** How many numbers a tally has. */
export function coordinateSums(round: CoordinateRound): number {
  return round.size * strideOf(round);
}

/** Adds a report to the sums. */
export function addCoordinates(round: CoordinateRound, sums: Float64Array, values: Values): void {
  const { questions, size, answers } = round;
  const stride = strideOf(round);
  const add = (j: number, from: number, until: number): void => {
    sums[j * stride]++;
    addAnswer(questions[j], sums.subarray(j * stride + 1, (j + 1) * stride), values.subarray(from, until));
  };
  if (answers === 'one') {
    add(values[0], 1, values.length);
    return;
  }
  const each = values.length / size;
  for (let j = 0; j < size; j++) add(j, j * each, (j + 1) * each);
}

/** The tally of each coordinate. */
export function coordinateTallies(round: CoordinateRound, sums: Float64Array): BinCounts[] {
  const stride = strideOf(round);
  return round.questions.map((_, j) => ({
    players: sums[j * stride],
    sums: sums.subarray(j * stride + 1, (j + 1) * stride),
  }));
}

import { createScratch, reserve } from '../../src/check/datum.ts';
import { RefusedValue } from '../../src/check/refusal.ts';
import type { Player } from '../../src/core/contract.ts';
import { createReport, type Values, type ValuesReport } from '../../src/core/frame.ts';
import { randomizeDiscreteGaussian } from '../../src/mechanism/discrete-gaussian.ts';
import { exactCoin } from '../../src/mechanism/exact-coin.ts';
import { randomizeCategory } from '../../src/mechanism/frequency.ts';
import { randomizeUnit } from '../../src/mechanism/unit-mechanism.ts';
import { fillNormal, normal, type Random, uniform, uniformInteger } from '../../src/random/random.ts';
import { clipSamples, fillLocalMean, fillResidual, localMean, localProduct } from './local-mean.ts';
import type { UserLevelMeanRound } from './parameters.ts';
import {
  type BinQuestion,
  binOf,
  type NoisyQuestion,
  type Question,
  type ScalarRound,
  type SignQuestion,
} from './scalar/question.ts';
import { isVector, type UserDatum } from './shape.ts';
import { type CoordinateRound, fillRotationRow, rotate, type SignRound } from './vector/coordinate-round.ts';
import type { ResidualRound } from './vector/residual-round.ts';

const { max, min, sqrt } = Math;

/** The draws of rounds, by their kind: the part of a channel that uses coins. */
const DRAWS = {
  scalar: answerScalar,
  sign: answerSigns,
  coordinate: answerCoordinates,
  residual: answerResidual,
} as const;

type Draw<Round> = (round: Round, datum: UserDatum, random: Random, values: Values) => void;

function randomize(round: UserLevelMeanRound, datum: UserDatum, random: Random): ValuesReport {
  const report = createReport(round);
  randomizeInto(round, datum, random, report);
  return report;
}

function randomizeInto(round: UserLevelMeanRound, datum: UserDatum, random: Random, { values }: ValuesReport): void {
  if (values.length !== round.length) throw new RefusedValue('report', `${round.length} values`, values.length);
  const draw: Draw<never> = DRAWS[round.kind];
  draw(round as never, datum, random, values);
}

export const player: Player<UserLevelMeanRound, UserDatum, ValuesReport> = {
  randomize,
  randomizeInto,
  clip: (round, datum) => clipSamples(round, datum, isVector(round) ? round.domain : 'box'),
};

function answerScalar({ question, bound }: ScalarRound, datum: UserDatum, random: Random, values: Values): void {
  randomizeAnswer(question, localMean(datum, bound), values, random);
}

const ANSWERS = { sign: answerSign, bin: answerBin, noisy: answerNoisy } as const;

function randomizeAnswer(question: Question, y: number, values: Values, random: Random): void {
  const answer: (question: never, y: number, values: Values, random: Random) => void = ANSWERS[question.kind];
  answer(question as never, y, values, random);
}

function answerSign({ lower, upper, cells, coin }: SignQuestion, y: number, values: Values, random: Random): void {
  const cell = cells > 1 ? uniformInteger(cells, random) : 0;
  let threshold = lower;
  if (upper > lower) threshold += ((upper - lower) * (cell + uniform(random))) / cells;
  values[0] = 2 * cell + bitOf(coin.keep, y >= threshold, random);
}

function bitOf(keep: number, bit: boolean, random: Random): number {
  return exactCoin(keep, random) === bit ? 1 : 0;
}

function answerBin(question: BinQuestion, y: number, values: Values, random: Random): void {
  randomizeCategory(question.mechanism, binOf(question, y), values as Uint32Array, random);
}

// Scratch of the kernels, kept between calls; each call overwrites it.
const units = /* @__PURE__ */ createScratch(1);
const rows = /* @__PURE__ */ createScratch(64);
const means = /* @__PURE__ */ createScratch(64);
const images = /* @__PURE__ */ createScratch(64);
const normals = /* @__PURE__ */ createScratch(64);

function answerNoisy({ lower, upper, sigma, noise }: NoisyQuestion, y: number, values: Values, random: Random): void {
  const unit = units.values;
  // Clipped again after the division: the sensitivity holds for the double that is randomized.
  unit[0] = min(1, max(-1, (2 * y - lower - upper) / (upper - lower)));
  if (noise === undefined) values[0] = unit[0] + sigma * normal(random);
  else randomizeDiscreteGaussian(noise, unit, values as Int32Array, random);
}

function answerSigns(round: SignRound, datum: UserDatum, random: Random, values: Values): void {
  if (round.answers === 'all') {
    answerAll(round, datum, random, values);
    return;
  }
  // One row of the rotation is enough: the local mean itself is never formed.
  const row = reserve(rows, round.dimension);
  const threshold = uniformInteger(2 * round.size, random);
  fillRotationRow(round.rotation!, threshold >> 1, row);
  const above = localProduct(round, datum, row) >= round.thresholds[threshold];
  values[0] = 2 * threshold + bitOf(round.coin.keep, above, random);
}

function answerAll(round: SignRound, datum: UserDatum, random: Random, values: Values): void {
  const mean = reserve(means, round.dimension);
  fillLocalMean(round, datum, mean);
  for (let j = 0; j < round.size; j++) {
    const which = uniformInteger(2, random);
    const above = mean[j] >= round.thresholds[2 * j + which];
    values[j] = 2 * which + bitOf(round.coin.keep, above, random);
  }
}

function answerResidual(round: ResidualRound, datum: UserDatum, random: Random, values: Values): void {
  const { dimension, mechanism } = round;
  const mean = reserve(means, dimension + 1);
  const length = fillResidual(round, datum, mean);
  if (mechanism !== undefined) {
    // The length is private too: one more coordinate completes it to exactly 1.
    mean[dimension] = sqrt(1 - length);
    randomizeUnit(mechanism, mean, values, random);
  } else if (round.noise !== undefined) {
    randomizeDiscreteGaussian(round.noise, mean.subarray(0, dimension), values as Int32Array, random);
  } else {
    const noise = reserve(normals, dimension);
    fillNormal(noise, random, 0, dimension);
    for (let i = 0; i < dimension; i++) values[i] = mean[i] + round.sigma! * noise[i];
  }
}

function answerCoordinates(round: CoordinateRound, datum: UserDatum, random: Random, values: Values): void {
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
  const image = rotate(rotation, mean, reserve(images, size));
  const each = values.length / size;
  for (let j = 0; j < size; j++)
    randomizeAnswer(questions[j], image[j], values.subarray(j * each, (j + 1) * each), random);
}

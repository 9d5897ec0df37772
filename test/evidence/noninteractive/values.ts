import type { Random } from 'ldpkit';
import { oneBitMean, randomizeOneBitMean, uniform } from 'ldpkit/mechanism';
import type { MarginLoss } from 'ldpkit/optimize';

const { abs, hypot, log, sign } = Math;

type OneBitMean = ReturnType<typeof oneBitMean>;

/** Questions that are fixed before anybody is asked: the loss of the own record at m public models. */
export interface Questions {
  /** f, which falls or rises over the margins that there can be. */
  readonly loss: MarginLoss;
  /** w_1 … w_m. */
  readonly models: readonly Float64Array[];
  /** The least loss of any record at any of them, and how far the largest is above it. */
  readonly least: number;
  readonly width: number;
  readonly epsilon: number;
}

/** Questions about a monotone loss at models: the margins of records of the unit ball reach as far as the longest model. */
export function questionsAt(loss: MarginLoss, models: readonly Float64Array[], epsilon: number): Questions {
  const reach = Math.max(...models.map((w) => hypot(...w)));
  const [low, high] = [loss.value(reach), loss.value(-reach)].sort((a, b) => a - b);
  return { loss, models, least: low, width: high - low, epsilon };
}

/** f(⟨w, v⟩) in units of the width, in [0, 1]: what a player holds in the paper's words. */
export function answerOf({ loss, models, least, width }: Questions, model: number, v: ArrayLike<number>): number {
  const w = models[model];
  let t = 0;
  for (let j = 0; j < w.length; j++) t += w[j] * v[j];
  return (loss.value(t) - least) / width;
}

/**
 * Writes all m answers of one player, each with Laplace noise.
 *
 * Law: noise of scale m/ε for each answer in [0, 1].
 * Guarantee: pure ε. Two records differ by at most 1 in each answer, so by m in all.
 *
 * Source: Wang, Gaboardi, Xu 2018: LDP averages of ℓ(v; x) with ε/(k + 1)^p for each of the m = (k + 1)^p points of a grid.
 */
export function fillAllAnswers(asked: Questions, v: ArrayLike<number>, random: Random, report: Float64Array): void {
  const scale = report.length / asked.epsilon;
  for (let j = 0; j < report.length; j++) report[j] = answerOf(asked, j, v) + laplace(scale, random);
}

/** The logarithm of the ratio of the densities of a report of {@link fillAllAnswers} under two records; `noise` is its scale. */
export function allAnswersLogRatio(
  asked: Questions,
  report: ArrayLike<number>,
  [first, second]: readonly [ArrayLike<number>, ArrayLike<number>],
  noise: number = report.length / asked.epsilon,
): number {
  let sum = 0;
  for (let j = 0; j < report.length; j++) {
    sum += abs(report[j] - answerOf(asked, j, second)) - abs(report[j] - answerOf(asked, j, first));
  }
  return sum / noise;
}

function laplace(scale: number, random: Random): number {
  const u = uniform(random) - 0.5;
  return -scale * sign(u) * log(1 - 2 * abs(u));
}

/**
 * One player's answer to one of the questions, in one bit.
 *
 * Law: the answer a, taken to 2a − 1, is rounded to −1 or 1 without bias and turned around with probability 1/(1 + e^ε).
 * Guarantee: pure ε. Which question a player gets is public.
 */
export function oneAnswer(
  asked: Questions,
  bit: OneBitMean,
  model: number,
  v: ArrayLike<number>,
  random: Random,
): -1 | 1 {
  return randomizeOneBitMean(bit, 2 * answerOf(asked, model, v) - 1, random);
}

/** P(+1) of {@link oneAnswer}. */
export function oneAnswerLaw(asked: Questions, bit: OneBitMean, model: number, v: ArrayLike<number>): number {
  return (1 + (2 * answerOf(asked, model, v) - 1) / bit.scale) / 2;
}

/** How players answer: all questions with noise on each, or one question in one bit, player i the question i mod m. */
export type Answering = 'all' | 'one-bit';

/**
 * Unbiased estimates of the mean loss at all models from one report of each player.
 *
 * Shape: `people` holds the signed records y·x, one after the other.
 * Law: unbiased; the variance over n players is 2(m·width/ε)²/n for `all` and at most m(width·(e^ε + 1)/(e^ε − 1)/2)²/n for
 * `one-bit`, beside that of the records.
 */
export function estimateValues(
  asked: Questions,
  answering: Answering,
  people: Float64Array,
  random: Random,
): Float64Array {
  const { models, least, width, epsilon } = asked;
  const p = models[0].length;
  const players = people.length / p;
  const sums = new Float64Array(models.length);
  const counts = new Float64Array(models.length).fill(answering === 'all' ? players : 0);
  const report = new Float64Array(models.length);
  const bit = oneBitMean({ epsilon });
  for (let i = 0; i < players; i++) {
    const v = people.subarray(i * p, (i + 1) * p);
    if (answering === 'all') {
      fillAllAnswers(asked, v, random, report);
      for (let j = 0; j < report.length; j++) sums[j] += report[j];
    } else {
      const j = i % models.length;
      sums[j] += (1 + bit.scale * oneAnswer(asked, bit, j, v, random)) / 2;
      counts[j]++;
    }
  }
  return sums.map((sum, j) => least + (width * sum) / counts[j]);
}

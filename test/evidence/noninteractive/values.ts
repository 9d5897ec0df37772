import type { Random } from 'ldpkit';
import { oneBitMean, randomizeOneBitMean, uniform } from 'ldpkit/mechanism';
import type { MarginLoss } from 'ldpkit/optimize';

const { abs, hypot, log, max, min, sign } = Math;

/** Questions that are fixed before anybody is asked: the loss of the own record at m public models. */
export interface Questions {
  readonly loss: MarginLoss;
  /** w_1 … w_m. */
  readonly models: readonly Float64Array[];
  /** The least loss of any record at any of them, and how far the largest is above it. */
  readonly least: number;
  readonly width: number;
  readonly epsilon: number;
}

/** Questions about a falling loss: the margins of records of the unit ball reach as far as the longest model. */
export function questionsAt(loss: MarginLoss, models: readonly Float64Array[], epsilon: number): Questions {
  const reach = max(...models.map((w) => hypot(...w)));
  const least = loss.value(reach);
  return { loss, models, least, width: loss.value(-reach) - least, epsilon };
}

/** The loss of the signed record v = y·x at a model, in units of the width: in [0, 1]. */
export function answerOf({ loss, models, least, width }: Questions, model: number, v: ArrayLike<number>): number {
  const margin = models[model].reduce((sum, entry, j) => sum + entry * v[j], 0);
  // Rounding must not lead out of the interval that the guarantee is for.
  return min(1, max(0, (loss.value(margin) - least) / width));
}

/**
 * Writes all m answers of one player, each with Laplace noise of scale m/ε.
 *
 * Guarantee: pure ε. Two records differ by at most 1 in each answer, so by m in all.
 *
 * Source: Wang, Gaboardi, Xu 2018: ε/(k + 1)^p for each of the m = (k + 1)^p points of a grid.
 */
export function fillAnswers(asked: Questions, v: ArrayLike<number>, random: Random, report: Float64Array): void {
  for (let j = 0; j < report.length; j++) {
    const u = uniform(random) - 0.5;
    report[j] = answerOf(asked, j, v) - (report.length / asked.epsilon) * sign(u) * log(1 - 2 * abs(u));
  }
}

/** `all` questions with noise on each, or in `one-bit` one question: player i has the question i mod m, which is public. */
export type Answering = 'all' | 'one-bit';

/**
 * Estimates of the mean loss at all models from one report of each player.
 *
 * Shape: `people` holds signed records, one after the other.
 * Law: unbiased. One bit is the answer a as 2a − 1, rounded to ±1 without bias and turned around with probability 1/(1 + e^ε).
 * Guarantee: pure ε.
 */
export function estimateValues(asked: Questions, how: Answering, people: Float64Array, random: Random): Float64Array {
  const { models, least, width, epsilon } = asked;
  const p = models[0].length;
  const sums = new Float64Array(models.length);
  const counts = new Float64Array(models.length);
  const report = new Float64Array(models.length);
  const bit = oneBitMean({ epsilon });
  for (let i = 0; i * p < people.length; i++) {
    const v = people.subarray(i * p, (i + 1) * p);
    const own = i % models.length;
    if (how === 'all') fillAnswers(asked, v, random, report);
    else report[own] = (1 + bit.scale * randomizeOneBitMean(bit, 2 * answerOf(asked, own, v) - 1, random)) / 2;
    for (let j = how === 'all' ? 0 : own; j < (how === 'all' ? models.length : own + 1); j++) {
      sums[j] += report[j];
      counts[j]++;
    }
  }
  return sums.map((sum, j) => least + (width * sum) / counts[j]);
}

/** All of {0 … size − 1}^p, the last coordinate fastest. */
export function lattice(dimension: number, size: number): readonly (readonly number[])[] {
  if (dimension === 0) return [[]];
  return lattice(dimension - 1, size).flatMap((point) => Array.from({ length: size }, (_, i) => [...point, i]));
}

import { ReportError } from '../../../src/check/report-error.ts';
import type { Precision, Values } from '../../../src/core/frame.ts';
import type { DiscreteGaussianMechanism } from '../../../src/mechanism/discrete-gaussian.ts';
import { bestFrequencyMechanism, type FrequencyMechanism } from '../../../src/mechanism/frequency.ts';
import type { SignQuestion } from './sign.ts';

/** Which of k bins of equal width on [lower, upper] y lies in, through a randomizer of a category. */
export interface BinQuestion {
  readonly kind: 'bin';
  readonly lower: number;
  readonly upper: number;
  /** The randomizer; its categories are the bins from left to right. y beyond an end counts for the bin there. */
  readonly mechanism: FrequencyMechanism;
}

/** y projected on [lower, upper], as a number in [−1, 1], with Gaussian noise. */
export interface NoisyQuestion {
  readonly kind: 'noisy';
  readonly lower: number;
  readonly upper: number;
  /** Standard deviation of the noise in units of half the interval, in which the sensitivity is 2. */
  readonly sigma: number;
  /** Grid and integer noise of the grade `deployment`; absent in a simulation. */
  readonly noise?: DiscreteGaussianMechanism;
}

/** What the players of a round are asked about their local mean y. */
export type Question = SignQuestion | BinQuestion | NoisyQuestion;

/**
 * Bins of equal width on [−B, B], asked for by the mechanism of least error at (k, ε).
 *
 * @theorem slides Algorithm, round 1
 */
export function binQuestion(bound: number, bins: number, epsilon: number): BinQuestion {
  const mechanism = bestFrequencyMechanism({ epsilon, categories: bins });
  return { kind: 'bin', lower: -bound, upper: bound, mechanism };
}

/** How many numbers a report has, and how they travel. */
export function shapeOf(question: Question): { readonly length: number; readonly precision: Precision } {
  if (question.kind === 'noisy') return { length: 1, precision: question.noise === undefined ? 'float64' : 'int32' };
  const subset = question.kind === 'bin' && question.mechanism.name === 'subset selection';
  return { length: subset ? question.mechanism.subset : 1, precision: 'uint32' };
}

/**
 * Refuses an answer that no player can have given.
 *
 * @throws ReportError.
 */
export function checkRoundAnswer(question: Question, values: Values): void {
  if (question.kind === 'noisy') {
    const limit = 1 + 8 * question.sigma;
    const value = question.noise === undefined ? values[0] : values[0] * question.noise.step;
    // 8 standard deviations: an honest player is refused once in 8e14 reports.
    if (!(value >= -limit && value <= limit))
      throw new ReportError('"report" expected a number within 8σ of the interval');
    return;
  }
  const outputs = outputsOf(question);
  for (let i = 0; i < values.length; i++) {
    if (values[i] >= outputs || (i > 0 && values[i] <= values[i - 1])) {
      throw new ReportError(`"report" expected whole numbers below ${outputs}, in increasing order`);
    }
  }
}

function outputsOf(question: SignQuestion | BinQuestion): number {
  if (question.kind === 'sign') return 2 * question.cells;
  const { mechanism } = question;
  return mechanism.name === 'Hadamard response' ? mechanism.outputs : mechanism.categories;
}

/** How many sums a tally of answers keeps: counts of every output, or Σ and Σ of squares. */
export function sumsOf(question: Question): number {
  return question.kind === 'noisy' ? 2 : outputsOf(question);
}

/** Adds an answer to the sums. */
export function addAnswer(question: Question, sums: Float64Array, values: Values): void {
  if (question.kind === 'noisy') {
    const value = question.noise === undefined ? values[0] : values[0] * question.noise.step;
    sums[0] += value;
    sums[1] += value * value;
    return;
  }
  for (let i = 0; i < values.length; i++) sums[values[i]]++;
}

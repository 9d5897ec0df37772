import { checkBudget } from '../../../src/check/budget.ts';
import { integerNoise } from '../../../src/core/integer-noise.ts';
import { analyticGaussianSigma } from '../../../src/privacy/gaussian.ts';
import { type NaivePlan, planDigest, scalarFields } from './plan.ts';
import type { NoisyQuestion } from './question.ts';
import { type FinishedScalar, finishedRound, type ScalarRound, scalarRound } from './round.ts';
import type { MeanEstimate, UserLevelFamily, UserLevelRequest } from './types.ts';

const { log, max, sqrt } = Math;

/** What variants with Gaussian noise are asked for. */
export interface NaiveRequest extends UserLevelRequest {
  /** δ of one player's transcript, strictly between 0 and 1. */
  readonly delta: number;
}

/** Standard deviation of the printed noise on a local mean in [−1, 1], √(2 ln(2/δ))/ε: a quarter of the classical variance. */
export function printedNaiveSigma({ epsilon, delta }: { readonly epsilon: number; readonly delta: number }): number {
  return sqrt(2 * log(2 / delta)) / epsilon;
}

/**
 * Noisy local means: y + w, w normal with the least noise that makes 2B as good as hidden.
 *
 * Guarantee: (ε, δ), calibrated exactly for the sensitivity 2B; for `printedNaive`, whose noise is that of the slides, see the
 * certificate.
 *
 * Source: Avella-Medina 2023 (slides), a naive estimator.
 *
 * @throws TypeError or RangeError naming the field.
 */
export function naivePlan(family: UserLevelFamily, variant: NaivePlan['variant'], request: NaiveRequest): NaivePlan {
  const fields = scalarFields(family, variant, request, variant === 'naive');
  const { epsilon, delta } = checkBudget(request);
  const digest = planDigest(fields, { delta });
  const question = noisyQuestion({ epsilon, delta }, fields.grade === 'deployment', fields.bound);
  const printed = { ...question, sigma: printedNaiveSigma({ epsilon, delta }) };
  return { ...fields, variant, digest, delta, question: variant === 'naive' ? question : printed };
}

/** y on [−B, B] with (ε, δ) Gaussian noise: exact integers in a deployment. */
export function noisyQuestion(
  budget: { readonly epsilon: number; readonly delta: number },
  deployed: boolean,
  bound: number,
): NoisyQuestion {
  const ends = { lower: -bound, upper: bound };
  if (!deployed) return { kind: 'noisy', ...ends, sigma: analyticGaussianSigma({ ...budget, sensitivity: 2 }) };
  const noise = integerNoise({ ...budget, dimension: 1 });
  return { kind: 'noisy', ...ends, sigma: noise.deviation, noise };
}

/** The one round of a naive plan. */
export function naiveRound(plan: NaivePlan): ScalarRound {
  return scalarRound(plan, { round: 0, share: 1, role: 'estimate' }, plan.question);
}

/**
 * The mean of noisy means of one round.
 *
 * @throws RangeError when the round is missing or nobody answered.
 */
export function noisyEstimate(finished: readonly FinishedScalar[], at: number): MeanEstimate {
  const { round, tally } = finishedRound(finished, at, 1);
  const { lower, upper } = round.question;
  const { players, sums } = tally;
  const half = 0.5 * (upper - lower);
  const mean = sums[0] / players;
  // One report has no spread to tell: the noise alone is then the error.
  const sigma = round.question.kind === 'noisy' ? round.question.sigma : 1;
  const variance = players > 1 ? max(0, sums[1] - players * mean * mean) / (players - 1) : sigma * sigma;
  return {
    players,
    mean: Float64Array.of(0.5 * (lower + upper) + half * mean),
    standardError: Float64Array.of(half * sqrt(variance / players)),
  };
}

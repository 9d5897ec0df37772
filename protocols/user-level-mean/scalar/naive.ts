import { checkBudget } from '../../../src/check/number.ts';
import { integerNoise } from '../../../src/core/integer-noise.ts';
import { analyticGaussianSigma } from '../../../src/privacy/gaussian.ts';
import { approximate } from '../../../src/privacy/guarantee.ts';
import type { Variant } from '../course.ts';
import { type MeanEstimate, planDigest, scalarFields, type UserLevelPlan, type UserLevelRequest } from '../shape.ts';
import { noisyMean } from './answers.ts';
import { type FinishedScalar, type NoisyQuestion, questionChannel, type ScalarRound, scalarRound } from './question.ts';

const { hypot, sqrt } = Math;

/** The fields of a request for variants with Gaussian noise. */
export interface NaiveRequest extends UserLevelRequest {
  /** δ of one player's transcript, strictly between 0 and 1. */
  readonly delta: number;
}

/** Plan of the variants `naive` and `printedNaive`: one round of noisy local means. */
export interface NaivePlan extends UserLevelPlan {
  readonly variant: 'naive' | 'printedNaive';
  /** δ of one player's transcript. */
  readonly delta: number;
  /** The one question. */
  readonly question: NoisyQuestion;
}

const round = (plan: NaivePlan): ScalarRound =>
  scalarRound(plan, { round: 0, share: 1, role: 'estimate' }, plan.question);

/** Noisy local means: y + w, where w is normal with the least noise that the sensitivity 2B needs. *
 * @theorem slides A naive estimator, noise and privacy
 */
export const naive: Variant<NaiveRequest, NaivePlan, ScalarRound> = {
  make(family, request) {
    const fields = scalarFields(family, 'naive', request, true);
    const { epsilon, delta } = checkBudget(request);
    const question = noisyQuestion({ epsilon, delta }, fields.grade === 'deployment', fields.bound);
    return { ...fields, variant: 'naive', digest: planDigest(fields, { delta }), delta, question };
  },
  rounds: () => 1,
  answers: () => 1,
  after: (plan, finished) => (finished.length === 0 ? round(plan) : undefined),
  remake: round,
  finish: (_, finished) => noisyEstimate(finished[0]),
  claimed: ({ epsilon, delta }) => approximate({ epsilon, delta }),
  releases: ({ question }) => [questionChannel(question).release('local mean')],
  // A noisy mean lies in [−1, 1].
  neighbourDistance: () => 2,
  expected({ bound, question, players, samples }, spread) {
    return { error: hypot(spread / sqrt(samples), bound * question.sigma) / sqrt(players), floor: 0 };
  },
};

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

/** The mean of noisy means of one round; it uses only the players of this round. */
export function noisyEstimate({ round, tally }: FinishedScalar): MeanEstimate {
  const { mean, standardError } = noisyMean(round.question as NoisyQuestion, tally);
  return { players: tally.players, mean: Float64Array.of(mean), standardError: Float64Array.of(standardError) };
}

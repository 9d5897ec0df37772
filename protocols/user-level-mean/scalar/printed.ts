import { checkBudget } from '../../../src/check/budget.ts';
import { checkOpenUnit, checkWord } from '../../../src/check/number.ts';
import { randomizedResponse } from '../../../src/mechanism/randomized-response.ts';
import { analyticGaussianSigma } from '../../../src/privacy/gaussian.ts';
import type { SampleDomain } from '../vector/model.ts';
import { type LocatedInterval, popularBin } from './interval.ts';
import type { NaiveRequest } from './naive.ts';
import { type PrintedPlan, planDigest, scalarFields } from './plan.ts';
import { type FinishedScalar, finishedRound, type ScalarRound, scalarRound } from './round.ts';
import type { UserLevelFamily } from './types.ts';

const { ceil, log, max, sqrt } = Math;

/** How the budget is shared out among the rounds and, in several dimensions, the coordinates; `unsplit` exists there only. */
export type PrintedCalibration = 'printed' | 'unsplit' | 'exact';

/** What the variant of the printed scheme is asked for. */
export interface PrintedRequest extends NaiveRequest {
  /** ξ, the probability with which a local mean may lie far from the mean; .05 by default. */
  readonly failure?: number;
  /**
   * The noise: as `printed`, or `exact`, the slides' scheme at its best: ε/2 for the bin, and (ε/2, δ) calibrated exactly for the
   * projected mean. In several dimensions also `unsplit`: see `printedVector`.
   */
  readonly calibration?: PrintedCalibration;
  /** In several dimensions: where samples lie; `box` by default. */
  readonly domain?: SampleDomain;
  /** In several dimensions: public seed of the rotation; any text. */
  readonly seed?: string;
}

/** ξ where a request names none. */
export const DEFAULT_FAILURE = 0.05;

/** ε′ = ε/(4√ln(3/δ)): advanced composition of two releases at δ/3. */
export function printedEpsilon({ epsilon, delta }: { readonly epsilon: number; readonly delta: number }): number {
  return epsilon / (4 * sqrt(log(3 / delta)));
}

/** How far a local mean lies from its mean at most, but with probability ξ for any of n: s√(2 ln(2n/ξ)/m), s ≤ B. */
export function concentrationRadius(
  spread: number,
  { players, samples }: { readonly players: number; readonly samples: number },
  failure: number,
): number {
  return spread * sqrt((2 * log((2 * players) / failure)) / samples);
}

/**
 * The slides' two rounds as printed: k-ary randomized response of the bin at ε′, bins of width 2B√(2 ln(2n/ξ))/√m, projection on
 * the most popular one, and N(0, 8σ²·ln(6/δ)/ε′²) on it. σ is not defined in the slides; it is taken as half the length of the
 * interval, which makes the noise that of the classical Gaussian mechanism at (ε′, δ/3). All players answer both rounds.
 *
 * Guarantee: see the certificate: what is claimed holds, with much to spare. The estimate has a bias of .4·s/√m for a mean at
 * the edge of a bin, whatever n.
 *
 * Source: Avella-Medina 2023 (slides), algorithm of the two-round estimator.
 *
 * @throws TypeError or RangeError naming the field.
 */
export function printedPlan(family: UserLevelFamily, request: PrintedRequest): PrintedPlan {
  const fields = scalarFields(family, 'printed', request, false);
  const budget = checkBudget(request);
  const failure = checkOpenUnit('failure', request.failure ?? DEFAULT_FAILURE);
  const calibration = checkWord('calibration', request.calibration ?? 'printed', ['printed', 'exact']);
  const { delta } = budget;
  const { bound } = fields;
  const width = 2 * concentrationRadius(bound, fields, failure);
  const half = { epsilon: budget.epsilon / 2, delta };
  const pilotEpsilon = calibration === 'printed' ? printedEpsilon(budget) : half.epsilon;
  const sigma =
    calibration === 'printed'
      ? sqrt(8 * log(6 / delta)) / pilotEpsilon
      : analyticGaussianSigma({ ...half, sensitivity: 2 });
  const categories = max(2, ceil((2 * bound) / width));
  const mechanism = randomizedResponse({ epsilon: pilotEpsilon, categories });
  const pilot = { kind: 'bin', lower: -bound, upper: bound, mechanism } as const;
  const digest = planDigest(fields, { delta, failure, calibration });
  return { ...fields, variant: 'printed', digest, delta, pilotEpsilon, pilot, sigma };
}

/** The round after those that are over: the bin, then the projected mean. */
export function printedRound(plan: PrintedPlan, finished: readonly FinishedScalar[]): ScalarRound | undefined {
  if (finished.length === 0) return scalarRound(plan, { round: 0, share: 1, role: 'pilot' }, plan.pilot);
  if (finished.length > 1) return undefined;
  return printedFinal(plan, popularBin(plan.pilot, finishedRound(finished, 0, 1).tally));
}

/** Round 2 on a bin. */
export function printedFinal(plan: PrintedPlan, { lower, upper }: LocatedInterval): ScalarRound {
  const question = { kind: 'noisy', lower, upper, sigma: plan.sigma } as const;
  return scalarRound(plan, { round: 1, share: 1, role: 'estimate', repeats: true }, question);
}

import { checkOpenUnit, checkPositive, checkWord, refusal } from '../../../src/check/number.ts';
import { twoLevels } from '../../../src/mechanism/exact-coin.ts';
import { type FrequencyMechanism, frequencyVariance } from '../../../src/mechanism/frequency.ts';
import { logNormalCdf, normalCdf } from '../../../src/numeric/normal.ts';
import { pureToGdpMu } from '../../../src/privacy/conversion.ts';
import { gdpMu } from '../../../src/privacy/gaussian.ts';
import { restWithin } from '../../../src/privacy/rounding.ts';
import type { SampleDomain } from '../vector/model.ts';
import { binsOf, type LocatedInterval, pairEdge, tripleBin } from './interval.ts';
import { noisyEstimate, noisyQuestion } from './naive.ts';
import { checkGroups, planDigest, scalarFields, type TwoRoundPlan } from './plan.ts';
import { concentrationRadius, DEFAULT_FAILURE } from './printed.ts';
import { binQuestion, type NoisyQuestion, type Question } from './question.ts';
import { type FinishedScalar, finishedRound, type ScalarRound, scalarRound } from './round.ts';
import { THRESHOLD_CELLS } from './shares.ts';
import { residualMean, type SignQuestion } from './sign.ts';
import type { MeanEstimate, UserLevelFamily, UserLevelRequest } from './types.ts';

const { max, min, sqrt } = Math;

/** What the variant of the corrected two rounds is asked for. */
export interface TwoRoundRequest extends UserLevelRequest {
  /** δ of one player's transcript, for Gaussian noise in round 2; without it round 2 is one bit, and all is pure. */
  readonly delta?: number;
  /** s, the standard deviation (or subgaussian parameter) of one sample, where it is public; B by default, which always holds. */
  readonly spread?: number;
  /** ξ, the probability with which a local mean may lie far from the mean; .05 by default. */
  readonly failure?: number;
  /** Round 2 projects on the best two adjacent bins (default), or on the best bin and its neighbours. */
  readonly interval?: 'pair' | 'triple';
  /** Share of the players in round 1 or, where the same players answer both, of the budget; chosen by default. */
  readonly share?: number;
  /** Whether the same players answer both rounds; they do not by default, which costs less. */
  readonly samePlayers?: boolean;
  /** In several dimensions: where samples lie; `box` by default. */
  readonly domain?: SampleDomain;
  /** In several dimensions: what round 2 sends, a unit vector or Gaussian noise (with a δ); by default what has less noise. */
  readonly form?: 'automatic' | 'unit' | 'gaussian';
  /** In several dimensions: public seed of the rotation; any text. */
  readonly seed?: string;
}

/**
 * A bound on the probability that n reports point to a pair of bins that has nothing in common with the right one, of k, when
 * nine tenths of the local means are in that.
 */
export function pairFailure(mechanism: FrequencyMechanism, reports: number): number {
  const { categories } = mechanism;
  const share = Float64Array.from({ length: categories }, (_, i) => (i === 0 ? 1 : 0));
  // Of a bin that holds nothing and of one that holds all: the larger.
  const variance = max(
    frequencyVariance(mechanism, 0, share, reports),
    frequencyVariance(mechanism, categories - 1, share, reports),
  );
  return categories * normalCdf(-0.9 / (2 * sqrt(variance)));
}

/**
 * The corrected two rounds. Round 1: one-hot reports of the bin by the mechanism of least error at (k, ε). Round 2: y projected
 * on an interval around the best pair of bins that holds all local means but with probability ξ, wherever the mean lies, with the
 * noise of the interval's own sensitivity. Each player answers once.
 *
 * Guarantee: (ε, δ), or pure ε without a δ, for a player of either round. With `samePlayers` the budget is split: by the
 * better of Gaussian and basic composition where round 2 is Gaussian noise of a simulation, by basic composition elsewhere.
 *
 * @throws TypeError or RangeError naming the field.
 */
export function twoRoundPlan(family: UserLevelFamily, request: TwoRoundRequest): TwoRoundPlan {
  const fields = scalarFields(family, 'twoRound', request, true);
  const { bound, epsilon, samples, players } = fields;
  const delta = request.delta === undefined ? undefined : checkOpenUnit('delta', request.delta);
  const spread = checkPositive('spread', request.spread ?? bound);
  const failure = checkOpenUnit('failure', request.failure ?? DEFAULT_FAILURE);
  const interval = checkWord('interval', request.interval ?? 'pair', ['pair', 'triple']);
  const samePlayers = request.samePlayers ?? false;
  if (typeof samePlayers !== 'boolean') throw new TypeError(refusal('samePlayers', 'true or false', samePlayers));
  const asked = request.share === undefined ? undefined : checkOpenUnit('share', request.share);

  const deployed = fields.grade === 'deployment';
  const budgets = samePlayers ? split(epsilon, delta, asked ?? 0.5, deployed) : { pilot: epsilon, final: epsilon };
  const range = min(2 * bound, concentrationRadius(spread, { players, samples }, failure));
  // A pair is followed by its own margin; of three bins the outer two are the margin.
  const width = interval === 'pair' ? (4 * spread) / sqrt(samples) : range;
  const pilot = binQuestion(bound, binsOf(bound, width), budgets.pilot);
  const share = samePlayers ? 1 : (asked ?? pilotShare(pilot.mechanism, players));
  if (!samePlayers) checkGroups(players, [share, 1 - share]);
  const final = finalQuestion(budgets, delta, deployed);
  const digest = planDigest(fields, { delta: delta ?? 0, spread, failure, interval, samePlayers, share: asked ?? 0 });
  const made = { ...fields, variant: 'twoRound', digest, interval, range, samePlayers, share, pilot, final } as const;
  return delta === undefined ? made : { ...made, delta };
}

interface Budgets {
  readonly pilot: number;
  readonly final: number;
  /** μ of round 2 where it is Gaussian. */
  readonly mu?: number;
}

// The part of the budget that is given to the pilot: of μ² in Gaussian composition, of ε in basic composition.
function split(epsilon: number, delta: number | undefined, share: number, deployed: boolean): Budgets {
  if (delta === undefined || deployed) {
    const pilot = epsilon * share;
    return { pilot, final: restWithin(epsilon, pilot, epsilon * (1 - share)) };
  }
  const mu = gdpMu({ epsilon, delta });
  const first = mu * sqrt(share);
  // Inverse of μ = 2Φ⁻¹(e^ε/(1 + e^ε)).
  const pilot = (logNormalCdf(first / 2) - logNormalCdf(-first / 2)) * (1 - 1e-9);
  // A pure release costs less in basic composition when it has a small part of the budget: whichever leaves less noise.
  const gaussian = sqrt(max(0, mu * mu - pureToGdpMu(pilot) ** 2)) * (1 - 1e-12);
  const rest = pilot < epsilon ? restWithin(epsilon, pilot, epsilon - pilot) : 0;
  const basic = rest > 0 ? gdpMu({ epsilon: rest, delta }) : 0;
  return { pilot, final: epsilon, mu: max(gaussian, basic) };
}

function finalQuestion(budgets: Budgets, delta: number | undefined, deployed: boolean): NoisyQuestion | SignQuestion {
  const ends = { lower: -1, upper: 1 };
  if (delta === undefined)
    return { kind: 'sign', ...ends, cells: THRESHOLD_CELLS, coin: twoLevels(budgets.final, 1, 1) };
  if (budgets.mu !== undefined) return { kind: 'noisy', ...ends, sigma: 2 / budgets.mu };
  return noisyQuestion({ epsilon: budgets.final, delta }, deployed, 1);
}

// As many as make a wrong interval rarer than one in a million, from a tenth to a half of all.
function pilotShare(mechanism: FrequencyMechanism, players: number): number {
  let share = 0.1;
  while (share < 0.5 && pairFailure(mechanism, max(1, share * players)) > 1e-6) share += 0.05;
  return min(0.5, share);
}

/** The interval that round 2 projects on. */
export function chosenInterval(plan: TwoRoundPlan, tally: FinishedScalar['tally']): LocatedInterval {
  const { pilot, bound, range } = plan;
  if (plan.interval === 'triple') return tripleBin(pilot, tally);
  const edge = pairEdge(pilot, tally);
  const half = bound / pilot.mechanism.categories + range;
  return { lower: max(-bound, edge - half), upper: min(bound, edge + half) };
}

/** The round after those that are over: the bin, then the projected mean. */
export function twoRoundRound(plan: TwoRoundPlan, finished: readonly FinishedScalar[]): ScalarRound | undefined {
  const { share } = plan;
  if (finished.length === 0) return scalarRound(plan, { round: 0, share, role: 'pilot' }, plan.pilot);
  if (finished.length > 1) return undefined;
  return twoRoundFinal(plan, chosenInterval(plan, finishedRound(finished, 0, 1).tally));
}

/** Round 2 on an interval. */
export function twoRoundFinal(plan: TwoRoundPlan, { lower, upper }: LocatedInterval): ScalarRound {
  const { share, samePlayers } = plan;
  const question: Question = { ...plan.final, lower, upper };
  const place = { round: 1, share: samePlayers ? 1 : 1 - share, role: 'estimate' } as const;
  return scalarRound(plan, samePlayers ? { ...place, repeats: true } : place, question);
}

/**
 * The mean of the projected means of round 2.
 *
 * @throws RangeError when a round is missing, or nobody answered.
 */
export function twoRoundEstimate(plan: TwoRoundPlan, finished: readonly FinishedScalar[]): MeanEstimate {
  if (plan.final.kind === 'noisy') return noisyEstimate(finished, 1);
  const { round, tally } = finishedRound(finished, 1, 1);
  if (round.question.kind !== 'sign') throw new RangeError('"finished[1]" expected a round of this plan');
  const { mean, standardError } = residualMean({ question: round.question, counts: tally.sums });
  return { players: tally.players, mean: Float64Array.of(mean), standardError: Float64Array.of(standardError) };
}

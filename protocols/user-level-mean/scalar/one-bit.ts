import { checkFinite, checkPositive, checkWord } from '../../../src/check/number.ts';
import { twoLevels } from '../../../src/mechanism/exact-coin.ts';
import { binsOf, type LocatedInterval, pairEdge } from './interval.ts';
import { checkGroups, type OneBitPlan, planDigest, scalarFields } from './plan.ts';
import { binQuestion } from './question.ts';
import { type FinishedScalar, finishedRound, reportsOf, type ScalarRound, scalarRound } from './round.ts';
import { checkShares, defaultShares, FEWEST_SEARCHES, SEARCH_SHARE, searchRounds, THRESHOLD_CELLS } from './shares.ts';
import { residualMean, type SignAnswers, type SignQuestion } from './sign.ts';
import { fitSigns, type NormalRange, type SignFit } from './sign-fit.ts';
import { expectedSkew, residualIsBetter, residualRadius, type Skew, skewOfSigns } from './skew.ts';
import { pairFailure } from './two-round.ts';
import type { MeanEstimate, UserLevelFamily, UserLevelRequest } from './types.ts';

const { exp, max, min, sqrt } = Math;

/** What the variant of one-bit rounds is asked for. */
export interface OneBitRequest extends UserLevelRequest {
  /**
   * s, the standard deviation of one sample, where it is public: local means then deviate by s/√m. By default the thresholds of
   * the rounds are spread so that the answers tell it.
   */
  readonly spread?: number;
  /** κ₃, the skewness of one sample, where it is public; by default it is estimated. 0 says that signs are always good. */
  readonly skew?: number;
  /** What round 1 asks: `bins`, or `thresholds` all over [−B, B]; by default what the forecast says. */
  readonly pilot?: 'automatic' | 'bins' | 'thresholds';
  /** Shares of the players, round after round, at least two, of sum at most 1; see `defaultShares`. */
  readonly shares?: readonly number[];
}

/** How far the thresholds of a round that looks at skewness are from the centre, in standard deviations. */
const TAILS = 2.2;

/** Bins are used only where the pair is wrong with at most this probability by forecast. */
const PILOT_FAILURE = 1e-6;

/** σ of local means is at most B, and looked for down to this share of B/√m; down to the second where the bits point there. */
const LEAST_DEVIATION = 1 / 50;
const FLOOR_DEVIATION = 1e-6;

/**
 * One bit per player. Round 1, a pilot: thresholds all over [−B, B], or, where by forecast two rounds of those would not find the
 * mean and the best pair of bins will be the right one, the bin of y. Then, round after round, is y above a threshold at the centre of what is known: drawn from
 * an interval as long as the centre is uncertain, a single one when it is settled. The estimate uses the bits of all rounds.
 *
 * Guarantee: pure ε for a player of any round.
 *
 * Law: the estimate is that of the likelihood of normal local means. By the central limit theorem they are as m grows; at a
 * skewness κ₃ of the samples it is off by −κ₃s/(6m). Where n is large enough for that to matter the last round asks for unbiased
 * bits instead (see `residualIsBetter`).
 *
 * @throws TypeError or RangeError naming the field.
 */
export function oneBitPlan(family: UserLevelFamily, request: OneBitRequest): OneBitPlan {
  const fields = scalarFields(family, 'oneBit', request, true);
  const { bound, epsilon, players, samples } = fields;
  const spread = request.spread === undefined ? undefined : checkPositive('spread', request.spread);
  const skew = request.skew === undefined ? undefined : checkFinite('skew', request.skew);
  const coin = twoLevels(epsilon, 1, 1);
  const asked = request.shares === undefined ? undefined : checkShares(request.shares);
  const wanted = checkWord('pilot', request.pilot ?? 'automatic', ['automatic', 'bins', 'thresholds']);
  // Of a spread that is to be found a quarter of the largest is taken, for the forecasts only.
  const least = (spread ?? bound / 4) / sqrt(samples);
  const bits = SEARCH_SHARE * players * coin.contrast ** 2;
  const far = searchRounds((2 * bound) / least, bits);
  const sign = { kind: 'sign', lower: 0, upper: 0, cells: 1, coin } as const;
  const bins = binQuestion(bound, binsOf(bound, (4 * (spread ?? bound)) / sqrt(samples)), epsilon);
  const reliable = pairFailure(bins.mechanism, max(1, (asked?.[0] ?? SEARCH_SHARE) * players)) <= PILOT_FAILURE;
  // Thresholds all over the range say as much and count in the estimate, unless the range is too long for them.
  const useBins = wanted === 'bins' || (wanted === 'automatic' && reliable && far > FEWEST_SEARCHES);
  const pilot = useBins ? bins : { ...sign, lower: -bound, upper: bound, cells: THRESHOLD_CELLS };
  // Bins leave a few of their widths to search.
  const near = 1 + searchRounds((4 * bound) / bins.mechanism.categories / least, bits);
  const shares = asked ?? defaultShares(useBins ? near : far);
  checkGroups(players, shares);
  const rest = { spread: spread ?? 0, skew: skew ?? null, pilot: wanted, shares: [...(asked ?? [])] };
  const digest = planDigest(fields, rest);
  return {
    ...fields,
    variant: 'oneBit',
    digest,
    shares,
    pilot,
    sign,
    ...(spread === undefined ? {} : { deviation: spread / sqrt(samples) }),
    ...(skew === undefined ? {} : { skew }),
  };
}

/** Where μ and σ are looked for, once the pilot is over. */
function rangeOf(plan: OneBitPlan, finished: readonly FinishedScalar[]): NormalRange {
  const { bound, samples, pilot, deviation } = plan;
  const usual = bound / sqrt(samples);
  const spread = deviation ?? ([usual * LEAST_DEVIATION, usual, bound] as const);
  let ends: LocatedInterval = { lower: -bound, upper: bound };
  if (pilot.kind === 'bin' && finished.length > 0) {
    const edge = pairEdge(pilot, finishedRound(finished, 0, 1).tally);
    const width = (2 * bound) / pilot.mechanism.categories;
    // Half a bin holds the mean when the pair is right; as much again for a mean whose neighbours were close.
    ends = { lower: max(-bound, edge - width), upper: min(bound, edge + width) };
  }
  return { ...ends, deviation: spread, ...(deviation === undefined ? { floor: usual * FLOOR_DEVIATION } : {}) };
}

function signsOf(finished: readonly FinishedScalar[]): SignAnswers[] {
  return finished.flatMap(({ round, tally }) =>
    round.question.kind === 'sign' ? [{ question: round.question, counts: tally.sums }] : [],
  );
}

/** What all rounds that are over say. */
export function oneBitFit(plan: OneBitPlan, finished: readonly FinishedScalar[]): SignFit {
  return fitSigns(signsOf(finished), rangeOf(plan, finished));
}

/** The round after those that are over. */
export function oneBitRound(plan: OneBitPlan, finished: readonly FinishedScalar[]): ScalarRound | undefined {
  const { shares, pilot, players } = plan;
  const round = finished.length;
  if (round === shares.length) return undefined;
  const share = shares[round];
  if (round === 0) return scalarRound(plan, { round, share, role: 'pilot' }, pilot);
  finishedRound(finished, round - 1, 1);
  const fit = oneBitFit(plan, finished);
  const last = round === shares.length - 1;
  if (last) {
    const said = skewSaid(plan, finished, fit);
    const { contrast } = plan.sign.coin;
    if (residualIsBetter(said, contrast, share * players)) {
      const range = residualRadius(said, contrast, share * players, plan.samples);
      const [below, above] = range.map((deviations) => deviations * fit.deviation + 3 * fit.standardError);
      return scalarRound(plan, { round, share, role: 'residual' }, between(plan, fit.mean - below, fit.mean + above));
    }
  }
  const tails = round === shares.length - 2 && skewMatters(plan) ? TAILS * fit.deviation : 0;
  return scalarRound(plan, { round, share, role: 'estimate' }, around(plan, fit.mean, max(searchReach(fit), tails)));
}

/**
 * Half the length of the interval that thresholds are drawn from: as far as the centre may be off, less what a single threshold
 * bridges, and wide enough to see the spread of the local means as long as that is not known.
 */
export function searchReach({ standardError, deviation, deviationError }: SignFit): number {
  const least = deviation * exp(-1.5 * deviationError);
  const range = max(2.5 * standardError - 0.75 * least, 2.5 * min(1, deviationError) * deviation);
  // A shorter interval is as good as a point.
  return range < 0.1 * deviation ? 0 : range;
}

function around(plan: OneBitPlan, centre: number, half: number): SignQuestion {
  if (half === 0) return { ...plan.sign, lower: centre, upper: centre };
  return between(plan, centre - half, centre + half);
}

function between({ sign, bound }: OneBitPlan, lower: number, upper: number): SignQuestion {
  return { ...sign, lower: max(-bound, lower), upper: min(bound, upper), cells: THRESHOLD_CELLS };
}

/** A later round on an interval, or at one threshold where its ends are the same. */
export function oneBitLater(
  plan: OneBitPlan,
  { round, role }: Pick<ScalarRound, 'round' | 'role'>,
  { lower, upper }: LocatedInterval,
): ScalarRound {
  const cells = lower === upper ? plan.sign.cells : THRESHOLD_CELLS;
  return scalarRound(plan, { round, share: plan.shares[round], role }, { ...plan.sign, lower, upper, cells });
}

// The skewness of local means: κ₃/√m where κ₃ is public, else what the bits and experience say.
function skewSaid({ skew, samples }: OneBitPlan, finished: readonly FinishedScalar[], fit: SignFit): Skew {
  if (skew !== undefined) return { skew: skew / sqrt(samples), standardError: 0 };
  return expectedSkew(skewOfSigns(signsOf(finished), fit), samples);
}

// Whether twice a usual skewness would turn the decision of the last round: then the round before it looks at the tails as well.
function skewMatters({ skew, samples, shares, players, sign }: OneBitPlan): boolean {
  const usual = { skew: 2 / sqrt(samples), standardError: 0 };
  return skew === undefined && residualIsBetter(usual, sign.coin.contrast, shares[shares.length - 1] * players);
}

/**
 * The mean: of the unbiased bits of the last round where it was asked for those, else of the likelihood of all rounds.
 *
 * @throws RangeError when a round is missing, or nobody answered in one that is needed.
 */
export function oneBitEstimate(plan: OneBitPlan, finished: readonly FinishedScalar[]): MeanEstimate {
  const { round, tally } = finishedRound(finished, plan.shares.length - 1, 1);
  const fit = oneBitFit(plan, finished);
  const { mean, standardError } =
    round.role === 'residual' && round.question.kind === 'sign'
      ? residualMean({ question: round.question, counts: tally.sums })
      : fit;
  return {
    players: reportsOf(finished),
    mean: Float64Array.of(mean),
    standardError: Float64Array.of(standardError),
    deviation: Float64Array.of(fit.deviation),
  };
}

import { fieldOf } from '../../../src/check/datum.ts';
import { checkFinite, checkOpenUnit, checkWord, RefusedKind, RefusedValue } from '../../../src/check/refusal.ts';
import { twoLevels } from '../../../src/mechanism/exact-coin.ts';
import { pure } from '../../../src/privacy/guarantee.ts';
import { type LocatedInterval, receivedInterval, reportsOf, type Variant } from '../course.ts';
import {
  checkGroups,
  checkSpread,
  planDigest,
  scalarFields,
  type UserLevelPlan,
  type UserLevelRequest,
} from '../shape.ts';
import { residualMean, type SignAnswers } from './noisy-means.ts';
import {
  type BinQuestion,
  binQuestion,
  binsOf,
  type FinishedScalar,
  pairEdge,
  pairFailure,
  questionChannel,
  type ScalarRound,
  type SignQuestion,
  scalarRound,
  THRESHOLD_CELLS,
} from './question.ts';
import {
  expectedSkew,
  fitSigns,
  type NormalRange,
  residualIsBetter,
  residualRadius,
  type SignFit,
  type Skew,
  skewOfSigns,
} from './sign-fit.ts';

const { PI, ceil, exp, log, max, min, sqrt, tanh } = Math;

/** The fields of a request for one-bit rounds. */
export interface OneBitRequest extends UserLevelRequest {
  /** s, the deviation of one sample, if it is public; by default it is estimated from the answers. */
  readonly spread?: number;
  /** κ₃, the skewness of one sample, if it is public; by default it is estimated. With 0, signs are always good. */
  readonly skew?: number;
  /** The question of round 1: `bins`, or `thresholds` over all of [−B, B]; by default the forecast decides. */
  readonly pilot?: 'automatic' | 'bins' | 'thresholds';
  /** Shares of the players, round after round: at least two, with a sum of at most 1; see `defaultShares`. */
  readonly shares?: readonly number[];
}

/** Plan of the variant `oneBit`: a pilot, then signs around a centre that moves. */
export interface OneBitPlan extends UserLevelPlan, Pick<OneBitRequest, 'skew'> {
  readonly variant: 'oneBit';
  readonly shares: readonly number[];
  /** s/√m, if s was given. */
  readonly deviation?: number;
  /** Round 1: bins, or thresholds over all of [−B, B]. */
  readonly pilot: BinQuestion | SignQuestion;
  /** The sign question at 0 with its coin; rounds move its threshold. */
  readonly sign: SignQuestion;
}

/** The distance, in standard deviations, of the thresholds from the centre in a round that measures skewness. */
const TAILS = 2.2;

/** Bins are used only if, by forecast, the pair is wrong with at most this probability. */
const PILOT_FAILURE = 1e-6;

/** σ of local means is at most B. The search goes down to this share of B/√m, then to the second if bits say so. */
const LEAST_DEVIATION = 1 / 50;
const FLOOR_DEVIATION = 1e-6;

/** Signs count on a skewness of local means up to that of exponential samples: far beyond, the expansion is no law. */
const MOST_SKEW = 2;

/**
 * One bit per player. Round 1 is a pilot, with thresholds over all of [−B, B]. It asks for the bin of y instead if, by
 * forecast, two rounds of such thresholds would not find the mean and the best pair of bins will be the right one. Each
 * later round asks whether y is above a threshold near the centre of what is known. The threshold is drawn from an
 * interval as long as the uncertainty of the centre; once the centre is settled, there is a single threshold. The
 * estimate uses the bits of all rounds.
 *
 * Guarantee: pure ε for a player of any round.
 *
 * Law: the estimate is that of the likelihood of normal local means. By the central limit theorem they become normal as
 * m grows; with skewness κ₃ of the samples the estimate has an error of −κ₃s/(6m) unless κ₃ is public. If n is large enough for
 * that to matter, the last round asks for unbiased bits instead (see `residualIsBetter`).
 * @theorem slides Theorem, two-round estimator, error
 */
export const oneBit: Variant<OneBitRequest, OneBitPlan, ScalarRound> = {
  make(family, request) {
    const fields = scalarFields(family, 'oneBit', request, true);
    const { bound, epsilon, players, samples } = fields;
    const spread = request.spread === undefined ? undefined : checkSpread(request.spread, bound);
    const skew = request.skew === undefined ? undefined : checkFinite('skew', request.skew);
    const coin = twoLevels(epsilon, 1, 1);
    const asked = request.shares === undefined ? undefined : checkShares(request.shares);
    const wanted = checkWord('pilot', request.pilot ?? 'automatic', ['automatic', 'bins', 'thresholds']);
    // If the spread is unknown, a quarter of its largest value is used, for the forecasts only.
    const least = (spread ?? bound / 4) / sqrt(samples);
    const bits = SEARCH_SHARE * players * coin.contrast ** 2;
    const far = searchRounds((2 * bound) / least, bits);
    const sign = { kind: 'sign', lower: 0, upper: 0, cells: 1, coin } as const;
    const bins = binQuestion(bound, binsOf(bound, (4 * (spread ?? bound)) / sqrt(samples)), epsilon);
    const reliable = pairFailure(bins.mechanism, max(1, (asked?.[0] ?? SEARCH_SHARE) * players)) <= PILOT_FAILURE;
    // Thresholds over the full range give as much information and count in the estimate, unless the range is too long
    // for them.
    const useBins = wanted === 'bins' || (wanted === 'automatic' && reliable && far > FEWEST_SEARCHES);
    const pilot = useBins ? bins : { ...sign, lower: -bound, upper: bound, cells: THRESHOLD_CELLS };
    // After the bins, a few of their widths remain to be searched.
    const near = 1 + searchRounds((4 * bound) / bins.mechanism.categories / least, bits);
    const shares = asked ?? defaultShares(useBins ? near : far);
    checkGroups(players, shares);
    const rest = { spread: spread ?? 0, skew: skew ?? null, pilot: wanted, shares: [...(asked ?? [])] };
    const digest = planDigest(fields, rest);
    return {
      ...{ ...fields, variant: 'oneBit', digest, shares, pilot, sign },
      ...(spread === undefined ? {} : { deviation: spread / sqrt(samples) }),
      ...(skew === undefined ? {} : { skew }),
    };
  },
  rounds: ({ shares }) => shares.length,
  answers: () => 1,
  after,
  remake(plan, round, received) {
    const { shares, pilot, sign, bound } = plan;
    if (round === 0) return scalarRound(plan, { round, share: shares[0], role: 'pilot' }, pilot);
    const role = checkWord('round.role', fieldOf(received, 'role'), ['estimate', 'residual']);
    const { lower, upper } = receivedInterval('round.question', fieldOf(received, 'question'), bound, true);
    const cells = lower === upper ? sign.cells : THRESHOLD_CELLS;
    return scalarRound(plan, { round, share: shares[round], role }, { ...sign, lower, upper, cells });
  },
  // Uses the unbiased bits of the last round if it asked for them, otherwise the likelihood of all rounds.
  finish(plan, finished) {
    const { round, tally } = finished[finished.length - 1];
    const fit = fitSigns(signsOf(finished), rangeOf(plan, finished));
    const { mean, standardError } =
      round.role === 'residual' ? residualMean({ question: round.question as SignQuestion, counts: tally.sums }) : fit;
    return {
      players: reportsOf(finished),
      mean: Float64Array.of(mean),
      standardError: Float64Array.of(standardError),
      deviation: Float64Array.of(fit.deviation),
    };
  },
  claimed: ({ epsilon }) => pure(epsilon),
  releases({ pilot, sign }) {
    const later = questionChannel(sign).release('sign of the local mean against a threshold');
    return pilot.kind === 'bin' ? [questionChannel(pilot).release('bin of the local mean'), later] : [later];
  },
  // Two different bins, or two signs, have distance 2.
  neighbourDistance: () => 2,
  expected({ shares, players, samples, epsilon, bound, sign, skew, deviation }, spread) {
    // The thresholds of the last round are at the mean, if the search finds it.
    const last = { players: shares[shares.length - 1] * players, samples, spread };
    const found =
      skew === undefined ? oneBitError(last, epsilon) : skewedError(last, epsilon, sign.coin.contrast, skew);
    const bits = players * sign.coin.contrast ** 2;
    const near = bound <= (TAILS * spread) / sqrt(samples);
    // A mean anywhere in the middle half of the range is off by B/√12 from the middle. The search loses it as it was measured: for 2 to 200 bits
    // (nκ²), ε = .3, 1 and 3 and s/B√m from .004 to .2 the error was .6 to 1.6 times this.
    const prior = bound / sqrt(12);
    const lost = near ? 0 : 1 / (1 + (deviation === undefined ? (bits / 9) ** 2 : (bits / 11) ** 3));
    const located = 1 / (1 / prior ** 2 + 1 / (found * (1 + 12 / bits)) ** 2);
    const error = sqrt((lost * prior) ** 2 + (1 - lost ** 2) * located);
    const playersNeeded = ceil((4 * LEAST_NARROWING * players) / (shares[0] * bits));
    return { error, floor: 0, ...(near || players >= playersNeeded ? {} : { playersNeeded }) };
  },
};

type UserLevelSetting = { readonly players: number; readonly samples: number; readonly spread: number };

/**
 * Root mean squared error of the last sign round with a correct centre and all n players:
 * s√(π/2)/√(mn)·(e^ε + 1)/(e^ε − 1). The asymptotic error of `oneBit` is this divided by the square root of the share
 * of players whose bits are at the centre.
 * @theorem slides Theorem, two-round estimator, error
 */
export function oneBitError({ players, samples, spread }: UserLevelSetting, epsilon: number): number {
  return (spread * sqrt(PI / 2)) / (sqrt(players * samples) * tanh(epsilon / 2));
}

/**
 * Root mean squared error of the last round, with a correct centre, where the skewness κ₃ of a sample is public, and signs count
 * on it. Unbiased bits have thresholds spread evenly over W deviations τ of local means: their variance is
 * W²τ²(1/κ² − 1)/4 by the coin and W·τ²/√π by the local means, which are nearly normal.
 */
function skewedError(last: UserLevelSetting, epsilon: number, contrast: number, skew: number): number {
  const { players, samples, spread } = last;
  const said = { skew: skew / sqrt(samples), standardError: 0 };
  if (!residualIsBetter(said, contrast, players)) return oneBitError(last, epsilon);
  const [below, above] = residualRadius(said, contrast, players, samples);
  const width = below + above;
  const variance = (width * width * (1 / (contrast * contrast) - 1)) / 4 + width / sqrt(PI);
  return spread * sqrt(variance / (samples * players));
}

/** Share of each search round, and of the first sign round at the centre; the rest is for the re-centred sign round. */
const SEARCH_SHARE = 0.1;
const CENTRE = 0.2;

const FEWEST_SEARCHES = 2;
const MOST_SEARCHES = 5;

/** A round of search narrows the range by at least this; where bits/4 is below it, it is not known to. */
const LEAST_NARROWING = 2;

/** Search rounds until a range, in deviations, is 1: `bits` answers times κ² narrow it to 4/bits, at least a cell. */
export function searchRounds(range: number, bits: number): number {
  const factor = max(LEAST_NARROWING, min(THRESHOLD_CELLS, bits / 4));
  return min(MOST_SEARCHES, max(FEWEST_SEARCHES, ceil(log(max(1, range)) / log(factor))));
}

export function defaultShares(searches: number): number[] {
  return [...new Array<number>(searches).fill(SEARCH_SHARE), CENTRE, 1 - searches * SEARCH_SHARE - CENTRE];
}

function checkShares(shares: readonly number[]): readonly number[] {
  if (!Array.isArray(shares)) throw new RefusedKind('shares', 'a list of shares', shares);
  if (shares.length < 2 || shares.length > 64) throw new RefusedValue('shares', '2 to 64 shares', shares.length);
  const sum = shares.reduce((total, share, i) => total + checkOpenUnit(`shares[${i}]`, share), 0);
  if (sum > 1 + 1e-9) throw new RefusedValue('shares', 'shares that add up to at most 1', sum);
  return shares.slice();
}

function rangeOf(plan: OneBitPlan, finished: readonly FinishedScalar[]): NormalRange {
  const { bound, samples, pilot, deviation, skew = 0 } = plan;
  const usual = bound / sqrt(samples);
  const spread = deviation ?? ([usual * LEAST_DEVIATION, usual, bound] as const);
  let ends: LocatedInterval = { lower: -bound, upper: bound };
  if (pilot.kind === 'bin' && finished.length > 0) {
    const edge = pairEdge(pilot, finished[0].tally);
    const width = (2 * bound) / pilot.mechanism.categories;
    // Half a bin contains the mean if the pair is right; the other half allows for a mean whose neighbours were close.
    ends = { lower: max(-bound, edge - width), upper: min(bound, edge + width) };
  }
  const floor = deviation === undefined ? { floor: usual * FLOOR_DEVIATION } : {};
  return { ...ends, deviation: spread, skew: max(-MOST_SKEW, min(MOST_SKEW, skew / sqrt(samples))), ...floor };
}

function signsOf(finished: readonly FinishedScalar[]): SignAnswers[] {
  return finished.flatMap(({ round, tally }) =>
    round.question.kind === 'sign' ? [{ question: round.question, counts: tally.sums }] : [],
  );
}

function after(plan: OneBitPlan, finished: readonly FinishedScalar[]): ScalarRound | undefined {
  const { shares, pilot, players } = plan;
  const round = finished.length;
  if (round === shares.length) return undefined;
  const share = shares[round];
  if (round === 0) return scalarRound(plan, { round, share, role: 'pilot' }, pilot);
  const signs = signsOf(finished);
  const fit = fitSigns(signs, rangeOf(plan, finished));
  if (round === shares.length - 1) {
    const said = skewSaid(plan, signs, fit);
    const { contrast } = plan.sign.coin;
    if (residualIsBetter(said, contrast, share * players)) {
      const range = residualRadius(said, contrast, share * players, plan.samples);
      const [below, above] = range.map((deviations) => deviations * fit.deviation + 3 * fit.standardError);
      return scalarRound(plan, { round, share, role: 'residual' }, between(plan, fit.mean - below, fit.mean + above));
    }
  }
  const tails = round === shares.length - 2 && skewMatters(plan) ? TAILS * fit.deviation : 0;
  const half = max(searchReach(fit), tails);
  const { mean } = fit;
  const question = half === 0 ? { ...plan.sign, lower: mean, upper: mean } : between(plan, mean - half, mean + half);
  return scalarRound(plan, { round, share, role: 'estimate' }, question);
}

/**
 * Half the length of the interval from which thresholds are drawn: the possible error of the centre, less what a single
 * threshold bridges. While the spread of the local means is unknown, the interval is also wide enough to estimate it.
 */
function searchReach({ standardError, deviation, deviationError }: SignFit): number {
  const least = deviation * exp(-1.5 * deviationError);
  const range = max(2.5 * standardError - 0.75 * least, 2.5 * min(1, deviationError) * deviation);
  // A shorter interval is replaced by a point.
  return range < 0.1 * deviation ? 0 : range;
}

function between({ sign, bound }: OneBitPlan, lower: number, upper: number): SignQuestion {
  return { ...sign, lower: max(-bound, lower), upper: min(bound, upper), cells: THRESHOLD_CELLS };
}

// The skewness of local means: κ₃/√m if κ₃ is public, otherwise estimated from the bits and experience.
function skewSaid({ skew, samples }: OneBitPlan, signs: readonly SignAnswers[], fit: SignFit): Skew {
  if (skew !== undefined) return { skew: skew / sqrt(samples), standardError: 0 };
  return expectedSkew(skewOfSigns(signs, fit), samples);
}

// Whether twice a usual skewness would change the decision of the last round; then the round before it also measures
// the tails.
function skewMatters({ skew, samples, shares, players, sign }: OneBitPlan): boolean {
  const usual = { skew: 2 / sqrt(samples), standardError: 0 };
  return skew === undefined && residualIsBetter(usual, sign.coin.contrast, shares[shares.length - 1] * players);
}

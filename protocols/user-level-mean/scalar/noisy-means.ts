import { fieldOf } from '../../../src/check/datum.ts';
import {
  type Budget,
  checkBoolean,
  checkBudget,
  checkOpenUnit,
  checkWord,
  RefusedValue,
} from '../../../src/check/refusal.ts';
import { integerNoise } from '../../../src/mechanism/discrete-gaussian.ts';
import { twoLevels } from '../../../src/mechanism/exact-coin.ts';
import type { FrequencyMechanism } from '../../../src/mechanism/frequency.ts';
import { pureToGdpMu, pureWithinGdp } from '../../../src/privacy/conversion.ts';
import { analyticGaussianSigma, gdpMu } from '../../../src/privacy/gaussian.ts';
import { restWithin } from '../../../src/privacy/rounding.ts';
import { type LocatedInterval, pairVariant, receivedInterval, reportsOf, type Variant } from '../course.ts';
import {
  checkBudgets,
  checkGroups,
  checkSpread,
  type FoundMean,
  guaranteeOf,
  type MeanTally,
  planDigest,
  type SampleDomain,
  scalarFields,
  type UserLevelPlan,
  type UserLevelRequest,
} from '../shape.ts';
import {
  type BinCounts,
  type BinQuestion,
  binEdge,
  binFrequencies,
  binQuestion,
  binsOf,
  type FinishedScalar,
  frequencyNoise,
  lostPair,
  type NoisyQuestion,
  pairEdge,
  pairFailure,
  popularBin,
  questionChannel,
  type ScalarRound,
  type SignQuestion,
  scalarRound,
  THRESHOLD_CELLS,
} from './question.ts';

const { abs, exp, hypot, log, max, min, PI, sqrt } = Math;

/** The fields of a request for variants with Gaussian noise. */
export interface NaiveRequest extends UserLevelRequest {
  /** δ of one player's transcript, strictly between 0 and 1. */
  readonly delta: number;
}

/** Plan of the variants `naive` and `printedNaive`: one round of noisy local means. */
export interface NaivePlan extends UserLevelPlan, Pick<NaiveRequest, 'delta'> {
  readonly variant: 'naive' | 'printedNaive';
  readonly question: NoisyQuestion;
}

const round = (plan: NaivePlan): ScalarRound =>
  scalarRound(plan, { round: 0, share: 1, role: 'estimate' }, plan.question);

/**
 * Noisy local means: y + w, where w is normal with the least noise that the sensitivity 2B needs.
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
  finish: (_, finished) => foundMean(finished),
  claimed: guaranteeOf,
  releases: ({ question }) => [questionChannel(question).release('local mean')],
  // A noisy mean lies in [−1, 1].
  neighbourDistance: () => 2,
  expected({ bound, question, players, samples }, spread) {
    return { error: hypot(spread / sqrt(samples), bound * question.sigma) / sqrt(players), floor: 0 };
  },
};

/** y on [−B, B] with (ε, δ) Gaussian noise: exact integers in a deployment. */
function noisyQuestion(budget: Budget, deployed: boolean, bound: number): NoisyQuestion {
  const ends = { lower: -bound, upper: bound };
  if (!deployed) return { kind: 'noisy', ...ends, sigma: analyticGaussianSigma({ ...budget, sensitivity: 2 }) };
  const noise = integerNoise({ ...budget, dimension: 1 });
  return { kind: 'noisy', ...ends, sigma: noise.deviation, noise };
}

/** The mean of the signs, or of the noisy means, of the last round alone: the rounds before have found where to ask. */
export function foundMean(finished: readonly FinishedScalar[]): FoundMean {
  const { round, tally } = finished[finished.length - 1];
  const { question } = round;
  const { mean, standardError } =
    question.kind === 'sign'
      ? residualMean({ question, counts: tally.sums })
      : noisyMean(question as NoisyQuestion, tally);
  const players = reportsOf(finished);
  return { players, mean: Float64Array.of(mean), standardError: Float64Array.of(standardError) };
}

/** What a request in several dimensions may choose too. */
export interface VectorChoice {
  /** In several dimensions: the domain of the samples; `box` by default. */
  readonly domain?: SampleDomain;
  /** In several dimensions: public seed of the rotation; any text. */
  readonly seed?: string;
}

/** The fields of a request for the corrected two rounds. */
export interface TwoRoundRequest extends UserLevelRequest, VectorChoice {
  /** δ of one player's transcript, for Gaussian noise in round 2; without δ round 2 is one bit, and all is pure. */
  readonly delta?: number;
  /** s, the deviation (or subgaussian parameter) of one sample, if it is public; B by default, which always holds. */
  readonly spread?: number;
  /** ξ, the probability with which a local mean may lie far from the mean; .05 by default. */
  readonly failure?: number;
  /** Round 2 projects on the best two adjacent bins (default), or on the best bin with both neighbours. */
  readonly interval?: 'pair' | 'triple';
  /** Share of the players in round 1 or, if the same players answer both, of the budget; automatic by default. */
  readonly share?: number;
  /** Whether the same players answer both rounds; false by default, which gives a smaller error. */
  readonly samePlayers?: boolean;
  /** In several dimensions: round 2 by a unit vector or Gaussian noise (with a δ); by default that with less noise. */
  readonly form?: 'automatic' | 'unit' | 'gaussian';
}

/** Plan of the variant `twoRound`: an interval, then clipped means with noise scaled to its length. */
export interface TwoRoundPlan
  extends UserLevelPlan,
    Pick<TwoRoundRequest, 'delta'>,
    Required<Pick<TwoRoundRequest, 'interval' | 'samePlayers' | 'share'>> {
  readonly variant: 'twoRound';
  /** The largest distance of local means from their mean, except with probability ξ. */
  readonly range: number;
  readonly pilot: BinQuestion;
  /** Round 2 on [−1, 1]; its ends are moved to the interval later. */
  readonly final: NoisyQuestion | SignQuestion;
}

/** ξ if a request gives none. */
export const DEFAULT_FAILURE = 0.05;

/** The largest distance of any of n local means from their mean, except with probability ξ: s√(2 ln(2n/ξ)/m), s ≤ B. */
export function concentrationRadius(
  spread: number,
  { players, samples }: { readonly players: number; readonly samples: number },
  failure: number,
): number {
  return spread * sqrt((2 * log((2 * players) / failure)) / samples);
}

/**
 * The corrected two rounds. Round 1: one-hot reports of the bin by the mechanism of least error at (k, ε). Round 2: y
 * projected on an interval around the best pair of bins, with noise for the interval's own sensitivity. The interval
 * contains all local means except with probability ξ, for any position of the mean. Each player answers once.
 *
 * Guarantee: (ε, δ), or pure ε without a δ, for a player of either round. With `samePlayers` the budget is split: by
 * the better of Gaussian and basic composition if round 2 is Gaussian noise of a simulation, otherwise by basic
 * composition.
 * @theorem slides An improved estimator
 * @theorem slides Algorithm, round 2, projection
 * @theorem slides Theorem, two-round estimator, privacy
 * @theorem slides Theorem, two-round estimator, error
 */
export const twoRound: Variant<TwoRoundRequest, TwoRoundPlan, ScalarRound> = /* @__PURE__ */ pairVariant(
  {
    pilot: (plan) => scalarRound(plan, { round: 0, share: plan.share, role: 'pilot' }, plan.pilot),
    locate: (plan, { tally }) => chosenInterval(plan, tally),
    read: ({ bound }, received) => receivedInterval('round.question', fieldOf(received, 'question'), bound),
    final(plan, { lower, upper }) {
      const { share, samePlayers } = plan;
      const place = { round: 1, share: samePlayers ? 1 : 1 - share, role: 'estimate', repeats: samePlayers } as const;
      return scalarRound(plan, place, { ...plan.final, lower, upper });
    },
  },
  {
    make(family, request) {
      const fields = scalarFields(family, 'twoRound', request, true);
      const { bound, epsilon, samples, players } = fields;
      const delta = request.delta === undefined ? undefined : checkOpenUnit('delta', request.delta);
      const spread = checkSpread(request.spread ?? bound, bound);
      const failure = checkOpenUnit('failure', request.failure ?? DEFAULT_FAILURE);
      const interval = checkWord('interval', request.interval ?? 'pair', ['pair', 'triple']);
      const samePlayers = checkBoolean('samePlayers', request.samePlayers ?? false);
      const asked = request.share === undefined ? undefined : checkOpenUnit('share', request.share);

      const deployed = fields.grade === 'deployment';
      const budgets = samePlayers ? split(epsilon, delta, asked ?? 0.5, deployed) : { pilot: epsilon, final: epsilon };
      checkBudgets(asked, [budgets.pilot, budgets.final]);
      const range = min(2 * bound, concentrationRadius(spread, { players, samples }, failure));
      // A pair is surrounded by its own margin; of three bins the outer two are the margin.
      const width = interval === 'pair' ? (4 * spread) / sqrt(samples) : range;
      const pilot = binQuestion(bound, binsOf(bound, width), budgets.pilot);
      const share = samePlayers ? 1 : (asked ?? pilotShare(pilot.mechanism, players));
      if (!samePlayers) checkGroups(players, [share, 1 - share]);
      const final = finalQuestion(budgets, delta, deployed);
      const named = { delta: delta ?? 0, spread, failure, interval, samePlayers, share: asked ?? 0 };
      return {
        ...{ ...fields, variant: 'twoRound', digest: planDigest(fields, named), interval, range, samePlayers },
        ...{ share, pilot, final },
        ...(delta === undefined ? {} : { delta }),
      };
    },
    answers: ({ samePlayers }) => (samePlayers ? 2 : 1),
    finish(plan, finished) {
      const found = foundMean(finished);
      const error = hypot(found.standardError[0], beyondInterval(plan, finished, found));
      return { ...found, standardError: Float64Array.of(error) };
    },
    claimed: (plan) => guaranteeOf(plan),
    releases: ({ pilot, final }) => [
      questionChannel(pilot).release('bin of the local mean'),
      questionChannel(final).release(
        final.kind === 'noisy' ? 'projected local mean' : 'sign of the local mean against a threshold',
      ),
    ],
    // Two different bins have distance 2, and so have the ends of an interval.
    neighbourDistance: ({ samePlayers }) => (samePlayers ? hypot(2, 2) : 2),
    expected({ bound, players, samples, pilot, range, samePlayers, share, final, interval }, spread) {
      const bin = bound / pilot.mechanism.categories;
      const half = interval === 'pair' ? bin + range : 3 * bin;
      const reports = players * (samePlayers ? 1 : 1 - share);
      const deviation = spread / sqrt(samples);
      const within = halfWithin(half, bound);
      const noise =
        final.kind === 'noisy'
          ? hypot(deviation, within * final.sigma)
          : sqrt(bitsVariance(within, deviation, final.coin.contrast, reports));
      const lost = lostPair(pilot.mechanism, players * share) * lostSquare(half / bound);
      return { error: hypot(noise / sqrt(reports), sqrt(lost) * bound), floor: 0 };
    },
  },
);

/**
 * The variance of n bits about thresholds in cells of an interval of length 2h, n times that of the mean that they give, for local
 * means of deviation τ in its middle: h²(1/κ² − 1) by the coin, and 2h·∫F(1 − F)dt by the local means, 2hτ/√π for normal ones. A cell
 * that they all lie in has a sixth of its width in the place of τ/√π; all of the interval is one if a cell may be empty.
 */
function bitsVariance(half: number, deviation: number, contrast: number, reports: number): number {
  const empty = 1 - exp(-THRESHOLD_CELLS * exp(-reports / THRESHOLD_CELLS));
  const told = 2 * half * hypot(deviation / sqrt(PI), half / (3 * THRESHOLD_CELLS));
  return half * half * (1 / (contrast * contrast) - 1 + empty) + told * (1 - empty);
}

/** Mean square of what a mean lies beyond c ± h, for a mean anywhere in the middle half of [−1, 1] and c anywhere in it. */
function lostSquare(half: number): number {
  return (max(0, 1.5 - half) ** 4 - max(0, 0.5 - half) ** 4) / 12;
}

/**
 * How far the mean lies from an estimate if round 1 chose a wrong interval: the root of its mean square.
 *
 * Law: pairs of bins are weighted by both rounds. Frequencies f have normal noise of one variance v, so that a pair with the shares
 * p = (q, 1 − q) has the log likelihood (f·p − ½p·p)/v, at its best q. In round 2 the local means of a pair beyond the interval are all
 * at its end, and the estimate is as far from it as its standard error tells.
 */
function beyondInterval(
  { pilot }: TwoRoundPlan,
  [{ tally }, { round }]: readonly FinishedScalar[],
  { mean: [mean], standardError: [error] }: FoundMean,
): number {
  const { lower, upper } = round.question;
  const { categories } = pilot.mechanism;
  const frequencies = binFrequencies(pilot, tally);
  const variance = frequencyNoise(pilot.mechanism, tally.players);
  const bin = (pilot.upper - pilot.lower) / categories;
  const logs = new Float64Array(categories - 1).map((_, i) => {
    const [edge, first, second] = [binEdge(pilot, i + 1), frequencies[i], frequencies[i + 1]];
    const apart = min(1, abs(first - second));
    const likelihood = (first + second - 0.5 + apart * (abs(first - second) - apart / 2)) / 2;
    // At most half a bin from the edge, and clipped.
    const place = max(lower, edge - bin / 2, min(upper, edge + bin / 2, mean));
    return likelihood / variance - 0.5 * ((mean - place) / max(error, bin * 2 ** -40)) ** 2;
  });
  const highest = logs.reduce((most, value) => max(most, value), -Infinity);
  let [total, squares] = [0, 0];
  for (const [i, value] of logs.entries()) {
    const weight = exp(value - highest);
    const edge = binEdge(pilot, i + 1);
    total += weight;
    if (edge < lower || edge > upper) squares += weight * (edge - mean) ** 2;
  }
  return sqrt(squares / total);
}

/**
 * Half the length of an interval [c − h, c + h] that is cut to [−B, B], averaged over a centre c anywhere in the middle half of the
 * range: E min(h, B − c), since both ends are alike.
 */
function halfWithin(half: number, bound: number): number {
  if (half <= bound / 2) return half;
  return half >= 1.5 * bound ? bound : half - (half - bound / 2) ** 2 / (2 * bound);
}

/** ε of both rounds; μ of round 2, if its noise is Gaussian. */
type Budgets = { readonly pilot: number; readonly final: number; readonly mu?: number };

// The part of the budget for the pilot: a part of μ² in Gaussian composition, of ε in basic composition.
function split(epsilon: number, delta: number | undefined, share: number, deployed: boolean): Budgets {
  if (delta === undefined || deployed) {
    const pilot = epsilon * share;
    return { pilot, final: restWithin(epsilon, pilot, epsilon * (1 - share)) };
  }
  const mu = gdpMu({ epsilon, delta });
  const pilot = pureWithinGdp(mu * sqrt(share));
  // A pure release with a small part of the budget costs less in basic composition: the composition with less noise is
  // used.
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

// Enough players to make a wrong interval rarer than one in a million; between a tenth and a half of all players.
function pilotShare(mechanism: FrequencyMechanism, players: number): number {
  let share = 0.1;
  while (share < 0.5 && pairFailure(mechanism, max(1, share * players)) > 1e-6) share += 0.05;
  return min(0.5, share);
}

export function chosenInterval(plan: TwoRoundPlan, tally: MeanTally): LocatedInterval {
  const { pilot, bound, range } = plan;
  if (plan.interval === 'triple') return popularBin(pilot, tally, 1);
  const edge = pairEdge(pilot, tally);
  const half = bound / pilot.mechanism.categories + range;
  return { lower: max(-bound, edge - half), upper: min(bound, edge + half) };
}

export interface SignAnswers {
  readonly question: SignQuestion;
  /** For each cell, the number of no and the number of yes: entries 2i and 2i + 1. */
  readonly counts: ArrayLike<number>;
}

/** The mean of y clipped to the interval of a question; for one-bit reports with an error ≤ (upper − lower)/(2κ√n). */
type AnswerMean = { readonly mean: number; readonly standardError: number };

/**
 * The mean of y clipped to [lower, upper] from the bits alone: unbiased for every law of y.
 *
 * Law: each cell's share of yes, corrected for the coin, is the average of 1{y ≥ t} over its thresholds; the sum of the
 * cells times their width is E clip(y) − lower. Cells are averaged one by one, so that the random number of answers in
 * each cell adds no variance. If a cell has no answer, all cells are pooled. This event does not depend on the data, so
 * the mean stays unbiased.
 * @throws RangeError without an answer.
 */
export function residualMean({ question, counts }: SignAnswers): AnswerMean {
  const { lower, upper, coin } = question;
  let empty = false;
  for (let i = 0; i < question.cells; i++) if (!(counts[2 * i] + counts[2 * i + 1] > 0)) empty = true;
  const cells = empty ? 1 : question.cells;
  const width = (upper - lower) / cells;
  let mean = lower;
  let variance = 0;
  for (let i = 0; i < cells; i++) {
    let [no, yes] = [counts[2 * i], counts[2 * i + 1]];
    for (let j = 1; empty && j < question.cells; j++) [no, yes] = [no + counts[2 * j], yes + counts[2 * j + 1]];
    if (!(no + yes > 0)) throw new RefusedValue('"tally" expected at least 1 report in this group, got 0');
    const share = yes / (no + yes);
    mean += width * ((share - 0.5) / coin.contrast + 0.5);
    // Few answers that are alike do not mean that all would be: where they are pooled there are one yes and one no more. A quarter, the largest
    // possible value, if there is only one answer.
    const likely = empty ? (yes + 1) / (no + yes + 2) : share;
    variance += (width / coin.contrast) ** 2 * (no + yes > 1 ? (likely * (1 - likely)) / (no + yes - 1) : 0.25);
  }
  return { mean, standardError: sqrt(variance) };
}

const FEW = 30;

/** The mean of y clipped to [lower, upper] from the noisy numbers alone: their count, their sum and that of squares. */
export function noisyMean({ lower, upper, sigma }: NoisyQuestion, { players, sums }: BinCounts): AnswerMean {
  const half = 0.5 * (upper - lower);
  const mean = sums[0] / players;
  const shown = players > 1 ? max(0, sums[1] - players * mean * mean) / (players - 1) : 0;
  // Few reports may show less spread than the noise alone has.
  const variance = players > FEW ? shown : max(shown, sigma * sigma);
  return { mean: 0.5 * (lower + upper) + half * mean, standardError: half * sqrt(variance / players) };
}

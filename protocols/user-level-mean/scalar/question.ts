import { RefusedValue, ReportError } from '../../../src/check/refusal.ts';
import type { LogRatio } from '../../../src/core/channel.ts';
import { digestOf, type Json } from '../../../src/core/request.ts';
import { normalLogRatio } from '../../../src/core/vector-channel.ts';
import { type DiscreteGaussianMechanism, discreteGaussianRelease } from '../../../src/mechanism/discrete-gaussian.ts';
import { COIN_UNITS, type TwoLevels } from '../../../src/mechanism/exact-coin.ts';
import {
  bestFrequencyMechanism,
  countsFor,
  estimateFrequencies,
  type FrequencyMechanism,
  frequencyVariance,
  outputsOf,
} from '../../../src/mechanism/frequency.ts';
import { normalCdf, normalDensity } from '../../../src/numeric/normal.ts';
import { pure } from '../../../src/privacy/guarantee.ts';
import { gaussianRelease, type Release } from '../../../src/privacy/totals.ts';
import type { LocatedInterval, Over } from '../course.ts';
import { type MeanTally, type RoundChannel, roundFields, type UserLevelPlan, type UserLevelRound } from '../shape.ts';

const { abs, floor, log, max, min, sqrt } = Math;

/**
 * A question of one bit: is y at least a threshold? The player draws the threshold uniformly on [lower, upper], in
 * strata. The report contains the cell of the threshold, which does not depend on the datum, and the bit, through
 * randomized response. If both ends are equal, there is one threshold and one cell. A report is twice the cell, plus
 * the bit.
 *
 * Law: P(yes) = ½ + κ(1{y ≥ t} − ½) at threshold t, where κ is the contrast of the coin. Averaged over all thresholds
 * this is linear in y on [lower, upper]: the unbiased one-bit report of a bounded number (Duchi, Jordan, Wainwright
 * 2018).
 *
 * Guarantee: pure ε of the coin. The channel is finite, and exact for uniform random words: a deployment may use it.
 */
export interface SignQuestion extends LocatedInterval {
  readonly kind: 'sign';
  /** Number of cells of equal width, ≥ 1. */
  readonly cells: number;
  /** The coin that keeps the bit with probability e^ε/(1 + e^ε), a multiple of 2⁻⁵³ on the safe side. */
  readonly coin: TwoLevels;
}

/** Cells of thresholds that are drawn from an interval. */
export const THRESHOLD_CELLS = 16;

/** Asks in which of k bins of equal width on [lower, upper] y lies, through a randomizer of a category. */
export interface BinQuestion extends LocatedInterval {
  readonly kind: 'bin';
  /** The randomizer; its categories are the bins from left to right. A y beyond an end counts for the bin there. */
  readonly mechanism: FrequencyMechanism;
}

/** y projected on [lower, upper], as a number in [−1, 1], with Gaussian noise. */
export interface NoisyQuestion extends LocatedInterval {
  readonly kind: 'noisy';
  /** Standard deviation of the noise in units of half the interval; in these units the sensitivity is 2. */
  readonly sigma: number;
  /** Grid and integer noise of the grade `deployment`; absent in a simulation. */
  readonly noise?: DiscreteGaussianMechanism;
}

/** The questions to the players of a round about their local mean y, or about a coordinate of it. */
export type Question = SignQuestion | BinQuestion | NoisyQuestion;

/**
 * Bins of equal width on [−B, B], reported by the mechanism of least error at (k, ε).
 * @theorem slides Algorithm, round 1
 */
export function binQuestion(bound: number, bins: number, epsilon: number): BinQuestion {
  const mechanism = bestFrequencyMechanism({ epsilon, categories: bins });
  return { kind: 'bin', lower: -bound, upper: bound, mechanism };
}

/** The bin of an interval in which y lies; beyond an end, the last bin there. */
export function binOf({ lower, upper, mechanism: { categories } }: BinQuestion, y: number): number {
  return min(categories - 1, max(0, floor(((y - lower) / (upper - lower)) * categories)));
}

/**
 * The answers to one question, bound to it: all that a server, a certificate and an audit know of them. Its sums are
 * counts of every output, or Σ and Σ of squares; its view of a sign is the cell and the bit.
 */
export interface QuestionChannel
  extends Pick<ScalarRound, 'length' | 'precision'>,
    Pick<RoundChannel, 'sums' | 'check' | 'add' | 'view'> {
  /** What distinguishes questions of one round. */
  readonly spelled: { readonly [name: string]: Json };
  /** The probabilities of all answers of a local mean y; undefined if they are not finitely many, or too many. */
  probabilities(y: number): Float64Array | undefined;
  /** log P(answer | a)/P(answer | b) of local means a and b: exact but for the rounding of a noisy mean to its grid. */
  logRatio(a: number, b: number): LogRatio;
  release(what: string): Release;
}

const CHANNELS = { sign: signChannel, bin: binChannel, noisy: noisyChannel } as const;

/** The channel of a question. A new kind of question needs a line in the table and a line in `player.ts`. */
export function questionChannel(question: Question): QuestionChannel {
  const make: (question: never) => QuestionChannel = CHANNELS[question.kind];
  return make(question as never);
}

/** Channels of whole numbers: outputs are counted. */
function countedChannel(
  outputs: number,
  length: number,
): Pick<QuestionChannel, 'length' | 'precision' | 'sums' | 'check' | 'add'> {
  return {
    length,
    precision: 'uint32',
    sums: outputs,
    check(values) {
      for (let i = 0; i < values.length; i++) {
        if (values[i] >= outputs || (i > 0 && values[i] <= values[i - 1])) {
          throw new ReportError(`"report" expected whole numbers below ${outputs}, in increasing order`);
        }
      }
    },
    add(sums, values) {
      for (let i = 0; i < values.length; i++) sums[values[i]]++;
    },
  };
}

function signChannel({ kind, lower, upper, cells, coin }: SignQuestion): QuestionChannel {
  const probabilities = (y: number): Float64Array => {
    const keep = coin.keep / COIN_UNITS;
    const width = (upper - lower) / cells;
    const found = new Float64Array(2 * cells);
    // Entry 2i is a no in cell i, entry 2i + 1 a yes.
    for (let i = 0; i < cells; i++) {
      const share = width > 0 ? max(0, min(1, (y - lower - i * width) / width)) : y >= lower ? 1 : 0;
      const yes = share * keep + (1 - share) * (1 - keep);
      found[2 * i] = (1 - yes) / cells;
      found[2 * i + 1] = yes / cells;
    }
    return found;
  };
  return {
    ...countedChannel(2 * cells, 1),
    spelled: { kind, lower, upper, cells, keep: coin.keep },
    view: (values) => [values[0] >> 1, values[0] & 1],
    probabilities,
    logRatio(a, b) {
      const [one, other] = [probabilities(a), probabilities(b)];
      return (values) => log(one[values[0]] / other[values[0]]);
    },
    release: (what) => coinRelease(what, 1, 2, coin),
  };
}

export function coinRelease(what: string, count: number, sensitivity: number, coin: TwoLevels): Release {
  const [scale, guarantee] = [1 / coin.contrast, pure(coin.exactEpsilon)];
  return { what, count, mechanism: 'randomized response', sensitivity, scale, guarantee };
}

/** The largest number of outputs of a bin question that is written out as a channel. */
const LARGEST_CHANNEL = 2 ** 16;

function binChannel(question: BinQuestion): QuestionChannel {
  const { kind, lower, upper, mechanism } = question;
  const { name, categories, epsilon } = mechanism;
  const outputs = outputsOf(mechanism);
  const isSet = name === 'subset selection';
  return {
    ...countedChannel(outputs, isSet ? mechanism.subset : 1),
    spelled: { kind, lower, upper, name, categories, epsilon },
    view: (values) => values,
    probabilities(y) {
      if (isSet || outputs > LARGEST_CHANNEL) return undefined;
      const bin = binOf(question, y);
      return Float64Array.from({ length: outputs }, (_, output) => probabilityOf(mechanism, bin, [output]));
    },
    logRatio(a, b) {
      const [one, other] = [binOf(question, a), binOf(question, b)];
      return (values) => log(probabilityOf(mechanism, one, values) / probabilityOf(mechanism, other, values));
    },
    release(what) {
      const { guarantee, squaredError } = mechanism;
      return { what, count: 1, mechanism: name, sensitivity: 2, scale: sqrt(squaredError), guarantee };
    },
  };
}

/** The probability of a report, given a bin; for subset selection up to a factor that is the same for every bin. */
function probabilityOf(mechanism: FrequencyMechanism, bin: number, report: ArrayLike<number>): number {
  const counts = countsFor(mechanism, bin)(report);
  const keep = mechanism.keep / COIN_UNITS;
  if (mechanism.name === 'randomized response') return counts ? mechanism.hit : mechanism.stray;
  if (mechanism.name === 'subset selection') {
    const { categories, subset } = mechanism;
    // C(k − 1, m − 1) and C(k − 1, m) differ by the factor (k − m)/m.
    return counts ? keep : ((1 - keep) * subset) / (categories - subset);
  }
  const half = mechanism.blockSize / 2;
  return counts ? keep / half : (1 - keep) / (mechanism.outputs - half);
}

function noisyChannel({ kind, lower, upper, sigma, noise }: NoisyQuestion): QuestionChannel {
  const step = noise?.step ?? 1;
  // 8 standard deviations: an honest player is refused once in 8e14 reports.
  const limit = 1 + 8 * sigma;
  const unit = (y: number): number[] => [max(-1, min(1, (2 * y - lower - upper) / (upper - lower)))];
  return {
    length: 1,
    precision: noise === undefined ? 'float64' : 'int32',
    sums: 2,
    spelled: { kind, lower, upper, sigma },
    check(values) {
      const value = values[0] * step;
      if (!(value >= -limit && value <= limit)) {
        throw new ReportError('"report" expected a number within 8σ of the interval');
      }
    },
    add(sums, values) {
      const value = values[0] * step;
      sums[0] += value;
      sums[1] += value * value;
    },
    view: (values) => values,
    probabilities: () => undefined,
    logRatio: (a, b) => normalLogRatio(unit(a), unit(b), [sigma], noise?.step),
    release: (what) =>
      noise === undefined
        ? gaussianRelease({ what, count: 1, sensitivity: 2, sigma })
        : discreteGaussianRelease(what, noise),
  };
}

/** One round of a plan in one dimension: a question about the local mean. */
export interface ScalarRound extends UserLevelRound {
  readonly kind: 'scalar';
  /** What the bits of this round are for: to find the mean roughly, to estimate it, or to do so for any law of y. */
  readonly role: 'pilot' | 'estimate' | 'residual';
  readonly question: Question;
}

export type FinishedScalar = Over<ScalarRound>;

/** A round of a plan. `repeats`: players of earlier rounds answer again, and the plan's budget has to cover that. */
export function scalarRound(
  plan: UserLevelPlan,
  place: Pick<ScalarRound, 'round' | 'share' | 'role'> & { readonly repeats?: boolean },
  question: Question,
): ScalarRound {
  const { round, share, role, repeats = false } = place;
  const { length, precision, spelled } = questionChannel(question);
  const digest = digestOf({ plan: plan.digest, round, share, role, repeats, ...spelled });
  return { ...roundFields(plan, round, share, repeats), kind: 'scalar', digest, role, question, length, precision };
}

export function scalarChannel(round: ScalarRound): RoundChannel {
  const channel = questionChannel(round.question);
  return {
    ...channel,
    probabilities: (image) => channel.probabilities(image[0]),
    logRatio: (first, second) => channel.logRatio(first[0], second[0]),
  };
}

/** Sums of the answers to a question; for bins, the counts of every output. */
export type BinCounts = Pick<MeanTally, 'players' | 'sums'>;

/** The unbiased frequencies of the bins; they sum to about 1, and some are negative. */
export function binFrequencies({ mechanism }: BinQuestion, { players, sums }: BinCounts): Float64Array {
  return estimateFrequencies(mechanism, { reports: players, counts: sums });
}

/** The edge between bin i − 1 and bin i. */
export function binEdge({ lower, upper, mechanism }: BinQuestion, i: number): number {
  return lower + ((upper - lower) * i) / mechanism.categories;
}

/**
 * The most popular bin, with so many neighbours on either side. The slides project on the bin alone: a mean at its edge
 * loses half of all local means to the next.
 */
export function popularBin(question: BinQuestion, tally: BinCounts, neighbours: 0 | 1): LocatedInterval {
  const best = largest(binFrequencies(question, tally));
  const end = min(question.mechanism.categories, best + 1 + neighbours);
  return { lower: binEdge(question, max(0, best - neighbours)), upper: binEdge(question, end) };
}

/**
 * The edge between the two adjacent bins that together contain most. If the pair is right, the mean is at most half a
 * bin from this edge, even if the mean lies at an edge itself.
 */
export function pairEdge(question: BinQuestion, tally: BinCounts): number {
  const frequencies = binFrequencies(question, tally);
  return binEdge(question, 1 + largest(frequencies.subarray(1).map((next, i) => next + frequencies[i])));
}

/** Among equals, up to rounding, of which few players leave many, the one next to the middle: the first one would be next to −B. */
function largest(values: Float64Array): number {
  const least = values.reduce((a, b) => max(a, b)) - EQUAL * values.reduce((a, b) => max(a, abs(b)), 0);
  const fromMiddle = (i: number): number => abs(2 * i - values.length + 1);
  let best = -1;
  for (let i = 0; i < values.length; i++) {
    if (values[i] >= least && (best < 0 || fromMiddle(i) < fromMiddle(best))) best = i;
  }
  return best;
}

const EQUAL = 1e-12;

/** The number of bins of at least this width on [−B, B], at least 2 and no more than a report can distinguish. */
export function binsOf(bound: number, width: number): number {
  const bins = max(2, floor((2 * bound) / width));
  if (bins > 2 ** 20) throw new RefusedValue('spread', 'at most 2^20 bins of local means', bins);
  return bins;
}

/** A bound on the probability that n reports choose a wrong pair of k bins, if nine tenths are in the right one. */
export function pairFailure(mechanism: FrequencyMechanism, reports: number): number {
  return mechanism.categories * normalCdf(-0.9 / (2 * sqrt(frequencyNoise(mechanism, reports))));
}

/** The probability that one of k − 4 pairs of bins far from the right one seems to hold more, by normal noise of their frequencies. */
export function lostPair(mechanism: FrequencyMechanism, reports: number): number {
  const apart = 1 / sqrt(2 * frequencyNoise(mechanism, reports));
  let [kept, total] = [0, 0];
  for (let z = -6; z <= 6; z += 0.25) {
    const density = normalDensity(z);
    kept += density * normalCdf(apart + z) ** max(0, mechanism.categories - 4);
    total += density;
  }
  return 1 - kept / total;
}

/** The larger of the variances of the frequency of a bin that contains nothing and of one that contains everything. */
export function frequencyNoise(mechanism: FrequencyMechanism, reports: number): number {
  const { categories } = mechanism;
  const share = Float64Array.from({ length: categories }, (_, i) => (i === 0 ? 1 : 0));
  return max(
    frequencyVariance(mechanism, 0, share, reports),
    frequencyVariance(mechanism, categories - 1, share, reports),
  );
}

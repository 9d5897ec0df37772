import { checkOpenUnit, checkWord, RefusedKind } from '../../src/check/refusal.ts';
import type { DefinedTally } from '../../src/core/channel.ts';
import type { DefinedParameters, ReportForm } from '../../src/core/define.ts';
import { normalCriticalValue } from '../../src/inference/critical-value.ts';
import {
  estimateFrequencies,
  type FrequencyMechanism,
  type FrequencyTally,
  type HadamardResponse,
  outputsOf,
} from '../../src/mechanism/frequency.ts';
import { type FrequencySetting, reportLength } from './parameters.ts';

const { max, min, sqrt } = Math;

/** What is read: a category, an output, or rising categories. */
export const report: ReportForm<DefinedParameters<FrequencySetting>, 'uint32'> = {
  values: 'uint32',
  length: reportLength,
  accepts({ mechanism }, received) {
    const end = outputsOf(mechanism);
    return received.every((entry, i) => entry < end && (i === 0 || entry > received[i - 1]));
  },
};

/** What is asked of the sums. */
export interface FrequencyQuery {
  /** Probability that all intervals of a kind hold at once; .95 by default. */
  readonly confidence?: number;
  /** Whose frequencies the intervals hold: with sampling the population's (default), or those of who answered. */
  readonly of?: 'population' | 'players';
  /** Levels of quantiles, where there are edges; the quartiles by default. */
  readonly quantiles?: readonly number[];
}

/** The ends of an interval. */
type Interval = { readonly lower: number; readonly upper: number };

/** A quantile: the place where the estimated distribution function takes the level. */
type Quantile = Interval & { readonly level: number; readonly value: number };

/** What the reports say of a number with bins. */
interface Distribution {
  /** F(e₁) … F(e_{k−1}): the share below each inner edge; rising, from the consistent frequencies. */
  readonly cumulative: Float64Array;
  /** Intervals of all these shares that hold at once, with the confidence asked for. */
  readonly intervals: readonly Interval[];
  /** Linear inside of a bin; the intervals end at edges, and hold at once whenever those of the shares do. */
  readonly quantiles: readonly Quantile[];
}

/** What the reports say. */
export interface FrequencyEstimate {
  readonly players: number;
  /** The consistent frequencies: none is negative, and their sum is 1. */
  readonly frequencies: Float64Array;
  /** The unbiased ones, of which the consistent ones are the nearest point of the simplex. */
  readonly unbiased: Float64Array;
  /** Of the unbiased ones. */
  readonly standardErrors: Float64Array;
  /** Intervals of all categories that hold at once, with the confidence asked for. */
  readonly intervals: readonly Interval[];
  /** Where there are edges. */
  readonly distribution?: Distribution;
}

/** What a query asks, which is refused where no reports can answer it. */
export function checkQuery(query: FrequencyQuery): Required<FrequencyQuery> {
  const levels = query.quantiles ?? [0.25, 0.5, 0.75];
  if (!Array.isArray(levels)) throw new RefusedKind('quantiles', 'a list of levels', levels);
  return {
    confidence: checkOpenUnit('confidence', query.confidence ?? 0.95),
    of: checkWord('of', query.of ?? 'population', ['population', 'players']),
    quantiles: Array.from(levels, (level, i) => checkOpenUnit(`quantiles[${i}]`, level)),
  };
}

/**
 * The frequencies of all categories.
 *
 * The unbiased estimate of the mechanism, its projection on the simplex, and score intervals: all f for which the
 * estimate is within z standard errors *at f*, z for 1 − α/k each (Bonferroni), moved by what the skewness of the reports does to quantiles.
 *
 * Source: Cornish, Fisher (1938), Moments and cumulants in the specification of distributions; Wang, Lopuhaä-Zwakenberg, Li, Skoric, Li (2020), Locally differentially private frequency estimation with
 * consistency, NDSS (Norm-Sub); Wilson (1927), Probable inference, the law of succession, and statistical inference.
 * @throws TypeError or RangeError naming the field of the query.
 */
export function estimate(
  { mechanism, edges }: FrequencySetting,
  { players, sums: { counts } }: DefinedTally<'counts'>,
  query: FrequencyQuery = {},
): FrequencyEstimate {
  const { confidence, of, quantiles: levels } = checkQuery(query);
  const tally = { reports: players, counts };
  const unbiased = estimateFrequencies(mechanism, tally);
  const scores = { players, of, critical: simultaneous(confidence, mechanism.categories) };
  const moments = affineMoments(mechanism, tally);
  const frequencies = projectOnSimplex(unbiased);
  const found = {
    players,
    frequencies,
    unbiased,
    standardErrors: unbiased.map((f, c) => standardError(scores, moments[c], f)),
    intervals: Array.from(unbiased, (f, c) => scoreInterval(scores, moments[c], f)),
  };
  if (edges === undefined) return found;
  const cumulative = runningSums(frequencies);
  const shares = { ...scores, critical: simultaneous(confidence, cumulative.length) };
  const together = prefixMoments(mechanism, tally, frequencies);
  const intervals = Array.from(runningSums(unbiased), (f, i) => scoreInterval(shares, together[i], f));
  const quantiles = levels.map((level) => quantileOf(level, edges, cumulative, intervals));
  return { ...found, distribution: { cumulative, intervals, quantiles } };
}

/** z so that this many normal numbers are all within ±z with at least this probability. */
function simultaneous(confidence: number, count: number): number {
  return normalCriticalValue(1 - (1 - confidence) / count);
}

type Scores = Required<Pick<FrequencyQuery, 'of'>> & { readonly players: number; readonly critical: number };

/**
 * With E z² = a + bF of one report's estimate z of a share F, the variance of z is a + bF − F² over sampling and noise;
 * a player's own indicator varies by F(1 − F), and without it the noise has a + (b − 1)F.
 */
function standardError({ players, of }: Scores, { constant, slope }: SecondMoment, estimated: number): number {
  const share = max(0, min(1, estimated));
  const variance = constant + slope * share - share * (of === 'population' ? share : 1);
  return sqrt(max(0, variance) / players);
}

/**
 * All F in [0, 1] with (estimate − F)² ≤ z²·variance(F)/n: between the roots of a quadratic polynomial, moved outwards by (z² − 1)κ₃/(6κ₂n). Of a
 * count that adds u to the estimate, with probability π at that F, κ₃/κ₂ is (1 − 2π)u; of the signs of Hadamard response, of which few may fall
 * into a block, at most ±u: both ends are moved.
 */
function scoreInterval(scores: Scores, moment: SecondMoment, estimated: number): Interval {
  const { players, of, critical } = scores;
  const weight = critical ** 2 / players;
  const square = of === 'population' ? 1 + weight : 1;
  const linear = 2 * estimated + weight * (moment.slope - (of === 'population' ? 0 : 1));
  const constant = estimated * estimated - weight * moment.constant;
  // Negative only far outside [0, 1], where hostile reports can lead.
  const root = sqrt(max(0, linear * linear - 4 * square * constant));
  const skew = (moment.unit * (critical * critical - 1)) / (6 * players);
  const signs = moment.chance === undefined;
  const tilt = (share: number): number => (signs ? 1 : 1 - 2 * min(1, moment.chance! + share / moment.unit));
  // Few that are told in the place of another are as rare on both sides, with an excess of at most u²/κ₂ and no skewness.
  const excess = ((critical ** 3 - 3 * critical) * moment.unit ** 2) / (24 * players ** 2);
  const rare = of === 'population' ? 0 : max(0, min(skew, excess / standardError(scores, moment, estimated)));
  const end = (side: number): number => max(0, min(1, (linear + side * root) / (2 * square)));
  const [lower, upper] = [end(-1), end(1)];
  // An estimate at or beyond an end speaks for no share more than for that end.
  return {
    lower: estimated <= 0 ? 0 : max(0, lower - max(rare, skew * tilt(lower))),
    upper: estimated >= 1 ? 1 : min(1, upper + max(rare, signs ? skew : -skew * tilt(upper))),
  };
}

/**
 * The nearest point of the simplex: one number is taken from all entries, and what is negative then is 0.
 *
 * Source: Wang et al. 2020, Norm-Sub, which is this projection.
 */
export function projectOnSimplex(point: Float64Array): Float64Array {
  const falling = point.slice().sort().reverse();
  let [sum, shift] = [0, 0];
  for (let i = 0; i < falling.length; i++) {
    sum += falling[i];
    const next = (sum - 1) / (i + 1);
    if (falling[i] <= next) break;
    shift = next;
  }
  return point.map((entry) => max(0, entry - shift));
}

function runningSums(entries: Float64Array): Float64Array {
  let sum = 0;
  return entries.subarray(0, -1).map((entry) => (sum += entry));
}

function quantileOf(
  level: number,
  edges: readonly number[],
  cumulative: Float64Array,
  intervals: readonly Interval[],
): Quantile {
  // F(e_i) for i = 0 … k.
  const at = (i: number): number => (i === 0 ? 0 : i > cumulative.length ? 1 : cumulative[i - 1]);
  let bin = 0;
  while (bin < cumulative.length && at(bin + 1) < level) bin++;
  const inside = (level - at(bin)) / (at(bin + 1) - at(bin));
  const above = intervals.findIndex(({ lower }) => lower >= level);
  // The distribution function is below the level up to the last of these edges, and at or above it from the first.
  const below = intervals.findLastIndex(({ upper }) => upper < level);
  return {
    level,
    value: edges[bin] + max(0, min(1, inside)) * (edges[bin + 1] - edges[bin]),
    lower: edges[below + 1],
    upper: edges[above < 0 ? edges.length - 1 : above + 1],
  };
}

/**
 * E z² = constant + slope·F for one report's unbiased estimate z of a share F, and what a report adds to it; where reports are counted, the
 * mean count at F = 0.
 */
type SecondMoment = {
  readonly constant: number;
  readonly slope: number;
  readonly unit: number;
  readonly chance?: number;
};

/** The second moments for every category alone. */
export function affineMoments(mechanism: FrequencyMechanism, tally: FrequencyTally): readonly SecondMoment[] {
  const { categories } = mechanism;
  if (mechanism.name !== 'Hadamard response') return new Array(categories).fill(subsetMoment(mechanism, 1));
  const { scale, blockSize } = mechanism;
  if (blockSize === 2) return new Array(categories).fill(ownBlocks(mechanism, 1));
  const shares = blockShares(mechanism, tally);
  return Array.from({ length: categories }, (_, c) => ({
    constant: scale * scale * shares[Math.floor(c / (blockSize - 1))],
    slope: 0,
    unit: scale,
  }));
}

/** The second moments for the first 1, 2, …, k − 1 categories together. */
export function prefixMoments(
  mechanism: FrequencyMechanism,
  tally: FrequencyTally,
  unbiased: Float64Array,
): readonly SecondMoment[] {
  if (mechanism.name === 'Hadamard response') return hadamardPrefixes(mechanism, tally, unbiased);
  return Array.from({ length: mechanism.categories - 1 }, (_, i) => subsetMoment(mechanism, i + 1));
}

/**
 * For s categories together, T of which are in the report: z = (T − sq)/(p − q). Two categories are both in the report
 * with probability p(m − 1)/(k − 1) where one of them is the true one, and (p(m − 2) + (1 − p)m)(m − 1)/((k − 1)(k − 2))
 * otherwise. Randomized response is the case m = 1.
 */
function subsetMoment(mechanism: Exclude<FrequencyMechanism, HadamardResponse>, count: number): SecondMoment {
  const { categories: k, hit, stray, gap } = mechanism;
  const m = mechanism.name === 'subset selection' ? mechanism.subset : 1;
  const withTrue = (hit * (m - 1)) / (k - 1);
  const others = k === 2 ? 0 : ((hit * (m - 2) + (1 - hit) * m) * (m - 1)) / ((k - 1) * (k - 2));
  const centre = count * stray;
  // E T² − 2·centre·E T + centre², with E T = centre + (p − q)F.
  const constant = centre + count * (count - 1) * others - centre * centre;
  const slope = gap + 2 * (count - 1) * (withTrue - others) - 2 * centre * gap;
  return { constant: constant / (gap * gap), slope: slope / (gap * gap), unit: 1 / gap, chance: centre };
}

/** Where a block has one category, a report is in the blocks of s of them with a probability that their share F decides. */
function ownBlocks({ scale, inBlock, inOther }: HadamardResponse, count: number): SecondMoment {
  const squared = scale * scale;
  return { constant: count * squared * inOther, slope: squared * (inBlock - inOther), unit: scale };
}

/** The share of the reports in each block: what was counted, and at least what is expected where nobody has its categories. */
function blockShares(
  { blocks, blockSize, inOther }: HadamardResponse,
  { counts, reports }: FrequencyTally,
): Float64Array {
  const shares = new Float64Array(blocks);
  for (let y = 0; y < counts.length; y++) shares[Math.floor(y / blockSize)] += counts[y] / reports;
  return shares.map((share) => max(share, inOther));
}

/**
 * z is scale·Σ of the signs of the rows in the report's block. The product of the signs of two rows r, r′ is the sign of
 * row r ⊕ r′, whose mean is the frequency of that row's category over the scale; in different blocks it is 0.
 */
function hadamardPrefixes(
  mechanism: HadamardResponse,
  tally: FrequencyTally,
  unbiased: Float64Array,
): readonly SecondMoment[] {
  const { categories, blockSize, scale } = mechanism;
  if (blockSize === 2) return Array.from({ length: categories - 1 }, (_, c) => ownBlocks(mechanism, c + 1));
  const shares = blockShares(mechanism, tally);
  const found: SecondMoment[] = [];
  let constant = 0;
  for (let c = 0; c < categories - 1; c++) {
    const block = Math.floor(c / (blockSize - 1));
    const first = block * (blockSize - 1);
    constant += scale * scale * shares[block];
    for (let before = first; before < c; before++) {
      const both = first + ((c - first + 1) ^ (before - first + 1)) - 1;
      if (both < categories) constant += 2 * scale * unbiased[both];
    }
    found.push({ constant, slope: 0, unit: scale });
  }
  return found;
}

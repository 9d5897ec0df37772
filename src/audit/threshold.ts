import { checkInteger, checkOpenUnit } from '../check/number.ts';
import { inverseIncompleteBeta } from '../numeric/beta.ts';
import type { Guarantee } from '../privacy/guarantee.ts';
import { claimedParameter, parameterAbove } from './claim.ts';
import { type LogisticModel, logisticScore } from './logistic.ts';
import { type ScoreTable, tableScore } from './score.ts';
import type { AuditSample } from './target.ts';

const { floor, max, min, sqrt } = Math;

/** The event "score ≥ threshold" with the bound it promises for a claim, relative to the claimed parameter. */
export interface Prospect {
  readonly threshold: number;
  readonly strength: number;
}

/** The best events of one score, one of each kind for each claim. */
export interface Prospects {
  /** Judged with both probabilities as uncertain as the pilot share leaves them. */
  readonly sure: readonly Prospect[];
  /**
   * Judged with the larger probability as uncertain as in `sure`, but the smaller one as if all trials to count agreed
   * with the pilot.
   */
  readonly rare: readonly Prospect[];
  /**
   * Judged with both as if all trials to count agreed with the pilot: for events that are worth a count although the
   * pilot is too small to be sure.
   */
  readonly likely: readonly Prospect[];
}

/**
 * Pilot probabilities are taken this many standard deviations on the unfavourable side, so luck does not decide the
 * choice. The number is larger where many thresholds are nearly as good, and smaller where the rarest events may be the
 * best.
 */
const DEVIATIONS: Readonly<Record<Guarantee['kind'], number>> = { pure: 3, approximate: 3, gdp: 4, zcdp: 4 };

/** A score with at most this many values is cut between any two of them. */
const FEW = 64;

/** Ratio of one candidate's share to the next, counted from either end. */
const STEP = 1.2;

/** The events of one score, counted on a pilot share, with the best event for each claim. */
interface Search {
  readonly claims: readonly Guarantee[];
  readonly rows: number;
  readonly growth: number;
  readonly sure: Prospect[];
  readonly rare: Prospect[];
  readonly likely: Prospect[];
}

function createSearch(claims: readonly Guarantee[], rows: number, growth: number): Search {
  const none = (): Prospect[] => claims.map(() => ({ threshold: Infinity, strength: 0 }));
  return { claims, rows, growth, sure: none(), rare: none(), likely: none() };
}

function consider(search: Search, threshold: number, first: number, second: number): void {
  const { claims, rows, growth, sure, rare, likely } = search;
  if (first <= second) return;
  for (let c = 0; c < claims.length; c++) {
    const deviations = DEVIATIONS[claims[c].kind];
    const high = wilsonBound(first, rows, deviations, -1);
    const unit = max(1e-12, claimedParameter(claims[c]));
    const strength = parameterAbove(claims[c], high, wilsonBound(second, rows, deviations, 1)) / unit;
    if (strength > sure[c].strength) sure[c] = { threshold, strength };
    const low = wilsonBound(second * growth, rows * growth, deviations, 1);
    const hoped = parameterAbove(claims[c], high, low) / unit;
    if (hoped > rare[c].strength) rare[c] = { threshold, strength: hoped };
    const agreed = parameterAbove(claims[c], wilsonBound(first * growth, rows * growth, deviations, -1), low) / unit;
    if (agreed > likely[c].strength) likely[c] = { threshold, strength: agreed };
  }
}

/**
 * The best thresholds of a real score for each claim, from equally many scores under each datum. `growth` is the number
 * of trials to count for each trial of the pilot.
 */
export function bestThresholds(
  claims: readonly Guarantee[],
  first: Float64Array,
  second: Float64Array,
  growth: number,
): Prospects {
  const rows = first.length;
  const search = createSearch(claims, rows, growth);
  const [a, b] = [first.slice().sort(), second.slice().sort()];
  const pooled = new Float64Array(2 * rows);
  pooled.set(a);
  pooled.set(b, rows);
  pooled.sort();
  let last = Number.NaN;
  for (const threshold of candidates(pooled)) {
    if (threshold === last) continue;
    last = threshold;
    consider(search, threshold, rows - below(a, threshold), rows - below(b, threshold));
  }
  return search;
}

/** Thresholds to try: every value where there are few values, otherwise shares in geometric steps from both ends. */
function candidates(pooled: Float64Array): number[] {
  const few: number[] = [];
  for (let i = 0; i < pooled.length && few.length <= FEW; i += below(pooled.subarray(i), pooled[i], true)) {
    few.push(pooled[i]);
  }
  if (few.length <= FEW) return few;
  const ranks: number[] = [];
  for (let rank = 1; rank < pooled.length / 2; rank = max(rank + 1, floor(rank * STEP))) {
    ranks.push(rank, pooled.length - rank);
  }
  return ranks.map((rank) => pooled[rank]).sort((x, y) => x - y);
}

/** How many of the ascending values are below the threshold, or at most the threshold. */
function below(sorted: Float64Array, threshold: number, orEqual: boolean = false): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < threshold || (orEqual && sorted[middle] === threshold)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The best rank of a table for each claim, from a sample that was not used to make the table. */
export function bestRanks(
  claims: readonly Guarantee[],
  table: ScoreTable,
  sample: AuditSample,
  growth: number,
): Prospects {
  const { rows, width } = sample;
  const search = createSearch(claims, rows, growth);
  const [first, second] = [new Int32Array(table.levels), new Int32Array(table.levels)];
  for (let row = 0; row < rows; row++) {
    first[tableScore(table, sample.first, row * width)]++;
    second[tableScore(table, sample.second, row * width)]++;
  }
  let [a, b] = [0, 0];
  for (let rank = table.levels - 1; rank > 0; rank--) {
    a += first[rank];
    b += second[rank];
    consider(search, rank, a, b);
  }
  return search;
}

/** The best threshold of a logistic score for each claim. */
export function bestLogistic(
  claims: readonly Guarantee[],
  model: LogisticModel,
  sample: AuditSample,
  growth: number,
): Prospects {
  const { rows, width } = sample;
  const scores = (values: Float64Array): Float64Array =>
    Float64Array.from({ length: rows }, (_, row) => logisticScore(model, values, row * width));
  return bestThresholds(claims, scores(sample.first), scores(sample.second), growth);
}

/**
 * The Clopper–Pearson lower bound of a probability: below it with probability at most `failure`, whatever the truth.
 *
 * Source: Clopper, Pearson (1934), The use of confidence or fiducial limits, Biometrika 26.
 *
 * @throws TypeError or RangeError unless 0 ≤ successes ≤ trials, both whole, and 0 < failure < 1.
 */
export function probabilityBelow(successes: number, trials: number, failure: number): number {
  checkCounts(successes, trials, failure);
  return successes === 0 ? 0 : inverseIncompleteBeta(failure, successes, trials - successes + 1);
}

/**
 * The Clopper–Pearson upper bound of a probability: above it with probability at most `failure`, whatever the truth.
 *
 * @throws TypeError or RangeError as {@link probabilityBelow}.
 */
export function probabilityAbove(successes: number, trials: number, failure: number): number {
  checkCounts(successes, trials, failure);
  // The quantile of the complement keeps its digits when the bound is near 1, and is accurate enough when the bound is
  // small.
  return successes === trials ? 1 : inverseIncompleteBeta(1 - failure, successes + 1, trials - successes);
}

function checkCounts(successes: number, trials: number, failure: number): void {
  checkInteger('trials', trials, 1);
  checkInteger('successes', successes, 0, trials);
  checkOpenUnit('failure', failure);
}

/**
 * A quick interval of `deviations` standard deviations on both sides, for choosing among thousands of events on a pilot
 * share. No claim rests on it.
 *
 * Source: Wilson (1927), Probable inference, the law of succession, and statistical inference.
 */
export function wilsonBound(successes: number, trials: number, deviations: number, side: -1 | 1): number {
  const share = successes / trials;
  const square = (deviations * deviations) / trials;
  const half = deviations * sqrt((share * (1 - share) + square / 4) / trials);
  return max(0, min(1, (share + square / 2 + side * half) / (1 + square)));
}

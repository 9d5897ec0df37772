import { checkInteger, checkOpenUnit } from '../check/refusal.ts';
import type { AuditPair } from '../core/contract.ts';
import { inverseIncompleteBeta } from '../numeric/beta.ts';
import type { Guarantee } from '../privacy/guarantee.ts';
import { claimedParameter, parameterAbove } from './claim.ts';
import { featuresAlone, featuresTogether } from './report-view.ts';
import {
  type AuditScore,
  below,
  learnLogistic,
  learnTables,
  learnTogether,
  logisticScore,
  type ScoreTable,
  tableScore,
  togetherScore,
} from './score.ts';
import { type AuditSample, type AuditSampler, type AuditSight, drawSample } from './target.ts';

const { floor, max, min, sqrt } = Math;

/** The event "score ≥ threshold" with the bound it promises for a claim, relative to the claimed parameter. */
export interface Prospect {
  readonly threshold: number;
  readonly strength: number;
}

/** The best events of one score, one of each kind for each claim. */
export interface Prospects {
  /** Both probabilities as uncertain as the pilot share leaves them. */
  readonly sure: Prospect[];
  /** As `sure` for the larger probability, but the smaller one as if all trials to count agreed with the pilot. */
  readonly rare: Prospect[];
  /** Both as if all trials agreed with the pilot: worth a count although the pilot is too small to be sure. */
  readonly likely: Prospect[];
}

/**
 * Pilot probabilities are taken so many deviations on the unfavourable side, so that luck does not decide the choice:
 * more where many thresholds are nearly as good, fewer where the rarest events may be the best.
 */
const DEVIATIONS: Readonly<Record<Guarantee['kind'], number>> = { pure: 3, approximate: 3, gdp: 4, zcdp: 4 };

/** A score with at most this many values is cut between any two of them. */
const FEW = 64;

/** Ratio of one candidate's share to the next, counted from either end. */
const STEP = 1.2;

/** The events of one score, counted on a pilot share, with the best event for each claim. */
interface Search extends Prospects {
  readonly claims: readonly Guarantee[];
  readonly rows: number;
  readonly growth: number;
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

/** The best thresholds of a real score for each claim. `growth`: trials to count for each trial of the pilot. */
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

/** The best threshold for each claim of a score that takes any value. */
function bestReal(
  claims: readonly Guarantee[],
  score: (values: Float64Array, offset: number) => number,
  { first, second, rows, width }: AuditSample,
  growth: number,
): Prospects {
  const scores = (values: Float64Array): Float64Array =>
    Float64Array.from({ length: rows }, (_, row) => score(values, row * width));
  return bestThresholds(claims, scores(first), scores(second), growth);
}

/** The Clopper–Pearson (1934) lower bound of a probability: too large with probability at most `failure`. */
export function probabilityBelow(successes: number, trials: number, failure: number): number {
  checkCounts(successes, trials, failure);
  return successes === 0 ? 0 : inverseIncompleteBeta(failure, successes, trials - successes + 1);
}

/** The Clopper–Pearson upper bound of a probability: too small with probability at most `failure`. */
export function probabilityAbove(successes: number, trials: number, failure: number): number {
  checkCounts(successes, trials, failure);
  // The quantile of the complement keeps its digits when the bound is near 1, and enough of them when it is small.
  return successes === trials ? 1 : inverseIncompleteBeta(1 - failure, successes + 1, trials - successes);
}

function checkCounts(successes: number, trials: number, failure: number): void {
  checkInteger('trials', trials, 1);
  checkInteger('successes', successes, 0, trials);
  checkOpenUnit('failure', failure);
}

/** A quick interval (Wilson 1927) to choose among thousands of events on a pilot share. No claim rests on it. */
export function wilsonBound(successes: number, trials: number, deviations: number, side: -1 | 1): number {
  const share = successes / trials;
  const square = (deviations * deviations) / trials;
  const half = deviations * sqrt((share * (1 - share) + square / 4) / trials);
  return max(0, min(1, (share + square / 2 + side * half) / (1 + square)));
}

/** The event that a score reaches a threshold. */
export interface AuditEvent {
  /** Which of the attack's scores. */
  readonly score: number;
  readonly threshold: number;
}

/** What will be counted on fresh trials: chosen before, so the counts are independent of the choice. Plain data. */
export interface AuditAttack {
  readonly scores: readonly AuditScore[];
  readonly events: readonly AuditEvent[];
  /** For each claim, the bound that the pilot share promises, relative to the claimed parameter. */
  readonly strengths: readonly number[];
  /** The mean of the log likelihood ratio under the first datum minus that under the second, where it is known. */
  readonly divergence: number;
}

/** Trials under each datum: to learn scores and as many to choose among them, for the likelihood ratio, and to count. */
export interface AuditAttackTrials {
  readonly learn: number;
  readonly ratio: number;
  readonly count: number;
  readonly lastBits: boolean;
}

/** The largest count of numbers examined one by one in a share; it bounds the time and the memory of learning. */
const CELLS = 4_000_000;

/** The same where the density is known, and learning only looks for leaks that the density does not show. */
const CELLS_BESIDE = 1_000_000;

/** What a learned score must promise, relative to the likelihood ratio, to be counted instead of it. */
const GAIN = 1.02;

/** An event that is too rare to be sure on the pilot share is also counted if it may beat the other by this factor. */
const RARE = 1.3;

/** Rows, under each datum, that learning may use at this width. */
export function learningRows(width: number, sight: AuditSight, beside: boolean): number {
  const features = (sight === 'alone' ? featuresAlone : featuresTogether)(width).length;
  return floor((beside ? CELLS_BESIDE : CELLS) / (2 * (features + width)));
}

interface Candidate extends Prospect {
  readonly score: AuditScore | undefined;
}

/**
 * Chooses for each claim the event with the best promise among the likelihood ratio, a logistic score, histograms added,
 * and tables of single features. Scores are learned on one share of the trials and compared on another.
 */
export function chooseAttack<Datum, Report>(
  claims: readonly Guarantee[],
  sampler: AuditSampler<Datum, Report>,
  pair: AuditPair<Datum>,
  sight: AuditSight,
  trials: AuditAttackTrials,
  ratio: ((report: Report) => number) | undefined,
): AuditAttack {
  const none = (): Candidate[] => claims.map(() => ({ threshold: Infinity, strength: 0, score: undefined }));
  const sure = none();
  const rare = none();
  const likely = none();
  const replace = (best: Candidate[], score: AuditScore, prospects: readonly Prospect[]): void => {
    for (let c = 0; c < claims.length; c++) {
      // A learned score replaces the likelihood ratio only for a real gain, not for luck on the pilot share.
      const gain = best[c].score?.kind === 'likelihood ratio' ? GAIN : 1;
      if (prospects[c].strength > gain * best[c].strength) best[c] = { ...prospects[c], score };
    }
  };
  const consider = (score: AuditScore, prospects: Prospects): void => {
    replace(sure, score, prospects.sure);
    replace(rare, score, prospects.rare);
  };
  let divergence = 0;
  if (ratio !== undefined && trials.ratio > 0) {
    const first = new Float64Array(trials.ratio);
    const second = new Float64Array(trials.ratio);
    for (let i = 0; i < trials.ratio; i++) {
      first[i] = ratio(sampler.draw(pair.first, false));
      second[i] = ratio(sampler.draw(pair.second, false));
    }
    for (let i = 0; i < trials.ratio; i++) divergence += (first[i] - second[i]) / trials.ratio;
    const known: AuditScore = { kind: 'likelihood ratio' };
    const prospects = bestThresholds(claims, first, second, trials.count / trials.ratio);
    consider(known, prospects);
    replace(likely, known, prospects.likely);
  }
  if (trials.learn > 0) {
    const rows = max(1, min(learningRows(sampler.width, sight, ratio !== undefined), trials.learn));
    const train = drawSample(sampler, pair, rows);
    const choose = drawSample(sampler, pair, rows);
    const growth = max(1, trials.count / rows);
    const model = learnLogistic(train);
    const linear = (values: Float64Array, at: number): number => logisticScore(model, values, at);
    consider({ kind: 'logistic', model }, bestReal(claims, linear, choose, growth));
    if (sampler.width > 1) {
      const tables = learnTogether(train, model.inputs);
      const added = (values: Float64Array, at: number): number => togetherScore(tables, values, at);
      consider({ kind: 'histograms together', tables }, bestReal(claims, added, choose, growth));
    }
    for (const feature of (sight === 'alone' ? featuresAlone : featuresTogether)(sampler.width)) {
      for (const table of learnTables(feature, train, trials.lastBits)) {
        consider({ kind: 'table', table }, bestRanks(claims, table, choose, growth));
      }
    }
  }
  const scores: AuditScore[] = [];
  const events: AuditEvent[] = [];
  const hopeful = rare.filter(({ strength }, c) => strength > RARE * sure[c].strength);
  // With few trials no event may be sure. The likelihood ratio is not a guess, so it is counted anyway.
  const unsure = sure.every(({ score }) => score === undefined);
  for (const { score, threshold } of [...(unsure ? likely : sure), ...hopeful]) {
    if (score === undefined) continue;
    if (!scores.includes(score)) scores.push(score);
    const at = scores.indexOf(score);
    if (!events.some((event) => event.score === at && event.threshold === threshold)) {
      events.push({ score: at, threshold });
    }
  }
  return {
    scores,
    events,
    strengths: sure.map(({ strength }) => strength),
    divergence,
  };
}

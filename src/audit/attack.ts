import type { AuditPair } from '../core/auditing.ts';
import type { Guarantee } from '../privacy/guarantee.ts';
import { featuresAlone, featuresTogether } from './feature.ts';
import { learnLogistic } from './logistic.ts';
import type { AuditScore } from './score.ts';
import { learnTables } from './score.ts';
import { type AuditSampler, type AuditSight, drawSample } from './target.ts';
import { bestLogistic, bestRanks, bestThresholds, type Prospect, type Prospects } from './threshold.ts';

const { floor, max, min } = Math;

/** The event that a score reaches a threshold. */
export interface AuditEvent {
  /** Which of the attack's scores. */
  readonly score: number;
  readonly threshold: number;
}

/**
 * What will be counted on fresh trials. It is chosen before, so the counts are independent of the choice. Plain data.
 */
export interface AuditAttack {
  readonly scores: readonly AuditScore[];
  readonly events: readonly AuditEvent[];
  /** For each claim, the bound that the pilot share promises, relative to the claimed parameter. */
  readonly strengths: readonly number[];
  /**
   * Where the likelihood ratio is known: the mean of its logarithm under the first datum minus that under the second.
   */
  readonly divergence: number;
}

/** Trials for choosing an attack, under each datum. */
export interface AuditAttackTrials {
  /** To learn scores from. */
  readonly train: number;
  /** To choose among learned scores and thresholds. */
  readonly choose: number;
  /** To choose the threshold of the likelihood ratio. */
  readonly ratio: number;
  /** For the final counts. */
  readonly count: number;
  /** Whether the last bits of single numbers are examined. */
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
 * Chooses the events to count. For each claim it is the event with the best promise among the likelihood ratio, a
 * logistic score and tables of single features. Scores are learned on one share of the trials and compared on another.
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
  if (trials.train > 0) {
    const limit = learningRows(sampler.width, sight, ratio !== undefined);
    const train = drawSample(sampler, pair, max(1, min(limit, trials.train)));
    const choose = drawSample(sampler, pair, max(1, min(limit, trials.choose)));
    const growth = max(1, trials.count / choose.rows);
    const model = learnLogistic(train);
    consider({ kind: 'logistic', model }, bestLogistic(claims, model, choose, growth));
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

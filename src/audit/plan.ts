import { checkInteger, checkOpenUnit, RefusedKind, RefusedValue } from '../check/refusal.ts';
import type { AuditPair } from '../core/contract.ts';
import type { Guarantee } from '../privacy/guarantee.ts';
import type { Random } from '../random/random.ts';
import { type AuditAttack, chooseAttack, learningRows } from './attack.ts';
import { claimedParameter, exactParameter } from './claim.ts';
import { scorerOf } from './score.ts';
import {
  type AuditOptions,
  type AuditSight,
  type AuditTarget,
  CALLS,
  claimsOf,
  createSampler,
  pairsOf,
  viewOf,
} from './target.ts';

const { floor, max, min, sqrt, tanh } = Math;

/** How the reports of an audit are divided: no report is used for two purposes. */
export interface AuditShares {
  /** To find the worst pair. */
  readonly search: number;
  /** To learn scores and to choose events. */
  readonly learn: number;
  readonly count: number;
  /** To learn, choose and count on two reports with the same source. */
  readonly twoReports: number;
}

/** Everything about an audit that is fixed before the counting; it is plain data if the pair's data are plain data. */
export interface AuditPlan<Datum> {
  readonly pair: AuditPair<Datum>;
  /** Names of all pairs that were candidates. */
  readonly searched: readonly string[];
  readonly claims: readonly Guarantee[];
  readonly confidence: number;
  readonly trials: number;
  readonly shares: AuditShares;
  /** Whether the last bits of numbers were examined. */
  readonly lastBits: boolean;
  /** Exact parameters of a finite channel at the pair, one for each claim. */
  readonly exact?: readonly number[];
  readonly alone: AuditAttack;
  readonly together: AuditAttack;
  /** Trials to count under each datum. */
  readonly counted: Readonly<Record<AuditSight, number>>;
  /** δ at which Gaussian and concentrated bounds are read as an ε. */
  readonly delta: number;
}

export const FEWEST_TRIALS = 2000;

/** Reports to learn from at most, under each datum. */
const MOST_LEARNT = 200_000;

const NONE: AuditAttack = { scores: [], events: [], strengths: [], divergence: 0 };

/** Chooses the pair, the scores and the events of an audit. The counting can then be divided: see `auditShare`. */
export function planAudit<Parameters, Datum, Report>(
  target: AuditTarget<Parameters, Datum, Report>,
  options: AuditOptions<Datum, Report>,
): AuditPlan<Datum> {
  const trials = checkInteger('trials', options.trials, 0);
  const confidence = checkOpenUnit('confidence', options.confidence ?? 0.99);
  const delta = checkOpenUnit('delta', options.delta ?? 1e-5);
  const { random, lastBits = true } = options;
  const claims = claimsOf(target);
  if (options.logLikelihoodRatio !== undefined && options.pair === undefined) {
    throw new RefusedKind('"pair" expected two data for the likelihood ratio, got none');
  }
  const pairs = pairsOf(target, options);
  const exact = worstChannel(target, claims, pairs);
  if (exact === undefined && trials < FEWEST_TRIALS) {
    throw new RefusedValue('trials', `a whole number >= ${FEWEST_TRIALS}`, trials);
  }
  const shared = { searched: pairs.map(({ name }) => name), claims, confidence, trials, lastBits, delta };
  const known = exact === undefined ? {} : { exact: exact.parameters };
  if (trials < FEWEST_TRIALS) {
    const shares = { search: 0, learn: 0, count: 0, twoReports: 0 };
    const pair = exact?.pair ?? pairs[0];
    return { ...shared, ...known, pair, shares, alone: NONE, together: NONE, counted: { alone: 0, together: 0 } };
  }

  const view = viewOf(target, options.view);
  let stuck: number | undefined;
  const attack = (pair: AuditPair<Datum>, sight: AuditSight, learn: number, ratio: number, count: number) => {
    const sampler = createSampler(target, pair, view, sight, random);
    const density = sight === 'alone' ? logRatioOf(target, options, pair) : undefined;
    const effort = { learn, ratio, count, lastBits };
    const chosen = chooseAttack(claims, sampler, pair, sight, effort, density);
    stuck = sampler.stuck;
    return chosen;
  };
  // A small attack on every pair; the pair whose promise is largest relative to a claim gets all other trials.
  let pair = exact?.pair ?? pairs[0];
  const searches = exact === undefined && pairs.length > 1;
  let search = 0;
  let most = -1;
  for (let k = 0; k < pairs.length && searches; k++) {
    const known = logRatioOf(target, options, pairs[k]) !== undefined;
    // A twentieth of all trials under each datum; most of it is for learning where learning is the only attack.
    const each = floor(trials / 20 / pairs.length);
    const small = min(known ? 250 : 2000, floor(each / (known ? 8 : 2)));
    const rough = known ? min(10_000, each - 2 * small) : 0;
    const found = promiseOf(claims, attack(pairs[k], 'alone', small, rough, trials / 3));
    search += 2 * (2 * small + rough);
    if (found > most) [most, pair] = [found, pairs[k]];
  }

  const ratio = logRatioOf(target, options, pair) === undefined ? 0 : min(floor(trials / 20), 100_000);
  const { width } = createSampler(target, pair, view, 'alone', random);
  const learn = min(floor(trials / 20), MOST_LEARNT / 4, learningRows(width, 'alone', ratio > 0));
  const alone = attack(pair, 'alone', learn, ratio, trials / 3);
  // A constant tells nothing, and `consistent` would be true; but a channel that computes no number is a mistake.
  if (stuck !== undefined) throw new RefusedValue('report', 'a finite number in some report', `${stuck} in every one`);
  const two = options.twoReports === false ? 0 : min(floor(trials / 10), 120_000);
  // Four quarters under each datum: one to learn from, one to choose on, two to count on.
  const quarter = floor(two / (8 * CALLS.together));
  const together = quarter === 0 ? NONE : attack(pair, 'together', quarter, 0, 2 * quarter);
  const spent = search + 2 * (2 * learn + ratio);
  const twoReports = 8 * quarter * CALLS.together;
  const counted = { alone: floor((trials - spent - twoReports) / 2), together: 2 * quarter };
  const shares = { search, learn: spent - search, count: 2 * counted.alone, twoReports };
  return { ...shared, ...known, pair, shares, alone, together, counted };
}

/** log P(report | first)/P(report | second), where it is known: a number, or ±∞. Of NaN no event would be seen. */
export function logRatioOf<Parameters, Datum, Report>(
  target: AuditTarget<Parameters, Datum, Report>,
  options: Pick<AuditOptions<Datum, Report>, 'logLikelihoodRatio'>,
  pair: AuditPair<Datum>,
): ((report: Report) => number) | undefined {
  const ratio: unknown = options.logLikelihoodRatio ?? target.auditing?.logLikelihoodRatio?.(target.parameters, pair);
  if (ratio === undefined) return undefined;
  if (typeof ratio !== 'function') throw new RefusedKind('logLikelihoodRatio', 'a function of a report', ratio);
  return (report) => {
    const value: unknown = ratio(report);
    if (typeof value === 'number' && !Number.isNaN(value)) return value;
    throw new RefusedKind('logLikelihoodRatio', 'a function of a report whose values are numbers', value);
  };
}

/**
 * What an attack promises relative to the claims. Where the density is known, the mean of its log ratio is less noisy
 * than any event. It is at most 2ε·tanh(ε/2) under a pure claim, μ² under a Gaussian and 2ρ under a concentrated one.
 */
function promiseOf(claims: readonly Guarantee[], { strengths, divergence }: AuditAttack): number {
  const mean = max(0, divergence);
  const means = claims.map((claim) => {
    if (claim.kind === 'gdp') return sqrt(mean) / claim.mu;
    if (claim.kind === 'zcdp') return mean / (2 * claim.rho);
    return claim.kind === 'pure' ? mean / (2 * claim.epsilon * tanh(claim.epsilon / 2)) : 0;
  });
  return max(...strengths, ...means);
}

/** The pair whose channel exceeds its claims most, as a ratio. */
function worstChannel<Parameters, Datum, Report>(
  { auditing, parameters }: AuditTarget<Parameters, Datum, Report>,
  claims: readonly Guarantee[],
  pairs: readonly AuditPair<Datum>[],
): { pair: AuditPair<Datum>; parameters: number[] } | undefined {
  let worst: { pair: AuditPair<Datum>; parameters: number[] } | undefined;
  let most = -1;
  for (const pair of pairs) {
    const first = auditing?.channel?.(parameters, pair.first);
    const second = auditing?.channel?.(parameters, pair.second);
    if (first === undefined || second === undefined) continue;
    const found = claims.map((claim) => exactParameter(claim, first, second));
    const strength = max(...found.map((value, c) => value / max(1e-12, claimedParameter(claims[c]))));
    if (strength > most) [most, worst] = [strength, { pair, parameters: found }];
  }
  return worst;
}

/** How often the events of an attack happened, event by event. */
export interface EventCounts {
  readonly trials: number;
  readonly first: readonly number[];
  readonly second: readonly number[];
}

/** The counts of an audit or of a shard of it: a commutative monoid under {@link mergeShares}. Plain data. */
export type AuditCounts = Readonly<Record<AuditSight, EventCounts>>;

/** Which shard of the counting to do, and its inputs. */
export interface ShareOptions<Report> extends Pick<AuditOptions<unknown, Report>, 'view' | 'logLikelihoodRatio'> {
  /** The coins of this shard: independent of the coins of every other shard, and of the coins of the plan. */
  readonly random: Random;
  /** Number of this shard, from 0. Default 0. */
  readonly shard?: number;
  /** Number of shards. Default 1. */
  readonly shards?: number;
}

/**
 * Counts the events of a plan in one of several equal shards of its trials. Shards can run anywhere, each with its own
 * stream of coins; the sum of their counts depends on the number of shards, not on where they ran.
 */
export function auditShare<Parameters, Datum, Report>(
  target: AuditTarget<Parameters, Datum, Report>,
  plan: AuditPlan<Datum>,
  options: ShareOptions<Report>,
): AuditCounts {
  const shards = checkInteger('shards', options.shards ?? 1, 1);
  const shard = checkInteger('shard', options.shard ?? 0, 0, shards - 1);
  const counts = (sight: AuditSight): EventCounts => {
    const all = plan.counted[sight];
    const trials = floor((all * (shard + 1)) / shards) - floor((all * shard) / shards);
    return countEvents(target, plan, sight, trials, options);
  };
  return { alone: counts('alone'), together: counts('together') };
}

function countEvents<Parameters, Datum, Report>(
  target: AuditTarget<Parameters, Datum, Report>,
  { pair, ...plan }: AuditPlan<Datum>,
  sight: AuditSight,
  trials: number,
  options: ShareOptions<Report>,
): EventCounts {
  const attack: AuditAttack = plan[sight];
  const { events } = attack;
  const first = new Array<number>(events.length).fill(0);
  const second = new Array<number>(events.length).fill(0);
  if (events.length === 0 || trials === 0) return { trials, first, second };
  const ratio = logRatioOf(target, options, pair);
  const scorers = attack.scores.map((score) => scorerOf(score, ratio));
  const sampler = createSampler(target, pair, viewOf(target, options.view), sight, options.random);
  const { values } = sampler;
  // Where the density decides, the numbers are not needed.
  const look = attack.scores.some(({ kind }) => kind !== 'likelihood ratio');
  const found = new Float64Array(scorers.length);
  const trial = (datum: Datum, counts: number[]): void => {
    const report = sampler.draw(datum, look);
    for (let s = 0; s < scorers.length; s++) found[s] = scorers[s](values, report);
    for (let e = 0; e < events.length; e++) if (found[events[e].score] >= events[e].threshold) counts[e]++;
  };
  for (let i = 0; i < trials; i++) {
    trial(pair.first, first);
    trial(pair.second, second);
  }
  return { trials, first, second };
}

export function mergeShares(a: AuditCounts, b: AuditCounts): AuditCounts {
  return { alone: mergeCounts(a.alone, b.alone), together: mergeCounts(a.together, b.together) };
}

function mergeCounts(a: EventCounts, b: EventCounts): EventCounts {
  if (a.first.length !== b.first.length) {
    throw new RefusedValue('counts', `those of ${a.first.length} events`, b.first.length);
  }
  return {
    trials: a.trials + b.trials,
    first: a.first.map((count, e) => count + b.first[e]),
    second: a.second.map((count, e) => count + b.second[e]),
  };
}

import { checkInteger, refusal } from '../check/number.ts';
import type { Random } from '../random/random.ts';
import type { AuditAttack } from './attack.ts';
import { type AuditPlan, logRatioOf } from './plan.ts';
import { type AuditSight, createSampler } from './sampler.ts';
import { scorerOf } from './score.ts';
import { type AuditOptions, type AuditTarget, viewOf } from './target.ts';

const { floor } = Math;

/** How often the events of an attack happened, event by event. */
export interface EventCounts {
  /** Trials under each datum. */
  readonly trials: number;
  /** Occurrences under the first datum. */
  readonly first: readonly number[];
  /** Occurrences under the second datum. */
  readonly second: readonly number[];
}

/** The counts of an audit or of a shard of it: a commutative monoid under {@link mergeShares}. Plain data. */
export type AuditCounts = Readonly<Record<AuditSight, EventCounts>>;

/** Which shard of the counting, and with what. */
export interface ShareOptions<Report> extends Pick<AuditOptions<unknown, Report>, 'view' | 'logLikelihoodRatio'> {
  /** The coins of this shard: independent of those of every other shard, and of those the plan was made with. */
  readonly random: Random;
  /** Number of this shard, from 0. Default 0. */
  readonly shard?: number;
  /** Number of shards. Default 1. */
  readonly shards?: number;
}

/**
 * Counts the events of a plan in one of several equal shards of its trials. Shards can run anywhere, each with a stream of its
 * own, such as `seeded.stream(shard)`; the sum of their counts depends on how many there are, not on where they ran.
 *
 * @throws TypeError or RangeError for a shard that does not exist, and whatever the player refuses.
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
  // Where the density decides nobody has to look at the numbers.
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

/**
 * The counts of two shards together.
 *
 * @throws RangeError for counts of different plans.
 */
export function mergeShares(a: AuditCounts, b: AuditCounts): AuditCounts {
  return { alone: mergeCounts(a.alone, b.alone), together: mergeCounts(a.together, b.together) };
}

function mergeCounts(a: EventCounts, b: EventCounts): EventCounts {
  if (a.first.length !== b.first.length) {
    throw new RangeError(refusal('counts', `those of ${a.first.length} events`, b.first.length));
  }
  return {
    trials: a.trials + b.trials,
    first: a.first.map((count, e) => count + b.first[e]),
    second: a.second.map((count, e) => count + b.second[e]),
  };
}

import type { OnlineQuery } from '../../../protocols/online-sgd/estimate.ts';
import type { StreamPlan, StreamStudy } from '../../../protocols/online-sgd/stream-study.ts';
import type { StreamCheckpoint, StreamErrors, StreamEstimateRecord } from './document.ts';
import type { StreamRecords } from './records.ts';

const { abs, floor, hypot, log10, max } = Math;

/**
 * 1, 2 and 5 times powers of ten over the last three to four decades of a stream, and its end; none among the first `burnIn` players,
 * after whom there is no average yet.
 */
export function checkpointsOf(players: number, burnIn: number = 0): readonly number[] {
  const places: number[] = [];
  for (let decade = 10 ** max(1, floor(log10(players)) - 3); decade < players; decade *= 10) {
    for (const digit of [1, 2, 5]) if (digit * decade < players) places.push(digit * decade);
  }
  return [...places.filter((place) => place > burnIn), players];
}

/** What is asked of a stream, and the unit that its answers are brought to. */
export interface StreamQuestion extends Pick<OnlineQuery, 'level' | 'method' | 'hessianFloor'> {
  /** How many of the unit of the response are 1 in the model. */
  readonly scale: number;
}

/** What a state says, in the unit of the response. Intervals that cannot be yet are null, with the reason. */
export function estimateOf(
  { protocol: { server } }: Pick<StreamStudy, 'protocol'>,
  plan: StreamPlan,
  state: unknown,
  { scale, ...query }: StreamQuestion,
): StreamEstimateRecord {
  try {
    const { theta, intervals, level, method, raisedHessian } = server.estimate(plan, state, query);
    return {
      theta: Array.from(theta, (entry) => scale * entry),
      intervals: method === 'none' ? null : intervals.map(([low, high]) => [scale * low, scale * high] as const),
      level,
      method,
      ...(raisedHessian === undefined ? {} : { raisedHessian }),
    };
  } catch (error) {
    if (!(error instanceof RangeError) || query.method === 'none') throw error;
    const bare = estimateOf({ protocol: { server } } as StreamStudy, plan, state, { scale, ...query, method: 'none' });
    return { ...bare, method: query.method ?? 'random scaling', reason: error.message };
  }
}

/** A moment of a stream. */
export function checkpointAt(
  { times }: StreamRecords,
  players: number,
  estimate: StreamEstimateRecord,
): StreamCheckpoint {
  const until = times === undefined ? {} : { until: new Date(times[players - 1]).toISOString().slice(0, 16) };
  return { players, ...until, estimate };
}

/** How far an estimate is from a fit in the same unit. */
export function errorsOf({ theta, intervals }: StreamEstimateRecord, fit: readonly number[]): StreamErrors {
  const differences = theta.map((entry, i) => abs(entry - fit[i]));
  const distances = { distance: hypot(...differences), largest: max(...differences) };
  if (intervals === null) return { ...distances, inside: null, coverage: null, halfWidth: null };
  const inside = intervals.map(([low, high], i) => low <= fit[i] && fit[i] <= high);
  const half = intervals.reduce((sum, [low, high]) => sum + (high - low) / 2, 0) / intervals.length;
  return { ...distances, inside, coverage: inside.filter(Boolean).length / inside.length, halfWidth: half };
}

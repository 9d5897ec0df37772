import { checkMethod, type IntervalMethod, type OnlineQuery } from '../../../../protocols/online-sgd/estimate.ts';
import type { OnlinePlan } from '../../../../protocols/online-sgd/parameters.ts';
import type { RegressionFit } from '../../../../protocols/online-sgd/regression-fit.ts';
import type { OnlineState } from '../../../../protocols/online-sgd/state.ts';
import {
  STREAM_MODELS,
  type StreamStudy,
  type StreamStudyRequest,
} from '../../../../protocols/online-sgd/stream-study.ts';
import { playStream } from '../../../../protocols/online-sgd/streams.ts';
import { RefusedValue, refusedAs } from '../../../check/refusal.ts';
import { normalCriticalValue, randomScalingCriticalValue } from '../../../inference/critical-value.ts';
import { clearestCoefficient, type Uncertainty } from '../../../inference/model-interval.ts';
import type { Progress } from '../../progress.ts';
import { type StreamRecords, streamPopulation } from '../../records.ts';
import { classNames, type Schema } from '../../schema.ts';
import type {
  MeasuredCheckpoint,
  StreamCheckpoint,
  StreamErrors,
  StreamEstimateRecord,
  StreamMetrics,
  StreamRunDocument,
  StreamRunOptions,
} from './request.ts';

const { abs, floor, hypot, log10, max } = Math;

/** The inputs of a run. */
export interface StreamRunPlan extends Pick<StreamRunOptions, 'level' | 'method' | 'hessianFloor' | 'seed'> {
  readonly request: StreamStudyRequest;
  /** What the records are called, the unit of their response, and what was public beforehand. */
  readonly title: string;
  readonly unit: string;
  readonly agreed: string;
  readonly schema: Schema;
}

/** How many units of the response are 1 in the model. */
function unitOf({ label }: Schema): number {
  return label.kind === 'number' ? label.unit : 1;
}

/** A name for each coordinate: the intercept and the features; with several classes, for each except the first. */
function coordinateNames({ names, label }: Schema): readonly string[] {
  const each = ['intercept', ...names];
  const [, ...others] = classNames(label);
  return others.length === 0 ? each : others.flatMap((name) => each.map((one) => `${name}: ${one}`));
}

/** A finished stream. */
interface PlayedStream {
  readonly plan: OnlinePlan;
  /** The server's state after the last player. */
  readonly state: OnlineState;
  /** Number of players whose reports were in the state at its beginning. */
  readonly from: number;
  readonly checkpoints: readonly StreamCheckpoint[];
  /** Why there are no intervals at its end, if they were requested and refused. */
  readonly refused?: string;
  readonly seconds: number;
}

/** Where a stream begins, and who receives its estimates. */
interface Listening {
  /** A saved state, to go on from. */
  readonly resume?: Uint8Array | undefined;
  /** Receives every checkpoint when it is reached. */
  readonly onCheckpoint?: (checkpoint: StreamCheckpoint) => void;
}

/**
 * Refuses, before a stream of so many players begins, what would be refused at its end.
 * @throws RangeError if all steps are left out of the average, or if there are too few players for the intervals.
 */
export function checkLength(plan: OnlinePlan, method: IntervalMethod, players: number): void {
  if (plan.burnIn >= players) throw new RefusedValue('burn-in', `fewer than the ${players} players`, plan.burnIn);
  // One counted step has a mean, and nothing to see how far it is off.
  const least = plan.burnIn + 2;
  if (method !== 'none' && players < least) {
    throw new RefusedValue('players', `at least ${least} for intervals (method none is the estimate alone)`, players);
  }
  try {
    checkMethod(plan, method, players);
  } catch (error) {
    // The method decided what a plan keeps. So the only possible error is that there are too few players for batches.
    if (refusedAs(error) !== 'value') throw error;
    const typed = method.replaceAll(' ', '-');
    const expected = `random-scaling, or more players: ${typed} need 10 batches, which ${players} players do not make`;
    throw new RefusedValue('method', expected, typed);
  }
}

/**
 * Plays a stream to its end. If only the intervals at the end are refused, `refused` says why: the state is complete.
 * @throws TypeError or RangeError for everything that the variant refuses, or for a state that already has all players;
 * ReportError for bytes that are not a state of this plan.
 */
export function playRun(
  study: StreamStudy,
  { request, level, method, hessianFloor, seed, schema }: StreamRunPlan,
  records: StreamRecords,
  { resume, onCheckpoint }: Listening = {},
): PlayedStream {
  const plan = study.plan(request);
  const { server } = study.protocol;
  const state = resume === undefined ? server.start(plan) : server.restore(plan, resume);
  const from = server.step(plan, state).place - 1;
  const { players } = records;
  if (from >= players) throw new RefusedValue('players', `more than the ${from} in the saved state`, players);
  const floor = hessianFloor === undefined ? {} : { hessianFloor };
  const question: StreamQuestion = { level, method, ...floor, scale: unitOf(schema) };
  const checkpoints: StreamCheckpoint[] = [];
  checkLength(plan, method, players);
  const start = performance.now();
  playStream(study.protocol, {
    plan,
    population: streamPopulation(records),
    state,
    from,
    // Each variant has its own coins: if two variants shared the same noise, they would look alike.
    seed: `${seed} ${request.variant}`,
    checkpoints: checkpointsOf(players, plan.burnIn),
    look(count) {
      const estimate = estimateOf(study, plan, state, question);
      const { times } = records;
      const until = times === undefined ? {} : { until: new Date(times[count - 1]).toISOString().slice(0, 16) };
      const checkpoint = { players: count, ...until, estimate };
      checkpoints.push(checkpoint);
      onCheckpoint?.(checkpoint);
    },
  });
  const seconds = (performance.now() - start) / 1000;
  // Early in a stream there may be too few players for intervals; at its end there must be enough.
  const { reason } = checkpoints[checkpoints.length - 1].estimate;
  return { plan, state, from, checkpoints, seconds, ...(reason === undefined ? {} : { refused: reason }) };
}

/** What a stream is compared with: the model of all records in the clear, and that of the intercept alone. */
interface StreamFits {
  readonly fit: RegressionFit;
  readonly constant: RegressionFit;
}

/**
 * The fits to all records in the clear.
 * @throws RangeError for records without one, naming a feature that is a combination of the others.
 */
export function fitRun(study: StreamStudy, { request, schema }: StreamRunPlan, records: StreamRecords): StreamFits {
  const plan = study.plan(request);
  const population = streamPopulation(records);
  return {
    fit: study.fit(plan, population, { names: schema.names }),
    constant: study.fit(plan, population, { coordinates: 1 }),
  };
}

/** Compares a stream with the non-private fit to all its records, and with the same stream without privacy. */
export function measureRun(
  study: StreamStudy,
  run: StreamRunPlan,
  records: StreamRecords,
  { fit, constant, ...played }: PlayedStream & StreamFits,
  progress: Progress,
): StreamRunDocument {
  const { request, seed, title, unit, agreed, schema } = run;
  const { plan, from, seconds, checkpoints } = played;
  const population = streamPopulation(records);
  const { players } = records;
  const scale = unitOf(schema);
  progress.begin('the same stream without privacy');
  const { variant, grade: _, hessianMu: __, ...asked } = request;
  const open = playRun(study, { ...run, request: { ...asked, variant: study.reference } }, records);
  const theta = Array.from(fit.theta, (entry) => scale * entry);
  const measured = (list: readonly StreamCheckpoint[]): MeasuredCheckpoint[] =>
    list.map((one) => ({ ...one, errors: errorsOf(one.estimate, theta) }));
  const metrics = (list: readonly StreamCheckpoint[]): StreamMetrics => {
    const { estimate } = list[list.length - 1];
    const risk = study.risk(
      plan,
      population,
      Float64Array.from(estimate.theta, (entry) => entry / scale),
    );
    return { ...errorsOf(estimate, theta), risk, excessRisk: risk - fit.risk };
  };
  const { mu, epsilon, delta, hessianMu } = request;
  const { estimate: last } = checkpoints[checkpoints.length - 1];
  const names = coordinateNames(schema);
  const document: StreamRunDocument = {
    protocol: study.protocol.name,
    variant,
    model: request.model ?? { kind: STREAM_MODELS[0] },
    players,
    dimension: theta.length,
    features: names,
    unit,
    scale,
    guarantee: study.protocol.theory.guarantee(plan),
    estimate: last,
    uncertainty: uncertainOf(last, players, names),
    metrics: metrics(checkpoints),
    baselines: {
      nonPrivate: {
        theta,
        standardErrors: Array.from(fit.standardErrors, (entry) => scale * entry),
        risk: fit.risk,
      },
      stream: {
        estimate: open.checkpoints[open.checkpoints.length - 1].estimate,
        metrics: metrics(open.checkpoints),
        checkpoints: measured(open.checkpoints),
      },
      constant: { theta: scale * constant.theta[0], risk: constant.risk, excessRisk: constant.risk - fit.risk },
    },
    checkpoints: measured(checkpoints),
    seconds,
    reportsPerSecond: (players - from) / seconds,
    resumedFrom: from,
    budget: Object.fromEntries(
      Object.entries({ mu, epsilon, delta, hessianMu }).filter(([, value]) => value !== undefined),
    ),
    grade: plan.grade,
    step: {
      ...{ rate: plan.rate, decay: plan.decay, burnIn: plan.burnIn },
      ...(plan.average === undefined ? {} : { average: plan.average }),
    },
    seed,
    title,
    summary: study.summary,
    agreed,
    sorted: records.sorted,
    certificate: study.protocol.theory.certificate(plan),
    digest: plan.digest,
  };
  progress.end();
  return document;
}

/**
 * 1, 2 and 5 times powers of ten over the last three to four decades of a stream, and its end. There is none within the
 * first `burnIn` players, because an average exists only after them.
 */
function checkpointsOf(players: number, burnIn: number = 0): readonly number[] {
  const places: number[] = [];
  for (let decade = 10 ** max(1, floor(log10(players)) - 3); decade < players; decade *= 10) {
    for (const digit of [1, 2, 5]) if (digit * decade < players) places.push(digit * decade);
  }
  return [...places.filter((place) => place > burnIn), players];
}

/** The query to a stream, and the unit of its answers. */
interface StreamQuestion extends Pick<OnlineQuery, 'level' | 'method' | 'hessianFloor'> {
  /** How many units of the response are 1 in the model. */
  readonly scale: number;
}

/** The estimate of a state, in the response's unit. Intervals that are not possible yet are null, with a reason. */
function estimateOf(
  { protocol: { server } }: Pick<StreamStudy, 'protocol'>,
  plan: OnlinePlan,
  state: OnlineState,
  { scale, ...query }: StreamQuestion,
): StreamEstimateRecord {
  try {
    const { theta, intervals, level, method, stepsNeeded, noiseShift, raisedHessian } = server.estimate(
      plan,
      state,
      query,
    );
    return {
      theta: Array.from(theta, (entry) => scale * entry),
      intervals: method === 'none' ? null : intervals.map(([low, high]) => [scale * low, scale * high] as const),
      level,
      method,
      ...(stepsNeeded === undefined ? {} : { stepsNeeded }),
      ...(noiseShift === undefined ? {} : { noiseShift }),
      ...(raisedHessian === undefined ? {} : { raisedHessian }),
    };
  } catch (error) {
    if (!(error instanceof Error) || refusedAs(error) !== 'value' || query.method === 'none') throw error;
    const bare = estimateOf({ protocol: { server } } as StreamStudy, plan, state, { scale, ...query, method: 'none' });
    return { ...bare, method: query.method ?? 'random scaling', reason: error.message };
  }
}

/** How far an estimate is from a fit in the same unit. */
function errorsOf({ theta, intervals }: StreamEstimateRecord, fit: readonly number[]): StreamErrors {
  const differences = theta.map((entry, i) => abs(entry - fit[i]));
  const distances = { distance: hypot(...differences), largest: max(...differences) };
  if (intervals === null) return { ...distances, inside: null, coverage: null, halfWidth: null };
  const inside = intervals.map(([low, high], i) => low <= fit[i] && fit[i] <= high);
  const half = intervals.reduce((sum, [low, high]) => sum + (high - low) / 2, 0) / intervals.length;
  return { ...distances, inside, coverage: inside.filter(Boolean).length / inside.length, halfWidth: half };
}

/** The clearest coordinate but for intercepts, by intervals widened so that its choice costs nothing; null without intervals that may hold. */
function uncertainOf(
  { theta, intervals, level, method, stepsNeeded, noiseShift }: StreamEstimateRecord,
  players: number,
  names: readonly string[],
): Uncertainty | null {
  if (intervals === null || stepsNeeded !== undefined || noiseShift !== undefined) return null;
  const all = intervals.map(([low, high], j) => ({ name: names[j], value: theta[j], half: (high - low) / 2 }));
  const others = all.filter(({ name }) => !name.startsWith('intercept'));
  const critical = method === 'random scaling' ? randomScalingCriticalValue : normalCriticalValue;
  return clearestCoefficient(players, others.length > 0 ? others : all, { level, critical });
}

import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { checkMethod, type IntervalMethod, type OnlineQuery } from '../../../../protocols/online-sgd/estimate.ts';
import type { OnlinePlan } from '../../../../protocols/online-sgd/parameters.ts';
import type { OnlineState } from '../../../../protocols/online-sgd/state.ts';
import { STREAM_MODELS, type StreamStudy } from '../../../../protocols/online-sgd/stream-study.ts';
import { playStream } from '../../../../protocols/online-sgd/streams.ts';
import { checkInteger, RefusedValue, ReportError, refusedAs } from '../../../check/refusal.ts';
import { normalCriticalValue, randomScalingCriticalValue } from '../../../inference/critical-value.ts';
import { clearestCoefficient, type Uncertainty } from '../../../inference/model-interval.ts';
import { MOST_FEATURES } from '../../../risk/regression/model.ts';
import type { PlayedRun } from '../../commands/options.ts';
import { folderOf } from '../../commands/show.ts';
import { checkFile, fileRefusal, readBytes, writeWhole } from '../../files.ts';
import { flightDelaySchema, locateFlights } from '../../flights.ts';
import { jsonText, printJson, signed, tell } from '../../print.ts';
import { createProgress, type Progress, reading } from '../../progress.ts';
import {
  type DatasetSource,
  fileTitle,
  firstPlayers,
  loadStream,
  type StreamRecords,
  sourceOf,
  streamPopulation,
} from '../../records.ts';
import { classNames, type Schema, type SchemaForm } from '../../schema.ts';
import {
  type MeasuredCheckpoint,
  requestOf,
  type StreamCheckpoint,
  type StreamErrors,
  type StreamEstimateRecord,
  type StreamMetrics,
  type StreamRunDocument,
  type StreamRunOptions,
} from './request.ts';

const { abs, floor, hypot, log10, max } = Math;

/** Largest saved state in bytes: a state with ten thousand coordinates and all their products has half as many. */
const LARGEST_STATE = 2 ** 30;

/** γ for the flights: they come hour after hour, so a larger step follows the hour of the day and not the year. */
const FLIGHTS_RATE = 0.1;

/** The inputs of a run. */
export interface StreamRunPlan extends Pick<StreamRunOptions, 'level' | 'method' | 'hessianFloor' | 'seed'> {
  readonly request: ReturnType<typeof requestOf>;
  /** What the records are called, the unit of their response, and what was public beforehand. */
  readonly title: string;
  readonly unit: string;
  readonly agreed: string;
  readonly schema: Schema;
}

/** `ldpkit run` of a sequential protocol: the flights in the order of their departure, or the records of a file. */
export async function runStream(study: StreamStudy, options: StreamRunOptions): PlayedRun {
  const { json, ndjson, save, players: asked } = options;
  if (json === true && ndjson === true) {
    throw new RefusedValue('"ndjson" expected not to be given with --json: both print to the standard output');
  }
  const { plan, source } = await streamRunPlan(study, options);
  if (save !== undefined) await checkSave(save);
  // Everything that can be refused is refused before millions of records are read.
  const made = study.plan(plan.request);
  if (asked !== undefined) checkLength(made, plan.method, asked);
  const resume = options.resume === undefined ? undefined : await readState(study, made, options.resume);
  const progress = createProgress();
  const all = await reading(progress, (onProgress) => loadStream(source, onProgress));
  const records = asked === undefined ? all : firstPlayers(all, checkInteger('players', asked, 1, all.players));
  checkLength(made, plan.method, records.players);
  const bare = folderOf(options) === undefined && ndjson === true;
  if (!bare) progress.begin('the fit to all records in the clear');
  const fits = bare ? undefined : fitRun(study, made, records, plan.schema);
  progress.begin(`playing ${study.protocol.name}`, records.players);
  const onCheckpoint = (one: StreamCheckpoint): void => {
    progress.advance(one.players);
    if (ndjson === true) printJson(jsonText(one, 0));
  };
  const played = playRun(study, plan, records, { resume, onCheckpoint });
  if (save !== undefined) await writeWhole('save', save, study.protocol.server.save(played.plan, played.state));
  if (played.refused !== undefined) {
    progress.end();
    if (save !== undefined) tell([`wrote ${save}`]);
    // Without a given floor, intervals would depend on a floor that nobody chose.
    if (plan.method !== 'plug-in' || plan.hessianFloor !== undefined) throw new RefusedValue(played.refused);
    throw new RefusedValue(
      '"hessian-floor" expected a number > 0, or more players: eigenvalues of the Hessian are below 0.01',
    );
  }
  if (fits === undefined) return undefined;
  const document = measureRun(study, plan, records, { ...played, ...fits }, progress);
  return {
    document,
    result: async () => (await import('./result.ts')).streamResult(document),
    written: save === undefined ? [] : [save],
  };
}

export async function streamRunPlan(
  study: StreamStudy,
  options: StreamRunOptions,
): Promise<{ readonly plan: StreamRunPlan; readonly source: DatasetSource }> {
  const { model, level, method, hessianFloor, seed } = options;
  const form: SchemaForm = model === 'logistic' ? 'sides' : model === 'multinomial' ? 'classes' : 'regression';
  const own = await sourceOf(options, form);
  const source = own ?? { data: locateFlights(), schema: flightDelaySchema(form) };
  const { schema } = source;
  if (schema.dimension > MOST_FEATURES) {
    throw new RefusedValue('features', `at most ${MOST_FEATURES} columns`, schema.dimension);
  }
  const rate = own === undefined ? FLIGHTS_RATE : undefined;
  const classes = classNames(schema.label).length;
  const request = requestOf(study, options, { features: schema.dimension, classes, rate });
  const plan: StreamRunPlan = {
    ...{ request, level, method, hessianFloor, seed, title: fileTitle(source) },
    unit: schema.label.kind !== 'number' ? 'log odds' : own === undefined ? 'minutes' : schema.label.column,
    agreed: own === undefined ? flightsAgreed(schema) : `Agreed beforehand: the schema; ${labelText(schema)}.`,
    schema,
  };
  return { plan, source };
}

function labelText({ label }: Schema): string {
  if (label.kind === 'number')
    return `${label.column} is cut off at ${signed(label.minimum)} and ${signed(label.maximum)}`;
  const [first, ...others] = classNames(label);
  if (first !== undefined)
    return `classes are ${[first, ...others].join(', ')}, and the first is what the others are compared with`;
  if (label.kind === 'classes') return `1 is ${label.positive} and 0 is ${label.negative}`;
  return label.kind === 'above' ? `1 is a ${label.column} above ${signed(label.above)}` : 'nothing is predicted';
}

function flightsAgreed(schema: Schema): string {
  const said =
    schema.label.kind === 'number'
      ? `delays are cut off at ${signed(schema.label.minimum)} and ${schema.label.maximum} minutes`
      : labelText(schema);
  return (
    `Agreed beforehand: ${said}; the hubs; the hour as a point on a circle; ` +
    'the intercept is a flight of 750 miles, half from and half to a hub, at no hour in particular.'
  );
}

async function readState(study: StreamStudy, plan: ReturnType<StreamStudy['plan']>, path: string): Promise<Uint8Array> {
  const bytes = await readBytes('resume', path, LARGEST_STATE);
  try {
    study.protocol.server.restore(plan, bytes);
  } catch (error) {
    if (!(error instanceof ReportError)) throw error;
    throw fileRefusal('resume', error.message.replace(/^"state" expected /, ''), path);
  }
  return bytes;
}

async function checkSave(path: string): Promise<void> {
  const folder = await stat(dirname(path)).catch(() => undefined);
  const there = await stat(path).catch(() => undefined);
  if (path === '' || folder?.isDirectory() !== true || there?.isFile() === false) {
    throw fileRefusal('save', 'a file in a folder that is there', path);
  }
  await checkFile('save', path);
}

function unitOf({ label }: Schema): number {
  return label.kind === 'number' ? label.unit : 1;
}

/** A name for each coordinate: the intercept and the features; with several classes, for each except the first. */
function coordinateNames({ names, label }: Schema): readonly string[] {
  const each = ['intercept', ...names];
  const [, ...others] = classNames(label);
  return others.length === 0 ? each : others.flatMap((name) => each.map((one) => `${name}: ${one}`));
}

interface PlayedStream {
  readonly plan: OnlinePlan;
  readonly state: OnlineState;
  /** Number of players whose reports were in the state at its beginning. */
  readonly from: number;
  readonly checkpoints: readonly StreamCheckpoint[];
  /** Why there are no intervals at its end, if they were requested and refused. */
  readonly refused?: string | undefined;
  readonly seconds: number;
}

/** Refuses, before a stream of so many players begins, what would be refused at its end. */
function checkLength(plan: OnlinePlan, method: IntervalMethod, players: number): void {
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

/** Plays a stream to its end. If only the intervals at the end are refused, `refused` says why: the state is complete. */
function playRun(
  study: StreamStudy,
  { request, level, method, hessianFloor, seed, schema }: StreamRunPlan,
  records: StreamRecords,
  {
    resume,
    onCheckpoint,
  }: { readonly resume?: Uint8Array | undefined; onCheckpoint?(one: StreamCheckpoint): void } = {},
): PlayedStream {
  const plan = study.plan(request);
  const { server } = study.protocol;
  const state = resume === undefined ? server.start(plan) : server.restore(plan, resume);
  const from = server.step(plan, state).place - 1;
  const { players } = records;
  if (from >= players) throw new RefusedValue('players', `more than the ${from} in the saved state`, players);
  const query = { level, method, ...(hessianFloor === undefined ? {} : { hessianFloor }) };
  const checkpoints: StreamCheckpoint[] = [];
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
      const estimate = estimateOf((asked) => server.estimate(plan, state, asked), query, unitOf(schema));
      const until = records.times && new Date(records.times[count - 1]).toISOString().slice(0, 16);
      const checkpoint = { players: count, until, estimate };
      checkpoints.push(checkpoint);
      onCheckpoint?.(checkpoint);
    },
  });
  const seconds = (performance.now() - start) / 1000;
  // Early in a stream there may be too few players for intervals; at its end there must be enough.
  const { reason } = checkpoints[checkpoints.length - 1].estimate;
  return { plan, state, from, checkpoints, seconds, refused: reason };
}

/**
 * What a stream is compared with: the model of all records in the clear, and that of the intercept alone; refused for records
 * without one, naming a feature that is a combination of the others.
 */
function fitRun(study: StreamStudy, plan: OnlinePlan, records: StreamRecords, { names }: Schema) {
  const population = streamPopulation(records);
  return {
    fit: study.fit(plan, population, { names }),
    constant: study.fit(plan, population, { coordinates: 1 }),
  };
}

/** Compares a stream with the non-private fit to all its records, and with the same stream without privacy. */
function measureRun(
  study: StreamStudy,
  run: StreamRunPlan,
  records: StreamRecords,
  { fit, constant, ...played }: PlayedStream & ReturnType<typeof fitRun>,
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
    const inModel = Float64Array.from(estimate.theta, (entry) => entry / scale);
    const risk = study.risk(plan, population, inModel);
    return { ...errorsOf(estimate, theta), risk, excessRisk: risk - fit.risk };
  };
  const { mu, epsilon, delta, hessianMu } = request;
  const { estimate: last } = checkpoints[checkpoints.length - 1];
  const names = coordinateNames(schema);
  const document: StreamRunDocument = {
    ...{ protocol: study.protocol.name, variant, model: request.model ?? { kind: STREAM_MODELS[0] } },
    ...{ players, dimension: theta.length, features: names, unit, scale },
    guarantee: study.protocol.theory.guarantee(plan),
    estimate: last,
    uncertainty: uncertainOf(last, players, names, schema.dimension + 1),
    metrics: metrics(checkpoints),
    baselines: {
      nonPrivate: { theta, standardErrors: Array.from(fit.standardErrors, (entry) => scale * entry), risk: fit.risk },
      stream: {
        estimate: open.checkpoints[open.checkpoints.length - 1].estimate,
        metrics: metrics(open.checkpoints),
        checkpoints: measured(open.checkpoints),
      },
      constant: { theta: scale * constant.theta[0], risk: constant.risk, excessRisk: constant.risk - fit.risk },
    },
    checkpoints: measured(checkpoints),
    ...{ seconds, reportsPerSecond: (players - from) / seconds, resumedFrom: from },
    budget: { mu, epsilon, delta, hessianMu },
    grade: plan.grade,
    step: { rate: plan.rate, decay: plan.decay, burnIn: plan.burnIn, average: plan.average },
    ...{ seed, title, summary: study.summary, agreed, sorted: records.sorted },
    certificate: study.protocol.theory.certificate(plan),
    digest: plan.digest,
  };
  progress.end();
  return document;
}

/** 1, 2 and 5 times powers of ten over the last three to four decades, and the end; none within the burn-in, which has no average. */
function checkpointsOf(players: number, burnIn: number): readonly number[] {
  const places: number[] = [];
  for (let decade = 10 ** max(1, floor(log10(players)) - 3); decade < players; decade *= 10) {
    for (const digit of [1, 2, 5]) if (digit * decade < players) places.push(digit * decade);
  }
  return [...places.filter((place) => place > burnIn), players];
}

/** The estimate of a state, in the response's unit. Intervals that are not possible yet are null, with a reason. */
function estimateOf(
  ask: (query: OnlineQuery) => ReturnType<StreamStudy['protocol']['server']['estimate']>,
  query: OnlineQuery,
  scale: number,
): StreamEstimateRecord {
  try {
    const { theta, intervals, level, method, stepsNeeded, noiseShift, fewBatches, raisedHessian } = ask(query);
    return {
      theta: Array.from(theta, (entry) => scale * entry),
      intervals: method === 'none' ? null : intervals.map(([low, high]) => [scale * low, scale * high] as const),
      ...{ level, method, stepsNeeded, noiseShift, fewBatches, raisedHessian },
    };
  } catch (error) {
    if (!(error instanceof Error) || refusedAs(error) !== 'value' || query.method === 'none') throw error;
    const bare = estimateOf(ask, { ...query, method: 'none' }, scale);
    return { ...bare, method: query.method ?? 'random scaling', reason: error.message };
  }
}

function errorsOf({ theta, intervals }: StreamEstimateRecord, fit: readonly number[]): StreamErrors {
  const differences = theta.map((entry, i) => abs(entry - fit[i]));
  const distances = { distance: hypot(...differences), largest: max(...differences) };
  if (intervals === null) return { ...distances, inside: null, coverage: null, halfWidth: null };
  const inside = intervals.map(([low, high], i) => low <= fit[i] && fit[i] <= high);
  const half = intervals.reduce((sum, [low, high]) => sum + (high - low) / 2, 0) / intervals.length;
  return { ...distances, inside, coverage: inside.filter(Boolean).length / inside.length, halfWidth: half };
}

/** The clearest coordinate but for intercepts, the first of each `width`, by intervals widened for the choice; null without intervals that may hold. */
function uncertainOf(
  { theta, intervals, level, method, stepsNeeded, noiseShift, fewBatches }: StreamEstimateRecord,
  players: number,
  names: readonly string[],
  width: number,
): Uncertainty | null {
  if (intervals === null || (stepsNeeded ?? noiseShift ?? fewBatches) !== undefined) return null;
  const all = intervals.map(([low, high], j) => ({ name: names[j], value: theta[j], half: (high - low) / 2 }));
  const others = all.filter((_, j) => j % width > 0);
  const critical = method === 'random scaling' ? randomScalingCriticalValue : normalCriticalValue;
  return clearestCoefficient(players, others.length > 0 ? others : all, { level, critical });
}

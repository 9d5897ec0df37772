import { checkMethod, type IntervalMethod } from '../../../protocols/online-sgd/estimate.ts';
import type { StreamPlan, StreamStudy, StreamStudyRequest } from '../../../protocols/online-sgd/stream-study.ts';
import { playStream } from '../../../protocols/online-sgd/streams.ts';
import { refusal } from '../../check/number.ts';
import type { Origin } from '../experiment/assembly.ts';
import type { Progress } from '../progress.ts';
import { checkpointAt, checkpointsOf, errorsOf, estimateOf, type StreamQuestion } from './checkpoints.ts';
import type { MeasuredCheckpoint, StreamCheckpoint, StreamMetrics, StreamRunDocument } from './document.ts';
import { type StreamRecords, streamPopulation } from './records.ts';
import type { RegressionSchema } from './schema.ts';

/** What is played. */
export interface StreamRunPlan {
  /** The protocol's folder name. */
  readonly protocol: string;
  readonly request: StreamStudyRequest;
  readonly level: number;
  readonly method: IntervalMethod;
  /** κ₁ of plug-in intervals. */
  readonly hessianFloor?: number;
  readonly seed: string;
  /** What the records are called, the unit of their response, and what was public beforehand. */
  readonly title: string;
  readonly unit: string;
  readonly agreed: string;
  readonly schema: RegressionSchema;
}

/** A stream that has been played. */
export interface PlayedStream {
  readonly plan: StreamPlan;
  /** The server's state after the last player. */
  readonly state: unknown;
  /** Players whose reports were in the state it began with. */
  readonly from: number;
  readonly checkpoints: readonly StreamCheckpoint[];
  /** Why there are no intervals at its end, where they were asked for and refused. */
  readonly refused?: string;
  readonly seconds: number;
}

/** Where a stream begins, and who hears of it. */
export interface Listening {
  /** A saved state, to go on from. */
  readonly resume?: Uint8Array | undefined;
  /** Hears every moment as it comes. */
  readonly onCheckpoint?: (checkpoint: StreamCheckpoint) => void;
}

/**
 * Refuses what would be refused at the end of a stream of so many players, before it begins.
 *
 * @throws RangeError for first steps left out that are all of them, or intervals that they are too few for.
 */
export function checkLength(plan: StreamPlan, method: IntervalMethod, players: number): void {
  if (plan.burnIn >= players) throw new RangeError(refusal('burnIn', `fewer than the ${players} players`, plan.burnIn));
  checkMethod(plan, method, players);
}

/**
 * Plays a stream to its end. Intervals that only its end could refuse are told as `refused`: the state is whole.
 *
 * @throws TypeError or RangeError for what the variant refuses, or a state that has as many players as there are; ReportError for
 * bytes that are no state of this plan.
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
  if (from >= players) throw new RangeError(refusal('players', `more than the ${from} in the saved state`, players));
  const floor = hessianFloor === undefined ? {} : { hessianFloor };
  const question: StreamQuestion = { level, method, ...floor, scale: schema.label.unit };
  const checkpoints: StreamCheckpoint[] = [];
  checkLength(plan, method, players);
  const start = performance.now();
  playStream(study.protocol, {
    plan,
    population: streamPopulation(records),
    state,
    from,
    // Coins of its own for each variant: a noise that two of them share would make them look alike.
    seed: `${seed} ${request.variant}`,
    checkpoints: checkpointsOf(players, plan.burnIn),
    look(count) {
      const estimate = estimateOf(study, plan, state, question);
      const checkpoint = checkpointAt(records, count, estimate);
      checkpoints.push(checkpoint);
      onCheckpoint?.(checkpoint);
    },
  });
  const seconds = (performance.now() - start) / 1000;
  // Early in a stream there may be too little for intervals, at its end there must not.
  const { reason } = checkpoints[checkpoints.length - 1].estimate;
  return { plan, state, from, checkpoints, seconds, ...(reason === undefined ? {} : { refused: reason }) };
}

/**
 * Measures a stream against the fit to all its records in the clear, and against the same stream without privacy.
 *
 * @throws RangeError for records without a fit.
 */
export function measureRun(
  study: StreamStudy,
  run: StreamRunPlan,
  records: StreamRecords,
  played: PlayedStream,
  progress: Progress,
  { version, command }: Origin,
): StreamRunDocument {
  const { protocol, request, seed, title, unit, agreed, schema } = run;
  const { plan, from, seconds, checkpoints } = played;
  const population = streamPopulation(records);
  const { players } = records;
  const scale = schema.label.unit;
  progress.begin('the same stream without privacy');
  const { variant, grade: _, hessianMu: __, ...asked } = request;
  const open = playRun(study, { ...run, request: { ...asked, variant: study.reference } }, records);
  progress.begin('the fit to all records in the clear');
  const fit = study.fit(plan, population);
  const constant = study.fit(plan, population, { coordinates: 1 });
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
  const document: StreamRunDocument = {
    protocol,
    variant,
    players,
    dimension: theta.length,
    features: ['intercept', ...schema.names],
    unit,
    scale,
    guarantee: study.protocol.theory.guarantee(plan),
    estimate: checkpoints[checkpoints.length - 1].estimate,
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
    step: { rate: plan.rate, decay: plan.decay, burnIn: plan.burnIn },
    seed,
    title,
    summary: study.summary,
    agreed,
    sorted: records.sorted,
    certificate: study.protocol.theory.certificate(plan),
    digest: plan.digest,
    version,
    command,
  };
  progress.end();
  return document;
}

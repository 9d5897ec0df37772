import { utf8ToBytes } from '@noble/hashes/utils.js';
import { checkFunctions, fieldOf } from '../check/datum.ts';
import { checkFinite, checkInteger, RefusedValue, ReportError } from '../check/refusal.ts';
import { checkTally, emptySums } from './channel.ts';
import type { AuditPair, PlainRequest, PublicParameters } from './contract.ts';
import {
  checkWithout,
  type DefinedParameters,
  type DefinedParts,
  type DefinedReport,
  type Definition,
  defineProtocol,
  type Randomizer,
} from './define.ts';
import { type Precision, receivedBytes } from './frame.ts';
import type { SequentialProtocol, SequentialStep, StreamState } from './interactive.ts';
import { canonicalJson, digestOf, type Json, readWhole } from './request.ts';

/** What a server keeps of a defined stream: plain data. */
export interface DefinedState<Field extends string> extends StreamState {
  readonly sums: { readonly [field in Field]: Float64Array };
}

/** Whether all numbers are finite; −0 becomes 0, so that JSON keeps every number of a state bit for bit. */
function settle(array: Float64Array): boolean {
  let finite = 0;
  for (let i = 0; i < array.length; i++) {
    array[i] += 0;
    finite += 0 * array[i];
  }
  return finite === 0;
}

const SCHEMA = 'ldpkit-defined-stream';

/** Version of the saved form; a field with another meaning makes a new version. */
const SAVED = 1;

const COUNTS = ['steps', 'players', 'late', 'gathered'] as const;

function stateToJson(plan: PublicParameters, state: DefinedState<string>): Json {
  checkTally('state', state, plan);
  const { digest, iterate, sums } = state;
  const content = {
    ...{ schema: SCHEMA, version: SAVED, protocol: plan.protocol, digest },
    ...Object.fromEntries(COUNTS.map((count) => [count, state[count]])),
    iterate: Array.from(iterate),
    sums: Object.fromEntries(Object.entries(sums).map(([field, sum]) => [field, Array.from(sum)])),
  };
  return { ...content, checksum: checksumOf(content) };
}

function parsedState(bytes: Uint8Array): Json {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(receivedBytes(bytes)));
  } catch {
    throw new ReportError('"state" expected the bytes of a saved stream');
  }
}

/** Writes what was saved over the first state of the same plan; refuses what is damaged or of another one. */
function readState<Field extends string>(
  plan: PublicParameters,
  state: DefinedState<Field>,
  value: Json,
): DefinedState<Field> {
  const { checksum, ...content } = (value ?? {}) as { readonly [field: string]: Json };
  const { schema, version, protocol, digest } = content;
  if (schema !== SCHEMA || version !== SAVED) throw new ReportError(`"state" expected ${SCHEMA}, version ${SAVED}`);
  if (protocol !== plan.protocol || digest !== plan.digest) {
    throw new ReportError(`"state" expected a state of the plan with digest ${plan.digest}`);
  }
  if (checksum !== checksumOf(content)) throw new ReportError('"state" expected what was saved, undamaged');
  for (const count of COUNTS) {
    const saved = content[count];
    if (!Number.isSafeInteger(saved) || (saved as number) < 0) {
      throw new ReportError(`"state.${count}" expected a whole number >= 0`);
    }
    state[count] = saved as number;
  }
  restoreArray(state.iterate, content.iterate);
  for (const [field, sum] of Object.entries(state.sums)) {
    restoreArray(sum as Float64Array, fieldOf(content.sums, field));
  }
  return state;
}

function restoreArray(array: Float64Array, saved: unknown): void {
  const fits = Array.isArray(saved) && saved.length === array.length;
  if (!fits || !saved.every((number) => typeof number === 'number')) {
    throw new ReportError(`"state" expected lists of numbers as long as the plan has them, here ${array.length}`);
  }
  array.set(saved);
}

/** It finds damage, and authenticates nobody. */
function checksumOf(content: Json): string {
  try {
    return digestOf(content).slice(0, 16);
  } catch {
    throw new ReportError('"state" expected plain data');
  }
}

/** What the player of one step of a defined stream receives: the fields of the plan, the step's number and its iterate. */
export type DefinedStep<Setting> = Setting & SequentialStep<DefinedParameters<Setting>>;

/** How the numbers of a report of a defined stream travel; the first of them is the step. */
export type StreamPrecision = Exclude<Precision, 'float32'>;

/** What a designer writes for a stream; `defineStream` makes the rest. */
export interface StreamDefinition<Setting, Datum, Values extends StreamPrecision, Field extends string, Estimate, Query>
  extends DefinedParts<Setting, DefinedStep<Setting>, DefinedParameters<Setting>, Datum, Values, Field> {
  readonly steps: {
    /** θ₀, what the players of step 1 are asked about: finite numbers, of the same length in every step. */
    start(plan: DefinedParameters<Setting>): ArrayLike<number>;
    /** How many reports a step takes before the iterate moves; 1 by default. */
    block?(plan: DefinedParameters<Setting>): number;
    /**
     * Moves the iterate after the last report of step i, which `state.steps` counts already: it writes θᵢ over
     * `state.iterate`, and may change the sums. A report after which a number would not be finite is refused.
     */
    move(plan: DefinedParameters<Setting>, state: DefinedState<Field>): void;
    /**
     * Whether this plan can reach an iterate, given finite numbers of the right count; a device asks it. Default: it can
     * reach all of them. In step 1 a device takes the start alone.
     */
    accepts?(plan: DefinedParameters<Setting>, iterate: Float64Array): boolean;
    /** Whether reports of earlier steps count, for the open step; by default they are refused. */
    late?(plan: DefinedParameters<Setting>): boolean;
  };
  /** What at least one report says about the population. It does not change the state. */
  estimate(plan: DefinedParameters<Setting>, state: DefinedState<Field>, query?: Query): Estimate;
}

/** A whole stream that was defined; entry 0 of a report is the number of its step. */
export type DefinedStream<Setting, Datum, Report, Field extends string, Estimate, Query> = SequentialProtocol<
  DefinedParameters<Setting>,
  DefinedStep<Setting>,
  Datum,
  Report,
  DefinedState<Field>,
  Estimate,
  Query
> & {
  /** A plan from plain data. */
  make(request: PlainRequest): DefinedParameters<Setting>;
};

/** The largest number of a step: it travels as a whole number of 32 bits. */
const MOST_STEPS = 2 ** 31 - 1;

/** What is written into a step beside the fields of its plan. */
const WRITTEN = ['plan', 'index', 'iterate'];

/**
 * A whole sequential protocol from a small definition: `defineProtocol` for players who come one after the other and
 * answer once at the current iterate. It works with `open`, devices, collectors, `certify`, `verifyCertificate` and the
 * command line like the protocols of the package.
 *
 * What `defineProtocol` keeps is kept here, and in addition: a report names its step; a device copies and checks the step
 * under its own plan before it reads a datum; a refused report changes nothing; a saved state goes on bit for bit.
 *
 * Guarantee: the one stated in `privacy`; nothing here proves it. An audit may refute it.
 * @throws TypeError or RangeError for a name, a version, a precision or a channel that cannot be used.
 */
export function defineStream<
  Setting extends object,
  Datum,
  Values extends StreamPrecision,
  Field extends string,
  Estimate,
  Query = undefined,
>(
  definition: StreamDefinition<Setting, Datum, Values, Field, Estimate, Query>,
): DefinedStream<Setting, Datum, DefinedReport[Values], Field, Estimate, Query> {
  type Plan = DefinedParameters<Setting>;
  type Step = DefinedStep<Setting>;
  type State = DefinedState<Field>;
  type Report = DefinedReport[Values];
  const { steps, tally, fields } = definition;
  checkFunctions(definition, ['steps.start', 'steps.move']);
  const { name, make, player, report, theory, auditing } = defineProtocol(
    withStep(definition as unknown as AnyStream) as unknown as Definition<
      object,
      Datum,
      Values,
      Field,
      unknown,
      undefined
    >,
  );

  const blockOf = (plan: Plan): number => checkInteger('steps.block', steps.block?.(plan) ?? 1, 1);

  function startOf(plan: Plan): Float64Array {
    const iterate = Float64Array.from(steps.start(plan));
    iterate.forEach((entry, i) => {
      checkFinite(`steps.start[${i}]`, entry);
    });
    return iterate;
  }

  function stepOf(plan: Plan, index: number, iterate: Float64Array): Step {
    const { request: _, ...known } = plan;
    return { ...known, plan, index, iterate } as unknown as Step;
  }

  function remake(plan: Plan, received: unknown): Step {
    const index = checkInteger('step.index', fieldOf(received, 'index'), 1, MOST_STEPS);
    const sent = fieldOf(received, 'iterate');
    const start = startOf(plan);
    const length = fieldOf(sent, 'length');
    if (length !== start.length) {
      throw new RefusedValue('step.iterate', `a list of ${start.length} numbers`, length);
    }
    const iterate = start.map((_, i) => checkFinite(`step.iterate[${i}]`, fieldOf(sent, i)) + 0);
    if (index === 1 && !iterate.every((entry, i) => entry === start[i])) {
      throw new RefusedValue('step.iterate', 'the start of the plan in step 1', iterate);
    }
    if (index > 1 && steps.accepts !== undefined && steps.accepts(plan, iterate) !== true) {
      throw new RefusedValue('step.iterate', 'one that this plan can reach', iterate);
    }
    return stepOf(plan, index, iterate);
  }

  function checkOpen(plan: Plan, state: State, step: number): boolean {
    const open = state.steps + 1;
    if (step > open) throw new ReportError(`"report" expected one of a step up to ${open}, got ${step}`);
    if (step < open && steps.late?.(plan) !== true) {
      throw new ReportError(`"report" expected one of step ${open}, got the stale ${step}`);
    }
    return step < open;
  }

  /** Adds a report and moves the iterate where its step is full; what is refused changes nothing. */
  function accept(plan: Plan, state: State, received: Report): 'late' | 'in time' {
    checkTally('state', state, plan);
    const length = definition.report.length(plan) + 1;
    if (received.length !== length) throw new ReportError(`"report" expected ${length} values, got ${received.length}`);
    const step = received[0];
    if (!Number.isInteger(step) || step < 1) throw new ReportError('"report" expected the number of a step');
    const late = checkOpen(plan, state, step);
    const arrays: readonly Float64Array[] = [state.iterate, ...(Object.values(state.sums) as Float64Array[])];
    const before = arrays.map((array) => array.slice());
    const { steps: finished, gathered } = state;
    try {
      tally.add(plan, state.sums, received.subarray(1) as Report);
      state.gathered = gathered + 1;
      if (state.gathered === blockOf(plan)) {
        state.gathered = 0;
        state.steps = finished + 1;
        steps.move(plan, state);
      }
      if (!arrays.every(settle)) throw new ReportError('"report" expected values after which all numbers are finite');
    } catch (error) {
      arrays.forEach((array, i) => {
        array.set(before[i]);
      });
      state.steps = finished;
      state.gathered = gathered;
      throw error;
    }
    state.players++;
    if (late) state.late++;
    return late ? 'late' : 'in time';
  }

  const start = (plan: Plan): State => {
    const { digest, sums } = emptySums<Field>(plan, tally.sums(plan));
    return { digest, steps: 0, players: 0, late: 0, gathered: 0, iterate: startOf(plan), sums };
  };

  return {
    name,
    make: (request: PlainRequest) => checkWithout(make(request), WRITTEN),
    ...(fields === undefined ? {} : { fields }),
    player: { ...player, remake },
    report,
    server: {
      start,
      step(plan: Plan, state: State): Step {
        checkTally('state', state, plan);
        return stepOf(plan, checkInteger('step.index', state.steps + 1, 1, MOST_STEPS), state.iterate);
      },
      accept,
      estimate(plan: Plan, state: State, query?: Query) {
        checkTally('state', state, plan);
        if (state.players < 1) throw new RefusedValue('state.players', 'at least one report', state.players);
        if (query === undefined || fields !== undefined) return definition.estimate(plan, state, query);
        return readWhole('query', query as object, (asked) => definition.estimate(plan, state, asked as Query));
      },
      save: (plan: Plan, state: State) => utf8ToBytes(canonicalJson(stateToJson(plan, state))),
      restore: (plan: Plan, bytes: Uint8Array) => readState(plan, start(plan), parsedState(bytes)),
      toJson: stateToJson,
      fromJson: (plan: Plan, value: Json) => readState(plan, start(plan), value),
    },
    theory,
    ...(auditing === undefined ? {} : { auditing }),
  } as unknown as DefinedStream<Setting, Datum, DefinedReport[Values], Field, Estimate, Query>;
}

/** A definition of a stream of which only the kinds of its parts are known. */
type AnyStream = StreamDefinition<object, unknown, StreamPrecision, string, unknown, undefined>;

type AnyReport = DefinedReport[StreamPrecision];

/** One step as a one-shot protocol: entry 0 of its report is the number of the step. */
function withStep({ report, channel, audit, ...rest }: AnyStream): object {
  const { values, length, accepts } = report;
  if ((values as Precision) === 'float32') {
    throw new RefusedValue('report.values', 'int32, uint32 or float64, which can carry the number of a step', values);
  }
  type Draw = Randomizer<DefinedStep<object>, unknown, AnyReport>;
  const numbered = (draw: Draw): Draw => {
    return (step, datum, random, target) => {
      draw(step, datum, random, target.subarray(1));
      target[0] = step.index;
    };
  };
  return {
    ...rest,
    report: {
      values,
      length: (plan: DefinedParameters<object>) => length(plan) + 1,
      accepts(plan: DefinedParameters<object>, received: AnyReport) {
        const step = received[0];
        if (!Number.isInteger(step) || step < 1 || step > MOST_STEPS) return false;
        return accepts === undefined || accepts(plan, received.subarray(1));
      },
    },
    channel: Object.fromEntries(
      Object.entries(channel ?? {}).flatMap(([grade, draw]) => (draw === undefined ? [] : [[grade, numbered(draw)]])),
    ),
    ...(audit === undefined ? {} : { audit: withoutStep(audit) }),
  };
}

function withoutStep({ logLikelihoodRatio, ...rest }: Required<AnyStream>['audit']): object {
  if (logLikelihoodRatio === undefined) return rest;
  return {
    ...rest,
    logLikelihoodRatio(step: DefinedStep<object>, pair: AuditPair<unknown>) {
      const ratio = logLikelihoodRatio(step, pair);
      return ratio === undefined ? undefined : (report: AnyReport) => ratio(report.subarray(1));
    },
  };
}

import { sha256 } from '@noble/hashes/sha2.js';
import { ReportError } from '../../src/check/refusal.ts';
import { receivedBytes } from '../../src/core/frame.ts';
import type { SequentialServer } from '../../src/core/interactive.ts';
import { digestOf, type Json } from '../../src/core/request.ts';
import { LEAST_SCALE } from '../../src/risk/regression/model.ts';
import type { OnlineReport } from './channel.ts';
import { estimateStream, type OnlineEstimate, type OnlineQuery } from './estimate.ts';
import type { OnlinePlan, OnlineStep } from './parameters.ts';
import { acceptReport, checkState, nextStep, type OnlineState, startStream } from './state.ts';

/**
 * The server of online gradient descent.
 * @theorem online-inference (2.3)
 * @theorem online-rates (3.2)
 */
export const server: SequentialServer<OnlinePlan, OnlineStep, OnlineReport, OnlineState, OnlineEstimate, OnlineQuery> =
  {
    start: startStream,
    step: nextStep,
    accept: acceptReport,
    estimate: estimateStream,
    save: saveStream,
    restore: restoreStream,
    toJson: streamToJson,
    fromJson: streamFromJson,
  };

/** Version of the saved form; a new field, or a field with a new meaning, needs a new version. */
const SAVED_VERSION = 2;

const SCHEMA = 'ldpkit-stream-state';

// Bytes: magic, version, the digest as 32 characters, all numbers as little-endian doubles, and last the first bytes of
// SHA-256 over everything before. This checksum finds damage and authenticates nobody.
const MAGIC = 'LDPS';
const HEAD_BYTES = MAGIC.length + 1 + 32;
const SUM_BYTES = 8;

/**
 * Every part of a state that changes, in the order in which it is saved. The lists are written out, so that a test
 * fails when a field is added elsewhere; otherwise a restored stream would continue wrongly.
 */
const PARTS: readonly { readonly name: 'own' | PartName; readonly fields: readonly string[] }[] = [
  { name: 'own', fields: ['steps', 'players', 'late', 'gathered', 'openLate', 'iterate', 'open'] },
  {
    name: 'scaling',
    fields: ['steps', 'nextCentre', 'reference', 'path', 'pathSum', 'weightedSum', 'products'],
  },
  { name: 'batchMeans', fields: batchMeansFields() },
  { name: 'disjointBatchMeans', fields: batchMeansFields() },
  {
    name: 'released',
    fields: [
      'steps',
      'nextCentre',
      'reference',
      'iterateSum',
      'gradientSum',
      'iterateProducts',
      'gradientProducts',
      'crossProducts',
    ],
  },
  { name: 'hessians', fields: ['count', 'sum'] },
  { name: 'suffix', fields: ['steps', 'length', 'filled', 'gathered', 'sums'] },
  { name: 'polynomial', fields: ['steps', 'mean'] },
];

type PartName = 'scaling' | 'batchMeans' | 'disjointBatchMeans' | 'released' | 'hessians' | 'suffix' | 'polynomial';
type Field = number | boolean | Float64Array;

function batchMeansFields(): readonly string[] {
  const counts = ['steps', 'nextCentre', 'nextBatch', 'nextStart', 'length', 'lengths', 'squaredLengths', 'inHead'];
  const head = ['headCount', 'headLengths'];
  return [...counts, ...head, 'reference', 'total', 'open', 'head', 'weightedSum', 'products'];
}

function partsOf(
  state: OnlineState,
): { readonly part: { [name: string]: Field }; readonly fields: readonly string[] }[] {
  return PARTS.flatMap(({ name, fields }) => {
    const part = name === 'own' ? state : state[name];
    return part === undefined ? [] : [{ part: part as unknown as { [name: string]: Field }, fields }];
  });
}

function numbersOf(plan: OnlinePlan, state: OnlineState): number[] {
  checkState(plan, state);
  return partsOf(state).flatMap(({ part, fields }) =>
    fields.flatMap((field) => {
      const value = part[field];
      return value instanceof Float64Array ? Array.from(value) : Number(value);
    }),
  );
}

function stateOf(plan: OnlinePlan, numbers: readonly number[]): OnlineState {
  const state = startStream(plan);
  const expected = numbersOf(plan, state).length;
  if (numbers.length !== expected) {
    throw new ReportError(`"state" expected ${expected} numbers, got ${numbers.length}`);
  }
  if (!numbers.every((number) => Number.isFinite(number)))
    throw new ReportError('"state" expected finite numbers only');
  let at = 0;
  for (const { part, fields } of partsOf(state)) {
    for (const field of fields) {
      const value = part[field];
      if (value instanceof Float64Array) {
        for (let i = 0; i < value.length; i++) value[i] = numbers[at++];
      } else part[field] = typeof value === 'boolean' ? truth(numbers[at++]) : count(numbers[at++]);
    }
  }
  checkPossible(plan, state);
  return state;
}

function truth(number: number): boolean {
  if (number !== 0 && number !== 1) throw new ReportError('"state" expected 0 or 1 for a mark');
  return number === 1;
}

function count(number: number): number {
  // Sums of squared lengths can exceed the exact integers, but stay whole.
  if (!(Number.isInteger(number) && number >= 0))
    throw new ReportError('"state" expected whole numbers >= 0 for counts');
  return number;
}

function saveStream(plan: OnlinePlan, state: OnlineState): Uint8Array {
  const numbers = numbersOf(plan, state);
  const bytes = new Uint8Array(HEAD_BYTES + 8 * numbers.length + SUM_BYTES);
  for (let i = 0; i < MAGIC.length; i++) bytes[i] = MAGIC.charCodeAt(i);
  bytes[MAGIC.length] = SAVED_VERSION;
  for (let i = 0; i < 32; i++) bytes[MAGIC.length + 1 + i] = plan.digest.charCodeAt(i);
  const view = new DataView(bytes.buffer, HEAD_BYTES);
  numbers.forEach((number, i) => {
    view.setFloat64(8 * i, number, true);
  });
  bytes.set(sumOf(bytes), bytes.length - SUM_BYTES);
  return bytes;
}

function sumOf(bytes: Uint8Array): Uint8Array {
  return sha256(bytes.subarray(0, -SUM_BYTES)).subarray(0, SUM_BYTES);
}

/** The state in the bytes. */
function restoreStream(plan: OnlinePlan, received: Uint8Array): OnlineState {
  const bytes = receivedBytes(received);
  const text = (from: number, to: number): string => String.fromCharCode(...bytes.subarray(from, to));
  if (text(0, MAGIC.length) !== MAGIC) throw new ReportError('"state" expected the bytes of a saved stream');
  if (bytes[MAGIC.length] !== SAVED_VERSION) {
    throw new ReportError(`"state" expected version ${SAVED_VERSION}, got ${bytes[MAGIC.length]}`);
  }
  const end = bytes.length - SUM_BYTES;
  if (end < HEAD_BYTES || !sumOf(bytes).every((byte, i) => byte === bytes[end + i])) throw damaged();
  if (text(MAGIC.length + 1, HEAD_BYTES) !== plan.digest) {
    throw new ReportError(`"state" expected a state of the plan with digest ${plan.digest}`);
  }
  const size = (end - HEAD_BYTES) / 8;
  if (!Number.isInteger(size)) throw new ReportError('"state" expected whole numbers of 8 bytes');
  const view = new DataView(bytes.buffer, bytes.byteOffset + HEAD_BYTES);
  return stateOf(
    plan,
    Array.from({ length: size }, (_, i) => view.getFloat64(8 * i, true)),
  );
}

function damaged(): ReportError {
  return new ReportError('"state" expected what was saved: its checksum does not fit');
}

/** The state as a value that JSON can carry; its numbers are restored exactly. */
function streamToJson(plan: OnlinePlan, state: OnlineState): Json {
  return withChecksum(plan, numbersOf(plan, state));
}

function withChecksum({ protocol, digest }: OnlinePlan, numbers: readonly number[]): { readonly [key: string]: Json } {
  const form = { schema: SCHEMA, version: SAVED_VERSION, protocol, digest, numbers };
  return { ...form, checksum: digestOf(form).slice(0, 2 * SUM_BYTES) };
}

/** The state in a value made by `streamToJson`. */
function streamFromJson(plan: OnlinePlan, value: Json): OnlineState {
  if (value === null || typeof value !== 'object') throw new ReportError('"state" expected an object');
  const { schema, version, protocol, digest, numbers, checksum } = value as { readonly [key: string]: Json };
  if (schema !== SCHEMA || version !== SAVED_VERSION) {
    throw new ReportError(`"state" expected ${SCHEMA}, version ${SAVED_VERSION}`);
  }
  if (protocol !== plan.protocol || digest !== plan.digest) {
    throw new ReportError(`"state" expected a state of the plan with digest ${plan.digest}`);
  }
  if (!(Array.isArray(numbers) && numbers.every((number) => Number.isFinite(number)))) {
    throw new ReportError('"state" expected an array of finite numbers');
  }
  if (checksum !== withChecksum(plan, numbers).checksum) throw damaged();
  return stateOf(plan, numbers as readonly number[]);
}

/**
 * Refuses a state with counts or iterates that no stream of this plan has, so that a restored stream never continues
 * from such a state. Sums are not checked.
 */
function checkPossible(plan: OnlinePlan, state: OnlineState): void {
  const { steps, players, late, gathered, iterate, open, scaling, batchMeans, disjointBatchMeans, released } = state;
  const { batch, burnIn, model, start } = plan;
  if (gathered >= batch) throw new ReportError(`"state" expected fewer than ${batch} reports in a step`);
  if (!Number.isSafeInteger(players) || players !== steps * batch + gathered) {
    throw new ReportError('"state" expected as many players as there are in its steps');
  }
  // A report can be late only if there is an earlier step and the plan accepts late reports.
  if (late > (plan.stale === 'refuse' ? 0 : Math.max(0, players - batch)) || (state.openLate && late === 0)) {
    throw new ReportError('"state" expected no more late reports than there can be');
  }
  if (gathered === 0 && (state.openLate || open.some((entry) => entry !== 0))) {
    throw new ReportError('"state" expected nothing of an open step without reports');
  }
  const after = Math.max(0, steps - burnIn);
  // Gradients of steps with a late report are excluded.
  const fewest = Math.max(0, after - late);
  for (const [part, least] of [
    [scaling, after],
    [batchMeans, after],
    [disjointBatchMeans, after],
    [released, fewest],
  ] as const) {
    if (part !== undefined && (part.steps > after || part.steps < least || part.nextCentre !== nextPower(part.steps))) {
      throw new ReportError(`"state" expected sums over the ${after} steps after the first ${burnIn}`);
    }
  }
  checkAverage(state, after);
  // Hessians of late reports and of the first steps are excluded.
  const most = Math.max(0, players - burnIn * batch);
  const { count = most } = state.hessians ?? {};
  if (count > most || count < most - late) {
    throw new ReportError(`"state" expected released Hessians of the players after the first ${burnIn} steps`);
  }
  if (steps === 0 && iterate.some((entry, i) => entry !== start[i])) {
    throw new ReportError('"state" expected the start of the plan before the first step');
  }
  if (model.form === 'scale' && iterate[model.dimension - 1] < LEAST_SCALE) {
    throw new ReportError(`"state" expected a scale >= ${LEAST_SCALE}`);
  }
}

/** Refuses an average that forgets the start with counts that no path of so many iterates gives. */
function checkAverage({ suffix, polynomial }: OnlineState, after: number): void {
  const expected = `"state" expected an average of the ${after} steps`;
  if (polynomial !== undefined && polynomial.steps !== after) throw new ReportError(expected);
  if (suffix === undefined) return;
  const { steps, length, filled, gathered, sums, dimension } = suffix;
  const segments = sums.length / dimension;
  const whole = filled * length + gathered === steps && filled < segments && gathered < length;
  if (steps !== after || !whole || nextPower(length) !== 2 * length || (length > 1 && 2 * filled < segments)) {
    throw new ReportError(expected);
  }
}

/** The least power of 2 above a count: where references move next. */
function nextPower(count: number): number {
  let power = 1;
  while (power <= count) power *= 2;
  return power;
}

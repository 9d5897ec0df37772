import { sha256 } from '@noble/hashes/sha2.js';
import { ReportError } from '../../src/check/report-error.ts';
import { digestOf, type Json } from '../../src/core/digest.ts';
import { receivedBytes } from '../../src/core/received.ts';
import type { OnlinePlan } from './plan.ts';
import { checkPossible } from './possible.ts';
import { checkState, type OnlineState, startStream } from './state.ts';

/** Version of the saved form; a field that is added or changes its meaning makes a new one. */
const SAVED_VERSION = 2;

/** What the JSON form says it is. */
const SCHEMA = 'ldpkit-stream-state';

// Bytes: magic, version, the digest as 32 characters, then all numbers as doubles, little-endian; last,
// the first bytes of SHA-256 over all that. It finds damage and authenticates nobody.
const MAGIC = 'LDPS';
const HEAD_BYTES = MAGIC.length + 1 + 32;
const SUM_BYTES = 8;

/**
 * Every part of a state that changes, in the order in which it is saved. The lists are spelled out, so that a field that is
 * added elsewhere shows in a test and not in a stream that goes on wrongly.
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
];

type PartName = 'scaling' | 'batchMeans' | 'disjointBatchMeans' | 'released' | 'hessians';
type Field = number | boolean | Float64Array;

function batchMeansFields(): readonly string[] {
  const counts = ['steps', 'nextCentre', 'nextBatch', 'nextStart', 'length', 'lengths', 'squaredLengths', 'inHead'];
  const head = ['headCount', 'headLengths'];
  return [...counts, ...head, 'reference', 'total', 'open', 'head', 'weightedSum', 'products'];
}

/** The parts that a state has, each with its fields. */
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
  const numbers: number[] = [];
  for (const { part, fields } of partsOf(state)) {
    for (const field of fields) {
      const value = part[field];
      if (value instanceof Float64Array) numbers.push(...value);
      else numbers.push(Number(value));
    }
  }
  return numbers;
}

/** The state that has these numbers. Everything is checked before the state is made. */
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
  // Sums of squared lengths outgrow what is exact, but stay whole.
  if (!(Number.isInteger(number) && number >= 0))
    throw new ReportError('"state" expected whole numbers >= 0 for counts');
  return number;
}

/** The state as versioned bytes. */
export function saveStream(plan: OnlinePlan, state: OnlineState): Uint8Array {
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

/** The check sum over all bytes but the last, where it belongs. */
function sumOf(bytes: Uint8Array): Uint8Array {
  return sha256(bytes.subarray(0, -SUM_BYTES)).subarray(0, SUM_BYTES);
}

/**
 * The state in the bytes.
 *
 * @throws ReportError for bytes that `saveStream` cannot have made under this plan.
 */
export function restoreStream(plan: OnlinePlan, received: Uint8Array): OnlineState {
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

/** The state as a value that JSON can carry; its numbers come back exactly. */
export function streamToJson(plan: OnlinePlan, state: OnlineState): Json {
  return withChecksum(plan, numbersOf(plan, state));
}

/** The JSON form, with a checksum over the canonical JSON of the rest. */
function withChecksum({ protocol, digest }: OnlinePlan, numbers: readonly number[]): { readonly [key: string]: Json } {
  const form = { schema: SCHEMA, version: SAVED_VERSION, protocol, digest, numbers };
  return { ...form, checksum: digestOf(form).slice(0, 2 * SUM_BYTES) };
}

/**
 * The state in such a value.
 *
 * @throws ReportError for anything that `streamToJson` cannot have made under this plan.
 */
export function streamFromJson(plan: OnlinePlan, value: Json): OnlineState {
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

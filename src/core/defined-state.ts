import { utf8ToBytes } from '@noble/hashes/utils.js';
import { fieldOf } from '../check/datum.ts';
import { ReportError } from '../check/refusal.ts';
import { checkTally } from './channel.ts';
import type { PublicParameters } from './contract.ts';
import { canonicalJson, digestOf, type Json } from './digest.ts';
import { receivedBytes } from './frame.ts';

/** What a server keeps of a defined stream: plain data. */
export interface DefinedState<Field extends string> {
  /** Digest of the plan. */
  readonly digest: string;
  /** How many steps are over. */
  steps: number;
  /** The number of accepted reports. */
  players: number;
  /** How many of them were late. */
  late: number;
  /** How many of them belong to the open step. */
  gathered: number;
  /** What the next player is asked about. */
  readonly iterate: Float64Array;
  /** The sums, by name. */
  readonly sums: { readonly [field in Field]: Float64Array };
}

/** Whether all numbers are finite; −0 becomes 0, so that JSON keeps every number of a state bit for bit. */
export function settle(array: Float64Array): boolean {
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

/** A state as a value that JSON can carry. */
export function stateToJson(plan: PublicParameters, state: DefinedState<string>): Json {
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

/** A state as the bytes of its JSON. */
export function saveState(plan: PublicParameters, state: DefinedState<string>): Uint8Array {
  return utf8ToBytes(canonicalJson(stateToJson(plan, state)));
}

/** What the bytes of a saved state say. */
export function parsedState(bytes: Uint8Array): Json {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(receivedBytes(bytes)));
  } catch {
    throw new ReportError('"state" expected the bytes of a saved stream');
  }
}

/**
 * Writes what was saved over the first state of the same plan.
 * @throws ReportError for what is damaged, of another plan or of another version.
 */
export function readState<Field extends string>(
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

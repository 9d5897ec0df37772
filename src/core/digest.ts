import { sha256 } from '@noble/hashes/sha2.js';
import { checkWord, RefusedValue } from '../check/refusal.ts';

/** How deep values may be nested. */
const DEEPEST = 100;

/** A value that JSON can carry. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/**
 * The one spelling of a JSON value: keys sorted, no white space, numbers as ECMAScript prints them.
 * @throws RangeError for a number that JSON cannot carry, or for values nested more than 100 deep.
 */
export function canonicalJson(value: Json): string {
  return spelt(value, 0);
}

/** Refuses a value from outside that is nested too deep, so that no stack is ever full. */
export function checkDepth(depth: number): void {
  if (depth >= DEEPEST) throw new RefusedValue(`"request" expected values nested at most ${DEEPEST} deep`);
}

function spelt(value: Json, depth: number): string {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new RefusedValue('canonical JSON expected finite numbers only');
  }
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  checkDepth(depth);
  if (Array.isArray(value)) {
    // A list of numbers has one spelling already; lists from outside may be long.
    if (allFinite(value)) return JSON.stringify(value);
    return `[${value.map((one) => spelt(one, depth + 1)).join(',')}]`;
  }
  const record = value as { readonly [key: string]: Json };
  const entries = Object.keys(record)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${spelt(record[key], depth + 1)}`);
  return `{${entries.join(',')}}`;
}

function allFinite(values: readonly Json[]): boolean {
  // Not every, which skips the holes of an array.
  for (const value of values) if (!Number.isFinite(value)) return false;
  return true;
}

/**
 * The digest that binds reports to parameters: the first 128 bits of SHA-256 over the canonical JSON, as 32
 * hexadecimal digits. It detects foreign and damaged reports; it authenticates nobody.
 *
 * @example
 * ```ts
 * import { digestOf } from 'ldpkit';
 * // The order of keys does not matter.
 * console.log(digestOf({ a: 1, b: 2 }) === digestOf({ b: 2, a: 1 })); // true
 * ```
 */
export function digestOf(value: Json): string {
  const hash = sha256(new TextEncoder().encode(canonicalJson(value)));
  return Array.from(hash.subarray(0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** What players and server agree on before anything else: the request for parameters, and its digest. */
export interface Agreement {
  /** Plain data that makes the same parameters again. */
  readonly request: { readonly [name: string]: Json };
  /** 32 hexadecimal digits over the protocol, its version and the request. */
  readonly digest: string;
}

/**
 * The agreement on a request to one version of a protocol. In the digest an empty list may stand for a field that was
 * not requested; the request leaves such a field out.
 */
export function agreementOf(
  protocol: { readonly protocol: string; readonly version: number },
  request: { readonly [name: string]: Json },
): Agreement {
  const { protocol: name, version } = protocol;
  const asked = Object.entries(request).filter(([, value]) => !(Array.isArray(value) && value.length === 0));
  return { request: Object.fromEntries(asked), digest: digestOf({ protocol: name, version, ...request }) };
}

/**
 * What a player's noise is made of. `simulation`: floating-point samplers, whose law is that of real numbers only up to
 * rounding; fast, for studies. `deployment`: the report's law is a finite or integer channel drawn exactly, so that the
 * guarantee holds for the program and not only for the formula.
 */
export type Grade = 'simulation' | 'deployment';

/** A variant does not have the requested grade. */
export class GradeError extends RefusedValue {}

/**
 * The requested grade; `simulation` when none is given.
 * @throws TypeError or RangeError for anything else, and GradeError for `deployment` from a variant that has no such
 * form.
 */
export function checkGrade(grade: Grade | undefined, variant: string, deployable: boolean): Grade {
  if (grade === undefined) return 'simulation';
  checkWord('grade', grade, ['simulation', 'deployment']);
  if (grade === 'deployment' && !deployable) {
    throw new GradeError('grade', `simulation (variant ${variant} has no deployment form)`, grade);
  }
  return grade;
}

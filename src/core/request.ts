import { sha256 } from '@noble/hashes/sha2.js';
import { checkWord, RefusedKind, RefusedValue } from '../check/refusal.ts';

/**
 * Names of the fields that a protocol knows, in all its variants. Any other field is refused: it would change nothing.
 * Those of an object in a field are written as `model.kind`, beside `model`; an object none of whose fields are named may
 * have any.
 */
export interface KnownFields {
  readonly request: readonly string[];
  /** Of a query; none where there is no query. */
  readonly query: readonly string[];
}

type FieldOf<Form> = Form extends unknown
  ? { [name in keyof Form & string]-?: name | Inside<name, NonNullable<Form[name]>> }[keyof Form & string]
  : never;

/** The names of the fields of an object that is data: no list, and nothing with functions. */
type Inside<Name extends string, Value> =
  Value extends ArrayLike<unknown>
    ? never
    : Value extends object
      ? Extract<Value[keyof Value], (...given: never) => unknown> extends never
        ? `${Name}.${FieldOf<Value>}`
        : never
      : never;

/** The names of all fields of a type or a union, and of the objects in them: the compiler sees that none is missing. */
export function namesOf<Form>(names: { readonly [name in FieldOf<Form>]: true }): readonly string[] {
  return Object.keys(names);
}

export function checkObject(name: string, given: unknown): void {
  if (given === null || typeof given !== 'object') throw new RefusedKind(name, 'an object', given);
}

function isRecord(value: unknown): value is object {
  return value !== null && typeof value === 'object' && !Array.isArray(value) && !ArrayBuffer.isView(value);
}

/**
 * Refuses fields of an unknown name, also in the objects inside, since a mistyped one would be ignored and its default
 * taken in silence. A field that is undefined counts as absent.
 */
export function checkKnown(name: string, given: unknown, known: readonly string[]): void {
  checkObject(name, given);
  const own = known.filter((path) => !path.includes('.'));
  for (const [field, value] of Object.entries(given as object)) {
    if (value === undefined) continue;
    if (!own.includes(field)) throw new RefusedValue(name, `no fields but ${own.join(', ') || 'none'}`, field);
    const inside = known.filter((path) => path.startsWith(`${field}.`)).map((path) => path.slice(field.length + 1));
    if (inside.length > 0 && isRecord(value)) checkKnown(`${name}.${field}`, value, inside);
  }
}

/** Refuses fields of a query that the protocol does not know, where it names those it knows. */
export function checkQuery({ fields }: { readonly fields?: KnownFields | undefined }, query: unknown): void {
  if (query !== undefined && fields !== undefined) checkKnown('query', query, fields.query);
}

/** An object that notes which fields are read, or listed; with `inside` also those of its objects, as `model.kind`. */
export function watched<Given extends object>(
  given: Given,
  inside: boolean = false,
): { readonly given: Given; readonly read: Set<string> } {
  const read = new Set<string>();
  return { given: watchedAt('', given), read };

  function watchedAt<Part extends object>(path: string, part: Part): Part {
    const note = (name: string | symbol): void => {
      if (typeof name === 'string') read.add(path + name);
    };
    return new Proxy(part, {
      get(target, name) {
        note(name);
        const value = Reflect.get(target, name);
        return inside && isRecord(value) ? watchedAt(`${path}${String(name)}.`, value) : value;
      },
      has(target, name) {
        note(name);
        return Reflect.has(target, name);
      },
      getOwnPropertyDescriptor(target, name) {
        note(name);
        return Reflect.getOwnPropertyDescriptor(target, name);
      },
      ownKeys(target) {
        for (const name of Object.keys(target)) note(name);
        return Reflect.ownKeys(target);
      },
    });
  }
}

/**
 * Calls a designer's function with the given fields, and refuses those that it did not read: it does not know them.
 * `inside` says whether the objects in the fields are watched too, as {@link watched} does; then the result may hold
 * them.
 */
export function readWhole<Given extends object, Result>(
  name: string,
  asked: Given,
  use: (given: Given) => Result,
  { others = [], inside = false }: { readonly others?: readonly string[]; readonly inside?: boolean } = {},
): Result {
  checkObject(name, asked);
  const { given, read } = watched(asked, inside);
  const result = use(given);
  checkKnown(name, asked, [...read, ...others]);
  return result;
}

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

/** Refuses a value that is nested too deep, so that no stack is ever full. */
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
 * The agreement on a request to one version of a protocol. An empty list may stand for a field that was not requested.
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

export class GradeError extends RefusedValue {}

/** The requested grade; `simulation` when none is given. GradeError where a variant has no deployment form. */
export function checkGrade(grade: Grade | undefined, variant: string, deployable: boolean): Grade {
  if (grade === undefined) return 'simulation';
  checkWord('grade', grade, ['simulation', 'deployment']);
  if (grade === 'deployment' && !deployable) {
    throw new GradeError('grade', `simulation (variant ${variant} has no deployment form)`, grade);
  }
  return grade;
}

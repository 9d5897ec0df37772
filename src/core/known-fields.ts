import { RefusedKind, RefusedValue } from '../check/refusal.ts';

/** Names of the fields that a protocol knows, in all its variants. Any other field is refused: it would change nothing. */
export interface KnownFields {
  /** Of a request. */
  readonly request: readonly string[];
  /** Of a query; none where there is no query. */
  readonly query: readonly string[];
}

type FieldOf<Form> = Form extends unknown ? keyof Form & string : never;

/** The names of all fields of a type, or of all members of a union; the compiler sees that none is missing or too many. */
export function namesOf<Form>(names: { readonly [name in FieldOf<Form>]: true }): readonly string[] {
  return Object.keys(names);
}

/** Refuses what is no object. */
export function checkObject(name: string, given: unknown): void {
  if (given === null || typeof given !== 'object') throw new RefusedKind(name, 'an object', given);
}

/**
 * Refuses fields of an unknown name, since a mistyped one would be ignored and its default taken in silence. A field
 * that is undefined counts as absent.
 * @throws TypeError for what is no object; RangeError with the names that are known.
 */
export function checkKnown(name: string, given: unknown, known: readonly string[]): void {
  checkObject(name, given);
  for (const [field, value] of Object.entries(given as object)) {
    if (value === undefined || known.includes(field)) continue;
    throw new RefusedValue(name, `no fields but ${known.join(', ') || 'none'}`, field);
  }
}

/** Refuses fields of a query that the protocol does not know, where it names those it knows. */
export function checkQuery({ fields }: { readonly fields?: KnownFields }, query: unknown): void {
  if (query !== undefined && fields !== undefined) checkKnown('query', query, fields.query);
}

/** An object that notes which fields are read; the names of all fields count as read if they are listed. */
export function watched<Given extends object>(given: Given): { readonly given: Given; readonly read: Set<string> } {
  const read = new Set<string>();
  const note = (name: string | symbol): void => {
    if (typeof name === 'string') read.add(name);
  };
  const proxy = new Proxy(given, {
    get(target, name) {
      note(name);
      return Reflect.get(target, name);
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
  return { given: proxy, read };
}

/**
 * Calls a designer's function with the given fields, and refuses those that it did not read: it does not know them.
 * @throws as {@link checkKnown}, and whatever the function throws.
 */
export function readWhole<Given extends object, Result>(
  name: string,
  asked: Given,
  use: (given: Given) => Result,
  others: readonly string[] = [],
): Result {
  checkObject(name, asked);
  const { given, read } = watched(asked);
  const result = use(given);
  checkKnown(name, asked, [...read, ...others]);
  return result;
}

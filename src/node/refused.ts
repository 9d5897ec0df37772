import { brief, checkWord, type Refused, RefusedKind, RefusedValue, ReportError, refusedAs } from '../check/refusal.ts';
import { isObject } from './files.ts';

type RefusedThing = Refused | 'report';

/** Several mistakes in one file, told together: a person then corrects them in one go. */
export class RefusedTogether extends RefusedValue {
  /** One message for each mistake. */
  readonly parts: readonly string[];

  constructor(parts: readonly string[]) {
    super(parts.join('; '));
    this.parts = parts;
  }
}

/** What an error refuses, for which its message is the whole answer; undefined for an error in the program itself. */
export function refusedBy(error: unknown): RefusedThing | undefined {
  return error instanceof ReportError ? 'report' : refusedAs(error);
}

/** The messages of a refusal: one, or several where several mistakes are told together. */
export function partsOf(error: Error): readonly string[] {
  return error instanceof RefusedTogether ? error.parts : [error.message];
}

/** The error of some refusals: the only one itself, or all of them together. */
export function asOne(refusals: readonly Error[]): Error {
  return refusals.length === 1 ? refusals[0] : new RefusedTogether(refusals.flatMap(partsOf));
}

/** The results of all steps, or the refusals of all together: every step is tried, also after one that refuses something. */
export function allOf<Result>(steps: readonly (() => Result)[]): readonly Result[] {
  const results: Result[] = [];
  const refusals: Error[] = [];
  for (const step of steps) {
    try {
      results.push(step());
    } catch (error) {
      if (!(error instanceof Error) || refusedBy(error) === undefined) throw error;
      refusals.push(error);
    }
  }
  if (refusals.length > 0) throw asOne(refusals);
  return results;
}

/** What a thread answers: its result, or what it refused. An error that is thrown there arrives without its class. */
export type Answer<Result> =
  | { readonly result: Result }
  | { readonly refused: RefusedThing; readonly why: string; readonly parts?: readonly string[] };

export type Answering<Task, Result> = (task: Task) => Promise<Answer<Result>>;

/** A task of a thread whose refusals travel as data. Every other error is thrown, with the calls that led to it. */
export function answering<Task, Result>(does: (task: Task) => Promise<Result>): Answering<Task, Result> {
  return async (task) => {
    try {
      return { result: await does(task) };
    } catch (error) {
      const refused = refusedBy(error);
      if (refused === undefined) throw error;
      const why = (error as Error).message;
      return error instanceof RefusedTogether ? { refused, why, parts: error.parts } : { refused, why };
    }
  };
}

/** The result in an answer of a thread; what that refused is refused here. */
export function resultOf<Result>(answer: Answer<Result>): Result {
  if ('result' in answer) return answer.result;
  const { refused, why, parts } = answer;
  if (parts !== undefined) throw new RefusedTogether(parts);
  if (refused === 'report') throw new ReportError(why);
  throw new (refused === 'kind' ? RefusedKind : RefusedValue)(why);
}

/**
 * The same object, whose functions of these names refuse in our way, also by promises: a TypeError or RangeError of theirs is a
 * refusal, as the contract says of a protocol's `make` and its player. With a `place`, the refusal names that and the function.
 */
export function refusing<Of extends object>(of: Of, names: readonly string[] = Object.keys(of), place?: string): Of {
  const functions = names.flatMap((name) => {
    const own: unknown = of[name as keyof Of];
    if (typeof own !== 'function') return [];
    const where = place === undefined ? undefined : `${place}.${name}`;
    return [[name, (...given: unknown[]) => refusingCall(() => own.apply(of, given), where)]];
  });
  return { ...of, ...Object.fromEntries(functions) };
}

function refusingCall(does: () => unknown, where: string | undefined): unknown {
  const refuse = (error: unknown): never => {
    throw asRefusal(error, where);
  };
  try {
    const result = does();
    return result instanceof Promise ? result.catch(refuse) : result;
  } catch (error) {
    return refuse(error);
  }
}

function asRefusal(error: unknown, where: string | undefined): unknown {
  if (refusedBy(error) !== undefined || !(error instanceof RangeError || error instanceof TypeError)) return error;
  const { message } = error;
  const why = where === undefined ? message : `"${where}" expected a function that answers, got ${brief(message, 120)}`;
  return new (error instanceof RangeError ? RefusedValue : RefusedKind)(why, { cause: error });
}

const isText = (value: unknown): boolean => typeof value === 'string';

/** The kinds of values, as a refusal names them. */
type Kind =
  | 'a text'
  | 'a number'
  | 'true or false'
  | 'a function'
  | 'an object'
  | 'a list of texts'
  | 'a list of one or more texts';

const IS: Readonly<Record<Kind, (value: unknown) => boolean>> = {
  'a text': isText,
  'a number': (value) => typeof value === 'number',
  'true or false': (value) => typeof value === 'boolean',
  'a function': (value) => typeof value === 'function',
  'an object': isObject,
  'a list of texts': (value) => Array.isArray(value) && value.every(isText),
  'a list of one or more texts': (value) => Array.isArray(value) && value.length > 0 && value.every(isText),
};

/** What a value has to be: of a kind, one of some words, or an object. A field's name ends in `?` if it may be absent. */
export type Shape = Kind | readonly string[] | { readonly [field: string]: Shape | undefined };

/** The shapes that a value of this type can be said to have. */
export type ShapeOf<Value> = [Value] extends [(...given: never) => unknown]
  ? 'a function'
  : [Value] extends [string]
    ? string extends Value
      ? 'a text'
      : readonly Value[]
    : [Value] extends [number]
      ? 'a number'
      : [Value] extends [boolean]
        ? 'true or false'
        : [Value] extends [readonly string[]]
          ? 'a list of texts' | 'a list of one or more texts'
          : 'an object' | { readonly [field in ShapedFields<Value>]?: ShapeOf<ShapedField<Value, field>> };

/** The names of the fields of a type in a shape. */
export type ShapedFields<Of> = {
  [name in keyof Of & string]: undefined extends Of[name] ? `${name}?` : name;
}[keyof Of & string];

/** What the field of such a name holds where it is there. */
export type ShapedField<Of, Name> = Name extends keyof Of
  ? Of[Name]
  : Name extends `${infer Bare extends keyof Of & string}?`
    ? NonNullable<Of[Bare]>
    : never;

/** Checks a value from outside, and all fields that its shape names; a refusal names the path. */
export function checkShape(name: string, value: unknown, shape: Shape): void {
  if (typeof shape === 'string') {
    if (!IS[shape](value)) throw new RefusedKind(name, shape, value);
  } else if (isWords(shape)) {
    checkWord(name, value, shape);
  } else {
    if (!isObject(value)) throw new RefusedKind(name, 'an object', value);
    for (const [key, inner] of Object.entries(shape)) {
      const field = key.replace(/\?$/, '');
      const asked = inner !== undefined && (field === key || value[field] !== undefined);
      if (asked) checkShape(`${name}.${field}`, value[field], inner);
    }
  }
}

function isWords(shape: Shape): shape is readonly string[] {
  return Array.isArray(shape);
}

/**
 * The word of a list that somebody may have meant by a mistyped one: the same but for case and marks, or at most two
 * letters inserted, left out, exchanged or swapped, in a word that is long enough. Undefined for a word of the list.
 */
export function meantBy(typed: string, words: Iterable<string>): string | undefined {
  const bare = letters(typed);
  let best: string | undefined;
  let least = Math.min(2, Math.floor(bare.length / 3)) + 1;
  for (const word of words) {
    const distance = letters(word) === bare ? 0 : changes(bare, letters(word));
    if (distance < least) [best, least] = [word, distance];
  }
  return best === typed ? undefined : best;
}

function letters(word: string): string {
  return word.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

/** The least number of insertions, deletions, exchanges and swaps of neighbours between two words. */
function changes(one: string, other: string): number {
  // Far apart in length means far apart, and words of any length cost nothing.
  if (Math.abs(one.length - other.length) > 2) return Infinity;
  const rows: number[][] = [Array.from({ length: other.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    for (let j = 1; j <= other.length; j++) {
      const same = one[i - 1] === other[j - 1] ? 0 : 1;
      row[j] = Math.min(rows[i - 1][j] + 1, row[j - 1] + 1, rows[i - 1][j - 1] + same);
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]) {
        row[j] = Math.min(row[j], rows[i - 2][j - 2] + 1);
      }
    }
    rows.push(row);
  }
  return rows[one.length][other.length];
}

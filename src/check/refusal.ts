/** What is wrong with a refused value: it is of another kind, or of the right kind and yet not allowed. */
export type Refused = 'kind' | 'value';

/** What a refusal says: the parts of `refusal`, or a text of its own. */
export type RefusedWords = [name: string, expected: string, got: unknown] | [message: string, options?: ErrorOptions];

/** A value of the right kind is refused, and the message names it. It is a RangeError, and calls itself so. */
export class RefusedValue extends RangeError {
  constructor(...words: RefusedWords) {
    super(...textOf(words));
  }

  /** Tells a refusal from an error of the language, also one by another copy of this package. */
  get refused(): Refused {
    return 'value';
  }
}

/** A value of the wrong kind is refused, and the message names it. It is a TypeError, and calls itself so. */
export class RefusedKind extends TypeError {
  constructor(...words: RefusedWords) {
    super(...textOf(words));
  }

  /** Tells a refusal from an error of the language, also one by another copy of this package. */
  get refused(): Refused {
    return 'kind';
  }
}

function textOf(words: RefusedWords): [message: string, options?: ErrorOptions] {
  return words.length === 3 ? [refusal(...words)] : words;
}

/** What an error refuses; undefined for an error that is no refusal, as are those that the language throws. */
export function refusedAs(error: unknown): Refused | undefined {
  const refused = error instanceof Error ? (error as { readonly refused?: unknown }).refused : undefined;
  return refused === 'kind' || refused === 'value' ? refused : undefined;
}

/** A report that the parameters in force cannot have produced: damaged, truncated, or of another protocol. */
export class ReportError extends Error {
  override readonly name: string = 'ReportError';
}

/** What a terminal obeys instead of showing: controls, marks of direction, separators, half surrogates. */
const OBEYED = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** The largest number of characters shown of a text from outside. */
const LONGEST = 200;

/** A text with every character of `OBEYED` as its escape, such as `\u202e`: a second call changes nothing more. */
export function printable(text: string): string {
  return text.replace(OBEYED, (character) => {
    let escaped = '';
    // A character beyond U+FFFF is two units, as JSON escapes it.
    for (let i = 0; i < character.length; i++) {
      escaped += `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`;
    }
    return escaped;
  });
}

/** A text from outside in a message: printable, and only its beginning where it is too long. */
export function brief(text: string, longest: number = LONGEST): string {
  return printable(text.length > longest ? `${text.slice(0, longest)}…` : text);
}

/** The text of a refusal, in one form everywhere: `"epsilon" expected a finite number > 0, got -1`. */
export function refusal(name: string, expected: string, got: unknown): string {
  // A name may be a path in a document from outside, and the expected value may quote one.
  return `"${brief(name)}" expected ${printable(expected)}, got ${shown(got)}`;
}

/** A short, safe rendering of a *public* value for a message. Never call it with a datum. */
function shown(value: unknown): string {
  if (typeof value === 'string') return printable(JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value));
  if (typeof value === 'bigint') return brief(`${value}n`, 40);
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'an array' : 'an object';
  return brief(String(value));
}

function numberThat(name: string, value: unknown, expected: string, holds: (value: number) => boolean): number {
  if (typeof value !== 'number') throw new RefusedKind(name, expected, value);
  if (!holds(value)) throw new RefusedValue(name, expected, value);
  return value;
}

export function checkFinite(name: string, value: unknown): number {
  return numberThat(name, value, 'a finite number', Number.isFinite);
}

/**
 * A finite number > 0.
 * @throws TypeError for anything that is not a number, RangeError otherwise.
 */
export function checkPositive(name: string, value: unknown): number {
  return numberThat(name, value, 'a finite number > 0', (number) => number > 0 && number < Infinity);
}

export function checkNonNegative(name: string, value: unknown): number {
  return numberThat(name, value, 'a finite number >= 0', (number) => number >= 0 && number < Infinity);
}

export function checkRange(name: string, value: unknown, least: number, most: number): number {
  const expected = `a number from ${least} to ${most}`.replaceAll('e+', 'e');
  return numberThat(name, value, expected, (number) => number >= least && number <= most);
}

/** A bound on the norm of gradients, from 1e-100 to 1e300: outside, the factor that shortens one may have few digits. */
export function checkNormBound(name: string, value: unknown): number {
  return checkRange(name, value, 1e-100, 1e300);
}

/**
 * A number strictly between 0 and 1.
 * @throws TypeError for anything that is not a number, RangeError otherwise.
 */
export function checkOpenUnit(name: string, value: unknown): number {
  return numberThat(name, value, 'a number strictly between 0 and 1', (number) => number > 0 && number < 1);
}

/** A number from 0 to 1. */
export function checkUnit(name: string, value: unknown): number {
  return numberThat(name, value, 'a number from 0 to 1', (number) => number >= 0 && number <= 1);
}

/**
 * A whole number in [minimum, maximum].
 * @throws TypeError for anything that is not a number, RangeError otherwise.
 */
export function checkInteger(
  name: string,
  value: unknown,
  minimum: number,
  maximum: number = Number.MAX_SAFE_INTEGER,
): number {
  const expected =
    maximum === Number.MAX_SAFE_INTEGER
      ? `a whole number >= ${minimum}`
      : `a whole number from ${minimum} to ${maximum}`;
  return numberThat(
    name,
    value,
    expected,
    (number) => Number.isInteger(number) && number >= minimum && number <= maximum,
  );
}

/**
 * One of a fixed list of words.
 * @throws TypeError for anything that is not a string, RangeError for a word not in the list.
 */
export function checkWord<const Word extends string>(name: string, value: unknown, words: readonly Word[]): Word {
  const expected = `one of ${words.join(', ')}`;
  if (typeof value !== 'string') throw new RefusedKind(name, expected, value);
  if (!(words as readonly string[]).includes(value)) throw new RefusedValue(name, expected, value);
  return value as Word;
}

export function checkBoolean(name: string, value: unknown): boolean {
  if (typeof value !== 'boolean') throw new RefusedKind(name, 'true or false', value);
  return value;
}

/** An (ε, δ) budget for one player's whole transcript. */
export interface Budget {
  /** ε > 0, in nats. */
  readonly epsilon: number;
  /** δ, strictly between 0 and 1. */
  readonly delta: number;
}

/** A budget with ε > 0 and 0 < δ < 1. */
export function checkBudget(budget: Budget): Budget {
  return { epsilon: checkPositive('epsilon', budget.epsilon), delta: checkOpenUnit('delta', budget.delta) };
}

/** Checks that a vector has `length` finite numbers, in one pass that allocates nothing. */
export function checkVector(name: string, vector: ArrayLike<number>, length: number = vector.length): void {
  let sum = vector.length - length;
  // 0·x is 0 for a finite x and NaN otherwise; a missing entry is NaN too.
  for (let i = 0; i < length; i++) sum += 0 * vector[i];
  if (sum !== 0) refuseVector(name, vector, length);
}

function refuseVector(name: string, vector: ArrayLike<number>, length: number): never {
  if (vector.length !== length) throw new RefusedValue(name, `${length} numbers`, vector.length);
  throw new RefusedValue(
    name,
    'finite numbers',
    Array.from(vector).find((entry) => !Number.isFinite(entry)),
  );
}

/** Refuses what is no list, a list without entries, and one with a hole, over which many functions of lists pass. */
export function checkList(name: string, items: unknown): void {
  if (!Array.isArray(items)) throw new RefusedKind(name, 'a list of one or more entries', items);
  if (items.length === 0) throw new RefusedValue(`"${name}" expected at least one entry, got none`);
  for (let i = 0; i < items.length; i++) {
    if (!(i in items)) throw new RefusedKind(`"${name}[${i}]" expected an entry, got a hole`);
  }
}

/** Checks that ε is within the range that a mechanism can handle in double precision. */
export function checkEpsilonRange(epsilon: unknown, maximum: number): number {
  return checkRange('epsilon', epsilon, 1e-9, maximum);
}

/** Checks that μ is within the range for which noise of scale 1/μ, and the squares of both, can be computed in double precision. */
export function checkMuRange(mu: unknown, name: string = 'mu'): number {
  return checkRange(name, checkPositive(name, mu), 1e-9, 1e100);
}

/** A closed interval of the real line; [−1, 1] by default. */
export interface Interval {
  /** Left end, −1 by default. */
  readonly lower?: number;
  /** Right end, 1 by default. */
  readonly upper?: number;
}

export function checkInterval(interval: Interval): Required<Interval> {
  const lower = checkFinite('lower', interval.lower ?? -1);
  const upper = checkFinite('upper', interval.upper ?? 1);
  if (!(lower < upper)) throw new RefusedValue('upper', `a number > lower (${lower})`, upper);
  return { lower, upper };
}

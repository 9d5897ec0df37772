import { brief, printable, RefusedKind, RefusedValue } from './refusal.ts';

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

/**
 * Any finite number.
 *
 * @throws TypeError for anything that is not a number, RangeError for NaN and the infinities.
 */
export function checkFinite(name: string, value: unknown): number {
  if (typeof value !== 'number') throw new RefusedKind(name, 'a finite number', value);
  if (!Number.isFinite(value)) throw new RefusedValue(name, 'a finite number', value);
  return value;
}

/**
 * A finite number > 0.
 *
 * @throws TypeError for anything that is not a number, RangeError otherwise.
 */
export function checkPositive(name: string, value: unknown): number {
  if (typeof value !== 'number') throw new RefusedKind(name, 'a finite number > 0', value);
  if (!(value > 0 && value < Infinity)) throw new RefusedValue(name, 'a finite number > 0', value);
  return value;
}

/**
 * A finite number >= 0.
 *
 * @throws TypeError for anything that is not a number, RangeError otherwise.
 */
export function checkNonNegative(name: string, value: unknown): number {
  if (typeof value !== 'number') throw new RefusedKind(name, 'a finite number >= 0', value);
  if (!(value >= 0 && value < Infinity)) throw new RefusedValue(name, 'a finite number >= 0', value);
  return value;
}

/**
 * A bound on the norm of gradients, from 1e-100 to 1e300. Outside this range the factor that shortens a gradient may be
 * a double with few digits or none, and the bound would not hold.
 *
 * @throws TypeError for anything that is not a number, RangeError otherwise.
 */
export function checkNormBound(name: string, value: unknown): number {
  const expected = 'a number from 1e-100 to 1e300';
  if (typeof value !== 'number') throw new RefusedKind(name, expected, value);
  if (!(value >= 1e-100 && value <= 1e300)) throw new RefusedValue(name, expected, value);
  return value;
}

/**
 * A number strictly between 0 and 1.
 *
 * @throws TypeError for anything that is not a number, RangeError otherwise.
 */
export function checkOpenUnit(name: string, value: unknown): number {
  if (typeof value !== 'number') throw new RefusedKind(name, 'a number strictly between 0 and 1', value);
  if (!(value > 0 && value < 1)) throw new RefusedValue(name, 'a number strictly between 0 and 1', value);
  return value;
}

/**
 * A whole number in [minimum, maximum].
 *
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
  if (typeof value !== 'number') throw new RefusedKind(name, expected, value);
  if (!Number.isInteger(value) || value < minimum || value > maximum) {
    throw new RefusedValue(name, expected, value);
  }
  return value;
}

/**
 * One of a fixed list of words.
 *
 * @throws TypeError for anything that is not a string, RangeError for a word not in the list.
 */
export function checkWord<const Word extends string>(name: string, value: unknown, words: readonly Word[]): Word {
  const expected = `one of ${words.join(', ')}`;
  if (typeof value !== 'string') throw new RefusedKind(name, expected, value);
  if (!(words as readonly string[]).includes(value)) throw new RefusedValue(name, expected, value);
  return value as Word;
}

/**
 * True or false.
 *
 * @throws TypeError for anything else.
 */
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

/**
 * A budget with ε > 0 and 0 < δ < 1.
 *
 * @throws TypeError or RangeError naming the field.
 */
export function checkBudget(budget: Budget): Budget {
  return { epsilon: checkPositive('epsilon', budget.epsilon), delta: checkOpenUnit('delta', budget.delta) };
}

/**
 * Checks that a vector has `length` finite numbers, in one pass that allocates nothing.
 *
 * @throws RangeError for a wrong length or an entry that is not finite.
 */
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

/**
 * Checks that ε is within the range that a mechanism can handle in double precision.
 *
 * @throws TypeError for anything that is not a number, RangeError outside [1e-9, maximum].
 */
export function checkEpsilonRange(epsilon: unknown, maximum: number): number {
  const expected = `a number from 1e-9 to ${maximum}`;
  if (typeof epsilon !== 'number') throw new RefusedKind('epsilon', expected, epsilon);
  if (!(epsilon >= 1e-9 && epsilon <= maximum)) throw new RefusedValue('epsilon', expected, epsilon);
  return epsilon;
}

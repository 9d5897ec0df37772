import { RefusedKind, RefusedValue } from './refusal.ts';

/** How far above 1 a norm may be: a vector divided by its own norm is within a few units in the last place. */
export const UNIT_TOLERANCE = 1e-12;

/**
 * Checks a private vector of the closed unit ball, up to {@link UNIT_TOLERANCE}, and returns its squared norm.
 * @theorem noninteractive Assumption 1
 */
export function checkUnitBall(name: string, vector: ArrayLike<number>, dimension: number): number {
  if (vector === null || typeof vector !== 'object' || typeof vector.length !== 'number') {
    throw new RefusedKind(`"${name}" expected an array of ${dimension} numbers`);
  }
  if (vector.length !== dimension) throw new RefusedValue(`"${name}" expected ${dimension} numbers`);
  let squared = 0;
  for (let i = 0; i < dimension; i++) {
    const entry = vector[i];
    if (typeof entry !== 'number') throw new RefusedKind(`"${name}" expected an array of ${dimension} numbers`);
    squared += entry * entry;
  }
  // One comparison covers NaN and both infinities as well.
  if (!(squared <= 1 + UNIT_TOLERANCE)) {
    throw new RefusedValue(`"${name}" expected finite numbers with an l2 norm of at most 1`);
  }
  return squared;
}

/**
 * A private number in [−1, 1]; the message never contains it.
 * @theorem noninteractive Assumption 1
 */
export function checkUnitInterval(name: string, value: unknown): number {
  if (typeof value !== 'number') throw new RefusedKind(`"${name}" expected a number from -1 to 1`);
  if (!(value >= -1 && value <= 1)) throw new RefusedValue(`"${name}" expected a number from -1 to 1`);
  return value;
}

/**
 * A private number as a device plays it: unchanged in [−bound, bound], otherwise the nearer end; 0 for NaN and for a
 * value that is no number. Never throws; a bound of NaN gives NaN, never the value.
 */
export function clipNumber(value: unknown, bound: number): number {
  if (typeof value !== 'number' || Number.isNaN(value)) return 0;
  return value <= bound ? (value < -bound ? -bound : value) : bound;
}

/**
 * A private vector as a device plays it, copied: unchanged where its ℓ₂ norm is at most `radius` up to rounding,
 * otherwise shortened to that norm in its direction. Entries that are missing or no numbers count as 0, and extra
 * entries are left out. If entries are infinite, they alone decide the direction. Never throws, neither for arrays with
 * any content nor for values that are no array.
 *
 * Shape: `dimension` numbers, taken from `offset` on.
 */
export function clipBall(vector: unknown, dimension: number, radius: number, offset: number = 0): Float64Array {
  const clipped = new Float64Array(dimension);
  let largest = 0;
  for (let i = 0; i < dimension; i++) {
    clipped[i] = clipNumber(fieldOf(vector, offset + i), Infinity);
    largest = Math.max(largest, Math.abs(clipped[i]));
  }
  let squared = 0;
  for (let i = 0; i < dimension; i++) squared += clipped[i] * clipped[i];
  // A relative margin above the difference of two sums of so many squares, added in any order.
  const rounding = (dimension + 4) * 2 ** -52;
  if (squared <= radius * radius * (1 + UNIT_TOLERANCE - rounding)) return clipped;
  // In units of the largest entry, whose squares neither overflow nor vanish.
  squared = 0;
  for (let i = 0; i < dimension; i++) {
    clipped[i] = largest === Infinity ? Math.trunc(clipNumber(clipped[i] / Number.MAX_VALUE, 1)) : clipped[i] / largest;
    squared += clipped[i] * clipped[i];
  }
  const factor = (radius / Math.sqrt(squared)) * (1 - rounding);
  for (let i = 0; i < dimension; i++) clipped[i] *= factor;
  return clipped;
}

const TINY = 1e-130;

/**
 * A number as a kernel goes on with it: 0 below about 10⁻¹⁴⁶ units, and the same bits from 10⁻¹¹³ units on. With numbers
 * below 2e-308 processors take up to ten times as long: the time of an answer would tell which data lead to such numbers,
 * and a server can choose its plan and its points in such a way that some data do.
 */
export function dropTiny(value: number, unit: number = 1): number {
  const tiny = TINY * unit;
  return value + tiny - tiny;
}

/** The named field of a value that may be an object, or an entry of one that may be an array; undefined where there is none. */
export function fieldOf(value: unknown, name: string | number): unknown {
  return value !== null && typeof value === 'object'
    ? (value as { readonly [name: string | number]: unknown })[name]
    : undefined;
}

/**
 * The length of a value that may be a list, each entry of which needs `width` numbers; 0 for any other value, and for a
 * list that would need more than 2²⁴ of them, since what it says of its length may be a lie.
 */
export function lengthOf(vector: unknown, width: number = 1): number {
  const length = fieldOf(vector, 'length');
  const isLength = typeof length === 'number' && Number.isSafeInteger(length) && length > 0;
  return isLength && length * width <= 2 ** 24 ? length : 0;
}

/** Numbers that a kernel (an inner loop) keeps between calls to avoid allocation. Each call overwrites what it uses. */
export interface Scratch {
  /** At least as many numbers as the last call reserved. */
  values: Float64Array;
}

// All scratch arrays, so one call clears them and no kernel can be forgotten.
const all: Scratch[] = [];

/** New scratch, for a module to make once: it stays known to {@link wipeScratch} for as long as the program runs. */
export function createScratch(length: number): Scratch {
  const scratch = { values: new Float64Array(length) };
  all.push(scratch);
  return scratch;
}

/**
 * The numbers of a scratch, at least `length` of them. A scratch that is too short is set to zero before it is
 * replaced.
 */
export function reserve(scratch: Scratch, length: number): Float64Array {
  return scratch.values.length < length ? renew(scratch, length) : scratch.values;
}

/** As {@link reserve}, exactly `length` numbers. */
export function reserveExactly(scratch: Scratch, length: number): Float64Array {
  return scratch.values.length === length ? scratch.values : renew(scratch, length);
}

function renew(scratch: Scratch, length: number): Float64Array {
  scratch.values.fill(0);
  scratch.values = new Float64Array(length);
  return scratch.values;
}

/**
 * Sets all scratch of this program to zero: everything that the players' kernels have kept of the latest datum and its
 * noise. A device calls it after each report. Freed copies belong to the memory manager and cannot be reached.
 */
export function wipeScratch(): void {
  for (const { values } of all) values.fill(0);
}

/** Refuses an array for a report that is too short, before any coin is taken: writes beyond its end are lost. */
export function checkTarget(target: ArrayLike<number>, length: number): void {
  if (!(target?.length >= length)) throw new RefusedValue('target', `${length} values`, target?.length);
}

/** Refuses a private vector without `length` finite numbers. Allocates nothing. */
export function checkFiniteEntries(vector: ArrayLike<unknown>, length: number): void {
  let sum = 0;
  let sumOdd = 0;
  let i = vector?.length >= length ? 0 : length + 1;
  // 0·x is 0 for a finite x and NaN otherwise; two sums need not wait for each other.
  for (; i + 1 < length; i += 2) {
    const x = vector[i];
    const y = vector[i + 1];
    if (typeof x !== 'number' || typeof y !== 'number') break;
    sum += 0 * x;
    sumOdd += 0 * y;
  }
  if (i === length - 1) {
    const x = vector[i++];
    sum += typeof x === 'number' ? 0 * x : Number.NaN;
  }
  if (!(i === length && sum + sumOdd === 0)) throw new RefusedValue(`"vector" expected ${length} finite numbers`);
}

/** How far a squared norm may be from 1: above the rounding of a long vector, below any printed digit. */
const NORM_TOLERANCE = 1e-9;

/** Refuses a private vector that is not on the unit sphere, since the guarantee is proved only there. */
export function checkUnitNorm(squaredNorm: number): void {
  if (!(Math.abs(squaredNorm - 1) <= NORM_TOLERANCE)) throw new RefusedValue('"unit" expected a vector of l2 norm 1');
}

/** Refuses a definition that lacks one of these functions, each the name of a part or of a function in a part. */
export function checkFunctions(definition: unknown, paths: readonly string[]): void {
  for (const path of paths) {
    const part = path.split('.').reduce(fieldOf, definition);
    if (typeof part !== 'function') throw new RefusedKind(path, 'a function', part);
  }
}

import { brief } from '../check/printable.ts';
import type { Cells } from './batch.ts';

/** Where a cell is, for a message: never what it holds. */
export interface Place {
  readonly column: string;
  /** Number of the first record looked at, counted from 1. */
  readonly row: number;
}

/** An ordinary decimal number. `Number` alone would also take hexadecimal, an empty text and "Infinity". */
const DECIMAL = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$/i;

const DATE = /^\s*(\d{4})[-/](\d\d)[-/](\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?)?Z?\s*$/i;

/**
 * Refuses a private value without showing it.
 *
 * @throws RangeError always.
 */
export function refuseCell({ column, row }: Place, offset: number, expected: string): never {
  throw new RangeError(`"${brief(column)}" expected ${expected} in row ${row + offset}`);
}

/**
 * Reads `count` cells from `from` on as finite numbers.
 *
 * @throws RangeError naming column and row for a missing value or anything that is not a finite number.
 */
export function readNumbers(cells: Cells, from: number, count: number, place: Place, target: Float64Array): void {
  const { values, timestamps } = cells;
  if (timestamps) refuseCell(place, 0, 'a number, not a point in time (name a "part" in the schema)');
  for (let i = 0; i < count; i++) {
    const cell = values[from + i];
    let value = Number.NaN;
    if (typeof cell === 'number') value = cell;
    else if (typeof cell === 'bigint') value = Number(cell);
    else if (typeof cell === 'string' && DECIMAL.test(cell)) value = Number(cell);
    if (!Number.isFinite(value)) refuseCell(place, i, isMissing(cell) ? 'a value' : 'a finite number');
    target[i] = value;
  }
}

/**
 * Reads `count` cells from `from` on as points in time, in milliseconds since 1970: what the file marks as such, or
 * texts such as `2001-01-31` or `2001/01/31 09:30`, read as UTC.
 *
 * @throws RangeError naming column and row for a missing value or anything else, or a date without a time if `clock`.
 */
export function readTimes(
  cells: Cells,
  from: number,
  count: number,
  place: Place,
  clock: boolean,
  target: Float64Array,
): void {
  const { values, timestamps } = cells;
  for (let i = 0; i < count; i++) {
    const cell = values[from + i];
    let value = Number.NaN;
    if (typeof cell === 'string') value = parseTime(cell, clock);
    // A bare number could be in seconds, or not a time at all; only the file's own mark makes it one.
    else if (timestamps && typeof cell === 'number') value = cell;
    if (!Number.isFinite(value)) {
      const example = clock ? 'a date and time such as 2001-01-31 09:30' : 'a date such as 2001-01-31';
      refuseCell(place, i, isMissing(cell) ? 'a value' : example);
    }
    target[i] = value;
  }
}

/**
 * Looks up `count` cells from `from` on in a dictionary of texts; 0 stands for a text that is not in it. A number or
 * a truth value is looked up as it is usually written.
 *
 * @throws RangeError naming column and row for a missing value or anything else.
 */
export function readCodes(
  cells: Cells,
  from: number,
  count: number,
  place: Place,
  dictionary: ReadonlyMap<unknown, number>,
  target: Int32Array,
): void {
  const { values, timestamps } = cells;
  if (timestamps) refuseCell(place, 0, 'a text, not a point in time (name a "part" in the schema)');
  for (let i = 0; i < count; i++) {
    const cell = values[from + i];
    if (isMissing(cell)) refuseCell(place, i, 'a value');
    const text = typeof cell === 'string' || typeof cell === 'object' ? cell : String(cell);
    if (typeof text !== 'string') refuseCell(place, i, 'a text');
    target[i] = dictionary.get(text) ?? 0;
  }
}

function isMissing(cell: unknown): boolean {
  return cell === '' || cell === null || cell === undefined;
}

/** Milliseconds since 1970, or NaN. */
function parseTime(text: string, clock: boolean): number {
  const match = DATE.exec(text);
  if (match === null || (clock && match[4] === undefined)) return Number.NaN;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((digits) => Number(digits ?? 0));
  const date = new Date(Date.UTC(year, month - 1, day));
  // February 30 would silently become March 2, and the year 50 would become 1950.
  const kept = date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  if (!kept || hour > 23 || minute > 59 || second > 59) return Number.NaN;
  return date.getTime() + ((hour * 60 + minute) * 60 + second) * 1000;
}

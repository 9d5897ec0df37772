import { stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { brief, RefusedValue } from '../check/refusal.ts';
import { type Batch, type Cells, fileRefusal, type TableSink } from './files.ts';
import type { Category, Part } from './schema-shape.ts';

/** Where a cell is, for a message: never what the cell contains. */
export interface Place {
  readonly column: string;
  /** Number of the first record that is read, counted from 1. */
  readonly row: number;
}

/** An ordinary decimal number. `Number` alone would also take hexadecimal, an empty text and "Infinity". */
const DECIMAL = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$/i;
const DATE = /^\s*(\d{4})[-/](\d\d)[-/](\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d(?:\.\d+)?))?)?Z?\s*$/i;

export type CellKind = 'number' | 'date' | 'text';

export function cellKind(cell: unknown): CellKind {
  const text = String(cell);
  return DECIMAL.test(text) ? 'number' : Number.isNaN(parseTime(text, false)) ? 'text' : 'date';
}

/** A cell is refused: what was expected of it and where it is, and never what it contains. */
export class RefusedCell extends RefusedValue {
  /** What was expected of which column. */
  readonly expectation: string;
  readonly row: number;

  constructor(expectation: string, row: number) {
    super(`${expectation} in row ${row}`);
    this.expectation = expectation;
    this.row = row;
  }
}

/** Refuses a private value without showing it. */
export function refuseCell({ column, row }: Place, offset: number, expected: string): never {
  throw new RefusedCell(`"${brief(column)}" expected ${expected}`, row + offset);
}

function refuseColumn({ column }: Place, expected: string): never {
  throw new RefusedValue(`"${brief(column)}" expected ${expected}`);
}

/** Reads `count` cells from `from` on as finite numbers. */
function readNumbers(cells: Cells, from: number, count: number, place: Place, target: Float64Array): void {
  const { values, timestamps } = cells;
  if (timestamps) refuseColumn(place, 'a number, not a point in time (name a "part" in the schema)');
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
 * Reads `count` cells from `from` on as points in time, in milliseconds since 1970. Accepted are cells that the file
 * marks as times or days, and texts such as `2001-01-31` or `2001/01/31 09:30`, read as UTC; with `clock` only those with a time.
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
    // A bare number could be in seconds, or not a time at all; only a mark in the file makes it a time.
    else if (timestamps && typeof cell === 'number' && !(clock && timestamps === 'days')) value = cell;
    if (!(Math.abs(value) <= LATEST)) {
      const example = clock ? 'a date and time such as 2001-01-31 09:30' : 'a date such as 2001-01-31';
      refuseCell(place, i, isMissing(cell) ? 'a value' : example);
    }
    target[i] = value;
  }
}

/** Looks up cells in a dictionary of texts, numbers by their usual spelling; the code 0 says that it is not there. */
function readCodes(
  cells: Cells,
  from: number,
  count: number,
  place: Place,
  dictionary: ReadonlyMap<unknown, number>,
  target: Int32Array,
): void {
  const { values, timestamps } = cells;
  if (timestamps) refuseColumn(place, 'a text, not a point in time (name a "part" in the schema)');
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
  if (!kept || hour > 23 || minute > 59 || second >= 60) return Number.NaN;
  return date.getTime() + ((hour * 60 + minute) * 60 + second) * 1000;
}

/** The last moment that has a date, in milliseconds since 1970, and minus the first. */
const LATEST = 8.64e15;

const { floor } = Math;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** A column (or a part of it), read once for all features that use it. */
interface Source {
  /** Reads the next `count` records of a batch from its record `from` on; the first is number `row`, from 1. */
  fill(batch: Batch, from: number, count: number, row: number): void;
}

/** The sources of one encoder; each is created once. It fills all of them. */
export interface Sources extends Source {
  readonly columns: readonly string[];
  /** The numbers of a column, or of a part of its dates; the same arguments give the same source. */
  numbers(column: string, part: Part | undefined): NumberSource;
  /** `type` says how the cells are read: as texts, or as numbers. */
  codes(column: string, part: Part | undefined, type: 'string' | 'number'): CodeSource;
}

interface NumberSource extends Source {
  readonly numbers: Float64Array;
}

/** A source of categories as codes: 0 for a value that is not listed, else its number in the dictionary. */
interface CodeSource extends Source {
  readonly codes: Int32Array;
  /** Listed values and their codes, 1, 2, …; it must be complete before the first record is read. */
  readonly dictionary: Map<Category, number>;
}

/** Sources for runs of at most `length` records of a table with the given columns. */
export function makeSources(columns: readonly string[], length: number): Sources {
  // In the order of creation, so that a source comes after the one that it reads from.
  const made = new Map<string, Source>();
  function once<Kind extends Source>(key: string, make: () => Kind): Kind {
    const source = (made.get(key) as Kind | undefined) ?? make();
    made.set(key, source);
    return source;
  }

  function numbersOf(column: string, part: Part | undefined): NumberSource {
    return once(`numbers\n${column}\n${part}`, () => {
      const index = columns.indexOf(column);
      const numbers = new Float64Array(length);
      const toPart = part === undefined ? undefined : partOf(part);
      return {
        numbers,
        fill(batch, from, count, row) {
          const cells = batch.columns[index];
          if (toPart === undefined) return readNumbers(cells, from, count, { column, row }, numbers);
          readTimes(cells, from, count, { column, row }, part === 'hour', numbers);
          for (let i = 0; i < count; i++) numbers[i] = toPart(numbers[i]);
        },
      };
    });
  }

  function codesOf(column: string, part: Part | undefined, type: 'string' | 'number'): CodeSource {
    const source = type === 'number' ? numbersOf(column, part) : undefined;
    return once(`codes\n${column}\n${part}\n${type}`, () => {
      const index = columns.indexOf(column);
      const codes = new Int32Array(length);
      const dictionary = new Map<Category, number>();
      return {
        codes,
        dictionary,
        fill(batch, from, count, row) {
          if (source === undefined) {
            return readCodes(batch.columns[index], from, count, { column, row }, dictionary, codes);
          }
          const { numbers } = source;
          for (let i = 0; i < count; i++) codes[i] = dictionary.get(numbers[i]) ?? 0;
        },
      };
    });
  }

  return {
    columns,
    numbers: numbersOf,
    codes: codesOf,
    fill(batch, from, count, row) {
      for (const source of made.values()) source.fill(batch, from, count, row);
    },
  };
}

/** Finds a part of points in time. Calendar arithmetic is slow and a table has few different days, so each day is computed once. */
function partOf(part: Part): (time: number) => number {
  if (part === 'hour') return (time) => floor((time - floor(time / DAY) * DAY) / HOUR);
  const known = new Map<number, number>();
  return (time) => {
    const day = floor(time / DAY);
    let value = known.get(day);
    if (value === undefined) known.set(day, (value = calendar(day, part)));
    return value;
  };
}

/** A part of the date that is `day` days after 1 January 1970. */
function calendar(day: number, part: Exclude<Part, 'hour'>): number {
  const date = new Date(day * DAY);
  if (part === 'weekday') return date.getUTCDay();
  if (part === 'month') return date.getUTCMonth() + 1;
  return day - Date.UTC(date.getUTCFullYear(), 0, 1) / DAY + 1;
}

// Each reader is loaded only when it is needed: loading another parser takes longer than reading a small table.
const READERS: Readonly<Record<string, () => Promise<typeof readTable>>> = {
  '.csv': async () => (await import('./csv.ts')).readCsv,
  '.json': async () => (await import('./json.ts')).readJson,
  '.jsonl': async () => (await import('./json.ts')).readJsonLines,
  '.ndjson': async () => (await import('./json.ts')).readJsonLines,
  '.parquet': async () => (await import('./parquet.ts')).readParquet,
};

/**
 * Reads columns of a file of records, one batch at a time; the extension says which kind it is. A message may name the file, a
 * requested column and the number of a record (the first is row 1). It never shows anything that was found in the file: not
 * even its header, which is a record if the file has no header.
 */
export async function readTable(path: string, columns: readonly string[], sink: TableSink): Promise<void> {
  const reader = READERS[extname(path).toLowerCase()];
  if (reader === undefined) {
    throw fileRefusal('data', `a file with the extension ${Object.keys(READERS).join(', ')}`, path);
  }
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() !== true) throw fileRefusal('data', 'a file that can be read', path);
  if (found.size === 0) throw fileRefusal('data', 'a file that is not empty', path);
  try {
    await (await reader())(path, columns, sink);
  } catch (error) {
    // A failed system call, such as EACCES; every other error is passed on unchanged.
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    throw fileRefusal('data', 'a file that can be read', path);
  }
}

/** The lines of a CSV file, as an editor shows them, in which records begin; undefined for another file. */
export async function linesOf(path: string, rows: readonly number[]): Promise<readonly number[] | undefined> {
  if (extname(path).toLowerCase() !== '.csv') return undefined;
  return (await import('./csv.ts')).csvLinesOf(path, rows);
}

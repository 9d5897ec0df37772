import type { Batch } from './batch.ts';
import { type Place, readCodes, readNumbers, readTimes } from './cell.ts';
import type { Category, Part } from './feature.ts';

const { floor } = Math;

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** A column (or a part of it) as it is read once, whatever number of features look at it. */
export interface Source {
  /** Reads `count` records of the batch, from its record `from` on; `row` is the number of the first, from 1. */
  /** Fills every source with the next `count` records of a batch, from its record `from` on; `row` is the number of the first. */
  fill(batch: Batch, from: number, count: number, row: number): void;
}

/** A source of finite numbers. */
export interface NumberSource extends Source {
  readonly numbers: Float64Array;
}

/** A source of categories, coded: 0 for a value that nobody has listed, else the place in the dictionary. */
export interface CodeSource extends Source {
  readonly codes: Int32Array;
  /** Listed values and their codes, 1, 2, …; it must be complete before the first record is read. */
  readonly dictionary: Map<Category, number>;
}

/** The sources of one encoder, each made once. */
export interface Sources {
  readonly columns: readonly string[];
  /** The numbers of a column, or of a part of its dates; the same source for the same question. */
  numbers(column: string, part: Part | undefined): NumberSource;
  /** `type` says how the cells are read: as texts, or as numbers. */
  codes(column: string, part: Part | undefined, type: 'string' | 'number'): CodeSource;
  /** Fills every source with the next `count` records of a batch, from its record `from` on; `row` is the number of the first. */
  fill(batch: Batch, from: number, count: number, row: number): void;
}

/** Sources for runs of at most `length` records of a table with the given columns. */
export function makeSources(columns: readonly string[], length: number): Sources {
  // In the order in which they were made, so that a source comes after the one that it reads from.
  const order: Source[] = [];
  const numbers = new Map<string, NumberSource>();
  const codes = new Map<string, CodeSource>();
  const self: Sources = {
    columns,
    numbers(column, part) {
      return once(numbers, `${column}\n${part}`, order, () => {
        const target = new Float64Array(length);
        return part === undefined ? plainNumbers(columns, column, target) : partNumbers(columns, column, part, target);
      });
    },
    codes(column, part, type) {
      const from = type === 'number' ? self.numbers(column, part) : undefined;
      return once(codes, `${column}\n${part}\n${type}`, order, () => {
        const target = new Int32Array(length);
        return from === undefined ? textCodes(columns, column, target) : numberCodes(from, target);
      });
    },
    fill(batch, from, count, row) {
      for (const source of order) source.fill(batch, from, count, row);
    },
  };
  return self;
}

function once<Kind extends Source>(made: Map<string, Kind>, key: string, order: Source[], make: () => Kind): Kind {
  let source = made.get(key);
  if (source === undefined) {
    source = make();
    made.set(key, source);
    order.push(source);
  }
  return source;
}

function plainNumbers(columns: readonly string[], column: string, numbers: Float64Array): NumberSource {
  const index = columns.indexOf(column);
  return {
    numbers,
    fill: (batch, from, count, row) => readNumbers(batch.columns[index], from, count, { column, row }, numbers),
  };
}

function textCodes(columns: readonly string[], column: string, codes: Int32Array): CodeSource {
  const index = columns.indexOf(column);
  const dictionary = new Map<Category, number>();
  return {
    codes,
    dictionary,
    fill: (batch, from, count, row) => readCodes(batch.columns[index], from, count, { column, row }, dictionary, codes),
  };
}

function numberCodes({ numbers }: NumberSource, codes: Int32Array): CodeSource {
  const dictionary = new Map<Category, number>();
  return {
    codes,
    dictionary,
    fill(_batch, _from, count) {
      for (let i = 0; i < count; i++) codes[i] = dictionary.get(numbers[i]) ?? 0;
    },
  };
}

function partNumbers(columns: readonly string[], column: string, part: Part, numbers: Float64Array): NumberSource {
  const index = columns.indexOf(column);
  // A calendar is slow and a table has few different days, so each day is looked up once.
  const known = new Map<number, number>();
  const dayPart = (day: number): number => {
    let value = known.get(day);
    if (value === undefined) {
      value = calendar(day, part);
      known.set(day, value);
    }
    return value;
  };
  return {
    numbers,
    fill(batch, from, count, row) {
      const place: Place = { column, row };
      readTimes(batch.columns[index], from, count, place, part === 'hour', numbers);
      for (let i = 0; i < count; i++) {
        const day = floor(numbers[i] / DAY);
        numbers[i] = part === 'hour' ? floor((numbers[i] - day * DAY) / HOUR) : dayPart(day);
      }
    },
  };
}

/** A part of the day that is `day` days after 1 January 1970. */
function calendar(day: number, part: Part): number {
  const date = new Date(day * DAY);
  if (part === 'weekday') return date.getUTCDay();
  if (part === 'month') return date.getUTCMonth() + 1;
  return day - Date.UTC(date.getUTCFullYear(), 0, 1) / DAY + 1;
}

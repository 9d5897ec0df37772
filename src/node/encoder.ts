import { RefusedValue } from '../check/refusal.ts';
import type { Batch } from './files.ts';
import { asOne } from './refused.ts';
import type { Category, Feature, Label, NumberFeature, Part, PlayerKey, Schema } from './schema.ts';
import { WITHIN } from './schema.ts';
import { linesOf, makeSources, type Place, RefusedCell, refuseCell, type Sources } from './table.ts';

const { PI, cos, log1p, max, min, sin, sqrt } = Math;

/** Records encoded at a time: so few that the intermediate numbers stay in the cache. */
const SLICE = 2048;

/** Squared norms below this have lost digits, and say no direction. */
const NEARLY_0 = 1e-200;

/** Where records go: record i of the table to `features[i·dimension …]`, `responses[i]` and `owners[i]`. */
export interface EncodedRows {
  readonly features: Float32Array;
  /** ±1 for two sides (0 and 1 for the forms of a stream), the number of a class, or a number in units of the label. */
  readonly responses: Int8Array | Float64Array;
  /** The player of each record, numbered in order of appearance; unchanged where the schema names no player. */
  readonly owners: Uint32Array;
}

/** Turns batches of a table into records. */
interface TableEncoder {
  /** The columns that a batch must begin with, in this order. */
  readonly columns: readonly string[];
  /** Encodes a batch whose first record is number `first` of the table, counted from 0. */
  encode(batch: Batch, first: number, target: EncodedRows): void;
  players(): number;
}

/**
 * An encoder for one schema. Under `unit` it also refuses a record of zeros, which has no direction. Its messages name a column
 * and a row, never a value. A number that is predicted is clipped to its bounds.
 */
export function tableEncoder({ dimension, label, features: list, normalize, player = [] }: Schema): TableEncoder {
  const read = [label, ...list, ...player].flatMap((one) => ('column' in one ? [one.column] : []));
  const sources = makeSources([...new Set(read)], SLICE);
  // Two sides are ±1 where records are in the unit ball, and 0 or 1 in a stream.
  const writeLabel = labelWriter(label, sources, normalize === 'none' ? 0 : -1);
  const builders = list.map((feature) => featureWriter(feature, sources));
  const ownerOf = playerReader(player, sources);
  // Only now does every dictionary hold all the values that any feature lists.
  const writers = builders.map((build) => build());
  const labelled = writeLabel();
  const scratch = new Float64Array(SLICE * dimension);
  const answers = new Float64Array(SLICE);
  const ball = normalize === 'none' ? 1 : WITHIN / largestNorm(list);
  return {
    columns: sources.columns,
    players: ownerOf.count,
    encode(batch, first, { features, responses, owners }) {
      for (let from = 0; from < batch.rows; from += SLICE) {
        const count = min(SLICE, batch.rows - from);
        const record = first + from;
        const row = record + 1;
        sources.fill(batch, from, count, row);
        labelled(answers, 0, 1, count, row);
        for (let i = 0; i < count; i++) responses[record + i] = answers[i];
        if (player.length > 0) ownerOf.read(batch, from, count, row, owners);
        for (let k = 0, offset = 0; k < writers.length; k++) {
          writers[k](scratch, offset, dimension, count, row);
          offset += list[k].kind === 'cycle' ? 2 : 1;
        }
        for (let i = 0; i < count; i++) {
          const start = i * dimension;
          let factor = ball;
          if (normalize === 'unit') {
            let squared = 0;
            for (let j = start; j < start + dimension; j++) squared += scratch[j] * scratch[j];
            if (squared < NEARLY_0) refuseCell({ column: 'features', row }, i, 'at least one that is not 0, or nearly');
            factor = WITHIN / sqrt(squared);
          }
          const target = (record + i) * dimension;
          for (let j = 0; j < dimension; j++) features[target + j] = scratch[start + j] * factor;
        }
      }
    },
  };
}

/** The largest norm a record can have, from the public bounds alone. */
function largestNorm(features: readonly Feature[]): number {
  let squared = 0;
  for (const feature of features) {
    if (feature.kind === 'constant') squared += feature.constant ** 2;
    else if (feature.kind === 'cycle') squared += 1;
    else squared += max(feature.range[0] ** 2, feature.range[1] ** 2);
  }
  return sqrt(squared);
}

/** Reads which player each record belongs to: the texts of the given columns together. */
function playerReader(key: PlayerKey, sources: Sources) {
  const known = new Map<string, number>();
  const parts = key.map(({ column, part }) => ({
    column,
    index: sources.columns.indexOf(column),
    numbers: part === undefined ? undefined : sources.numbers(column, part).numbers,
  }));
  return {
    count: () => known.size,
    read(batch: Batch, from: number, count: number, row: number, owners: Uint32Array): void {
      for (let i = 0; i < count; i++) {
        let name = '';
        for (const { column, index, numbers } of parts) {
          const cell = numbers === undefined ? batch.columns[index].values[from + i] : numbers[i];
          name += `\u0000${nameOf(cell, { column, row }, i)}`;
        }
        let owner = known.get(name);
        if (owner === undefined) known.set(name, (owner = known.size));
        owners[row - 1 + i] = owner;
      }
    },
  };
}

function nameOf(cell: unknown, place: Place, offset: number): string {
  if (typeof cell === 'string' && cell !== '') return cell;
  if (typeof cell === 'bigint') return String(cell);
  if (typeof cell === 'number' && Number.isFinite(cell)) {
    if (Math.abs(cell) <= Number.MAX_SAFE_INTEGER) return String(cell);
    // Two whole numbers of the file may be one of the language, and two players would be one.
    refuseCell(place, offset, 'a text, for the number of a player of more than 15 digits');
  }
  return refuseCell(place, offset, 'the name or the number of a player');
}

/** Writes one feature of the records just read, from number `row` on, to every `stride`-th number of the target. */
type Writer = (target: Float64Array, offset: number, stride: number, count: number, row: number) => void;

/** Registers what a feature reads. Its writer is created after all: only then are all values of a column known. */
function featureWriter(feature: Feature, sources: Sources): () => Writer {
  if (feature.kind === 'constant') {
    const { constant } = feature;
    return () => (target, offset, stride, count) => {
      for (let i = 0; i < count; i++) target[offset + i * stride] = constant;
    };
  }
  const { column, part } = feature;
  if (feature.kind === 'indicator') {
    const { listed, categories, range } = feature;
    const [low, high] = range;
    const allowed = categories === undefined ? undefined : new Set(categories);
    const value = (item: Category | undefined): number => {
      if (item !== undefined && listed.includes(item)) return high;
      return allowed === undefined || (item !== undefined && allowed.has(item)) ? low : Number.NaN;
    };
    return codeWriter(sources, column, part, categories ?? listed, value, 'one of the categories in the schema');
  }
  const { numbers } = sources.numbers(column, part);
  if (feature.kind === 'number') return () => numberWriter(feature, numbers);
  const turn = (2 * PI) / feature.period;
  return () => (target, offset, stride, count) => {
    for (let i = 0; i < count; i++) {
      target[offset + i * stride] = sin(turn * numbers[i]);
      target[offset + i * stride + 1] = cos(turn * numbers[i]);
    }
  };
}

function numberWriter(
  { column, minimum, maximum, transform, range, clip }: NumberFeature,
  numbers: Float64Array,
): Writer {
  const logarithm = transform === 'log1p';
  const low = logarithm ? log1p(minimum) : minimum;
  const slope = (range[1] - range[0]) / ((logarithm ? log1p(maximum) : maximum) - low);
  return (target, offset, stride, count, row) => {
    for (let i = 0; i < count; i++) {
      let value = numbers[i];
      if (!(value >= minimum && value <= maximum)) {
        if (!clip) refuseCell({ column, row }, i, `a number from ${minimum} to ${maximum} (or "clip" in the schema)`);
        value = max(minimum, min(maximum, value));
      }
      target[offset + i * stride] = range[0] + ((logarithm ? log1p(value) : value) - low) * slope;
    }
  };
}

/** Like {@link featureWriter}, for the label; `low` is the number of the negative side. */
function labelWriter(label: Label, sources: Sources, low: number): () => Writer {
  if (label.kind === 'none') return () => () => {};
  const { column } = label;
  if (label.kind === 'classes') {
    const { positive, negative } = label;
    const value = (item: Category | undefined): number =>
      item === positive ? 1 : item === negative ? low : Number.NaN;
    return codeWriter(sources, column, undefined, [positive, negative], value, 'one of the two labels in the schema');
  }
  if (label.kind === 'listed') {
    const { classes } = label;
    const value = (item: Category | undefined): number =>
      item === undefined || !classes.includes(item) ? Number.NaN : classes.indexOf(item);
    return codeWriter(sources, column, label.part, classes, value, 'one of the classes in the schema');
  }
  const { numbers } = sources.numbers(column, 'part' in label ? label.part : undefined);
  // What a number stands for: its side, its band, or the number itself, clipped and in units.
  const answer = (value: number): number => {
    if (label.kind === 'above') return value > label.above ? 1 : low;
    if (label.kind === 'bands') return label.bands.filter((bound) => value > bound).length;
    return max(label.minimum, min(label.maximum, value)) / label.unit;
  };
  return () => (target, offset, stride, count) => {
    for (let i = 0; i < count; i++) target[offset + i * stride] = answer(numbers[i]);
  };
}

/** A writer that looks up the value of each code in a table; NaN in the table means a refusal. */
function codeWriter(
  sources: Sources,
  column: string,
  part: Part | undefined,
  values: readonly Category[],
  valueFor: (item: Category | undefined) => number,
  expected: string,
): () => Writer {
  const { codes, dictionary } = sources.codes(column, part, typeof values[0] === 'number' ? 'number' : 'string');
  for (const item of values) if (!dictionary.has(item)) dictionary.set(item, dictionary.size + 1);
  return () => {
    const table = Float64Array.from([undefined, ...dictionary.keys()], valueFor);
    return (target, offset, stride, count, row) => {
      for (let i = 0; i < count; i++) {
        const value = table[codes[i]];
        if (Number.isNaN(value)) refuseCell({ column, row }, i, expected);
        target[offset + i * stride] = value;
      }
    };
  };
}

/** The most records whose mistakes are told at once. */
const MOST = 10;

/** Reads batches, and goes on after a record that is refused, so that a person gets to know of several at once. */
interface CellChecks {
  /** Reads a batch whose first record is number `first`, counted from 0. */
  read(batch: Batch, first: number): void;
  /** Ends the reading of a file; refuses the rows that were wrong, and names in a CSV file also their lines. */
  end(path: string): Promise<void>;
}

/** Wraps a reader of batches that throws a `RefusedCell` for the first cell that is wrong. */
export function cellChecks(read: (batch: Batch, first: number) => void): CellChecks {
  const wrong: RefusedCell[] = [];
  const refusalOf = (batch: Batch, first: number): RefusedCell | undefined => {
    try {
      read(batch, first);
      return undefined;
    } catch (error) {
      if (error instanceof RefusedCell) return error;
      throw error;
    }
  };
  return {
    read(batch, first) {
      if (wrong.length >= MOST) return;
      const earliest = refusalOf(batch, first);
      if (earliest === undefined) return;
      // Once more, record by record: the first mistake of each.
      const before = wrong.length;
      for (let i = 0; i < batch.rows && wrong.length < MOST; i++) {
        const columns = batch.columns.map(({ values, timestamps }) => ({ values: [values[i]], timestamps }));
        const refusal = refusalOf({ rows: 1, columns }, first + i);
        if (refusal !== undefined) wrong.push(refusal);
      }
      if (wrong.length === before) throw earliest;
    },
    async end(path) {
      if (wrong.length === 0) return;
      const rows = wrong.map(({ row }) => row);
      const lines = await linesOf(path, rows);
      const expectations = [...new Set(wrong.map(({ expectation }) => expectation))];
      const more = wrong.length === MOST ? '; rows after these were not looked at' : '';
      const refusals = expectations.map((expectation) => {
        const of = (all: readonly number[]) => all.filter((_, i) => wrong[i].expectation === expectation);
        const inFile = lines === undefined ? '' : ` (${numbered('line', of(lines))})`;
        return new RefusedValue(`${expectation} in ${numbered('row', of(rows))}${inFile}${more}`);
      });
      throw asOne(refusals);
    },
  };
}

/** `row 3`, or `rows 3, 5 and 8`. */
function numbered(what: string, numbers: readonly number[]): string {
  if (numbers.length === 1) return `${what} ${numbers[0]}`;
  return `${what}s ${numbers.slice(0, -1).join(', ')} and ${numbers[numbers.length - 1]}`;
}

import { basename } from 'node:path';
import { RefusedValue } from '../check/refusal.ts';
import type { OnlineDatum } from '../risk/regression/gradient.ts';
import type { Dataset, Population } from '../simulation/runner.ts';
import type { FileOptions } from './commands/options.ts';
import { cellChecks, type EncodedRows, tableEncoder } from './encoder.ts';
import { fileRefusal, roomFor } from './files.ts';
import { type Label, ownedBy, readSchema, type Schema, type SchemaForm } from './schema.ts';
import { readTable, readTimes } from './table.ts';

/** A file of records and how to read it. */
export interface DatasetSource {
  /** Path of a .csv, .json, .jsonl, .ndjson or .parquet file. */
  readonly data: string;
  readonly schema: Schema;
}

/** The most names of a title; the others are counted. */
const MOST_NAMES = 3;

/** The title of a run on a file: that of its schema, otherwise what is asked of which file: `happy (yes or no), people.csv`. */
export function fileTitle({ data, schema: { title, label, names } }: DatasetSource): string {
  return title ?? `${subjectOf(label, names)}, ${basename(data)}`;
}

function subjectOf(label: Label, names: readonly string[]): string {
  switch (label.kind) {
    case 'classes':
      return `${label.column} (${label.positive} or ${label.negative})`;
    case 'above':
      return `${label.column} above ${label.above}`;
    case 'none': {
      const more = names.length - MOST_NAMES;
      return `${names.slice(0, MOST_NAMES).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
    }
    default:
      return label.column;
  }
}

/** Receives how many records have been read, and the largest number there can be. */
export type LoadProgress = (records: number, expected: number) => void;

/** Reads and encodes a whole file in one pass, in its order; without an order `times` is empty, without a player `players` 0. */
async function loadRows<Responses extends EncodedRows['responses']>(
  { data, schema }: DatasetSource,
  make: (rows: number) => { readonly features: Float32Array; readonly responses: Responses },
  onProgress?: LoadProgress,
) {
  const { dimension, order, player } = schema;
  const encoder = tableEncoder(schema);
  // The time may also be a feature; a column is read only once.
  const columns = [...new Set([...encoder.columns, ...(order === undefined ? [] : [order])])];
  let target: EncodedRows & { readonly responses: Responses; readonly times: Float64Array };
  let expected = 0;
  let rows = 0;
  const checks = cellChecks((batch, first) => {
    encoder.encode(batch, first, target);
    if (order !== undefined) {
      const place = { column: order, row: first + 1 };
      readTimes(batch.columns[columns.indexOf(order)], 0, batch.rows, place, false, target.times.subarray(first));
    }
  });
  await readTable(data, columns, {
    expect(most) {
      expected = most;
      // Pages of memory without a record are never touched, so a loose bound costs nothing.
      target = roomFor(most * (4 * dimension + 16), data, () => ({
        ...make(most),
        owners: new Uint32Array(player === undefined ? 0 : most),
        times: new Float64Array(order === undefined ? 0 : most),
      }));
    },
    add(batch) {
      if (rows + batch.rows > expected) throw fileRefusal('data', 'a file that does not change while it is read', data);
      checks.read(batch, rows);
      rows += batch.rows;
      onProgress?.(rows, expected);
    },
  });
  await checks.end(data);
  if (rows === 0) throw fileRefusal('data', 'a file with one or more records', data);
  const { features, responses, owners, times } = target!;
  return {
    rows,
    features: features.subarray(0, rows * dimension),
    responses: responses.subarray(0, rows) as Responses,
    owners: owners.subarray(0, rows),
    times: times.subarray(0, rows),
    players: encoder.players(),
  };
}

/**
 * Labelled records in the unit ball: 4 bytes a number.
 *
 * Every record has an ℓ₂ norm of at most 1, exactly. The numbers are in shared memory, so threads need no copy.
 * @throws RangeError for a file without records and for everything that the reader of the file and the encoder refuse.
 */
export async function loadDataset(source: DatasetSource, onProgress?: LoadProgress): Promise<Dataset> {
  const { dimension, names } = source.schema;
  const make = (rows: number) => ({
    features: new Float32Array(new SharedArrayBuffer(rows * dimension * 4)),
    responses: new Int8Array(new SharedArrayBuffer(rows)),
  });
  const { rows, features, responses } = await loadRows(source, make, onProgress);
  return { players: rows, dimension, names, features, labels: responses };
}

/** Records of a regression held in memory, in the order in which their players come. */
export interface StreamRecords {
  readonly players: number;
  readonly width: number;
  /** Record i is `features[i·width] … features[i·width + width − 1]`. */
  readonly features: Float32Array;
  /** In units of the label; where a side or a class is predicted, 0 or 1 or the number of the class. */
  readonly responses: Float64Array;
  /** Milliseconds since 1970, ascending; present where the schema gives an order. */
  readonly times?: Float64Array;
  /** Whether records had to be moved to get this order. */
  readonly sorted: boolean;
}

/** Records of a regression in the order of time, if the schema names a column of it; equal ones in that of the file. */
export async function loadStream(source: DatasetSource, onProgress?: LoadProgress): Promise<StreamRecords> {
  const { dimension: width, order } = source.schema;
  const { rows, features, responses, times } = await loadRows(source, doubles(width), onProgress);
  const records = { players: rows, width, features, responses, sorted: false };
  return order === undefined ? records : inOrder({ ...records, times });
}

const doubles = (width: number) => (rows: number) => ({
  features: new Float32Array(rows * width),
  responses: new Float64Array(rows),
});

function inOrder(records: StreamRecords & { readonly times: Float64Array }): StreamRecords {
  const { players, width, features, responses, times } = records;
  let ascending = true;
  for (let i = 1; i < players && ascending; i++) ascending = times[i - 1] <= times[i];
  if (ascending) return records;
  const places = Uint32Array.from({ length: players }, (_, i) => i).sort((a, b) => times[a] - times[b] || a - b);
  return {
    ...records,
    features: moved(features, width, places),
    responses: Float64Array.from(places, (place) => responses[place]),
    times: Float64Array.from(places, (place) => times[place]),
    sorted: true,
  };
}

/** Rows of numbers in a new order: row i of the result is row `places[i]`. */
function moved(features: Float32Array, width: number, places: Uint32Array): Float32Array {
  const target = new Float32Array(features.length);
  for (let i = 0; i < places.length; i++) {
    const from = places[i] * width;
    for (let j = 0; j < width; j++) target[i * width + j] = features[from + j];
  }
  return target;
}

/** The first players of a stream. */
export function firstPlayers(records: StreamRecords, players: number): StreamRecords {
  const { width, features, responses, times } = records;
  return {
    ...records,
    players,
    features: features.subarray(0, players * width),
    responses: responses.subarray(0, players),
    ...(times === undefined ? {} : { times: times.subarray(0, players) }),
  };
}

/** Records as players, one after the other. Every call fills the same datum object again. */
export function streamPopulation({ players, width, features, responses }: StreamRecords): Population<OnlineDatum> {
  const target = new Float64Array(width);
  const datum = { features: target, response: 0 };
  return {
    players,
    datum(index) {
      for (let j = 0, from = index * width; j < width; j++) target[j] = features[from + j];
      datum.response = responses[index];
      return datum;
    },
  };
}

/** Records grouped by the player they belong to. */
export interface PlayerRows {
  /** Players, in the order of their first record in the file. */
  readonly players: number;
  /** The records of player i are rows `offsets[i]` to `offsets[i + 1] − 1` below, in the order of the file. */
  readonly offsets: Uint32Array;
  readonly dimension: number;
  readonly features: Float32Array;
  readonly responses: Float64Array;
}

/** Records of players who have several; refused where all are of one player, or each is of another one. */
export async function loadPlayers(source: DatasetSource, onProgress?: LoadProgress): Promise<PlayerRows> {
  const { data, schema } = source;
  const { dimension, player = [] } = schema;
  const { rows, features, responses, owners, players } = await loadRows(source, doubles(dimension), onProgress);
  const named = player.map(({ column }) => `"${column}"`).join(' and ');
  if (players < 2) throw fileRefusal('data', `two or more players by ${named}; all records are of one`, data);
  if (players === rows) {
    throw fileRefusal('data', `several records of a player by ${named}; each record is of another one`, data);
  }
  const { offsets, places } = gathered(owners, players);
  return {
    players,
    offsets,
    dimension,
    features: moved(features, dimension, places),
    responses: Float64Array.from(places, (place) => responses[place]),
  };
}

/** A counting sort of records by player; those of one player keep their order. */
function gathered(owners: Uint32Array, players: number) {
  const offsets = new Uint32Array(players + 1);
  for (let row = 0; row < owners.length; row++) offsets[owners[row] + 1]++;
  for (let i = 0; i < players; i++) offsets[i + 1] += offsets[i];
  const next = offsets.slice(0, players);
  const places = new Uint32Array(owners.length);
  for (let row = 0; row < owners.length; row++) places[next[owners[row]]++] = row;
  return { offsets, places };
}

// What runs read.

/** The file of `--data` with its schema; undefined where neither was typed, and refused where only one was. */
export async function sourceOf({ data, schema }: FileOptions, form: SchemaForm): Promise<DatasetSource | undefined> {
  if (data === undefined && schema === undefined) return undefined;
  if (data === undefined) {
    throw new RefusedValue('"data" expected the file (--data) that --schema speaks of, got none');
  }
  if (schema === undefined) {
    throw new RefusedValue('"schema" expected a file (--schema) that says what the columns of --data mean, got none');
  }
  return { data, schema: await readSchema(schema, form) };
}

/** The file of players' records with its schema; undefined if none is named. Schema or `--player` name the player. */
export async function playerSource(
  options: FileOptions & { readonly player: string | undefined },
  form: 'samples' | 'players',
): Promise<DatasetSource | undefined> {
  const source = await sourceOf(options, form);
  if (source === undefined) return undefined;
  const { player } = options;
  const schema = player === undefined ? source.schema : ownedBy(source.schema, [{ column: player, part: undefined }]);
  if (schema.player !== undefined) return { ...source, schema };
  throw new RefusedValue(
    '"player" expected the column that says whose a row is (--player, or "player" in the schema), got none',
  );
}

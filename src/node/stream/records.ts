import type { OnlineDatum } from '../../risk/regression/gradient.ts';
import type { Population } from '../../simulation/population.ts';
import { readTimes } from '../cell.ts';
import { fileRefusal } from '../file-refusal.ts';
import { roomFor } from '../record-memory.ts';
import { readTable } from '../table.ts';
import { regressionEncoder } from './encoder.ts';
import type { RegressionSchema } from './schema.ts';

/** Records of a regression held in memory, in the order in which their players come. */
export interface StreamRecords {
  readonly players: number;
  readonly width: number;
  /** Record i is `features[i·width] … features[i·width + width − 1]`. */
  readonly features: Float32Array;
  /** In units of the label. */
  readonly responses: Float64Array;
  /** Milliseconds since 1970, ascending; where the schema names an order. */
  readonly times?: Float64Array;
  /** Whether records had to be moved to be in that order. */
  readonly sorted: boolean;
}

/** A file of records and how to read it. */
export interface StreamSource {
  /** Path of a .csv, .json, .jsonl, .ndjson or .parquet file. */
  readonly data: string;
  readonly schema: RegressionSchema;
}

/**
 * Reads and encodes a whole file. Where the schema names a column of points in time, players come in that order, and those of
 * one moment in the order of the file.
 *
 * @throws RangeError for a file without records and whatever `readTable` and the encoder refuse.
 */
export async function loadStream(
  { data, schema }: StreamSource,
  onProgress?: (records: number, expected: number) => void,
): Promise<StreamRecords> {
  const { width, order } = schema;
  const encoder = regressionEncoder(schema);
  // The time may be a feature too; a column is read once.
  const columns = [...new Set([...encoder.columns, ...(order === undefined ? [] : [order])])];
  let features: Float32Array = new Float32Array(0);
  let responses: Float64Array = new Float64Array(0);
  let times: Float64Array = new Float64Array(0);
  let expected = 0;
  let players = 0;
  await readTable(data, columns, {
    expect(rows) {
      expected = rows;
      [features, responses, times] = roomFor(rows * (4 * width + 16), data, () => [
        new Float32Array(rows * width),
        new Float64Array(rows),
        new Float64Array(order === undefined ? 0 : rows),
      ]);
    },
    add(batch) {
      if (players + batch.rows > expected) {
        throw fileRefusal('data', 'a file that does not change while it is read', data);
      }
      encoder.encode(batch, players, features, responses);
      if (order !== undefined) {
        const place = { column: order, row: players + 1 };
        readTimes(batch.columns[columns.indexOf(order)], 0, batch.rows, place, false, times.subarray(players));
      }
      players += batch.rows;
      onProgress?.(players, expected);
    },
  });
  if (players === 0) throw fileRefusal('data', 'a file with one or more records', data);
  const records = {
    players,
    width,
    features: features.subarray(0, players * width),
    responses: responses.subarray(0, players),
    sorted: false,
  };
  return order === undefined ? records : inOrder({ ...records, times: times.subarray(0, players) });
}

function inOrder(records: StreamRecords & { readonly times: Float64Array }): StreamRecords {
  const { players, width, features, responses, times } = records;
  let ascending = true;
  for (let i = 1; i < players && ascending; i++) ascending = times[i - 1] <= times[i];
  if (ascending) return records;
  const places = Uint32Array.from({ length: players }, (_, i) => i).sort((a, b) => times[a] - times[b] || a - b);
  const moved = new Float32Array(players * width);
  for (let i = 0; i < players; i++) {
    const from = places[i] * width;
    for (let j = 0; j < width; j++) moved[i * width + j] = features[from + j];
  }
  return {
    ...records,
    features: moved,
    responses: Float64Array.from(places, (place) => responses[place]),
    times: Float64Array.from(places, (place) => times[place]),
    sorted: true,
  };
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

/** Records as players, one after the other. One datum object is filled again by each call. */
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

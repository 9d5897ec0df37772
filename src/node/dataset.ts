import type { Dataset } from '../simulation/dataset.ts';
import { fileRefusal } from './file-refusal.ts';
import { recordEncoder } from './record-encoder.ts';
import { roomFor } from './record-memory.ts';
import type { Schema } from './schema.ts';
import { readTable } from './table.ts';

/** A file of records and how to read it. */
export interface DatasetSource {
  /** Path of a .csv, .json, .jsonl, .ndjson or .parquet file. */
  readonly data: string;
  readonly schema: Schema;
}

/** Hears how many records have been read, out of how many at most. */
export type LoadProgress = (records: number, expected: number) => void;

/**
 * Reads and encodes a whole file, in one pass and with little more memory than the result takes: 4 bytes a number.
 *
 * Every record has an ℓ₂ norm of at most 1, exactly. The numbers are in shared memory, so that threads need no copy.
 *
 * @throws RangeError for a file without records and whatever `readTable` and `recordEncoder` refuse.
 */
export async function loadDataset({ data, schema }: DatasetSource, onProgress?: LoadProgress): Promise<Dataset> {
  const { dimension, names } = schema;
  const encoder = recordEncoder(schema);
  let features: Float32Array = new Float32Array(0);
  let labels: Int8Array = new Int8Array(0);
  let expected = 0;
  let players = 0;
  await readTable(data, encoder.columns, {
    expect(rows) {
      // Pages of shared memory that no record reaches are never touched, so a loose bound costs nothing.
      expected = rows;
      [features, labels] = roomFor(rows * (4 * dimension + 1), data, () => [
        new Float32Array(new SharedArrayBuffer(rows * dimension * 4)),
        new Int8Array(new SharedArrayBuffer(rows)),
      ]);
    },
    add(batch) {
      if (players + batch.rows > expected) {
        throw fileRefusal('data', 'a file that does not change while it is read', data);
      }
      encoder.encode(batch, players, features, labels);
      players += batch.rows;
      onProgress?.(players, expected);
    },
  });
  if (players === 0) throw fileRefusal('data', 'a file with one or more records', data);
  return {
    players,
    dimension,
    names,
    features: features.subarray(0, players * dimension),
    labels: labels.subarray(0, players),
  };
}

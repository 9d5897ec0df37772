import type { Batch } from './batch.ts';
import { refuseCell } from './cell.ts';
import type { Feature } from './feature.ts';
import { featureWriter, labelWriter } from './feature-writer.ts';
import type { Schema } from './schema.ts';
import { makeSources } from './source.ts';

const { max, min, sqrt } = Math;

/** Records encoded at a time: few enough for the scratch numbers to stay in the cache. */
const SLICE = 2048;

/**
 * What every normalised record is multiplied by. Rounding to a 32-bit float moves a norm by a factor of at most
 * 1 + 2⁻²⁴, so what is stored has a norm of at most 1 exactly, as a player demands.
 */
const SHRINK = 1 - 2 ** -22;

/** Turns batches of a table into labelled records. */
export interface RecordEncoder {
  /** The columns that a batch must hold, in this order. */
  readonly columns: readonly string[];
  /**
   * Encodes a batch whose first record is number `first` of the table, counted from 0. Record i of the table goes to
   * `features[i·dimension …]` and `labels[i]`.
   */
  encode(batch: Batch, first: number, features: Float32Array, labels: Int8Array): void;
}

/**
 * An encoder for one schema. Its messages name a column and a row, never a value.
 *
 * `encode` throws a RangeError for a missing value, a number that is not finite or out of bounds, a category or a
 * label that the schema excludes, and under `unit` for a record of zeros, which has no direction.
 */
export function recordEncoder(schema: Schema): RecordEncoder {
  const { dimension, label, normalize } = schema;
  const columns = new Set([label.column]);
  for (const feature of schema.features) if (feature.kind !== 'constant') columns.add(feature.column);
  const sources = makeSources([...columns], SLICE);
  const writeLabel = labelWriter(label, sources);
  const builders = schema.features.map((feature) => featureWriter(feature, sources));
  // Only now does every dictionary hold all the values that any feature lists.
  const writers = builders.map((build) => build());
  const labelled = writeLabel();
  const scratch = new Float64Array(SLICE * dimension);
  const signs = new Float64Array(SLICE);
  const ball = SHRINK / largestNorm(schema.features);
  return {
    columns: sources.columns,
    encode(batch, first, features, labels) {
      for (let from = 0; from < batch.rows; from += SLICE) {
        const count = min(SLICE, batch.rows - from);
        const record = first + from;
        const row = record + 1;
        sources.fill(batch, from, count, row);
        labelled(signs, 0, 1, count, row);
        for (let i = 0; i < count; i++) labels[record + i] = signs[i];
        for (let k = 0, offset = 0; k < writers.length; k++) {
          writers[k](scratch, offset, dimension, count, row);
          offset += schema.features[k].kind === 'cycle' ? 2 : 1;
        }
        for (let i = 0; i < count; i++) {
          const start = i * dimension;
          let factor = ball;
          if (normalize === 'unit') {
            let squared = 0;
            for (let j = start; j < start + dimension; j++) squared += scratch[j] * scratch[j];
            if (squared === 0) refuseCell({ column: 'features', row }, i, 'at least one that is not 0');
            factor = SHRINK / sqrt(squared);
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

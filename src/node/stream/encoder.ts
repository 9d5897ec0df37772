import type { Batch } from '../batch.ts';
import { featureWriter } from '../feature-writer.ts';
import { makeSources } from '../source.ts';
import type { RegressionSchema } from './schema.ts';

const { max, min } = Math;

/** Records encoded at a time: few enough for the scratch numbers to stay in the cache. */
const SLICE = 2048;

/** Turns batches of a table into records of a regression. */
export interface RegressionEncoder {
  /** The columns that a batch must begin with, in this order. */
  readonly columns: readonly string[];
  /**
   * Encodes a batch whose first record is number `first` of the table, counted from 0. Record i of the table goes to
   * `features[i·width …]` and `responses[i]`, which is in units of the label.
   */
  encode(batch: Batch, first: number, features: Float32Array, responses: Float64Array): void;
}

/**
 * An encoder for one schema. Its messages name a column and a row, never a value.
 *
 * `encode` throws a RangeError for a missing value, a number that is not finite or a feature out of bounds, or a category that the
 * schema excludes; a label beyond its bounds is cut off.
 */
export function regressionEncoder({ label, features: list, width }: RegressionSchema): RegressionEncoder {
  const columns = new Set([label.column]);
  for (const feature of list) if (feature.kind !== 'constant') columns.add(feature.column);
  const sources = makeSources([...columns], SLICE);
  const { numbers } = sources.numbers(label.column, undefined);
  const builders = list.map((feature) => featureWriter(feature, sources));
  // Only now does every dictionary hold all the values that any feature lists.
  const writers = builders.map((build) => build());
  const scratch = new Float64Array(SLICE * width);
  const { minimum, maximum, unit } = label;
  return {
    columns: sources.columns,
    encode(batch, first, features, responses) {
      for (let from = 0; from < batch.rows; from += SLICE) {
        const count = min(SLICE, batch.rows - from);
        const record = first + from;
        sources.fill(batch, from, count, record + 1);
        for (let i = 0; i < count; i++) responses[record + i] = max(minimum, min(maximum, numbers[i])) / unit;
        for (let k = 0, offset = 0; k < writers.length; k++) {
          writers[k](scratch, offset, width, count, record + 1);
          offset += list[k].kind === 'cycle' ? 2 : 1;
        }
        for (let j = 0, at = record * width; j < count * width; j++) features[at + j] = scratch[j];
      }
    },
  };
}

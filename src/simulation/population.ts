import { refusal } from '../check/number.ts';
import { RefusedValue } from '../check/refusal.ts';
import type { Dataset } from './dataset.ts';

/** The players of a simulation, numbered from 0, and the datum that each of them holds. */
export interface Population<Datum> {
  readonly players: number;
  /** The datum of one player. The object may be the same for every call: it is valid until the next call. */
  datum(index: number): Datum;
}

/** What one player of a classification problem holds. */
export interface LabelledRecord {
  /** x: p numbers with an ℓ₂ norm of at most 1. */
  readonly features: ArrayLike<number>;
  /** y in [−1, 1], usually −1 or 1. */
  readonly label: number;
}

/**
 * The records of a dataset as players, or only the given rows, in that order. Each call fills the same datum object
 * again, so a million players cost no allocation.
 *
 * @throws RangeError for a row that the dataset does not have.
 */
export function datasetPopulation(dataset: Dataset, rows?: Uint32Array): Population<LabelledRecord> {
  const { dimension, features, labels } = dataset;
  checkRows(dataset, rows);
  const record = { features: new Float64Array(dimension), label: 0 };
  const target = record.features;
  return {
    players: rows === undefined ? dataset.players : rows.length,
    datum(index) {
      const row = rows === undefined ? index : rows[index];
      for (let j = 0, from = row * dimension; j < dimension; j++) target[j] = features[from + j];
      record.label = labels[row];
      return record;
    },
  };
}

/**
 * Checks that a dataset has these rows; undefined means all rows and needs no check.
 *
 * @throws RangeError for the first row that it does not have.
 */
export function checkRows({ players }: Pick<Dataset, 'players'>, rows: Uint32Array | undefined): void {
  if (rows === undefined) return;
  for (let i = 0; i < rows.length; i++) {
    if (rows[i] >= players) throw new RefusedValue(refusal(`rows[${i}]`, `a row below ${players}`, rows[i]));
  }
}

import { checkInteger, RefusedKind, RefusedValue } from '../check/refusal.ts';
import { permutation } from '../random/random.ts';
import { seededRandom } from '../random/seeded.ts';

/**
 * Labelled records held in memory, the data of the players in a simulation. Nothing that leaves a player's device ever
 * has this form.
 */
export interface Dataset {
  /** Number of records n. */
  readonly players: number;
  /** Number of coordinates p of a record. */
  readonly dimension: number;
  /** A name for each coordinate. */
  readonly names: readonly string[];
  /** Record i is `features[i·p] … features[i·p + p − 1]`; its ℓ₂ norm is at most 1. Length n·p. */
  readonly features: Float32Array;
  /** +1 or −1 for each record. Length n. */
  readonly labels: Int8Array;
}

/** How to split: `train` is a fraction strictly between 0 and 1, or a whole number of records. */
interface SplitOptions {
  /** 5/6 by default. */
  readonly train?: number;
  readonly seed: string | number;
}

/** Two sets of rows without a row in common, each in random order. */
interface Split {
  readonly train: Uint32Array;
  readonly test: Uint32Array;
}

/**
 * Splits rows 0 … players − 1 into training and test rows by a seeded permutation: the first rows of it are for
 * training.
 *
 * Law: every order of all rows is equally likely (as far as the seeded source goes).
 *
 * @throws TypeError or RangeError for a share that would leave either side without a row.
 */
export function splitRows(players: number, { train = 5 / 6, seed }: SplitOptions): Split {
  checkInteger('players', players, 2, 2 ** 32 - 1);
  const count = train > 0 && train < 1 ? Math.round(players * train) : train;
  if (!(Number.isInteger(count) && count >= 1 && count < players)) {
    const expected = `a fraction or a whole number that leaves rows on both sides of ${players}`;
    throw new (typeof train === 'number' ? RefusedValue : RefusedKind)('train', expected, train);
  }
  const order = permutation(players, seededRandom(seed));
  return { train: order.slice(0, count), test: order.slice(count) };
}

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

/** Checks that a dataset has these rows; undefined means all rows and needs no check. */
export function checkRows({ players }: Pick<Dataset, 'players'>, rows: Uint32Array | undefined): void {
  if (rows === undefined) return;
  for (let i = 0; i < rows.length; i++) {
    if (rows[i] >= players) throw new RefusedValue(`rows[${i}]`, `a row below ${players}`, rows[i]);
  }
}

import { checkInteger, refusal } from '../check/number.ts';
import { RefusedKind, RefusedValue } from '../check/refusal.ts';
import { seededRandom } from '../random/seeded.ts';
import { permutation } from '../random/uniform.ts';

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
    throw new (typeof train === 'number' ? RefusedValue : RefusedKind)(refusal('train', expected, train));
  }
  const order = permutation(players, seededRandom(seed));
  return { train: order.slice(0, count), test: order.slice(count) };
}

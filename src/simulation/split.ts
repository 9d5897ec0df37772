import { checkInteger, refusal } from '../check/number.ts';
import { seededRandom } from '../random/seeded.ts';
import { permutation } from '../random/uniform.ts';

/** How to split: `train` is a fraction strictly between 0 and 1, or a whole number of records. */
export interface SplitOptions {
  /** 5/6 by default. */
  readonly train?: number;
  readonly seed: string | number;
}

/** Two sets of rows without a row in common, each in random order. */
export interface Split {
  readonly train: Uint32Array;
  readonly test: Uint32Array;
}

/**
 * Splits rows 0 … players − 1 into training and test rows by a seeded permutation: its beginning trains.
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
    throw new (typeof train === 'number' ? RangeError : TypeError)(refusal('train', expected, train));
  }
  const order = permutation(players, seededRandom(seed));
  return { train: order.slice(0, count), test: order.slice(count) };
}

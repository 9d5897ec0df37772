import { checkInteger } from '../../check/number.ts';
import { seededRandom } from '../../random/seeded.ts';
import { permutation } from '../../random/uniform.ts';
import type { Dataset } from '../../simulation/dataset.ts';
import { splitRows } from '../../simulation/dataset.ts';
import { counted, wholeNumber } from '../figures.ts';
import { fileRefusal } from '../file-refusal.ts';
import type { EvaluatedOn } from './document.ts';
import type { Plan } from './plan.ts';

/** Who plays, and what the models are measured on. Rows are in shared memory and ascending; undefined means all. */
export interface Division {
  readonly players: Uint32Array | undefined;
  readonly evaluated: Uint32Array | undefined;
  /** Number of players. */
  readonly count: number;
  readonly evaluatedOn: EvaluatedOn;
}

/**
 * Divides the records: with `train` a seeded split, its one part playing and the other measured on; without, all records
 * do both. Out of those that may play, `players` takes a seeded choice.
 *
 * @throws RangeError naming `train` or `players` when there are not as many records.
 */
export function divide(dataset: Dataset, { train, players, seed, source }: Plan): Division {
  const total = dataset.players;
  if (train === undefined) {
    const count = players === undefined ? total : checkInteger('players', players, 1, total);
    const all = count === total;
    const rows = all ? undefined : shared(permutation(total, seededRandom(`${seed} players`)).subarray(0, count));
    const description = all
      ? `all ${wholeNumber(total)} records, which are those of the players`
      : `the ${wholeNumber(count)} players’ own records, a seeded choice of ${wholeNumber(total)}`;
    return { players: rows, evaluated: rows, count, evaluatedOn: { records: count, heldOut: false, description } };
  }
  if (total < 2) throw fileRefusal('data', 'a file with two or more records, to train on and to measure', source.data);
  const split = splitRows(total, { train, seed: `${seed} split` });
  const most = split.train.length;
  // The rows of a split are in random order, so its beginning is a choice at random.
  const count = players === undefined ? most : checkInteger('players', players, 1, most);
  const records = split.test.length;
  const description = `${counted(records, 'record')} held out by a seeded split of ${wholeNumber(total)}`;
  return {
    players: shared(split.train.subarray(0, count)),
    evaluated: shared(split.test),
    count,
    evaluatedOn: { records, heldOut: true, description },
  };
}

// Ascending rows are read from memory in order, which is several times as fast.
function shared(rows: Uint32Array): Uint32Array {
  const target = new Uint32Array(new SharedArrayBuffer(rows.byteLength));
  target.set(rows);
  return target.sort();
}

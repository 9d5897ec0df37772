import type { Lift } from '../polynomial/lift.ts';
import { createKernel, FREE } from '../random/kernel.ts';
import { type BlockPlayers, PLAYERS } from './unit-players.ts';

/** What players who report noisy copies of their vectors have in common. */
export interface CopyPlayersSetting {
  /** The symmetric powers that are tallied: the first, or the first two. */
  readonly lift: Lift;
  /** Standard deviation of the noise on each coordinate. */
  readonly sigma: number;
  /** Whether the numbers of a report are rounded to single precision. */
  readonly single: boolean;
}

/** Bytes of a row of four numbers. */
const ROW = 32;

/**
 * Players who report noisy copies, z = v + σg, in blocks, where there is a kernel to play them; undefined where there is none: then they
 * are played one after the other, with the same result. Their tally is the sum of the corrected symmetric powers of z: see
 * `addHermiteLift`.
 */
export function createCopyPlayers(
  { lift: { dimension, degree, size }, sigma, single }: CopyPlayersSetting,
  make: typeof createKernel = createKernel,
): BlockPlayers | undefined {
  // Parts of the memory, each at a multiple of 16 bytes.
  const indexes = FREE;
  const vectors = indexes + 4 * (PLAYERS + 4);
  const sums = vectors + 8 * dimension * (PLAYERS + 4);
  const work = (sums + 8 * size + 15) & ~15;
  const kernel = make(work + 2 * ROW * dimension);
  if (kernel === undefined) return undefined;
  const numbers = new Float64Array(kernel.memory.buffer);
  const order = new Int32Array(kernel.memory.buffer, indexes, PLAYERS + 4);
  const total = numbers.subarray(sums / 8, sums / 8 + size);
  return {
    add({ first, count, stream }, write, random, tally) {
      const [one, two, three, four] = random.key;
      kernel.setKey(one, two, three, four);
      kernel.setCopies(dimension, Number(degree > 1), sigma, Number(single));
      total.set(tally.sums.subarray(0, size));
      for (let done = 0; done < count; done += PLAYERS) {
        const some = Math.min(PLAYERS, count - done);
        for (let i = 0; i < some; i++) order[i] = stream === undefined ? first + done + i : stream(first + done + i);
        for (let i = 0; i < some; i++) write(first + done + i, numbers, vectors / 8 + i * dimension);
        kernel.playCopies(indexes, vectors, some, sums, work);
      }
      tally.sums.set(total);
      tally.reports[0] += count;
    },
  };
}

import { drawSeedAndPlace, type KClosest } from '../mechanism/k-closest.ts';
import { createKernel, FREE } from '../random/kernel.ts';
import { SEED_WORDS } from '../random/public-direction.ts';
import type { Random } from '../random/random.ts';

/** Sums of k-closest reports, made and added by a kernel. */
export interface CodewordSums {
  /** The sums so far; to be set before the first player of a block. The next block overwrites them. */
  readonly sums: Float64Array;
  /** Where the unit vector of a player is written, with its completion. */
  readonly unit: Float64Array;
  /**
   * Draws the report of one player from `random` and adds the vector that it stands for to the sums from entry `from` on.
   *
   * Law: the same words, and the same sums to the bit, as `randomizeKClosest` followed by `expandKClosest`.
   */
  add(mechanism: KClosest, random: Random, from: number): void;
}

/** Numbers of all directions of a player for which a kernel gets memory: 4 MB. */
const DIRECTIONS = 1 << 19;
/** Bytes of the words of four streams and of the products: see kernel/codewords.ts. */
const WORK: number = 4 * (256 + 1024) + 2 * 4096;

/**
 * Sums of reports of these mechanisms, all but the last number of each: its completion. Undefined where there is no kernel, or
 * where their directions take too much memory: then players are played one after the other, with the same result.
 */
export function createCodewordSums(
  mechanisms: readonly KClosest[],
  size: number,
  make: typeof createKernel = createKernel,
): CodewordSums | undefined {
  let longest = 0;
  let directions = 0;
  for (const { dimension, codewords } of mechanisms) {
    longest = Math.max(longest, dimension);
    directions = Math.max(directions, dimension * (codewords / 2 + 3));
  }
  if (directions > DIRECTIONS) return undefined;
  const seed = FREE;
  const unit = seed + 16;
  const sums = unit + 8 * (longest + 1);
  const work = sums + 8 * (size + 1);
  const kernel = make(work + WORK + 8 * directions);
  if (kernel === undefined) return undefined;
  const { buffer } = kernel.memory;
  const words = new Uint32Array(buffer, seed, SEED_WORDS);
  const vector = new Float64Array(buffer, unit, longest);
  return {
    sums: new Float64Array(buffer, sums, size),
    unit: vector,
    add(mechanism, random, from) {
      const { dimension, codewords, scale } = mechanism;
      const place = drawSeedAndPlace(mechanism, vector, words, random);
      kernel.addCodeword(seed, unit, dimension, codewords / 2, place, scale, sums + 8 * from, dimension - 1, work);
    },
  };
}

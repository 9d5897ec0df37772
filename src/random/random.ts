/**
 * A source of uniform random bits: a pool of 32-bit words and a way to fill it again.
 *
 * The laws in this folder take their words straight from the pool, so that a draw costs no call into the source. Words
 * before `next` are spent; a law that needs k words and finds fewer left refills first.
 */
export interface Random {
  /** The pool; its length is even and at least 32. Only the source writes to it. */
  readonly words: Uint32Array;
  /** Index of the first unspent word; `words.length` when the pool is spent. */
  next: number;
  /** Overwrites the whole pool with fresh words and sets `next` to 0. */
  refill(): void;
}

/** The next 32 uniform bits, as an integer in [0, 2³²). */
export function bits(random: Random): number {
  if (random.next >= random.words.length) random.refill();
  return random.words[random.next++];
}

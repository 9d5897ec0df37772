/**
 * A source of uniform random bits: a pool of 32-bit words and a way to get more.
 *
 * The laws in this folder take their words straight from the pool, so that a draw costs no call into the source. Words
 * before `next` are spent. A law that needs k ≤ 32 words refills first if fewer are left, then takes them in order.
 */
export interface Random {
  /** The pool, at least 64 words long. Only the source writes to it. */
  readonly words: Uint32Array;
  /** Index of the first unspent word; `words.length` when the pool is spent. The code that takes words advances it. */
  next: number;
  /**
   * Brings fresh words: afterwards at least 32 words, up to the end of the pool, are unspent. Words that were unspent
   * before come first or are dropped; each source may choose. Call it only when fewer than 32 words are left.
   */
  refill(): void;
  /** The state of sfc32 after the words of the pool, where these are its words. The code that makes more of them advances it. */
  readonly state?: Int32Array;
}

/** The constant of Skein's key schedule, shortened to 32 bits by Threefry's authors. */
const PARITY = 0x1bd11bda;

/**
 * Derives the key of child number `index` from a parent key of four words: Threefry-4×32 with 20 rounds of the counter
 * (index mod 2³², ⌊index / 2³²⌋, 0, 0). Distinct indexes give distinct keys, and every bit of the result depends on
 * every bit of key and index.
 *
 * Shape: `key` and `child` have length 4; `child` is overwritten and may be `key` itself.
 *
 * Source: J. Salmon, M. Moraes, R. Dror, D. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011, section 4.
 */
export function deriveKey(key: Int32Array, index: number, child: Int32Array): void {
  threefry(key, index | 0, (index / 0x100000000) | 0, 0, 0, child);
}

/**
 * Threefry-4×32-20 of the counter (a, b, c, d).
 *
 * Shape: `key` and `out` have length 4; `out` is overwritten and may be `key` itself.
 */
export function threefry(key: Int32Array, a: number, b: number, c: number, d: number, out: Int32Array): void {
  let k0 = key[0];
  let k1 = key[1];
  let k2 = key[2];
  let k3 = key[3];
  let k4 = PARITY ^ k0 ^ k1 ^ k2 ^ k3;
  let x0 = (a + k0) | 0;
  let x1 = (b + k1) | 0;
  let x2 = (c + k2) | 0;
  let x3 = (d + k3) | 0;
  // Five groups of four rounds; after each group the key, rotated by one word more, is added. The eight pairs of
  // rotations repeat, so one pass of the loop is two groups, and the loop ends in the middle of a pass.
  for (let group = 1; ; group += 2) {
    x0 = (x0 + x1) | 0;
    x1 = ((x1 << 10) | (x1 >>> 22)) ^ x0;
    x2 = (x2 + x3) | 0;
    x3 = ((x3 << 26) | (x3 >>> 6)) ^ x2;
    x0 = (x0 + x3) | 0;
    x3 = ((x3 << 11) | (x3 >>> 21)) ^ x0;
    x2 = (x2 + x1) | 0;
    x1 = ((x1 << 21) | (x1 >>> 11)) ^ x2;
    x0 = (x0 + x1) | 0;
    x1 = ((x1 << 13) | (x1 >>> 19)) ^ x0;
    x2 = (x2 + x3) | 0;
    x3 = ((x3 << 27) | (x3 >>> 5)) ^ x2;
    x0 = (x0 + x3) | 0;
    x3 = ((x3 << 23) | (x3 >>> 9)) ^ x0;
    x2 = (x2 + x1) | 0;
    x1 = ((x1 << 5) | (x1 >>> 27)) ^ x2;
    x0 = (x0 + k1) | 0;
    x1 = (x1 + k2) | 0;
    x2 = (x2 + k3) | 0;
    x3 = (x3 + k4 + group) | 0;
    if (group === 5) break;
    x0 = (x0 + x1) | 0;
    x1 = ((x1 << 6) | (x1 >>> 26)) ^ x0;
    x2 = (x2 + x3) | 0;
    x3 = ((x3 << 20) | (x3 >>> 12)) ^ x2;
    x0 = (x0 + x3) | 0;
    x3 = ((x3 << 17) | (x3 >>> 15)) ^ x0;
    x2 = (x2 + x1) | 0;
    x1 = ((x1 << 11) | (x1 >>> 21)) ^ x2;
    x0 = (x0 + x1) | 0;
    x1 = ((x1 << 25) | (x1 >>> 7)) ^ x0;
    x2 = (x2 + x3) | 0;
    x3 = ((x3 << 10) | (x3 >>> 22)) ^ x2;
    x0 = (x0 + x3) | 0;
    x3 = ((x3 << 18) | (x3 >>> 14)) ^ x0;
    x2 = (x2 + x1) | 0;
    x1 = ((x1 << 20) | (x1 >>> 12)) ^ x2;
    x0 = (x0 + k2) | 0;
    x1 = (x1 + k3) | 0;
    x2 = (x2 + k4) | 0;
    x3 = (x3 + k0 + group + 1) | 0;
    const turned0 = k0;
    const turned1 = k1;
    k0 = k2;
    k1 = k3;
    k2 = k4;
    k3 = turned0;
    k4 = turned1;
  }
  out[0] = x0;
  out[1] = x1;
  out[2] = x2;
  out[3] = x3;
}

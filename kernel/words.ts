// The words of four streams at once, one in each lane: the same words as src/random/seeded.ts gives each of them.

/** The constant of Skein's key schedule, shortened to 32 bits by Threefry's authors. */
const PARITY: i32 = 0x1bd11bda;

/**
 * Where the state of sfc32 is, after the tables of the normals: four vectors, one lane for each stream. It is in memory so that
 * a lane can be moved on alone.
 */
export const STATE: usize = 6160;

// One step of sfc32, of four streams and of one. The state is x, y, z and n, which counts; a step has one line for each.

/** The next words of four streams. */
export function wordOf(x: v128, y: v128, n: v128): v128 {
  return i32x4.add(i32x4.add(x, y), n);
}

/** What x becomes. */
export function nextX(y: v128): v128 {
  return v128.xor(y, i32x4.shr_u(y, 9));
}

/** What y becomes. */
export function nextY(z: v128): v128 {
  return i32x4.add(z, i32x4.shl(z, 3));
}

/** What z becomes. */
export function nextZ(z: v128, word: v128): v128 {
  return i32x4.add(rotated(z, 21), word);
}

/** What x becomes in one stream, whose word is x + y + n. */
export function oneX(y: i32): i32 {
  return y ^ (y >>> 9);
}

/** What y becomes in one stream. */
export function oneY(z: i32): i32 {
  return z + (z << 3);
}

/** What z becomes in one stream. */
export function oneZ(z: i32, word: i32): i32 {
  return rotl<i32>(z, 21) + word;
}

/** The key of the source whose streams the players draw from. */
let key0: i32 = 0;
let key1: i32 = 0;
let key2: i32 = 0;
let key3: i32 = 0;

/** Names the source. */
export function setKey(first: i32, second: i32, third: i32, fourth: i32): void {
  key0 = first;
  key1 = second;
  key2 = third;
  key3 = fourth;
}

/** Puts the states of four streams into memory. */
export function storeStates(x: v128, y: v128, z: v128, n: v128): void {
  v128.store(STATE, x);
  v128.store(STATE, y, 16);
  v128.store(STATE, z, 32);
  v128.store(STATE, n, 48);
}

/** Puts the lanes at the beginning of the streams of the source with these indexes. */
export function seek(indexes: v128): void {
  seekOf(key0, key1, key2, key3, indexes);
}

export function rotated(x: v128, by: i32): v128 {
  return v128.or(i32x4.shl(x, by), i32x4.shr_u(x, 32 - by));
}

/** Puts the lanes at the beginning of the streams of any key with these indexes, by Threefry-4×32-20 of each index. */
export function seekOf(k0: i32, k1: i32, k2: i32, k3: i32, indexes: v128): void {
  let k4 = PARITY ^ k0 ^ k1 ^ k2 ^ k3;
  let x0 = i32x4.add(indexes, i32x4.splat(k0));
  let x1 = i32x4.splat(k1);
  let x2 = i32x4.splat(k2);
  let x3 = i32x4.splat(k3);
  for (let group = 1; ; group += 2) {
    x0 = i32x4.add(x0, x1);
    x1 = v128.xor(rotated(x1, 10), x0);
    x2 = i32x4.add(x2, x3);
    x3 = v128.xor(rotated(x3, 26), x2);
    x0 = i32x4.add(x0, x3);
    x3 = v128.xor(rotated(x3, 11), x0);
    x2 = i32x4.add(x2, x1);
    x1 = v128.xor(rotated(x1, 21), x2);
    x0 = i32x4.add(x0, x1);
    x1 = v128.xor(rotated(x1, 13), x0);
    x2 = i32x4.add(x2, x3);
    x3 = v128.xor(rotated(x3, 27), x2);
    x0 = i32x4.add(x0, x3);
    x3 = v128.xor(rotated(x3, 23), x0);
    x2 = i32x4.add(x2, x1);
    x1 = v128.xor(rotated(x1, 5), x2);
    x0 = i32x4.add(x0, i32x4.splat(k1));
    x1 = i32x4.add(x1, i32x4.splat(k2));
    x2 = i32x4.add(x2, i32x4.splat(k3));
    x3 = i32x4.add(x3, i32x4.splat(k4 + group));
    if (group === 5) break;
    x0 = i32x4.add(x0, x1);
    x1 = v128.xor(rotated(x1, 6), x0);
    x2 = i32x4.add(x2, x3);
    x3 = v128.xor(rotated(x3, 20), x2);
    x0 = i32x4.add(x0, x3);
    x3 = v128.xor(rotated(x3, 17), x0);
    x2 = i32x4.add(x2, x1);
    x1 = v128.xor(rotated(x1, 11), x2);
    x0 = i32x4.add(x0, x1);
    x1 = v128.xor(rotated(x1, 25), x0);
    x2 = i32x4.add(x2, x3);
    x3 = v128.xor(rotated(x3, 10), x2);
    x0 = i32x4.add(x0, x3);
    x3 = v128.xor(rotated(x3, 18), x0);
    x2 = i32x4.add(x2, x1);
    x1 = v128.xor(rotated(x1, 20), x2);
    x0 = i32x4.add(x0, i32x4.splat(k2));
    x1 = i32x4.add(x1, i32x4.splat(k3));
    x2 = i32x4.add(x2, i32x4.splat(k4));
    x3 = i32x4.add(x3, i32x4.splat(k0 + group + 1));
    const turned0 = k0;
    const turned1 = k1;
    k0 = k2;
    k1 = k3;
    k2 = k4;
    k3 = turned0;
    k4 = turned1;
  }
  storeStates(x0, x1, x2, x3);
}

/** The next word of one stream, whose state is four words, 16 bytes from each to the next. */
export function drawWord(state: usize): u32 {
  const b = load<i32>(state, 16);
  const c = load<i32>(state, 32);
  const count = load<i32>(state, 48);
  const word = load<i32>(state) + b + count;
  store<i32>(state, oneX(b));
  store<i32>(state, oneY(c), 16);
  store<i32>(state, oneZ(c, word), 32);
  store<i32>(state, count + 1, 48);
  return word;
}

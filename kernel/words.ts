// The words of four players at once, one in each lane: the same words as src/random/derive-key.ts gives each of them.

/** The constant of Skein's key schedule, shortened to 32 bits by Threefry's authors. */
const PARITY: i32 = 0x1bd11bda;

/** The state of sfc32, four players side by side. */
let a: v128 = i32x4.splat(0);
let b: v128 = i32x4.splat(0);
let c: v128 = i32x4.splat(0);
let count: v128 = i32x4.splat(0);

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

function rotated(x: v128, by: i32): v128 {
  return v128.or(i32x4.shl(x, by), i32x4.shr_u(x, 32 - by));
}

/** Puts the lanes at the beginning of the streams with these indexes, by Threefry-4×32-20 of each index. */
export function seek(indexes: v128): void {
  let k0 = key0;
  let k1 = key1;
  let k2 = key2;
  let k3 = key3;
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
  a = x0;
  b = x1;
  c = x2;
  count = x3;
}

/** The next `words` words of each lane, a multiple of 4, in four buffers that begin `stride` bytes after one another. */
export function fillWords(to: usize, stride: usize, words: i32): void {
  // The state stays in registers: four steps of src/random/derive-key.ts a pass.
  let x = a;
  let y = b;
  let z = c;
  let n = count;
  const one = i32x4.splat(1);
  for (const end = to + ((<usize>words) << 2); to < end; to += 16) {
    const w0 = i32x4.add(i32x4.add(x, y), n);
    x = v128.xor(y, i32x4.shr_u(y, 9));
    y = i32x4.add(z, i32x4.shl(z, 3));
    z = i32x4.add(rotated(z, 21), w0);
    n = i32x4.add(n, one);
    const w1 = i32x4.add(i32x4.add(x, y), n);
    x = v128.xor(y, i32x4.shr_u(y, 9));
    y = i32x4.add(z, i32x4.shl(z, 3));
    z = i32x4.add(rotated(z, 21), w1);
    n = i32x4.add(n, one);
    const w2 = i32x4.add(i32x4.add(x, y), n);
    x = v128.xor(y, i32x4.shr_u(y, 9));
    y = i32x4.add(z, i32x4.shl(z, 3));
    z = i32x4.add(rotated(z, 21), w2);
    n = i32x4.add(n, one);
    const w3 = i32x4.add(i32x4.add(x, y), n);
    x = v128.xor(y, i32x4.shr_u(y, 9));
    y = i32x4.add(z, i32x4.shl(z, 3));
    z = i32x4.add(rotated(z, 21), w3);
    n = i32x4.add(n, one);
    // The lanes of four steps, transposed: four words of one player after the other.
    const front01 = v128.shuffle<i32>(w0, w1, 0, 4, 1, 5);
    const back01 = v128.shuffle<i32>(w0, w1, 2, 6, 3, 7);
    const front23 = v128.shuffle<i32>(w2, w3, 0, 4, 1, 5);
    const back23 = v128.shuffle<i32>(w2, w3, 2, 6, 3, 7);
    v128.store(to, v128.shuffle<i64>(front01, front23, 0, 2));
    v128.store(to + stride, v128.shuffle<i64>(front01, front23, 1, 3));
    v128.store(to + 2 * stride, v128.shuffle<i64>(back01, back23, 0, 2));
    v128.store(to + 3 * stride, v128.shuffle<i64>(back01, back23, 1, 3));
  }
  a = x;
  b = y;
  c = z;
  count = n;
}

// Sums of monomials of vectors, 64 vectors at a time: what src/polynomial/power-sums.ts computes, with the same bits.
//
// Every array of monomials has the monomials of one vector side by side, and one such row for each vector, so that neighbouring
// sums are made together and each of them still adds the vectors in their order.

/** Vectors of a block. */
const BLOCK: i32 = 64;
/** Bytes of one task: six integers. */
const TASK: usize = 24;

/**
 * Fills the rows of a block. Monomial e below `parents` has children: its products with the coordinates from `lasts[e]` on,
 * the first of them is monomial `children[e]`. After the powers come, for the monomials from `first` on, the same times the
 * factor of the vector, and a number 0.
 */
export function fillPowers(
  vectors: usize,
  factors: usize,
  dimension: i32,
  parents: i32,
  children: usize,
  lasts: usize,
  size: i32,
  first: i32,
  powers: usize,
  multiples: usize,
): void {
  const length = (<usize>dimension) << 3;
  const row = (<usize>size) << 3;
  const tops = (<usize>(size - first)) << 3;
  for (let b = 0; b < BLOCK; b++) {
    memory.copy(powers, vectors, length);
    for (let e: usize = 0; e < <usize>parents; e++) {
      const by = (<usize>load<i32>(lasts + (e << 2))) << 3;
      const to = powers + ((<usize>load<i32>(children + (e << 2))) << 3);
      writeMultiple(load<f64>(powers + (e << 3)), powers + by, to, length - by);
    }
    writeMultiple(load<f64>(factors), powers + ((<usize>first) << 3), multiples, tops);
    store<f64>(multiples + tops, 0);
    vectors += length;
    factors += 8;
    powers += row;
    multiples += tops + 8;
  }
}

/** Writes a factor times `length` bytes of numbers. */
function writeMultiple(factor: f64, from: usize, to: usize, length: usize): void {
  const factors = f64x2.splat(factor);
  const end = to + length;
  for (const stop = to + (length & ~15); to < stop; to += 16, from += 16) {
    v128.store(to, f64x2.mul(factors, v128.load(from)));
  }
  if (to < end) store<f64>(to, factor * load<f64>(from));
}

/** Writes the sums over the vectors of their monomials `from` to `to` − 1, each times the factor of the vector. */
export function sumPowers(factors: usize, powers: usize, size: i32, from: i32, to: i32, out: usize): void {
  multiply(factors, factors, 8, powers + ((<usize>from) << 3), (<usize>size) << 3, to - from, out, out);
}

/**
 * Writes products of monomials, summed over the vectors. A task names two monomials among the multiples, their partners by
 * `from` and `to` among all, and where the sums of both begin in `out`.
 */
export function sumProducts(
  tasks: usize,
  count: i32,
  powers: usize,
  size: i32,
  multiples: usize,
  tops: i32,
  out: usize,
): void {
  const step = (<usize>tops + 1) << 3;
  const row = (<usize>size) << 3;
  for (const end = tasks + <usize>count * TASK; tasks < end; tasks += TASK) {
    const from = load<i32>(tasks, 8);
    multiply(
      multiples + ((<usize>load<i32>(tasks)) << 3),
      multiples + ((<usize>load<i32>(tasks, 4)) << 3),
      step,
      powers + ((<usize>from) << 3),
      row,
      load<i32>(tasks, 12) - from,
      out + ((<usize>load<i32>(tasks, 16)) << 3),
      out + ((<usize>load<i32>(tasks, 20)) << 3),
    );
  }
}

/** Sums over the vectors of two numbers of each, times `count` neighbouring ones. Sixteen sums at once keep the arithmetic busy. */
function multiply(u: usize, v: usize, step: usize, x: usize, row: usize, count: i32, left: usize, right: usize): void {
  const end = left + ((<usize>count) << 3);
  const span = <usize>BLOCK * row;
  for (const stop = left + ((<usize>(count & ~7)) << 3); left < stop; left += 64, right += 64, x += 64) {
    let a0 = f64x2.splat(0);
    let a1 = f64x2.splat(0);
    let a2 = f64x2.splat(0);
    let a3 = f64x2.splat(0);
    let b0 = f64x2.splat(0);
    let b1 = f64x2.splat(0);
    let b2 = f64x2.splat(0);
    let b3 = f64x2.splat(0);
    let p = u;
    let q = v;
    for (let at = x; at < x + span; at += row, p += step, q += step) {
      const one = v128.load_splat<u64>(p);
      const two = v128.load_splat<u64>(q);
      const x0 = v128.load(at);
      a0 = f64x2.add(a0, f64x2.mul(one, x0));
      b0 = f64x2.add(b0, f64x2.mul(two, x0));
      const x1 = v128.load(at, 16);
      a1 = f64x2.add(a1, f64x2.mul(one, x1));
      b1 = f64x2.add(b1, f64x2.mul(two, x1));
      const x2 = v128.load(at, 32);
      a2 = f64x2.add(a2, f64x2.mul(one, x2));
      b2 = f64x2.add(b2, f64x2.mul(two, x2));
      const x3 = v128.load(at, 48);
      a3 = f64x2.add(a3, f64x2.mul(one, x3));
      b3 = f64x2.add(b3, f64x2.mul(two, x3));
    }
    v128.store(left, a0);
    v128.store(left, a1, 16);
    v128.store(left, a2, 32);
    v128.store(left, a3, 48);
    v128.store(right, b0);
    v128.store(right, b1, 16);
    v128.store(right, b2, 32);
    v128.store(right, b3, 48);
  }
  for (const stop = left + ((<usize>(count & 6)) << 3); left < stop; left += 16, right += 16, x += 16) {
    let a = f64x2.splat(0);
    let b = f64x2.splat(0);
    let p = u;
    let q = v;
    for (let at = x; at < x + span; at += row, p += step, q += step) {
      const some = v128.load(at);
      a = f64x2.add(a, f64x2.mul(v128.load_splat<u64>(p), some));
      b = f64x2.add(b, f64x2.mul(v128.load_splat<u64>(q), some));
    }
    v128.store(left, a);
    v128.store(right, b);
  }
  if (left < end) {
    let a: f64 = 0;
    let b: f64 = 0;
    let p = u;
    let q = v;
    for (let at = x; at < x + span; at += row, p += step, q += step) {
      a += load<f64>(p) * load<f64>(at);
      b += load<f64>(q) * load<f64>(at);
    }
    store<f64>(left, a);
    store<f64>(right, b);
  }
}

// The samples of one player, which lie one after the other: their sums, and the residual of their mean. It is what
// protocols/user-level-mean/local-mean.ts computes, with the same bits.
import { POINT } from './rows';

/**
 * Adds `count` samples of `dimension` numbers to `sums`, each coordinate in the order of the samples, and returns the largest size of a
 * number among them. A NaN is not seen there; it makes its sum NaN. The sums begin at 0 where these samples are the `first`.
 */
export function addSamples(samples: usize, count: i32, dimension: i32, sums: usize, first: bool): f64 {
  const step = (<usize>dimension) << 3;
  const end = samples + <usize>count * step;
  const last = sums + step;
  if (first) for (let at = sums; at < last; at += 8) store<f64>(at, 0);
  // Numbers lose their sign by a mask, which goes by way of memory, or an engine makes it anew each time.
  v128.store(POINT, i64x2.splat(i64.MAX_VALUE));
  const mask = v128.load(POINT);
  let even = f64x2.splat(0);
  let odd = f64x2.splat(0);
  for (; sums + 56 < last; sums += 64, samples += 64) {
    let a = v128.load(sums);
    let b = v128.load(sums, 16);
    let c = v128.load(sums, 32);
    let d = v128.load(sums, 48);
    for (let at = samples; at < end; at += step) {
      const x = v128.load(at);
      const y = v128.load(at, 16);
      const z = v128.load(at, 32);
      const w = v128.load(at, 48);
      a = f64x2.add(a, x);
      b = f64x2.add(b, y);
      c = f64x2.add(c, z);
      d = f64x2.add(d, w);
      even = f64x2.pmax(even, v128.and(mask, x));
      odd = f64x2.pmax(odd, v128.and(mask, y));
      even = f64x2.pmax(even, v128.and(mask, z));
      odd = f64x2.pmax(odd, v128.and(mask, w));
    }
    v128.store(sums, a);
    v128.store(sums, b, 16);
    v128.store(sums, c, 32);
    v128.store(sums, d, 48);
  }
  for (; sums < last; sums += 8, samples += 8) {
    let sum = load<f64>(sums);
    for (let at = samples; at < end; at += step) {
      const x = v128.load64_zero(at);
      sum += f64x2.extract_lane(x, 0);
      even = f64x2.pmax(even, v128.and(mask, x));
    }
    store<f64>(sums, sum);
  }
  const sizes = f64x2.pmax(even, odd);
  return max(f64x2.extract_lane(sizes, 0), f64x2.extract_lane(sizes, 1));
}

/**
 * Replaces the sums of `count` samples by the residual of their mean: its difference to the centre, in units of `radius` and shortened to
 * the unit ball, times `shrink`. Returns the squared length of the difference, which is no number if one of the sums is none.
 */
export function placeResidual(sums: usize, centre: usize, dimension: i32, count: f64, radius: f64, shrink: f64): f64 {
  const last = sums + ((<usize>dimension) << 3);
  const even = last - ((<usize>dimension & 1) << 3);
  const counts = f64x2.splat(count);
  let squared = 0.0;
  let at = sums;
  for (; at < even; at += 16, centre += 16) {
    const x = f64x2.sub(f64x2.div(v128.load(at), counts), v128.load(centre));
    v128.store(at, x);
    const squares = f64x2.mul(x, x);
    squared += f64x2.extract_lane(squares, 0);
    squared += f64x2.extract_lane(squares, 1);
  }
  if (at < last) {
    const x = load<f64>(at) / count - load<f64>(centre);
    store<f64>(at, x);
    squared += x * x;
  }
  const factor = min(1.0 / radius, 1.0 / sqrt(squared)) * shrink;
  const factors = f64x2.splat(factor);
  for (at = sums; at < even; at += 16) v128.store(at, f64x2.mul(v128.load(at), factors));
  if (at < last) store<f64>(at, load<f64>(at) * factor);
  return squared;
}

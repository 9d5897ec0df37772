import { clipBall, clipNumber, dropTiny, fieldOf, lengthOf } from '../../src/check/datum.ts';
import { RefusedKind, RefusedValue } from '../../src/check/refusal.ts';
import type { RoundOfVectors, SampleDomain, UserDatum } from './shape.ts';

const { abs, floor, max, min, sqrt } = Math;

/** The number of samples of a player: at least one, and no incomplete one. Errors tell nothing about the datum. */
export function samplesOf(datum: UserDatum, dimension: number): number {
  if (datum === null || typeof datum !== 'object') throw new RefusedKind('"datum" expected { samples }');
  const { samples } = datum;
  if (samples === null || typeof samples !== 'object' || typeof samples.length !== 'number') {
    throw new RefusedKind('"samples" expected an array of numbers');
  }
  const count = samples.length / dimension;
  if (!(Number.isInteger(count) && count >= 1)) {
    throw new RefusedValue(
      dimension === 1
        ? '"samples" expected at least one number'
        : `"samples" expected at least one sample, each of ${dimension} numbers`,
    );
  }
  return count;
}

/** The mean of a player's samples, d = 1. One pass; every sample is checked, and no error contains its value. */
export function localMean(datum: UserDatum, bound: number): number {
  const count = samplesOf(datum, 1);
  const { samples } = datum;
  let sum = 0;
  for (let i = 0; i < count; i++) {
    const value: unknown = samples[i];
    if (typeof value !== 'number') throw new RefusedKind(`"samples" expected numbers from ${-bound} to ${bound}`);
    if (!(value >= -bound && value <= bound)) refuseSamples({ bound, domain: 'box' });
    sum += value;
  }
  return sum / count;
}

/**
 * The samples that a device plays, always a copy and never an error. Every sample of d numbers is clipped to the box,
 * or shortened to the ball, of bound B. Values that are not numbers become 0, and a remainder of fewer than d numbers
 * is dropped. If there is no sample, or there are more than 2²⁴ numbers, the result is one sample of zeros.
 */
export function clipSamples(
  { dimension, bound }: Pick<SampleSpace, 'dimension' | 'bound'>,
  datum: unknown,
  domain: SampleDomain,
): UserDatum {
  const given = fieldOf(datum, 'samples');
  const count = max(1, floor(lengthOf(given) / dimension));
  const samples = new Float64Array(count * dimension);
  if (domain === 'box') for (let i = 0; i < samples.length; i++) samples[i] = clipNumber(fieldOf(given, i), bound);
  else for (let at = 0; at < samples.length; at += dimension) samples.set(clipBall(given, dimension, bound, at), at);
  return { samples };
}

/** What is public about a player's samples. */
export type SampleSpace = Pick<RoundOfVectors, 'dimension' | 'bound' | 'domain'>;

/** A sum over samples, which are numbers, with d weights or into the first d entries of `numbers`. */
type Sum<Result> = (space: SampleSpace, samples: ArrayLike<number>, count: number, numbers: Float64Array) => Result;

/** Samples that were divided by their own norm may exceed the bound by rounding; nothing beyond that is accepted. */
const TOLERANCE = 1 + 1e-12;

/**
 * ⟨w, ȳ⟩, the product of a vector of d numbers with the mean of a player's samples. One pass; every sample is checked,
 * and its values change neither an error nor the running time.
 */
export function localProduct(space: SampleSpace, datum: UserDatum, weights: Float64Array): number {
  const count = samplesOf(datum, space.dimension);
  checkNumbers(datum);
  const add = space.domain === 'box' ? boxProduct : ballProduct;
  const sum = add(space, datum.samples, count, weights);
  // Weights are not 0, so that any value that is not a number has made the sum NaN.
  if (Number.isNaN(sum)) refuseSamples(space);
  return sum / count;
}

/** The sum over the samples; NaN if a sample is outside the box. */
const boxProduct: Sum<number> = ({ dimension, bound }, samples, count, weights) => {
  // Four sums shorten the chain of dependent additions, which limits the speed of the loop.
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  let inside = true;
  for (let sample = 0, at = 0; sample < count; sample++) {
    let i = 0;
    for (; i + 3 < dimension; i += 4, at += 4) {
      const x = samples[at];
      const y = samples[at + 1];
      const z = samples[at + 2];
      const w = samples[at + 3];
      a += weights[i] * x;
      b += weights[i + 1] * y;
      c += weights[i + 2] * z;
      d += weights[i + 3] * w;
      // Branches that are never taken cost almost nothing; NaN values show in the sums.
      if (abs(x) > bound || abs(y) > bound || abs(z) > bound || abs(w) > bound) inside = false;
    }
    for (; i < dimension; i++, at++) {
      const x = samples[at];
      a += weights[i] * x;
      if (abs(x) > bound) inside = false;
    }
  }
  return inside ? a + b + (c + d) : Number.NaN;
};

/** The sum over the samples; NaN if a sample is outside the ball. */
const ballProduct: Sum<number> = ({ dimension, bound }, samples, count, weights) => {
  const limit = bound * bound * TOLERANCE;
  let even = 0;
  let odd = 0;
  let inside = true;
  for (let sample = 0, at = 0; sample < count; sample++) {
    let squared = 0;
    let squaredOdd = 0;
    let i = 0;
    for (; i + 1 < dimension; i += 2, at += 2) {
      const x = samples[at];
      const z = samples[at + 1];
      even += weights[i] * x;
      odd += weights[i + 1] * z;
      squared += x * x;
      squaredOdd += z * z;
    }
    if (i < dimension) {
      const x = samples[at++];
      even += weights[i] * x;
      squared += x * x;
    }
    if (squared + squaredOdd > limit) inside = false;
  }
  return inside ? even + odd : Number.NaN;
};

/** Writes the mean of a player's samples into the first d entries of `target`: checks and time as above. */
export function fillLocalMean(space: SampleSpace, datum: UserDatum, target: Float64Array): void {
  const { dimension } = space;
  const count = samplesOf(datum, dimension);
  checkNumbers(datum);
  const add = space.domain === 'box' ? addBoxSamples : addBallSamples;
  const inside = add(space, datum.samples, count, target);
  for (let i = 0; i < dimension; i++) {
    // Whatever is not a number has made its sum NaN.
    if (Number.isNaN(target[i])) refuseSamples(space);
    target[i] /= count;
  }
  if (!inside) refuseSamples(space);
}

/** What is public about a residual: the space of samples, c and r. */
export interface ResidualSpace extends SampleSpace {
  readonly centre: Float64Array;
  readonly radius: number;
}

/** Writes a player's residual, in the unit ball, into the first d entries of `mean`; returns its squared length. */
export function fillResidual(round: ResidualSpace, datum: UserDatum, mean: Float64Array): number {
  const { dimension, centre, radius } = round;
  fillLocalMean(round, datum, mean);
  let squared = 0;
  for (let i = 0; i < dimension; i++) {
    mean[i] -= centre[i];
    squared += mean[i] * mean[i];
  }
  const factor = min(1 / radius, 1 / sqrt(squared)) * withinBall(dimension);
  let length = 0;
  for (let i = 0; i < dimension; i++) {
    mean[i] = dropTiny(mean[i] * factor);
    length += mean[i] * mean[i];
  }
  return length;
}

/** Slightly below 1, by more than the rounding of a sum of so many squares: no vector that is shortened by it exceeds the ball. */
export function withinBall(dimension: number): number {
  return 1 - max(2 ** -40, (dimension + 4) * 2 ** -52);
}

/** Samples are summed by blocks of at most so many numbers (32 kB), which stay in the fastest memory. */
const BLOCK = 4096;

/**
 * Writes the sums; false if a sample is outside the box. Eight sums at a time stay in registers while the samples of a
 * block pass by, in their order.
 */
const addBoxSamples: Sum<boolean> = ({ dimension, bound }, samples, count, target) => {
  for (let i = 0; i < dimension; i++) target[i] = 0;
  const block = max(4, floor(BLOCK / dimension)) * dimension;
  const length = count * dimension;
  let inside = true;
  for (let start = 0; start < length; start += block) {
    const end = min(start + block, length);
    let i = 0;
    for (; i + 7 < dimension; i += 8) {
      let a = target[i];
      let b = target[i + 1];
      let c = target[i + 2];
      let d = target[i + 3];
      let e = target[i + 4];
      let f = target[i + 5];
      let g = target[i + 6];
      let h = target[i + 7];
      for (let at = start + i; at < end; at += dimension) {
        const p = samples[at];
        const q = samples[at + 1];
        const r = samples[at + 2];
        const s = samples[at + 3];
        const t = samples[at + 4];
        const u = samples[at + 5];
        const v = samples[at + 6];
        const w = samples[at + 7];
        a += p;
        b += q;
        c += r;
        d += s;
        e += t;
        f += u;
        g += v;
        h += w;
        // Branches that are never taken cost almost nothing; NaN values show in the sums.
        if (abs(p) > bound || abs(q) > bound || abs(r) > bound || abs(s) > bound) inside = false;
        if (abs(t) > bound || abs(u) > bound || abs(v) > bound || abs(w) > bound) inside = false;
      }
      target[i] = a;
      target[i + 1] = b;
      target[i + 2] = c;
      target[i + 3] = d;
      target[i + 4] = e;
      target[i + 5] = f;
      target[i + 6] = g;
      target[i + 7] = h;
    }
    for (; i < dimension; i++) {
      let sum = target[i];
      for (let at = start + i; at < end; at += dimension) {
        const x = samples[at];
        sum += x;
        if (abs(x) > bound) inside = false;
      }
      target[i] = sum;
    }
  }
  return inside;
};

/** The same for the ball, by rows: the squares of four samples are four sums, none of which waits for another. */
const addBallSamples: Sum<boolean> = ({ dimension, bound }, samples, count, target) => {
  for (let i = 0; i < dimension; i++) target[i] = 0;
  const limit = bound * bound * TOLERANCE;
  let inside = true;
  let a = 0;
  for (let sample = 0; sample + 3 < count; sample += 4) {
    let b = a + dimension;
    let c = b + dimension;
    let d = c + dimension;
    let first = 0;
    let second = 0;
    let third = 0;
    let fourth = 0;
    for (let i = 0; i < dimension; i++) {
      const x = samples[a++];
      const y = samples[b++];
      const z = samples[c++];
      const w = samples[d++];
      target[i] = target[i] + x + y + z + w;
      first += x * x;
      second += y * y;
      third += z * z;
      fourth += w * w;
    }
    if (first > limit || second > limit || third > limit || fourth > limit) inside = false;
    a = d;
  }
  for (; a < count * dimension; ) {
    let squared = 0;
    for (let i = 0; i < dimension; i++) {
      const x = samples[a++];
      target[i] += x;
      squared += x * x;
    }
    if (squared > limit) inside = false;
  }
  return inside;
};

function checkNumbers({ samples }: UserDatum): void {
  if (!onlyNumbers(samples)) throw new RefusedKind('"samples" expected an array of numbers');
}

/** Arrays of doubles or of single precision hold only numbers; in any other array the text '1' would pass for 1. */
export function onlyNumbers(values: ArrayLike<number>): boolean {
  if (values instanceof Float64Array || values instanceof Float32Array) return true;
  for (let i = 0; i < values.length; i++) if (typeof values[i] !== 'number') return false;
  return true;
}

/** Throws an error that says which samples are expected, without the samples that came. */
export function refuseSamples({ bound, domain }: Pick<SampleSpace, 'bound' | 'domain'>): never {
  const expected =
    domain === 'box' ? `numbers from ${-bound} to ${bound}` : `samples with an l2 norm of at most ${bound}`;
  throw new RefusedValue(`"samples" expected ${expected}`);
}

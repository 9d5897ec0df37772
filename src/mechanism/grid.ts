import { checkUnitBall } from '../check/datum.ts';
import { RefusedValue } from '../check/refusal.ts';
import { bits, type Random } from '../random/random.ts';

const { abs, floor, round, sign, sqrt, trunc } = Math;

/** Up to this radius, sums of squares of whole numbers stay below 2⁵³ until they are found to be too large. */
const PLAIN_RADIUS: number = 2 ** 26;

/** The largest radius of a grid: sums with noise of such numbers have room below 2⁵³. */
export const LARGEST_RADIUS: number = 2 ** 52 - 1;

/** How coordinates become whole numbers: up or down at random without bias, or to the nearest. */
export type GridRounding = 'random' | 'nearest';

/** A grid on the unit ball of ℝᵖ whose points are the whole-number vectors of norm at most r. Plain data. */
export interface UnitGrid {
  readonly dimension: number;
  readonly radius: number;
  readonly rounding: GridRounding;
  /** The factor applied to a vector before rounding: r minus the largest distance that rounding can move a vector. */
  readonly scale: number;
  /** 1/scale, the spacing of the grid in units of the vector. */
  readonly step: number;
  /** The largest ℓ₂ distance between two quantised vectors, 2r, a whole number. */
  readonly sensitivity: number;
  /** Largest variance that rounding adds to a coordinate, in units of the vector: step²/4 at random, else 0. */
  readonly roundingVariance: number;
}

/**
 * The grid of a radius r ≥ 2·√p, a whole number up to `LARGEST_RADIUS`. The scale is r − √p for random rounding, which moves each coordinate by less than 1, and r
 * − √p/2 for rounding to nearest, lowered by a few units in the last place for the rounding of products and norms. So no
 * vector of the unit ball leaves the radius, the final clip of {@link quantize} changes none, and random rounding has no
 * bias.
 */
export function unitGrid(dimension: number, radius: number, rounding: GridRounding): UnitGrid {
  const scale = (radius - gridMove(dimension, rounding)) * (1 - (dimension + 16) * 2 ** -52);
  const step = 1 / scale;
  return {
    dimension,
    radius,
    rounding,
    scale,
    step,
    sensitivity: 2 * radius,
    roundingVariance: rounding === 'random' ? 0.25 * step * step : 0,
  };
}

/** The largest ℓ₂ distance that rounding moves a vector of p coordinates: √p or √p/2. */
export function gridMove(dimension: number, rounding: GridRounding): number {
  return rounding === 'random' ? sqrt(dimension) : 0.5 * sqrt(dimension);
}

/**
 * Writes the grid point of a vector of the unit ball into `target`: scaled, rounded, and clipped in whole numbers.
 * Law: with random rounding x·scale becomes one of its two whole neighbours, by a coin of 32 binary digits on the
 * fractional part of the double: the mean is x·scale to 2⁻³³. One word is taken for each coordinate, whatever its value;
 * rounding to nearest takes none. Whatever the rounding of doubles, Σk² ≤ r² holds in exact arithmetic. No refusal
 * contains values.
 */
export function quantize(
  grid: UnitGrid,
  vector: ArrayLike<number>,
  target: Int32Array | Float64Array,
  random: Random,
): void {
  const { dimension, radius, rounding, scale } = grid;
  if (radius >= 2 ** 31 && target instanceof Int32Array) {
    throw new RefusedValue('radius', 'a whole number below 2^31 for an Int32Array', radius);
  }
  const squared = checkUnitBall('vector', vector, dimension);
  // At most the tolerance of the check above 1.
  const factor = squared > 1 ? scale / sqrt(squared) : scale;
  for (let i = 0; i < dimension; i++) {
    const scaled = vector[i] * factor;
    const magnitude = abs(scaled);
    const whole = floor(magnitude);
    // Exact: both are multiples of the last place of the magnitude, so that −1e−20 is not rounded to −1 + 1.
    const fraction = magnitude - whole;
    // Take a word even if there is nothing to decide: the number of words must not depend on the vector.
    const up = rounding === 'random' ? bits(random) < round(fraction * 2 ** 32) : fraction >= 0.5;
    const rounded = up ? whole + 1 : whole;
    target[i] = scaled < 0 && rounded > 0 ? -rounded : rounded;
  }
  clipToRadius(target, dimension, radius);
}

/** Shrinks the first `length` whole numbers, up to 2⁵³ − 1, until Σk² ≤ r² exactly; returns whether it did. */
export function clipToRadius(integers: Int32Array | Float64Array, length: number, radius: number): boolean {
  if (withinRadius(integers, length, radius)) return false;
  let largest = 0;
  for (let i = 0; i < length; i++) {
    if (!Number.isSafeInteger(integers[i])) throw new RefusedValue('"integers" expected whole numbers below 2^53');
    if (abs(integers[i]) > largest) largest = abs(integers[i]);
  }
  let squared = 0;
  for (let i = 0; i < length; i++) squared += (integers[i] / largest) ** 2;
  // Doubles bring the vector close to the radius, slightly too far inside: no correctly scaled vector is ever clipped.
  const factor = (radius / (largest * sqrt(squared))) * (1 - (length + 16) * 2 ** -52);
  // Adding 0 turns −0 into 0.
  for (let i = 0; i < length; i++) integers[i] = trunc(integers[i] * factor) + 0;
  // Each pass moves every entry by one towards zero, so the loop ends, and its result was accepted in whole numbers.
  while (!withinRadius(integers, length, radius)) {
    for (let i = 0; i < length; i++) integers[i] -= sign(integers[i]);
  }
  return true;
}

/** Whether the numbers are whole and Σk² ≤ r², exactly. */
function withinRadius(integers: Int32Array | Float64Array, length: number, radius: number): boolean {
  if (radius > PLAIN_RADIUS) return withinLargeRadius(integers, length, radius);
  const limit = radius * radius;
  let sum = 0;
  for (let i = 0; i < length; i++) {
    const magnitude = abs(integers[i]);
    // One comparison covers NaN as well.
    if (!(magnitude <= radius) || floor(magnitude) !== magnitude) return false;
    // At most 2r² ≤ 2⁵³, so the sum is exact.
    sum += magnitude * magnitude;
    if (sum > limit) return false;
  }
  return true;
}

function withinLargeRadius(integers: Int32Array | Float64Array, length: number, radius: number): boolean {
  const limit = BigInt(radius) ** 2n;
  let sum = 0n;
  for (let i = 0; i < length; i++) {
    if (!(abs(integers[i]) <= radius) || !Number.isInteger(integers[i])) return false;
    sum += BigInt(integers[i]) ** 2n;
  }
  return sum <= limit;
}

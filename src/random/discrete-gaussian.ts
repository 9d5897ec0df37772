import {
  CELL_AT_EDGE,
  CELL_BEYOND,
  CELL_REFUSED,
  type DiscreteGaussianLaw,
  floorExponential,
  GAUSSIAN_CELLS,
} from './gaussian-cells.ts';
import { bits, checkRange, type Random, uniformInteger } from './random.ts';

const { abs, clz32, imul, min } = Math;

/** Columns at most this wide are drawn from one word: its product with the width is then exact in a double. */
const NARROW: number = 2 ** 21;

/** The return value of `atEdge` and `beyond` for a refused point. */
const NONE = -1;

/**
 * Fills `target[from … to − 1]` with independent discrete Gaussian numbers, exactly distributed: the same one by one
 * as together.
 * Law: a draw picks a uniform cell of the law's table, a sign and a uniform number y of the cell's column. Most cells lie
 * completely under the curve, and y is returned. In a cell at the edge, a uniform height u is compared with the curve
 * digit by digit: doubles decide if a bound on all their errors allows it, otherwise exact digits in bigints. Rejection
 * has no limit. Rounding never changes a draw, and the engine's `exp` and `log` are never called: every engine gives the
 * same numbers. More than nine draws of ten take two words, unless σ is below 2. A number outside the range of an
 * `Int32Array`, or ±(2⁵³ − 1), beyond which lies a probability below e^(−2¹⁶), saturates. Not constant in time: the number
 * of words depends on the noise, and on nothing else.
 */
export function fillDiscreteGaussian(
  target: Int32Array | Float64Array,
  law: DiscreteGaussianLaw,
  random: Random,
  from: number = 0,
  to: number = target.length,
): void {
  checkRange(target, from, to);
  const { codes, width } = law.cells;
  if (width > NARROW) {
    fillWide(target, law, random, from, to);
    return;
  }
  // The product of a word and the width has each value of its high half equally often, once the 2³² mod width smallest
  // values of the low half are refused (Lemire 2019).
  const threshold = 2 ** 32 % width;
  // Constants of a module are looked up and checked at every use, local ones are not; the number of cells is a power of 2.
  const edge = CELL_AT_EDGE;
  const mask = codes.length - 1;
  const { words } = random;
  let next = random.next;
  let i = from;
  while (i < to) {
    if (next + 2 > words.length) {
      random.next = next;
      random.refill();
      next = random.next;
    }
    const last = words.length - 1;
    // No calls inside: the loop ends with the pool or the target, or at a cell that needs a decision (one in thirty).
    let code = 0;
    let first = 0;
    let offset = 0;
    while (i < to && next < last) {
      first = words[next];
      const second = words[next + 1];
      next += 2;
      if (imul(second, width) >>> 0 < threshold) continue;
      offset = (second * width * 2 ** -32) | 0;
      code = codes[first & mask];
      if (code >= edge) break;
      const magnitude = code * width + offset;
      // All bits are 1 for a negative number, so that exclusive or and subtraction change the sign; −0 is refused.
      const sign = (first | 0) >> 31;
      if (magnitude === 0 && sign !== 0) continue;
      target[i++] = (magnitude ^ sign) - sign;
    }
    if (code < edge) continue;
    random.next = next;
    const magnitude = atEdge(law, code, first & mask, offset, random);
    next = random.next;
    i += store(target, i, magnitude, first);
  }
  random.next = next;
}

/** The same for columns too wide to be drawn from one word: σ > 2²⁷. */
function fillWide(
  target: Int32Array | Float64Array,
  law: DiscreteGaussianLaw,
  random: Random,
  from: number,
  to: number,
): void {
  const { codes, width } = law.cells;
  for (let i = from; i < to; ) {
    const first = bits(random);
    const offset = uniformInteger(width, random);
    const code = codes[first % GAUSSIAN_CELLS];
    const magnitude =
      code < CELL_AT_EDGE ? code * width + offset : atEdge(law, code, first % GAUSSIAN_CELLS, offset, random);
    i += store(target, i, magnitude, first);
  }
}

/** Writes a number with the sign of its word and returns 1, or 0 if it is refused; −0 always is. */
function store(target: Int32Array | Float64Array, at: number, magnitude: number, word: number): number {
  const negative = word >= 2 ** 31;
  if (magnitude === NONE || (magnitude === 0 && negative)) return 0;
  const limit = target instanceof Int32Array ? 2 ** 31 - 1 : Number.MAX_SAFE_INTEGER;
  const kept = min(magnitude, limit);
  target[at] = negative ? -kept : kept;
  return 1;
}

/** Decides about a point in a cell that is not known to lie under the curve: its y, or NONE. */
function atEdge(law: DiscreteGaussianLaw, code: number, cell: number, offset: number, random: Random): number {
  if (code === CELL_REFUSED) return NONE;
  if (code === CELL_BEYOND) return beyond(law, random);
  const column = code & ~CELL_AT_EDGE;
  return belowCurve(law, column, cell - law.cells.starts[column], offset, random)
    ? column * law.cells.width + offset
    : NONE;
}

/**
 * Whether the point at height h + u, u uniform in [0, 1), lies below the curve at number `offset` of a column. With u
 * known to 32 binary digits, doubles decide unless the point is within the margin 2⁻³² + A·2⁻⁴² of the curve. It is
 * larger than the sum of all errors: half a digit, 2⁻³³; A·2⁻⁴⁶ for the edge; A·2⁻⁴³·⁷ for the series, whose argument x
 * is at most 0.085 and whose first omitted term is x⁸/8!; and a few roundings of numbers ≤ A, the argument too, each
 * A·2⁻⁵³.
 */
function belowCurve(law: DiscreteGaussianLaw, column: number, h: number, offset: number, random: Random): boolean {
  const { width, height, edges, rate, margin } = law.cells;
  const x = offset * (2 * column * width + offset) * rate;
  let series = 1 - x / 7;
  for (let k = 6; k > 0; k--) series = 1 - (x / k) * series;
  const digit = bits(random);
  const above = height * edges[column] * series - (h + (digit + 0.5) * 2 ** -32);
  if (abs(above) > margin) return above > 0;
  return compareDigits(law, BigInt(column * width + offset), 0, h, digit, random);
}

/**
 * Whether h + u < 2^shift·A·exp(−y²/2σ²), exactly, for the uniform u in [0, 1) whose first digit in base 2³² is given:
 * further digits of both sides are compared until they differ.
 */
function compareDigits(
  law: DiscreteGaussianLaw,
  y: bigint,
  shift: number,
  h: number,
  digit: number,
  random: Random,
): boolean {
  const { numerator, denominator } = law.variance;
  const factor = BigInt(law.cells.height) << BigInt(shift);
  let point = (BigInt(h) << 32n) | BigInt(digit);
  for (let places = 32; ; places += 32) {
    const curve = floorExponential(y * y * denominator, 2n * numerator, factor, places);
    // The point is at least `point` and less than `point` + 1, the curve at least `curve` and less than `curve` + 1.
    if (point !== curve) return point < curve;
    point = (point << 32n) | BigInt(bits(random));
  }
}

/**
 * A number beyond the columns, or NONE. Block i = 0, 1, …, as wide as 64 columns, is picked with probability 2^(−i−1),
 * and y is uniform in the block. Each y thus gets 2^(−i−7) of a cell's height, so y is kept with probability
 * 2^(i+7)·f(y). This is at most 1: f ≤ 2¹⁴·2⁻²¹ where the blocks begin, at T ≥ 5.39 σ. A block is at least σ wide, and
 * over that distance f falls by a factor of at least exp(5.39), which is more than 2.
 */
function beyond(law: DiscreteGaussianLaw, random: Random): number {
  const { width, edges } = law.cells;
  let block = 0;
  let word = bits(random);
  for (; word === 0; word = bits(random)) block += 32;
  block += clz32(word);
  const offset = uniformInteger(64 * width, random);
  const y = BigInt(edges.length + 64 * block) * BigInt(width) + BigInt(offset);
  if (!compareDigits(law, y, 7 + block, 0, bits(random), random)) return NONE;
  return y > Number.MAX_SAFE_INTEGER ? Number.MAX_SAFE_INTEGER : Number(y);
}

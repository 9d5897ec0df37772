import { RefusedKind, RefusedValue } from '../check/refusal.ts';

const { floor } = Math;

/** Cells of the table, a power of two: 14 bits of a word pick one. */
export const GAUSSIAN_CELLS = 16384;

/** Flag in a cell's code: part of the cell lies above the curve. The other bits still give the column. */
export const CELL_AT_EDGE = 0x8000;

/** The code of the one cell that stands for everything beyond the columns. */
export const CELL_BEYOND = 0xfffe;

/** The code of an unused cell: a draw that hits it starts again. */
export const CELL_REFUSED = 0xffff;

/** Columns per σ: with more columns, fewer cells are at the edge of the curve, but the table is larger. */
const COLUMNS = 64n;

/** Binary places of the bounds on the curve from which the table is made. */
const PLACES = 48;

/** The columns end where exp(−y²/2σ²) ≤ 2⁻²¹, at most 5.4 σ from the middle. */
const END: bigint = 1n << BigInt(PLACES - 21);

/**
 * The region under the curve f(y) = A·exp(−y²/2σ²), y ≥ 0, cut into cells. Column m has the `width` whole numbers from
 * m·width on, and cell h of a column has the heights from h to h + 1. A uniform point of a uniform cell is uniform over
 * all of them: if it lies under the curve, its y has exactly the discrete Gaussian law. Made in integer arithmetic from
 * bounds on the curve: a cell marked as completely under it is proved to be so; each point of one marked as boundary is
 * tested.
 */
export interface GaussianCells {
  /** Whole numbers in a column, ⌈σ/64⌉. */
  readonly width: number;
  /** A ≤ 2¹⁴, the number of cells of column 0. */
  readonly height: number;
  /** The column of each cell, with `CELL_AT_EDGE` if not completely under the curve; or one of the two special codes. */
  readonly codes: Uint16Array;
  /** The first cell of each column, and as last entry the first cell that belongs to no column. */
  readonly starts: Uint16Array;
  /** exp(−y²/2σ²) at the first y of each column, off by less than 2⁻⁴⁶. */
  readonly edges: Float64Array;
  /** 1/(2σ²), to a relative 2⁻⁵¹. */
  readonly rate: number;
  /** Within this distance of the curve doubles do not decide; with ∞ every decision would be made in bigints. */
  readonly margin: number;
}

/** A discrete Gaussian law, and the table from which it is drawn; made by {@link discreteGaussianLaw}. */
export interface DiscreteGaussianLaw {
  readonly variance: PositiveRational;
  readonly cells: GaussianCells;
}

/**
 * The discrete Gaussian law N_ℤ(0, σ²) for a rational σ² ≤ 2⁸⁸: P(y) is proportional to exp(−y²/2σ²) on the whole
 * numbers. Its variance is at most σ², and smaller only by a term of the order exp(−2π²σ²). Making one takes a few
 * milliseconds. Numerator and denominator are bigints up to 2⁴⁰⁰.
 */
export function discreteGaussianLaw(variance: PositiveRational): DiscreteGaussianLaw {
  const lowest = lowestTerms(variance);
  const { numerator, denominator } = lowest;
  // Above these limits the quotient of the two as doubles would no longer be a bound; and y must stay a whole double.
  if (numerator > denominator << 88n || numerator >> 400n > 0n || denominator >> 400n > 0n) {
    throw new RefusedValue('variance', 'a quotient <= 2^88 of bigints <= 2^400', 'more');
  }
  return { variance: lowest, cells: gaussianCells(lowest) };
}

function gaussianCells({ numerator, denominator }: PositiveRational): GaussianCells {
  // The least width with width·64 ≥ σ, so that (width − 1)·64 < σ.
  const least = (numerator - 1n) / (denominator * COLUMNS * COLUMNS);
  const width = integerRoot(least) + 1n;
  const below: number[] = [];
  const above: number[] = [];
  const bounds = (y: bigint): readonly [bigint, bigint] =>
    y === 0n
      ? [1n << BigInt(PLACES), 1n << BigInt(PLACES)]
      : encloseExponential(y * y * denominator, 2n * numerator, PLACES);
  for (let y = 0n; ; y += width) {
    const [lower, upper] = bounds(y);
    if (upper <= END) break;
    above.push(Number(upper));
    // The curve is lowest at the last number of the column; with one number per column this is also the first.
    below.push(Number(width === 1n ? lower : bounds(y + width - 1n)[0]));
  }
  const height = largestHeight(above);
  const columns = above.length;
  const codes = new Uint16Array(GAUSSIAN_CELLS).fill(CELL_REFUSED);
  const starts = new Uint16Array(columns + 1);
  let cell = 0;
  for (let m = 0; m < columns; m++) {
    starts[m] = cell;
    const full = m === 0 && width === 1n ? height : wholeBelow(height * below[m]);
    const end = cell + cellsOf(height, above[m], m);
    for (let h = 0; cell < end; cell++, h++) codes[cell] = h < full ? m : CELL_AT_EDGE | m;
  }
  starts[columns] = cell;
  codes[GAUSSIAN_CELLS - 1] = CELL_BEYOND;
  return {
    width: Number(width),
    height,
    codes,
    starts,
    // The bounds differ by at most 3 units of 2⁻⁴⁸, so the upper one is off by less than 2⁻⁴⁶.
    edges: Float64Array.from(above, (upper) => upper * 2 ** -PLACES),
    rate: Number(denominator) / (2 * Number(numerator)),
    // The proof is at `belowCurve`, where it is used.
    margin: 2 ** -32 + height * 2 ** -42,
  };
}

/** The largest A for which all cells but one hold the columns. */
function largestHeight(above: readonly number[]): number {
  let fits = 1;
  let tooHigh = GAUSSIAN_CELLS;
  while (tooHigh - fits > 1) {
    const height = (fits + tooHigh) >> 1;
    let total = 0;
    for (let m = 0; m < above.length; m++) total += cellsOf(height, above[m], m);
    if (total < GAUSSIAN_CELLS) fits = height;
    else tooHigh = height;
  }
  return fits;
}

/** The number of cells of a column: enough to reach above the curve at its first number; for column 0 A itself. */
function cellsOf(height: number, upper: number, column: number): number {
  return column === 0 ? height : floor(height * upper * 2 ** -PLACES * (1 + 2 ** -50)) + 1;
}

/** A whole number of cells that certainly lie below the curve; the product may be rounded up by a relative 2⁻⁵³. */
function wholeBelow(product: number): number {
  return floor(product * 2 ** -PLACES * (1 - 2 ** -50));
}

/**
 * Whole numbers around 2ᵖ·exp(−a/b), a ≥ 0, b ≥ 1, p = `places` ≥ 1: one not above it, one not below, at most 3 apart.
 * Integer arithmetic only. The argument is halved q times until it is below 2⁻⁶, the alternating series is summed in
 * fixed point with q + 16 guard bits, and the sum is squared q times. Every step rounds down by less than one unit. The
 * error of a term of the series is less than 3 units; N terms, the omitted rest and the rounding of the argument together
 * give at most 4N + 8. A square doubles an error and adds less than 2.
 */
export function encloseExponential(a: bigint, b: bigint, places: number): readonly [bigint, bigint] {
  // a < 2^(4·digits of a) and b ≥ 2^(4·(digits of b) − 4).
  const halvings = Math.max(0, 4 * (a.toString(16).length - b.toString(16).length) + 10);
  const guard = BigInt(halvings + 16);
  const precision = BigInt(places) + guard;
  const one = 1n << precision;
  const z = (a << precision) / (b << BigInt(halvings));
  let value = one - z;
  let term = z;
  let count = 2n;
  for (; term > 0n; count++) {
    term = ((term * z) >> precision) / count;
    value += count % 2n === 0n ? term : -term;
  }
  let error = 4n * count + 8n;
  for (let i = 0; i < halvings; i++) {
    value = (value * value) >> precision;
    error = 2n * error + 2n;
  }
  const below = (value - error) >> guard;
  return [below > 0n ? below : 0n, ((value + error) >> guard) + 1n];
}

/**
 * ⌊c·2ᵖ·exp(−a/b)⌋, exactly, for whole numbers a ≥ 0, b ≥ 1, c ≥ 1, p ≥ 0. The precision is doubled until both ends of an
 * enclosure agree; for a > 0 this ends, since e to a rational power other than 0 is irrational (Lambert 1768).
 */
export function floorExponential(a: bigint, b: bigint, factor: bigint, places: number): bigint {
  if (a === 0n) return factor << BigInt(places);
  for (let precision = places + 4 * factor.toString(16).length + 24; ; precision *= 2) {
    const [below, above] = encloseExponential(a, b, precision);
    const shift = BigInt(precision - places);
    const whole = (factor * below) >> shift;
    if (whole === (factor * above) >> shift) return whole;
  }
}

/** A positive rational number; not necessarily in lowest terms. */
export interface PositiveRational {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

export function lowestTerms(variance: PositiveRational): PositiveRational {
  const { numerator, denominator } = variance;
  for (const [part, number] of Object.entries({ numerator, denominator })) {
    if (typeof number !== 'bigint') throw new RefusedKind(`variance.${part}`, 'a bigint >= 1', number);
    if (number < 1n) throw new RefusedValue(`variance.${part}`, 'a bigint >= 1', number);
  }
  let divisor = numerator;
  for (let rest = denominator; rest > 0n; ) [divisor, rest] = [rest, divisor % rest];
  return { numerator: numerator / divisor, denominator: denominator / divisor };
}

export function integerRoot(n: bigint): bigint {
  if (n < 2n) return n;
  let root = 1n << BigInt(2 * n.toString(16).length);
  for (;;) {
    const next = (root + n / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}

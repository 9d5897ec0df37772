/**
 * Interval arithmetic, rounded outward: whatever numbers of two spans are combined, exactly, the result lies in the span
 * computed. Sums and products of doubles are rounded to nearest by the language, so a step of one unit in the last place
 * covers them. `Math.exp` and its like have no bound in the language; they are taken to be within 8 units, where those of
 * the engines in use stay within 1 or 2.
 */

const { abs, max, min } = Math;

/** A closed interval of the line, ends included; the ends may be infinite. */
export interface Span {
  readonly low: number;
  readonly high: number;
}

/** Everything. */
export const LINE: Span = { low: -Infinity, high: Infinity };

/** Relative spacing of doubles, at most. */
const UNIT = 2 ** -52;

/** The least double > 0. */
const LEAST = 5e-324;

/** Allowed error of a function of `Math`, in units. */
const FUNCTION_UNITS = 8;

/** A number below the exact value that x is the rounding of. */
export function below(x: number, units: number = 1): number {
  if (x === Infinity) return Number.MAX_VALUE;
  return x - (abs(x) * UNIT * units + LEAST);
}

/** A number above the exact value that x is the rounding of. */
export function above(x: number, units: number = 1): number {
  return -below(-x, units);
}

/** One number, exactly. */
export function point(x: number): Span {
  return { low: x, high: x };
}

/** The smallest span that holds both. */
export function hull(a: Span, b: Span): Span {
  return { low: min(a.low, b.low), high: max(a.high, b.high) };
}

/** −a, exactly. */
export function negated(a: Span): Span {
  // 0 − x and not −x: there is one zero only.
  return { low: 0 - a.high, high: 0 - a.low };
}

/** a + b. */
export function plus(a: Span, b: Span): Span {
  return { low: 0 - sumAbove(-a.low, -b.low), high: 0 + sumAbove(a.high, b.high) };
}

// Adding nothing is exact: slopes of exactly −1 stay that.
function sumAbove(x: number, y: number): number {
  if (x === 0) return y;
  return y === 0 ? x : above(x + y);
}

/** a·b. Zero times anything is zero, also where a bound is infinite: bounds stand for finite numbers. */
export function times(a: Span, b: Span): Span {
  return {
    low:
      0 -
      max(
        productAbove(-a.low, b.low),
        productAbove(-a.low, b.high),
        productAbove(-a.high, b.low),
        productAbove(-a.high, b.high),
      ),
    high: max(
      productAbove(a.low, b.low),
      productAbove(a.low, b.high),
      productAbove(a.high, b.low),
      productAbove(a.high, b.high),
    ),
  };
}

// Powers of two are as exact as 0 and 1, but seldom; these two are what slopes are made of.
function productAbove(x: number, y: number): number {
  if (x === 0 || y === 0) return 0;
  if (x === 1 || y === 1) return x * y;
  if (x === -1 || y === -1) return x * y;
  return above(x * y);
}

/** a², at least 0. */
export function squared(a: Span): Span {
  const low = a.low > 0 ? a.low : a.high < 0 ? -a.high : 0;
  const high = max(-a.low, a.high);
  return { low: max(0, -productAbove(-low, low)), high: productAbove(high, high) };
}

/** 1/a, for a without 0; the whole line otherwise. */
export function reciprocal(a: Span): Span {
  if (a.low <= 0 && a.high >= 0) return LINE;
  return { low: below(1 / a.high), high: above(1 / a.low) };
}

/** f(a) for an ascending f of `Math`. */
export function ascending(f: (x: number) => number, a: Span): Span {
  return { low: below(f(a.low), FUNCTION_UNITS), high: above(f(a.high), FUNCTION_UNITS) };
}

/** The part of a that is at least `least` and at most `most`, for a function that has no other values. */
export function clipped(a: Span, least: number, most: number): Span {
  return { low: max(a.low, least), high: min(a.high, most) };
}

/** aⁿ for a whole n ≥ 0. */
export function wholePower(a: Span, n: number): Span {
  if (n === 0) return point(1);
  if (n === 1) return a;
  const power = (x: number): number => x ** n;
  if (n % 2 === 1) return ascending(power, a);
  const size = { low: a.low > 0 ? a.low : a.high < 0 ? -a.high : 0, high: max(-a.low, a.high) };
  return clipped(ascending(power, size), 0, Infinity);
}

/** Whether a holds no NaN and no infinity. */
export function isBounded(a: Span): boolean {
  return a.low > -Infinity && a.high < Infinity;
}

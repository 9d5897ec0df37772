import type { FunctionName } from './formula.ts';
import type { Span } from './span.ts';
import { ascending, clipped, LINE, negated, plus, point, reciprocal, squared, times, wholePower } from './span.ts';

const ZERO: Span = point(0);
const ONE: Span = point(1);
const ABOVE_ZERO: Span = { low: 0, high: Infinity };

/** A function of one argument on a span: itself and two derivatives. */
export interface Elementary {
  readonly value: Span;
  readonly first: Span;
  readonly second: Span;
}

/** Takes note that a function may not be defined on the whole span, and why. */
export type Report = (trouble: string) => void;

/** 1/u. */
export function inverse(u: Span, report: Report): Elementary {
  if (u.low <= 0 && u.high >= 0) report('a division by 0');
  const value = reciprocal(u);
  const square = clipped(times(value, value), 0, Infinity);
  return { value, first: negated(square), second: times(point(2), times(square, value)) };
}

/** The power u of a base > 0. */
export function exponential(base: number, u: Span): Elementary {
  const rate = ascending(Math.log, point(base));
  const power = (x: number): number => base ** x;
  const ends = base < 1 ? { low: u.high, high: u.low } : u;
  const value = clipped(ascending(power, ends), 0, Infinity);
  return { value, first: times(rate, value), second: times(squared(rate), value) };
}

/** u to a constant power. */
export function power(u: Span, exponent: number, report: Report): Elementary {
  const factor = (n: number): Span => times(point(exponent), n === 1 ? ONE : plus(point(exponent), point(-1)));
  const root = (n: number): Span => {
    const f = (x: number): number => x ** n;
    return clipped(ascending(f, u), 0, Infinity);
  };
  const raised = (n: number): Span => {
    if (Number.isInteger(n)) return n >= 0 ? wholePower(u, n) : reciprocal(wholePower(u, -n));
    if (u.low < 0) return LINE;
    return n > 0 ? root(n) : clipped(reciprocal(root(-n)), 0, Infinity);
  };
  if (Number.isInteger(exponent)) {
    if (exponent < 0 && u.low <= 0 && u.high >= 0) report('a division by 0');
  } else if (u.low < 0) report('a root of a number < 0');
  else if (exponent < 0 && u.low <= 0) report('a division by 0');
  // A factor 0 leaves nothing of a power, not even of one that would be infinite.
  return {
    value: raised(exponent),
    first: times(factor(1), exponent === 0 ? ZERO : raised(exponent - 1)),
    second: times(factor(2), exponent === 0 || exponent === 1 ? ZERO : raised(exponent - 2)),
  };
}

/** The functions of one argument that have derivatives. */
export const ELEMENTARY: Readonly<
  Record<Exclude<FunctionName, 'abs' | 'negate'>, (u: Span, report: Report) => Elementary>
> = {
  exp(u) {
    const value = clipped(ascending(Math.exp, u), 0, Infinity);
    return { value, first: value, second: value };
  },
  expm1(u) {
    const growth = clipped(ascending(Math.exp, u), 0, Infinity);
    return { value: clipped(ascending(Math.expm1, u), -1, Infinity), first: growth, second: growth };
  },
  log(u, report) {
    if (u.low <= 0) report('a logarithm of a number <= 0');
    return logarithm(u, Math.log, u);
  },
  log1p(u, report) {
    if (u.low <= -1) report('a logarithm of a number <= 0');
    return logarithm(u, Math.log1p, plus(u, ONE));
  },
  sqrt(u, report) {
    if (u.low < 0) report('a root of a number < 0');
    const value = u.low < 0 ? ABOVE_ZERO : clipped(ascending(Math.sqrt, u), 0, Infinity);
    const half = u.low <= 0 ? ABOVE_ZERO : times(point(0.5), reciprocal(value));
    const quarter = u.low <= 0 ? ABOVE_ZERO : times(point(0.5), times(half, reciprocal(u)));
    return { value, first: half, second: negated(quarter) };
  },
  sinh(u) {
    const value = ascending(Math.sinh, u);
    return { value, first: hyperbolicCosine(u), second: value };
  },
  cosh(u) {
    const value = hyperbolicCosine(u);
    return { value, first: ascending(Math.sinh, u), second: value };
  },
  tanh(u) {
    const value = clipped(ascending(Math.tanh, u), -1, 1);
    const first = clipped(plus(ONE, negated(squared(value))), 0, 1);
    return { value, first, second: times(point(-2), times(value, first)) };
  },
  sech() {
    throw new TypeError('sech occurs in derivatives only');
  },
};

function logarithm(u: Span, log: (x: number) => number, argument: Span): Elementary {
  if (argument.low <= 0) return { value: LINE, first: LINE, second: LINE };
  const first = reciprocal(argument);
  return { value: ascending(log, u), first, second: negated(squared(first)) };
}

function hyperbolicCosine(u: Span): Span {
  const nearest = u.low > 0 ? u.low : u.high < 0 ? -u.high : 0;
  const furthest = Math.max(-u.low, u.high);
  return clipped(ascending(Math.cosh, { low: nearest, high: furthest }), 1, Infinity);
}

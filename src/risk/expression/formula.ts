import { RefusedValue } from '../../check/refusal.ts';

const { abs, cosh, exp, expm1, log, log1p, max, min, sinh, sqrt, tanh } = Math;

/** The functions of `Math` that an expression may call. */
export const CALLABLE = ['abs', 'cosh', 'exp', 'expm1', 'log', 'log1p', 'sinh', 'sqrt', 'tanh'] as const;

/** A function of one argument; `negate` is written as a sign, `sech` occurs in derivatives only. */
export type FunctionName = (typeof CALLABLE)[number] | 'negate' | 'sech';

export const FUNCTIONS: Readonly<Record<FunctionName, (x: number) => number>> = {
  ...{ abs, cosh, exp, expm1, log, log1p, sinh, sqrt, tanh },
  negate: (x) => -x,
  sech: (x) => 1 / cosh(x),
};

/** The operators, and the functions of two arguments. */
export const OPERATORS = {
  '+': (a: number, b: number): number => a + b,
  '-': (a: number, b: number): number => a - b,
  '*': (a: number, b: number): number => a * b,
  '/': (a: number, b: number): number => a / b,
  '^': (a: number, b: number): number => a ** b,
  max: (a: number, b: number): number => Math.max(a, b),
  min: (a: number, b: number): number => Math.min(a, b),
};

export type OperatorName = keyof typeof OPERATORS;

/** A formula in t: plain data whose type can express only what a formula may contain. */
export type Formula =
  | { readonly kind: 'constant'; readonly value: number }
  | { readonly kind: 'variable' }
  /** A number 0 or 1, constant between kinks, that selects the branch of a maximum. In derivatives only. */
  | { readonly kind: 'selector'; readonly index: number }
  | { readonly kind: 'apply'; readonly name: FunctionName; readonly argument: Formula }
  | { readonly kind: 'combine'; readonly name: OperatorName; readonly left: Formula; readonly right: Formula };

export const VARIABLE: Formula = { kind: 'variable' };

export function constant(value: number): Formula {
  if (!Number.isFinite(value)) throw new RefusedValue('expression', 'finite constants', value);
  return { kind: 'constant', value };
}

/** A function of a formula; for a constant, the value of the function. */
export function apply(name: FunctionName, argument: Formula): Formula {
  if (argument.kind === 'constant') return constant(FUNCTIONS[name](argument.value));
  return { kind: 'apply', name, argument };
}

/** Two formulas combined; for two constants, the value. Nothing else is simplified: 0·log(t) stays undefined at 0. */
export function combine(name: OperatorName, left: Formula, right: Formula): Formula {
  if (left.kind === 'constant' && right.kind === 'constant') {
    return constant(OPERATORS[name](left.value, right.value));
  }
  return { kind: 'combine', name, left, right };
}

/** The same without the neutral terms 0 and 1, where 0·t^(−1) is 0: for derivatives of functions known to be defined. */
export function combineSimply(name: OperatorName, left: Formula, right: Formula): Formula {
  const is = (formula: Formula, value: number): boolean => formula.kind === 'constant' && formula.value === value;
  if (name === '+' && is(left, 0)) return right;
  if ((name === '+' || name === '-') && is(right, 0)) return left;
  if (name === '-' && is(left, 0)) return apply('negate', right);
  // The form in which expm1 was written for the parser.
  if (name === '-' && is(right, 1) && left.kind === 'apply' && left.name === 'exp')
    return apply('expm1', left.argument);
  if (name === '*' && (is(left, 0) || is(right, 0))) return constant(0);
  if (name === '*' && is(left, 1)) return right;
  if ((name === '*' || name === '/' || name === '^') && is(right, 1)) return left;
  if (name === '/' && is(left, 0)) return left;
  if (name === '^' && is(right, 0)) return constant(1);
  return combine(name, left, right);
}

/** A function of a formula in a derivative; log1p, written as log(1 + x) for the parser, becomes log1p(x) again. */
export function applySimply(name: FunctionName, argument: Formula): Formula {
  const shifted = name === 'log' && argument.kind === 'combine' && argument.name === '+';
  if (shifted && argument.left.kind === 'constant' && argument.left.value === 1) return apply('log1p', argument.right);
  return apply(name, argument);
}

/** The formula as text that the parser reads back; a selector is written `c0`, `c1`, … */
export function textOf(formula: Formula): string {
  switch (formula.kind) {
    case 'constant':
      return formula.value < 0 ? `(${formula.value})` : String(formula.value);
    case 'variable':
      return 't';
    case 'selector':
      return `c${formula.index}`;
    case 'apply':
      return formula.name === 'negate'
        ? `(-${textOf(formula.argument)})`
        : `${formula.name}(${textOf(formula.argument)})`;
    case 'combine': {
      const [left, right] = [textOf(formula.left), textOf(formula.right)];
      const named = formula.name === 'max' || formula.name === 'min';
      return named ? `${formula.name}(${left}, ${right})` : `(${left} ${formula.name} ${right})`;
    }
  }
}

export function sizeOf(formula: Formula): number {
  if (formula.kind === 'apply') return 1 + sizeOf(formula.argument);
  return formula.kind === 'combine' ? 1 + sizeOf(formula.left) + sizeOf(formula.right) : 1;
}

/**
 * Interval arithmetic, rounded outward: the exact result for any numbers of two spans lies in the computed span. Sums and
 * products of doubles are rounded to nearest, so a step of one unit in the last place covers them. `Math.exp` and similar
 * functions have no such bound; they are assumed to be right within 8 units. Those of the common engines stay within 1 or
 * 2.
 */

export interface Span {
  readonly low: number;
  readonly high: number;
}

export const LINE: Span = { low: -Infinity, high: Infinity };

/** Relative spacing of doubles, at most. */
const UNIT = 2 ** -52;

const LEAST = 5e-324;

/** Allowed error of a function of `Math`, in units. */
const FUNCTION_UNITS = 8;

/** A number below the exact value whose rounding is x. */
export function below(x: number, units: number = 1): number {
  if (x === Infinity) return Number.MAX_VALUE;
  return x - (abs(x) * UNIT * units + LEAST);
}

/** A number above the exact value whose rounding is x. */
export function above(x: number, units: number = 1): number {
  return -below(-x, units);
}

export function point(x: number): Span {
  return { low: x, high: x };
}

export function hull(a: Span, b: Span): Span {
  return { low: min(a.low, b.low), high: max(a.high, b.high) };
}

export function negated(a: Span): Span {
  // 0 − x and not −x, so that −0 does not occur.
  return { low: 0 - a.high, high: 0 - a.low };
}

export function plus(a: Span, b: Span): Span {
  return { low: 0 - sumAbove(-a.low, -b.low), high: 0 + sumAbove(a.high, b.high) };
}

// Adding 0 is exact: slopes of exactly −1 stay exact.
function sumAbove(x: number, y: number): number {
  if (x === 0) return y;
  return y === 0 ? x : above(x + y);
}

/** a·b. Zero times an infinite bound is zero, because bounds stand for finite numbers. */
export function times(a: Span, b: Span): Span {
  const largest = (x: number, y: number): number =>
    max(productAbove(x, b.low), productAbove(x, b.high), productAbove(y, b.low), productAbove(y, b.high));
  return { low: 0 - largest(-a.low, -a.high), high: largest(a.low, a.high) };
}

// Products with powers of two are also exact, but rare; slopes mostly contain 0 and 1.
function productAbove(x: number, y: number): number {
  if (x === 0 || y === 0) return 0;
  if (x === 1 || y === 1) return x * y;
  if (x === -1 || y === -1) return x * y;
  return above(x * y);
}

/** |x| of the numbers x of a. */
function sizes(a: Span): Span {
  return { low: a.low > 0 ? a.low : a.high < 0 ? -a.high : 0, high: max(-a.low, a.high) };
}

export function squared(a: Span): Span {
  const { low, high } = sizes(a);
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

export function wholePower(a: Span, n: number): Span {
  if (n === 0) return point(1);
  if (n === 1) return a;
  const power = (x: number): number => x ** n;
  return n % 2 === 1 ? ascending(power, a) : clipped(ascending(power, sizes(a)), 0, Infinity);
}

export function isBounded(a: Span): boolean {
  return a.low > -Infinity && a.high < Infinity;
}

export const ZERO: Span = point(0);
export const ONE: Span = point(1);
const ABOVE_ZERO: Span = { low: 0, high: Infinity };

/** A function of one argument on a span: itself and two derivatives. */
export interface Elementary {
  readonly value: Span;
  readonly first: Span;
  readonly second: Span;
}

/** Records that a function may not be defined on the full span, and why. */
export type Report = (trouble: string) => void;

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
  // A factor 0 makes the product 0, even if the power would be infinite.
  return {
    value: raised(exponent),
    first: times(factor(1), exponent === 0 ? ZERO : raised(exponent - 1)),
    second: times(factor(2), exponent === 0 || exponent === 1 ? ZERO : raised(exponent - 2)),
  };
}

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
  return clipped(ascending(cosh, sizes(u)), 1, Infinity);
}

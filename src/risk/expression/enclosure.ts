import type { Formula, FunctionName } from './formula.ts';
import type { Span } from './span.ts';
import {
  ascending,
  clipped,
  hull,
  LINE,
  negated,
  plus,
  point,
  reciprocal,
  squared,
  times,
  wholePower,
} from './span.ts';

/** What holds of a formula on a whole interval of t. */
export interface Enclosure {
  /** Holds every f(t). */
  readonly value: Span;
  /** Holds every f′(t), and at a kink both slopes. */
  readonly slope: Span;
  /**
   * Holds f″ as a measure: f′(t) − f′(s) ≥ low·(t − s), and ≤ high·(t − s), for s < t. A kink makes one of the ends
   * infinite; where kinks are to be left out, it does not.
   */
  readonly curvature: Span;
}

/** {@link Enclosure} of a formula, or why it may not be defined on the whole interval. */
export interface Enclosed extends Enclosure {
  /** What was met in computing it, in words; undefined when f is defined everywhere. */
  readonly trouble: string | undefined;
}

const ZERO: Span = point(0);
const ONE: Span = point(1);
const ABOVE_ZERO: Span = { low: 0, high: Infinity };

/**
 * Encloses value, slope and curvature of a formula on [low, high]: automatic differentiation to second order in interval
 * arithmetic, sound for max and min by |f|″ = sgn(f)·f″ + 2f′²·δ(f), whose last term is a mass ≥ 0.
 */
export function enclose(formula: Formula, span: Span, kinks: boolean = true): Enclosed {
  let trouble: string | undefined;
  const report = (what: string): void => {
    trouble ??= what;
  };
  const walk = (part: Formula): Enclosure => {
    switch (part.kind) {
      case 'constant':
        return { value: point(part.value), slope: ZERO, curvature: ZERO };
      case 'variable':
        return { value: span, slope: ONE, curvature: ZERO };
      case 'selector':
        throw new TypeError('a selector has no value of its own');
      case 'apply': {
        const inner = walk(part.argument);
        if (part.name === 'negate') return minus(inner);
        if (part.name === 'abs') return absolute(inner, kinks);
        return chain(inner, ELEMENTARY[part.name](inner.value, report));
      }
      case 'combine': {
        const { left, right } = part;
        if (part.name === '^') {
          const varying = walk(right.kind === 'constant' ? left : right);
          if (right.kind === 'constant') return chain(varying, power(varying.value, right.value, report));
          return chain(varying, exponential((left as { value: number }).value, varying.value));
        }
        const a = walk(left);
        const b = walk(right);
        if (part.name === '+') return sum(a, b);
        if (part.name === '-') return sum(a, minus(b));
        if (part.name === '*') return product(a, b);
        if (part.name === '/') return product(a, chain(b, inverse(b.value, report)));
        return part.name === 'max' ? maximum(a, b, kinks) : minus(maximum(minus(a), minus(b), kinks));
      }
    }
  };
  const found = walk(formula);
  return { ...found, trouble };
}

/** A function of one argument on a span: itself and two derivatives. */
interface Elementary {
  readonly value: Span;
  readonly first: Span;
  readonly second: Span;
}

type Report = (trouble: string) => void;

function chain(inner: Enclosure, { value, first, second }: Elementary): Enclosure {
  return {
    value,
    slope: times(first, inner.slope),
    curvature: plus(times(second, squared(inner.slope)), times(first, inner.curvature)),
  };
}

function minus({ value, slope, curvature }: Enclosure): Enclosure {
  return { value: negated(value), slope: negated(slope), curvature: negated(curvature) };
}

function sum(a: Enclosure, b: Enclosure): Enclosure {
  return {
    value: plus(a.value, b.value),
    slope: plus(a.slope, b.slope),
    curvature: plus(a.curvature, b.curvature),
  };
}

function product(a: Enclosure, b: Enclosure): Enclosure {
  return {
    value: times(a.value, b.value),
    slope: plus(times(a.slope, b.value), times(a.value, b.slope)),
    curvature: plus(
      plus(times(a.curvature, b.value), times(point(2), times(a.slope, b.slope))),
      times(a.value, b.curvature),
    ),
  };
}

function maximum(a: Enclosure, b: Enclosure, kinks: boolean): Enclosure {
  // Strictly: a tie at the common end of two intervals is a kink of theirs together, and each must allow for it.
  if (a.value.low > b.value.high) return a;
  if (b.value.low > a.value.high) return b;
  const curvature = hull(a.curvature, b.curvature);
  return {
    value: { low: Math.max(a.value.low, b.value.low), high: Math.max(a.value.high, b.value.high) },
    slope: hull(a.slope, b.slope),
    // If a − λt²/2 and b − λt²/2 are convex so is the larger: the lower bound is that of both.
    curvature: kinks ? { low: curvature.low, high: Infinity } : curvature,
  };
}

function absolute(a: Enclosure, kinks: boolean): Enclosure {
  const larger = maximum(a, minus(a), kinks);
  return { ...larger, value: clipped(larger.value, 0, Infinity) };
}

function inverse(u: Span, report: Report): Elementary {
  if (u.low <= 0 && u.high >= 0) report('a division by 0');
  const value = reciprocal(u);
  const square = clipped(times(value, value), 0, Infinity);
  return { value, first: negated(square), second: times(point(2), times(square, value)) };
}

function exponential(base: number, u: Span): Elementary {
  const rate = ascending(Math.log, point(base));
  const power = (x: number): number => base ** x;
  const ends = base < 1 ? { low: u.high, high: u.low } : u;
  const value = clipped(ascending(power, ends), 0, Infinity);
  return { value, first: times(rate, value), second: times(squared(rate), value) };
}

function power(u: Span, exponent: number, report: Report): Elementary {
  const factor = (n: number): Span => times(point(exponent), n === 1 ? ONE : plus(point(exponent), point(-1)));
  const raised = (n: number): Span => {
    if (Number.isInteger(n) && n >= 0) return wholePower(u, n);
    if (Number.isInteger(n)) return reciprocal(wholePower(u, -n));
    if (u.low < 0) return LINE;
    if (n > 0)
      return clipped(
        ascending((x) => x ** n, u),
        0,
        Infinity,
      );
    return clipped(
      reciprocal(
        clipped(
          ascending((x) => x ** -n, u),
          0,
          Infinity,
        ),
      ),
      0,
      Infinity,
    );
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

const ELEMENTARY: Readonly<Record<Exclude<FunctionName, 'abs' | 'negate'>, (u: Span, report: Report) => Elementary>> = {
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

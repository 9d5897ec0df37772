import type { Elementary } from './elementary.ts';
import { ELEMENTARY, exponential, inverse, power } from './elementary.ts';
import type { Formula } from './formula.ts';
import type { Span } from './span.ts';
import { clipped, hull, negated, plus, point, squared, times } from './span.ts';

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

import { RefusedValue } from '../../check/refusal.ts';
import {
  clipped,
  ELEMENTARY,
  type Elementary,
  exponential,
  type Formula,
  hull,
  inverse,
  isBounded,
  negated,
  ONE,
  plus,
  point,
  power,
  type Span,
  sizeOf,
  squared,
  times,
  ZERO,
} from './formula.ts';
import type { Pieces } from './parse.ts';

const { abs, max } = Math;

/** A curvature below minus this counts as a fault of convexity: f plus half of this times t² is proved convex. */
const CURVATURE_TOLERANCE = 1e-9;

/** A slope may exceed the Lipschitz bound by this relative amount, so that a slope equal to the bound is accepted. */
const SLOPE_TOLERANCE = 1e-9;

/** Most intervals checked, times the nodes of the formula. An expression that needs more is refused. */
const MOST_WORK = 100_000;

/** An interval is not halved below this fraction of the full interval. */
const NARROWEST = 2 ** -40;

/** The search for the largest curvature ends at this gap between its bound and an attained value. */
const CURVATURE_GAP = 1e-3;

/** Most intervals of that search, times the nodes of the formula. */
const MOST_CURVATURE_WORK = 30_000;

/**
 * Proves that a formula is defined and convex on an interval: it is halved until the curvature of every part is enclosed
 * in numbers ≥ 0. Also checks that computed values agree with the enclosures. The refusal names a point where it is not
 * defined or not convex, or near which neither can be decided.
 */
export function checkConvex({ formula, value, slope, curvature }: Pieces, interval: Span): void {
  const where = `[${shown(interval.low)}, ${shown(interval.high)}]`;
  const open: Span[] = [interval];
  const most = Math.ceil(MOST_WORK / sizeOf(formula));
  let looked = 0;
  while (open.length > 0) {
    const part = open.pop()!;
    const { low, high } = part;
    const middle = low + (high - low) / 2;
    const found = enclose(formula, part);
    if (isDefined(found) && found.curvature.low >= -CURVATURE_TOLERANCE) {
      const sound = holds(found.value, value(middle)) && holds(found.slope, slope(middle));
      if (!sound)
        throw fault(`a function that double precision can evaluate on ${where}`, 'one that it cannot', middle);
      if (!Number.isFinite(curvature(middle))) throw unbounded(where, middle);
      continue;
    }
    const here = enclose(formula, point(middle));
    if (here.trouble !== undefined) throw fault(`a function defined on ${where}`, here.trouble, middle);
    if (here.curvature.high < -CURVATURE_TOLERANCE) {
      throw fault(`a convex function on ${where}`, `curvature ${shown(here.curvature.high)}`, middle);
    }
    if (!isDefined(here)) throw undecided(formula, here, point(middle), interval, where);
    if (high - low <= NARROWEST * (interval.high - interval.low)) {
      throw undecided(formula, found, part, interval, where);
    }
    if (++looked > most) {
      const got = `one for which ${most} intervals do not suffice, the last`;
      throw fault(`a function that can be shown to be convex on ${where}`, got, middle);
    }
    open.push({ low: middle, high }, { low, high: middle });
  }
}

/** The error for an interval too narrow to be halved. */
function undecided(
  formula: Formula,
  found: Enclosed,
  { low, high }: Span,
  interval: Span,
  where: string,
): RefusedValue {
  const middle = low + (high - low) / 2;
  if (found.trouble !== undefined) return fault(`a function defined on ${where}`, `${found.trouble} nearby`, middle);
  if (!isBounded(found.value)) return fault(`a function bounded on ${where}`, 'one too large', middle);
  if (!isBounded(found.slope)) return fault(`a slope bounded on ${where}`, 'one too steep', middle);
  // A kink that points upwards is recognised by the slopes on its two sides.
  const beside = NARROWEST * (interval.high - interval.low);
  const left = max(interval.low, low - beside);
  const right = Math.min(interval.high, high + beside);
  const before = enclose(formula, point(left)).slope;
  const after = enclose(formula, point(right)).slope;
  if (after.high < before.low) {
    const falling = `a slope that falls from ${shown(before.low)} to ${shown(after.high)}`;
    return fault(`a convex function on ${where}`, falling, middle);
  }
  return fault(`a function that can be shown to be convex on ${where}`, 'one that cannot', middle);
}

/** sup |f′| of a convex formula, rounded up: the larger slope at the ends, refused where it is above the bound. */
export function checkLipschitz({ formula }: Pieces, interval: Span, bound: number): number {
  let largest = 0;
  for (const end of [interval.low, interval.high]) {
    const { slope } = enclose(formula, point(end));
    // Inside the interval the slope is nowhere farther from 0 than at this end, in the direction that matters here.
    const steepness = end === interval.low ? -slope.low : slope.high;
    if (steepness > bound * (1 + SLOPE_TOLERANCE)) {
      const where = `[${shown(interval.low)}, ${shown(interval.high)}]`;
      const sign = end === interval.low ? -1 : 1;
      throw fault(`|f′| <= ${shown(bound)} on ${where}`, `slope ${shown(sign * steepness)}`, end);
    }
    largest = max(largest, steepness);
  }
  return largest;
}

/** An upper bound of f″, kinks left out, at most 0.1 % above the supremum (or as near as the intervals allow). */
export function largestCurvature({ formula }: Pieces, interval: Span): number {
  const bound = (span: Span): number => enclose(formula, span, false).curvature.high;
  let attained = 0;
  const open: { span: Span; high: number }[] = [{ span: interval, high: bound(interval) }];
  const most = Math.ceil(MOST_CURVATURE_WORK / sizeOf(formula));
  for (let looked = 0; ; looked++) {
    let widest = 0;
    for (let i = 1; i < open.length; i++) if (open[i].high > open[widest].high) widest = i;
    const { span, high } = open[widest];
    const middle = span.low + (span.high - span.low) / 2;
    attained = max(attained, enclose(formula, point(middle), false).curvature.low);
    if (high <= attained * (1 + CURVATURE_GAP) + CURVATURE_TOLERANCE) return max(0, high);
    if (looked >= most || middle <= span.low || middle >= span.high) {
      if (high < Infinity) return high;
      throw unbounded(`[${shown(interval.low)}, ${shown(interval.high)}]`, middle);
    }
    const left = { low: span.low, high: middle };
    const right = { low: middle, high: span.high };
    open[widest] = { span: left, high: bound(left) };
    open.push({ span: right, high: bound(right) });
  }
}

function isDefined({ trouble, value, slope }: Enclosed): boolean {
  return trouble === undefined && isBounded(value) && isBounded(slope);
}

/** Whether a computed number lies in its enclosure, apart from rounding. */
function holds(span: Span, computed: number): boolean {
  const slack = 1e-9 * (1 + max(abs(span.low), abs(span.high)));
  return computed >= span.low - slack && computed <= span.high + slack;
}

function unbounded(where: string, t: number): RefusedValue {
  return fault(`a curvature bounded between the kinks on ${where}`, 'one that is not', t);
}

/** Points are shown to nine decimals, the precision of the halving and not that of a double. */
function fault(expected: string, got: string, t: number): RefusedValue {
  return new RefusedValue(`"expression" expected ${expected}, got ${got} at t = ${Number(t.toFixed(9))}`);
}

function shown(x: number): string {
  return String(Number(x.toPrecision(6)));
}

/** Bounds that hold for a formula on a full interval of t. */
export interface Enclosure {
  readonly value: Span;
  /** Contains every f′(t), and at a kink both slopes. */
  readonly slope: Span;
  /**
   * Contains f″ as a measure: f′(t) − f′(s) ≥ low·(t − s), and ≤ high·(t − s), for s < t. A kink makes one of the ends
   * infinite, unless kinks are left out on request.
   */
  readonly curvature: Span;
}

/** {@link Enclosure} of a formula, or the reason why it may not be defined on the full interval. */
export interface Enclosed extends Enclosure {
  readonly trouble: string | undefined;
}

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
  // Strict inequality: a tie at the common end of two intervals is a kink, and both intervals must include it.
  if (a.value.low > b.value.high) return a;
  if (b.value.low > a.value.high) return b;
  const curvature = hull(a.curvature, b.curvature);
  return {
    value: { low: Math.max(a.value.low, b.value.low), high: Math.max(a.value.high, b.value.high) },
    slope: hull(a.slope, b.slope),
    // If a − λt²/2 and b − λt²/2 are convex, so is their maximum: the common lower bound holds.
    curvature: kinks ? { low: curvature.low, high: Infinity } : curvature,
  };
}

function absolute(a: Enclosure, kinks: boolean): Enclosure {
  const larger = maximum(a, minus(a), kinks);
  return { ...larger, value: clipped(larger.value, 0, Infinity) };
}

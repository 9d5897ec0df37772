import { checkInterval, checkPositive, RefusedValue } from '../../check/refusal.ts';
import type { MarginLoss } from '../margin-loss.ts';
import { checkConvex, checkLipschitz, enclose, largestCurvature } from './convexity.ts';
import { combine, type Span, sizeOf } from './formula.ts';
import { type Crossing, compile, differentiate, type Pieces, parseExpression } from './parse.ts';

const { abs, max, min } = Math;

/** Most intervals checked for one crossing, times the nodes of its formula. */
const MOST_WORK = 60_000;

/** An interval shorter than this fraction of the full interval counts as a point. */
const NARROWEST = 2 ** -40;

/** Distance, as a fraction of the full interval, at which slopes are compared across a crossing. */
const BESIDE = 2 ** -30;

/** A jump of the slope below this does not count as a jump. */
const SMALLEST_JUMP = 1e-8;

/**
 * The points of an interval where the slope of a convex formula jumps, ascending: crossings of abs, max and min. Refused
 * when two branches agree on a segment, up to rounding, so that no single point can be named.
 */
function kinksOf(pieces: Pieces, interval: Span): number[] {
  const length = interval.high - interval.low;
  const points = pieces.crossings.flatMap((crossing) => crossingPoints(crossing, interval)).sort((a, b) => a - b);
  // One jump that several crossings have found is one kink.
  const separate = points.filter((point, i) => i === 0 || point - points[i - 1] > BESIDE * length);
  const jump = (point: number, step: number): number =>
    pieces.slope(min(interval.high, point + step)) - pieces.slope(max(interval.low, point - step));
  // A curvature makes the difference of slopes shrink with the distance; a jump does not.
  return separate.filter((point) => {
    const wide = jump(point, BESIDE * length);
    return wide > SMALLEST_JUMP && jump(point, (BESIDE * length) / 16) > wide / 2;
  });
}

/** Where two branches meet: every change of sign of their difference, and every point that cannot be excluded. */
function crossingPoints({ left, right }: Crossing, interval: Span): number[] {
  const formula = combine('-', left, right);
  // Branches of the expression itself: no selectors.
  const difference = compile(formula, []);
  const size = sizeOf(formula);
  const points: number[] = [];
  const open: Span[] = [interval];
  for (let looked = 0; open.length > 0; looked++) {
    const { low, high } = open.pop()!;
    const { value, slope } = enclose(formula, { low, high });
    // The branches are apart, or equal on the full interval.
    if (value.low > 0 || value.high < 0 || (value.low === 0 && value.high === 0)) continue;
    const middle = low + (high - low) / 2;
    if (slope.low > 0 || slope.high < 0) {
      if (difference(low) * difference(high) <= 0) points.push(root(difference, low, high));
    } else if (high - low <= NARROWEST * (interval.high - interval.low)) {
      points.push(middle);
    } else if (looked * size >= MOST_WORK) {
      const expected = 'abs, max and min of functions that meet at single points';
      throw new RefusedValue(
        `"expression" expected ${expected}, got two that hardly differ near t = ${Number(middle.toFixed(9))}`,
      );
    } else open.push({ low: middle, high }, { low, high: middle });
  }
  return points;
}

/** The change of sign of a monotone function, to the last digit. */
function root(f: (t: number) => number, low: number, high: number): number {
  const [first, last] = [f(low), f(high)];
  if (first === 0) return low;
  if (last === 0) return high;
  let [from, to] = [low, high];
  for (;;) {
    const middle = from + (to - from) / 2;
    if (middle <= from || middle >= to) return abs(f(from)) <= abs(f(to)) ? from : to;
    const value = f(middle);
    if (value === 0) return middle;
    if (value > 0 === last > 0) to = middle;
    else from = middle;
  }
}

/** The requirements on an expression besides convexity. */
export interface ExpressionLossOptions {
  /** Left end of the interval on which the loss is checked; outside it is refused. −1 by default. */
  readonly lower?: number;
  /** Right end; 1 by default. */
  readonly upper?: number;
  /** Largest slope allowed, in absolute value; 1 by default. */
  readonly lipschitz?: number;
}

/** How far outside the interval a margin may be, relative to its ends: the rounding of an inner product. */
const MARGIN_TOLERANCE = 1e-9;

/**
 * A loss of the margin from a typed formula in t, such as `log(1 + exp(-t))` or `max(0, 1/2 - t)`.
 *
 * It may consist only of numbers, `t`, `e`, `pi`, `+ - * / ^`, brackets and the functions abs, cosh, exp, expm1, log,
 * log1p, max, min, sinh, sqrt and tanh. The text is never evaluated as a program. Its derivatives are symbolic
 * (mathjs): exact between the kinks of abs, max and min; at a kink, those from the right.
 *
 * It is *proved* that the loss is defined, convex and Lipschitz on the interval: f″ ≥ −1e-9 and |f′| ≤ the
 * bound · (1 + 1e-9). The proof uses interval arithmetic with outward rounding on a subdivision, and assumes that the
 * functions of `Math` are right to 8 units in the last place. The constants of the loss are upper bounds on that
 * interval: `lipschitz` to rounding, `smoothnessOn` to 0.1 %. A jump of the slope below 1e-8 does not count as a kink.
 * @throws TypeError for anything that is not a string; RangeError for anything that is not such a formula or is too
 * long; RangeError naming the point if it is undefined, not convex or too steep there. The loss throws RangeError
 * outside the interval; a server refuses a radius beyond it.
 *
 * @example
 * ```ts
 * import { lossFromExpression } from 'ldpkit/expression';
 * const loss = lossFromExpression('log(1 + exp(-t))');
 * console.log(loss.derivative(0)); // -0.5
 * ```
 */
export function lossFromExpression(expression: string, options: ExpressionLossOptions = {}): MarginLoss {
  const { lower, upper } = checkInterval(options);
  const bound = checkPositive('lipschitz', options.lipschitz ?? 1);
  const pieces = differentiate(parseExpression(expression));
  const interval = { low: lower, high: upper };
  checkConvex(pieces, interval);
  const lipschitz = checkLipschitz(pieces, interval, bound);
  const curvature = largestCurvature(pieces, interval);
  const kinks = kinksOf(pieces, interval);
  const slack = MARGIN_TOLERANCE * Math.max(1, Math.abs(lower), Math.abs(upper));
  // The margin comes from a datum, so the message does not contain its value.
  const within = (t: number): number => {
    if (t >= lower - slack && t <= upper + slack) return t;
    throw new RefusedValue(`"t" expected a margin in [${lower}, ${upper}], where the expression was checked`);
  };
  return {
    name: expression.trim(),
    value: (t) => pieces.value(within(t)),
    derivative: (t) => pieces.slope(within(t)),
    secondDerivative: (t) => pieces.curvature(within(t)),
    lipschitz,
    smoothness: kinks.length > 0 ? Infinity : curvature,
    kinks,
    smoothnessOn: () => curvature,
    interval: [lower, upper],
  };
}

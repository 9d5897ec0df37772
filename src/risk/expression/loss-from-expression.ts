import { checkPositive } from '../../check/number.ts';
import { checkInterval } from '../../polynomial/interval.ts';
import type { MarginLoss } from '../margin-loss.ts';
import { checkConvex, checkLipschitz, largestCurvature } from './convexity.ts';
import { kinksOf } from './kinks.ts';
import { parseExpression } from './parse.ts';
import { differentiate } from './pieces.ts';

/** What is asked of an expression besides being convex. */
export interface ExpressionLossOptions {
  /** Left end of the interval on which the loss is checked, and outside of which it refuses to be evaluated; −1 by default. */
  readonly lower?: number;
  /** Right end; 1 by default. */
  readonly upper?: number;
  /** Largest slope allowed, in absolute value; 1 by default. */
  readonly lipschitz?: number;
}

/** How far outside the interval a margin may be, relative to its ends: the rounding of an inner product. */
const MARGIN_TOLERANCE = 1e-9;

/**
 * A loss of the margin from a formula in t that somebody typed, such as `log(1 + exp(-t))` or `max(0, 1/2 - t)`.
 *
 * It may consist of numbers, `t`, `e`, `pi`, `+ - * / ^`, brackets and the functions abs, cosh, exp, expm1, log, log1p, max,
 * min, sinh, sqrt and tanh, and of nothing else: the text is never evaluated as a program. Its derivatives are symbolic
 * (mathjs); between the kinks of abs, max and min exactly so, at a kink those from the right.
 *
 * That it is defined, convex and Lipschitz on the interval is *proved*, by interval arithmetic with outward rounding on a
 * subdivision (assuming that the functions of `Math` are right to 8 units in the last place): f″ ≥ −1e-9 and
 * |f′| ≤ the bound · (1 + 1e-9). The constants of the loss are upper bounds on that interval: `lipschitz` to rounding,
 * `smoothnessOn` to 0.1 %. A jump of the slope below 1e-8 does not count as a kink.
 *
 * @throws TypeError for anything that is not a string; RangeError for anything that is not such a formula, is too long, or is
 * undefined, not convex or too steep, then with the point; from the loss itself, RangeError outside the interval.
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
  // The margin is a datum's: the message has no value of it.
  const within = (t: number): number => {
    if (t >= lower - slack && t <= upper + slack) return t;
    throw new RangeError(`"t" expected a margin in [${lower}, ${upper}], where the expression was checked`);
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
  };
}

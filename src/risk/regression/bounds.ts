import { checkNonNegative, checkPositive, refusal } from '../../check/number.ts';
import { RefusedKind, RefusedValue } from '../../check/refusal.ts';
import type { ResponseLoss } from '../response-loss.ts';

const { abs, hypot, max, min } = Math;

/** What is public about records and coefficients before anybody answers. */
export interface RecordBounds {
  /** r > 0: the features of a record, without the intercept, have at most this norm. */
  readonly features: number;
  /** Y ≥ 0: a response is at most this far from 0. For losses of numbers; labels need none. */
  readonly response?: number;
  /** R > 0: all coefficients with the intercept have at most this norm. Needed if the slope of the loss is unbounded. */
  readonly radius?: number;
}

/**
 * The bounds of a request, checked.
 *
 * @throws TypeError or RangeError naming the field.
 */
export function checkRecordBounds(bounds: RecordBounds | undefined): RecordBounds {
  if (bounds === null || typeof bounds !== 'object') {
    throw new RefusedKind(refusal('model.bounds', 'an object with public bounds, for the clip bounds', bounds));
  }
  const { features, response, radius } = bounds;
  return {
    features: checkPositive('model.bounds.features', features),
    ...(response === undefined ? {} : { response: checkNonNegative('model.bounds.response', response) }),
    ...(radius === undefined ? {} : { radius: checkPositive('model.bounds.radius', radius) }),
  };
}

/** √(1 + r²) or r: the largest norm of a record with its intercept. */
export function recordNorm({ features }: RecordBounds, intercept: boolean): number {
  return hypot(features, intercept ? 1 : 0);
}

/**
 * sup |f′(t, y)| over |t| ≤ R·‖x‖ and all responses within the bounds.
 *
 * Law: f is convex in t, so that f′ grows with t; in a numeric response, of which losses see the residual only, it falls.
 * So |f′| is largest at a corner: at t = ±R·‖x‖, and y = ±Y or a label.
 *
 * Shape: `labels`, the possible responses where they are labels; `lipschitz`, sup |f′| everywhere.
 *
 * @throws RangeError for a bound that is missing although the slope is not bounded without it.
 */
export function largestSlope(
  {
    loss,
    lipschitz,
    labels,
  }: { readonly loss: ResponseLoss; readonly lipschitz: number; readonly labels?: readonly number[] },
  bounds: RecordBounds,
  norm: number,
): number {
  const { radius, response } = bounds;
  const missing =
    radius === undefined ? 'radius' : labels === undefined && response === undefined ? 'response' : undefined;
  if (missing !== undefined || radius === undefined) {
    if (lipschitz < Infinity) return lipschitz;
    throw new RefusedValue(
      refusal(`model.bounds.${missing}`, `a number, since the slope of ${loss.name} is unbounded`, undefined),
    );
  }
  const responses = labels ?? [-response!, response!];
  const corners = responses.flatMap((y) => [loss.derivative(-radius * norm, y), loss.derivative(radius * norm, y)]);
  return min(lipschitz, max(...corners.map(abs)));
}

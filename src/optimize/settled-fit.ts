import { checkInteger } from '../check/number.ts';
import type { NoiseAwareFit } from '../polynomial/fit.ts';
import { evaluatePolynomial } from '../polynomial/monomial.ts';

const { abs, max, min } = Math;

/** A fit that depends on the point it leads to. */
export interface FitProblem {
  /** Number of coordinates of a point. */
  readonly dimension: number;
  /** The highest degree that the moments can serve. */
  readonly highest: number;
  /** The degree wanted, or `automatic`: the lowest that a further one does not beat clearly. */
  readonly degree: number | 'automatic';
  /** The polynomial of this degree when the margins are those at w. */
  fitAt(w: Float64Array, degree: number): NoiseAwareFit;
  /** Where the polynomial leads. */
  solve(coefficients: ArrayLike<number>): Float64Array;
}

/** A further degree must lower the forecast error by this factor to be taken: it gives up convexity. */
const DEGREE_GAIN = 0.6;

/** Rounds of fitting the polynomial where the margins are and moving w to where the polynomial leads. */
const ROUNDS = 8;

/**
 * A polynomial and the point it leads to, brought into agreement from w = 0.
 *
 * @throws TypeError or RangeError for a degree that the moments cannot serve.
 */
export function settleFit({ dimension, highest, degree: wanted, fitAt, solve }: FitProblem): {
  readonly w: Float64Array;
  readonly coefficients: Float64Array;
} {
  const settle = (degree: number) => {
    let w: Float64Array = new Float64Array(dimension);
    let coefficients: Float64Array = new Float64Array(0);
    for (let round = 0; round < ROUNDS; round++) {
      const fit = fitAt(w, degree).coefficients;
      // Half a step: the fit and the minimiser pull against each other and would swing.
      coefficients = round === 0 ? fit : coefficients.map((c, k) => (c + fit[k]) / 2);
      w = solve(coefficients);
    }
    return { w, coefficients };
  };
  if (wanted !== 'automatic') return settle(checkInteger('degree', wanted, 0, highest));
  let degree = min(1, highest);
  const chosen = settle(degree);
  for (let next = degree + 1; next <= highest; next++) {
    if (fitAt(chosen.w, next).objective < DEGREE_GAIN * fitAt(chosen.w, degree).objective) degree = next;
  }
  return degree > 1 ? settle(degree) : chosen;
}

/** sup |P − f′| on [−R, R], on a grid fine enough for a polynomial of the degrees in use. */
export function largestGap(coefficients: ArrayLike<number>, slope: (t: number) => number, radius: number): number {
  let largest = 0;
  for (let i = 0; i <= 2000; i++) {
    const t = radius * (i / 1000 - 1);
    largest = max(largest, abs(evaluatePolynomial(coefficients, t) - slope(t)));
  }
  return largest;
}

import { checkFinite, checkInteger, checkPositive, refusal } from '../check/number.ts';
import { RefusedValue } from '../check/refusal.ts';
import { composeAffine } from './monomial.ts';

const { PI, abs, cos, max } = Math;

/**
 * Largest degree accepted. The conversion to monomials already loses all sixteen digits near degree 40, so a request
 * for a larger degree is a mistake.
 */
const MAXIMUM_CHEBYSHEV_DEGREE = 1000;

/** The interval of a Chebyshev series and the requested accuracy of its coefficients. */
export interface ChebyshevSeriesOptions extends Interval {
  /**
   * The coefficients count as settled when doubling the number of nodes moves none of them by more than this multiple
   * of the largest sampled |f|; 1e-13 by default.
   */
  readonly tolerance?: number;
  /** Give up beyond this many nodes; 65536 by default. */
  readonly maximumNodes?: number;
}

/**
 * The coefficients a_0 … a_degree of the truncated Chebyshev series of f on [lower, upper].
 *
 * With x = cos θ, the integral that defines a_k is the mean of f(cos θ)·cos kθ over half a period. The midpoint rule in
 * θ (a discrete cosine transform) converges geometrically for analytic f. The number of nodes is doubled until the
 * coefficients settle.
 *
 * Shape: degree + 1 coefficients; the series is Σ a_k T_k(s), s = (2t − lower − upper)/(upper − lower).
 *
 * Source: Wang, Smith, Xu 2020, definition 5.
 *
 * @throws RangeError when the coefficients do not settle: f jumps or has a kink, or is finer than the nodes allow. A
 * function that is not smooth needs a larger `tolerance`; the error is then of that order.
 * @theorem noninteractive Definition 5
 *
 * @example
 * ```ts
 * import { chebyshevSeries, evaluateChebyshev } from 'ldpkit/polynomial';
 * const series = chebyshevSeries(Math.exp, 6);
 * console.log(Math.abs(evaluateChebyshev(series, 0.5) - Math.exp(0.5)) < 1e-5); // true
 * ```
 */
export function chebyshevSeries(
  f: (t: number) => number,
  degree: number,
  options: ChebyshevSeriesOptions = {},
): Float64Array {
  checkInteger('degree', degree, 0, MAXIMUM_CHEBYSHEV_DEGREE);
  const { lower, upper } = checkInterval(options);
  const tolerance = checkPositive('tolerance', options.tolerance ?? 1e-13);
  const maximumNodes = checkInteger('maximumNodes', options.maximumNodes ?? 65536, 128);
  // At least four nodes for the fastest cosine, so that two successive grids cannot alias it in the same way.
  let nodes = 64;
  while (nodes < 4 * (degree + 1)) nodes *= 2;
  let { coefficients } = cosineTransform(f, degree, nodes, lower, upper);
  for (nodes *= 2; nodes <= maximumNodes; nodes *= 2) {
    const finer = cosineTransform(f, degree, nodes, lower, upper);
    let change = 0;
    for (let k = 0; k <= degree; k++) change = max(change, abs(finer.coefficients[k] - coefficients[k]));
    coefficients = finer.coefficients;
    if (change <= tolerance * finer.largest) return coefficients;
  }
  throw new RefusedValue(
    `"f" expected a function smooth enough for ${maximumNodes} nodes at tolerance ${tolerance}, got one that is not`,
  );
}

/** The midpoint rule in θ with the given number of nodes, and the largest |f| at these nodes. */
function cosineTransform(
  f: (t: number) => number,
  degree: number,
  nodes: number,
  lower: number,
  upper: number,
): { coefficients: Float64Array; largest: number } {
  const middle = (lower + upper) / 2;
  const half = (upper - lower) / 2;
  const period = 4 * nodes;
  // Every cosine needed is cos(2π·m/(4·nodes)) for a whole m: one table with exact reduction, and no recurrence that
  // drifts.
  const table = new Float64Array(period);
  for (let m = 0; m < period; m++) table[m] = cos((2 * PI * m) / period);
  const coefficients = new Float64Array(degree + 1);
  let largest = 0;
  for (let j = 0; j < nodes; j++) {
    const odd = 2 * j + 1;
    const value = checkFinite('f(t)', f(middle + half * table[odd]));
    largest = max(largest, abs(value));
    for (let k = 0, m = 0; k <= degree; k++) {
      coefficients[k] += value * table[m];
      m += odd;
      if (m >= period) m -= period;
    }
  }
  for (let k = 0; k <= degree; k++) coefficients[k] *= (k === 0 ? 1 : 2) / nodes;
  return { coefficients, largest };
}

/**
 * The value at t of the Chebyshev series with the given coefficients on [lower, upper], by Clenshaw's recurrence.
 *
 * @theorem noninteractive Definition 5
 *
 * @example
 * ```ts
 * import { chebyshevSeries, evaluateChebyshev } from 'ldpkit/polynomial';
 * const series = chebyshevSeries(Math.exp, 5);
 * console.log(Math.abs(evaluateChebyshev(series, 0.5) - Math.exp(0.5)) < 1e-3); // true
 * ```
 */
export function evaluateChebyshev(coefficients: ArrayLike<number>, t: number, interval: Interval = {}): number {
  const { lower = -1, upper = 1 } = interval;
  const s = (2 * t - lower - upper) / (upper - lower);
  let next = 0;
  let afterNext = 0;
  for (let k = coefficients.length - 1; k >= 1; k--) {
    const current = coefficients[k] + 2 * s * next - afterNext;
    afterNext = next;
    next = current;
  }
  return (coefficients.length > 0 ? coefficients[0] : 0) + s * next - afterNext;
}

/**
 * The derivative of a Chebyshev series with respect to t, as a Chebyshev series on the same interval.
 *
 * Shape: one coefficient fewer, but at least one.
 */
export function chebyshevDerivative(coefficients: ArrayLike<number>, interval: Interval = {}): Float64Array {
  const { lower = -1, upper = 1 } = interval;
  const degree = coefficients.length - 1;
  const derivative = new Float64Array(max(1, degree));
  // d_{k−1} = d_{k+1} + 2k·a_k, downwards, with half of it for the constant.
  for (let k = degree; k >= 1; k--) {
    derivative[k - 1] = (k + 1 < derivative.length ? derivative[k + 1] : 0) + 2 * k * coefficients[k];
  }
  derivative[0] /= 2;
  const slope = 2 / (upper - lower);
  for (let k = 0; k < derivative.length; k++) derivative[k] *= slope;
  return derivative;
}

/**
 * The monomial coefficients in t of a Chebyshev series on [lower, upper].
 *
 * Growth: the coefficients of T_k itself sum to about (1 + √2)^k / 2 in absolute value, so monomial coefficients of a
 * bounded function grow like 2.41^k, and their rounding errors grow in the same way: about 7 digits are lost at degree
 * 18, all 16 at degree 42. An interval that is not centred at 0 loses more.
 *
 * Source: Wang, Smith, Xu 2020, proof of theorem 10 (the c_k of algorithm 1).
 * @theorem noninteractive Definition 3
 *
 * @example
 * ```ts
 * import { chebyshevToMonomial } from 'ldpkit/polynomial';
 * // T₂(x) = 2x² − 1.
 * console.log(Array.from(chebyshevToMonomial([0, 0, 1]))); // [ -1, 0, 2 ]
 * ```
 */
export function chebyshevToMonomial(coefficients: ArrayLike<number>, interval: Interval = {}): Float64Array {
  const { lower, upper } = checkInterval(interval);
  const size = coefficients.length;
  const monomial = new Float64Array(size);
  // Rows of the recurrence T_{k+1} = 2x·T_k − T_{k−1}: whole numbers, so exact up to degree 44.
  let previous = new Float64Array(size);
  let current = new Float64Array(size);
  if (size > 0) current[0] = 1;
  for (let k = 0; k < size; k++) {
    for (let m = k % 2; m <= k; m += 2) monomial[m] += coefficients[k] * current[m];
    // `previous` becomes the next row in place: entry m needs only entry m of T_{k−1} and m − 1 of T_k.
    for (let m = 0; m < size; m++) {
      previous[m] = (m > 0 ? (k === 0 ? 1 : 2) * current[m - 1] : 0) - previous[m];
    }
    [previous, current] = [current, previous];
  }
  return composeAffine(monomial, 2 / (upper - lower), -(lower + upper) / (upper - lower));
}

/** A closed interval of the real line; [−1, 1] by default. */
export interface Interval {
  /** Left end, −1 by default. */
  readonly lower?: number;
  /** Right end, 1 by default. */
  readonly upper?: number;
}

/**
 * The interval with its defaults filled in.
 *
 * @throws TypeError or RangeError unless both ends are finite and `lower` lies strictly below `upper`.
 */
export function checkInterval(interval: Interval): Required<Interval> {
  const lower = checkFinite('lower', interval.lower ?? -1);
  const upper = checkFinite('upper', interval.upper ?? 1);
  if (!(lower < upper)) throw new RefusedValue(refusal('upper', `a number > lower (${lower})`, upper));
  return { lower, upper };
}

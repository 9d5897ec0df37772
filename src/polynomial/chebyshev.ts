import {
  checkFinite,
  checkInteger,
  checkInterval,
  checkPositive,
  type Interval,
  RefusedValue,
} from '../check/refusal.ts';

const { PI, abs, cos, max } = Math;

/** The derivative P′: one entry fewer, but at least one (a constant has derivative `[0]`). */
export function polynomialDerivative(coefficients: ArrayLike<number>): Float64Array {
  const derivative = new Float64Array(Math.max(1, coefficients.length - 1));
  for (let k = 1; k < coefficients.length; k++) derivative[k - 1] = k * coefficients[k];
  return derivative;
}

export function polynomialProduct(left: ArrayLike<number>, right: ArrayLike<number>): Float64Array {
  if (left.length === 0 || right.length === 0) return new Float64Array(0);
  const product = new Float64Array(left.length + right.length - 1);
  for (let i = 0; i < left.length; i++) {
    for (let j = 0; j < right.length; j++) product[i + j] += left[i] * right[j];
  }
  return product;
}

/** Largest degree accepted: the conversion to monomials loses all sixteen digits near degree 40. */
const MAXIMUM_CHEBYSHEV_DEGREE = 1000;

/** The interval of a Chebyshev series and the requested accuracy of its coefficients. */
export interface ChebyshevSeriesOptions extends Interval {
  /**
   * The coefficients count as settled when doubling the number of nodes moves none of them by more than this multiple
   * of the largest sampled |f|; 1e-13 by default.
   */
  readonly tolerance?: number;
}

/** No series is computed from more nodes. */
const MOST_NODES = 65536;

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
  // At least four nodes for the fastest cosine, so that two successive grids cannot alias it in the same way.
  let nodes = 64;
  while (nodes < 4 * (degree + 1)) nodes *= 2;
  let { coefficients } = cosineTransform(f, degree, nodes, lower, upper);
  for (nodes *= 2; nodes <= MOST_NODES; nodes *= 2) {
    const finer = cosineTransform(f, degree, nodes, lower, upper);
    let change = 0;
    for (let k = 0; k <= degree; k++) change = max(change, abs(finer.coefficients[k] - coefficients[k]));
    coefficients = finer.coefficients;
    if (change <= tolerance * finer.largest) return coefficients;
  }
  throw new RefusedValue(
    `"f" expected a function smooth enough for ${MOST_NODES} nodes at tolerance ${tolerance}, got one that is not`,
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
  // Every cosine needed is cos(2π·m/(4·nodes)) for a whole m: one table, and no recurrence that drifts.
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

/** A quadrature rule: Σ masses[i]·f(nodes[i]) stands for the integral of f. */
export interface QuadratureRule {
  readonly nodes: Float64Array;
  readonly masses: Float64Array;
}

/**
 * The Gauss–Lobatto rule with n ≥ 2 nodes on [−1, 1], including both ends, exact for polynomials up to degree 2n − 3.
 *
 * Newton's method for (1 − x²)·P′, P the Legendre polynomial of degree n − 1; accurate to a few units in the last
 * place.
 */
export function gaussLobatto(n: number): QuadratureRule {
  checkInteger('n', n, 2, 1000);
  const degree = n - 1;
  const nodes = new Float64Array(n);
  const masses = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    let x = -cos((PI * i) / degree);
    let value = 1;
    // Quadratic convergence from a guess with error 1/n²; ten steps are more than enough.
    for (let step = 0; step < 10; step++) {
      let before = 1;
      value = x;
      for (let k = 2; k <= degree; k++) {
        const next = ((2 * k - 1) * x * value - (k - 1) * before) / k;
        before = value;
        value = next;
      }
      x -= (x * value - before) / (n * value);
    }
    nodes[i] = x;
    masses[i] = 2 / (degree * n * value * value);
  }
  return { nodes, masses };
}

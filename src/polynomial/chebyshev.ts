import { checkFinite, checkInteger, checkPositive, RefusedValue } from '../check/refusal.ts';

const { PI, abs, cos, max } = Math;

/**
 * A polynomial in one variable is the Float64Array of its monomial coefficients, constant first: entry k multiplies
 * t^k. The empty array is the zero polynomial.
 */

/**
 * P(t), by Horner's rule.
 *
 * @example
 * ```ts
 * import { evaluatePolynomial } from 'ldpkit/polynomial';
 * // 1 + 2t + 3t² at t = 2.
 * console.log(evaluatePolynomial([1, 2, 3], 2)); // 17
 * ```
 */
export function evaluatePolynomial(coefficients: ArrayLike<number>, t: number): number {
  let value = 0;
  for (let k = coefficients.length - 1; k >= 0; k--) value = value * t + coefficients[k];
  return value;
}

/**
 * The derivative P′.
 *
 * Shape: one entry fewer, but at least one (a constant has derivative `[0]`).
 */
export function polynomialDerivative(coefficients: ArrayLike<number>): Float64Array {
  const derivative = new Float64Array(Math.max(1, coefficients.length - 1));
  for (let k = 1; k < coefficients.length; k++) derivative[k - 1] = k * coefficients[k];
  return derivative;
}

/** The product P·Q. */
export function polynomialProduct(left: ArrayLike<number>, right: ArrayLike<number>): Float64Array {
  if (left.length === 0 || right.length === 0) return new Float64Array(0);
  const product = new Float64Array(left.length + right.length - 1);
  for (let i = 0; i < left.length; i++) {
    for (let j = 0; j < right.length; j++) product[i + j] += left[i] * right[j];
  }
  return product;
}

/**
 * The polynomial t ↦ P(slope·t + intercept).
 *
 * With intercept 0 every coefficient is only rescaled. Otherwise terms of both signs cancel when the new origin lies
 * far from the old one: the rounding error is that of coefficients of size Σ_k |c_k|·(|slope| + |intercept|)^k.
 */
export function composeAffine(coefficients: ArrayLike<number>, slope: number, intercept: number): Float64Array {
  const composed = Float64Array.from(coefficients);
  const last = composed.length - 1;
  // Taylor shift to the new origin by repeated Horner steps, then rescaling.
  if (intercept !== 0) {
    for (let i = 0; i < last; i++) {
      for (let k = last - 1; k >= i; k--) composed[k] += intercept * composed[k + 1];
    }
  }
  let power = 1;
  for (let k = 0; k <= last; k++) {
    composed[k] *= power;
    power *= slope;
  }
  return composed;
}

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

/** The interval with its defaults filled in. */
export function checkInterval(interval: Interval): Required<Interval> {
  const lower = checkFinite('lower', interval.lower ?? -1);
  const upper = checkFinite('upper', interval.upper ?? 1);
  if (!(lower < upper)) throw new RefusedValue('upper', `a number > lower (${lower})`, upper);
  return { lower, upper };
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

/**
 * Nodes in a panel, which then integrates polynomials up to degree 21 exactly. A rule without the ends would miss a
 * jump between its last node and the end of a panel, however often the panel is halved.
 */
const PANEL_NODES = 12;

const PANEL_RULE: QuadratureRule = /* @__PURE__ */ gaussLobatto(PANEL_NODES);

/**
 * A panel is split when its halves disagree with it by more than this multiple of the whole integral of |·|. The halves
 * are kept; for a smooth function they are 2²² times more accurate than the panel with which they are compared.
 */
const PANEL_TOLERANCE = 1e-12;

/** A panel is not split more often than this: around a jump the remaining error is 2⁻⁴⁵ of a panel. */
const PANEL_DEPTH = 45;

/** The largest number of panels before giving up. */
const PANEL_LIMIT = 20_000;

/**
 * A composite Gauss–Lobatto rule on [edges[0], edges[last]] fine enough for three given functions at once.
 *
 * Every segment between edges starts as equal panels; a panel whose integrals change when it is halved is replaced by
 * its halves. Bisection finds the jumps and kinks of the functions, so the caller need not give them.
 * @throws RangeError when a function is not finite, or so rough that the limit on panels is reached.
 */
export function panelRule(
  edges: readonly number[],
  evaluate: (t: number, values: Float64Array) => void,
  panels: number,
): QuadratureRule {
  const values = new Float64Array(3);
  const integrate = (from: number, to: number): Float64Array => {
    const sums = new Float64Array(6);
    const half = (to - from) / 2;
    for (let i = 0; i < PANEL_NODES; i++) {
      evaluate((from + to) / 2 + half * PANEL_RULE.nodes[i], values);
      for (let k = 0; k < 3; k++) {
        sums[k] += half * PANEL_RULE.masses[i] * values[k];
        sums[k + 3] += half * PANEL_RULE.masses[i] * abs(values[k]);
      }
    }
    return sums;
  };
  const open: { from: number; to: number; depth: number; sums: Float64Array }[] = [];
  const totals = new Float64Array(3);
  for (let e = edges.length - 1; e >= 1; e--) {
    for (let i = panels - 1; i >= 0; i--) {
      const width = (edges[e] - edges[e - 1]) / panels;
      const from = edges[e - 1] + i * width;
      const to = i === panels - 1 ? edges[e] : edges[e - 1] + (i + 1) * width;
      const sums = integrate(from, to);
      for (let k = 0; k < 3; k++) totals[k] += sums[k + 3];
      open.push({ from, to, depth: 0, sums });
    }
  }
  for (const total of totals) {
    if (!Number.isFinite(total)) throw new RefusedValue('f(t)', 'finite numbers', total);
  }
  const closed: number[] = [];
  while (open.length > 0) {
    const { from, to, depth, sums } = open.pop()!;
    const middle = (from + to) / 2;
    const left = integrate(from, middle);
    const right = integrate(middle, to);
    let settled = depth >= PANEL_DEPTH;
    if (!settled) {
      settled = true;
      for (let k = 0; k < 3; k++) {
        // The larger of the first estimate and the integral over this panel, which the first estimate may have missed.
        const whole = max(totals[k], left[k + 3] + right[k + 3]);
        if (!(abs(left[k] + right[k] - sums[k]) <= PANEL_TOLERANCE * whole)) settled = false;
      }
    }
    if (settled) {
      closed.push(from, middle, middle, to);
      if (closed.length > 2 * PANEL_LIMIT) {
        throw new RefusedValue(`"f" expected a function integrable with ${PANEL_LIMIT} panels, got one that is not`);
      }
      continue;
    }
    open.push({ from: middle, to, depth: depth + 1, sums: right }, { from, to: middle, depth: depth + 1, sums: left });
  }
  const size = (closed.length / 2) * PANEL_NODES;
  const nodes = new Float64Array(size);
  const masses = new Float64Array(size);
  for (let panel = 0, entry = 0; panel < closed.length; panel += 2) {
    const half = (closed[panel + 1] - closed[panel]) / 2;
    const centre = (closed[panel] + closed[panel + 1]) / 2;
    for (let i = 0; i < PANEL_NODES; i++, entry++) {
      nodes[entry] = centre + half * PANEL_RULE.nodes[i];
      masses[entry] = half * PANEL_RULE.masses[i];
    }
  }
  return { nodes, masses };
}

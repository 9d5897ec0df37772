import {
  checkFinite,
  checkInteger,
  checkInterval,
  checkNonNegative,
  type Interval,
  RefusedValue,
} from '../check/refusal.ts';
import { createMatrix, type Matrix, solveLeastSquares } from '../numeric/matrix.ts';
import { gaussLobatto, type QuadratureRule } from './chebyshev.ts';

const { abs, ceil, max, sqrt } = Math;

/** Largest degree of a fit; its monomial coefficients still carry about eight digits. */
export const MAXIMUM_FIT_DEGREE = 20;

export interface NoiseAwareFitOptions extends Interval {
  /** The function that P approximates, usually the derivative f′ of a margin loss. It may have jumps. */
  readonly target: (t: number) => number;
  readonly degree: number;
  /** Where the margins are expected: a density on the interval or a {@link FitWeight}; uniform by default. */
  readonly weight?: ((t: number) => number) | FitWeight;
  /** The price of the coefficients, already divided by the number of players: Γ_k/n for each of c_0 … c_D. None by default. */
  readonly noise?: ArrayLike<number>;
}

export interface NoiseAwareFit {
  /** Monomial coefficients c_0 … c_D of P. */
  readonly coefficients: Float64Array;
  /** Root of the weighted mean of (P − f′)². */
  readonly rmsBias: number;
  /** Σ Γ_k·c_k²/n, the variance due to the noise. */
  readonly noisePenalty: number;
  /** The minimised quantity: rmsBias² + noisePenalty. */
  readonly objective: number;
}

/**
 * The polynomial P = Σ c_k t^k of degree D that minimises ∫(P − f′)² dω + Σ Γ_k·c_k²/n, ω the weight as a probability
 * law: the squared bias where the margins lie plus the variance of the report in use. Its objective never exceeds that of
 * a smaller degree, the same problem with the last coefficients at 0. If the minimiser is not unique (fewer points than
 * coefficients, no noise), the Chebyshev coefficients have the least norm. Solved in the Chebyshev basis by orthogonal
 * transformations.
 */
export function noiseAwareFit(options: NoiseAwareFitOptions): NoiseAwareFit {
  const { target, weight, noise } = options;
  const degree = checkInteger('degree', options.degree, 0, MAXIMUM_FIT_DEGREE);
  const interval = checkInterval(options);
  const size = degree + 1;
  // T_j·T_k has at most this many half waves per panel: few enough for the nodes to be exact.
  const panels = 1 + ceil(degree / 4);
  const law =
    typeof weight === 'object' ? weight : { density: weight ?? (() => 1), edges: [interval.lower, interval.upper] };
  const rule = weightedRule(law, target, interval, panels);
  if (noise !== undefined && noise.length !== size) throw new RefusedValue('noise', `${size} numbers`, noise.length);
  const penalty = Float64Array.from({ length: size }, (_, k) => sqrt(checkNonNegative(`noise[${k}]`, noise?.[k] ?? 0)));
  const { matrix, right } = stackRows(rule, target, penalty, interval);
  const series = solveLeastSquares(matrix, right);
  const coefficients = chebyshevToMonomial(series, interval);
  let squaredBias = 0;
  rule.nodes.forEach((t, i) => {
    squaredBias += rule.masses[i] * (evaluatePolynomial(coefficients, t) - target(t)) ** 2;
  });
  let noisePenalty = 0;
  for (let k = 0; k < size; k++) noisePenalty += (penalty[k] * coefficients[k]) ** 2;
  return {
    coefficients,
    rmsBias: sqrt(squaredBias),
    noisePenalty,
    objective: squaredBias + noisePenalty,
  };
}

/** The least-squares problem in the Chebyshev coefficients: one row per node, then one per coefficient with a price. */
function stackRows(
  { nodes, masses }: QuadratureRule,
  target: (t: number) => number,
  penalty: Float64Array,
  interval: Required<Interval>,
): { matrix: Matrix; right: Float64Array } {
  const size = penalty.length;
  const matrix = createMatrix(nodes.length + size, size);
  const right = new Float64Array(matrix.rows);
  const { lower, upper } = interval;
  for (let i = 0; i < nodes.length; i++) {
    const root = sqrt(masses[i]);
    const s = (2 * nodes[i] - lower - upper) / (upper - lower);
    let before = 0;
    let value = root;
    for (let k = 0; k < size; k++) {
      matrix.entries[i * size + k] = value;
      const next = (k === 0 ? 1 : 2) * s * value - before;
      before = value;
      value = next;
    }
    right[i] = root * checkFinite('target(t)', target(nodes[i]));
  }
  // Row i of the penalty in Chebyshev coefficients: the root of its price times monomial coefficient i of each T_k.
  const unit = new Float64Array(size);
  for (let k = 0; k < size; k++) {
    unit.fill(0)[k] = 1;
    const monomials = chebyshevToMonomial(unit, interval);
    // Adding 0 turns −0 into 0.
    for (let i = 0; i < size; i++) matrix.entries[(nodes.length + i) * size + k] = penalty[i] * monomials[i] + 0;
  }
  return { matrix, right };
}

/** A weight with a density on an interval; it need not be normalised. */
export interface DensityWeight {
  /** The density, at least 0, finite, and positive somewhere. */
  readonly density: (t: number) => number;
  /** Ascending points between which the density varies on one scale; outside the first and last there is no mass. */
  readonly edges: readonly number[];
}

export interface PointWeight {
  readonly points: ArrayLike<number>;
  /** One mass per point, at least 0 and not all 0; the masses need not sum to 1. */
  readonly masses: ArrayLike<number>;
}

/** The weight of a least-squares fit: where the margins t are expected. */
export type FitWeight = DensityWeight | PointWeight;

/** A weight and a target as one quadrature rule of mass 1, fine enough for the means of the target and its square. */
export function weightedRule(
  weight: FitWeight,
  target: (t: number) => number,
  { lower, upper }: Required<Interval>,
  /** At least this many panels, so that products of the basis are integrated exactly. */ panels: number,
): QuadratureRule {
  let nodes: Float64Array;
  let masses: Float64Array;
  if ('points' in weight) {
    nodes = Float64Array.from(weight.points);
    masses = Float64Array.from(weight.masses);
    if (masses.length !== nodes.length) {
      throw new RefusedValue('weight.masses', `${nodes.length} numbers`, masses.length);
    }
    for (const node of nodes) {
      if (!(node >= lower && node <= upper)) {
        throw new RefusedValue('weight.points', `points of the interval [${lower}, ${upper}]`, node);
      }
    }
  } else {
    const { density, edges } = weight;
    const inside = edges.length >= 2 && edges[0] >= lower && edges[edges.length - 1] <= upper;
    if (!inside || edges.some((edge, i) => i > 0 && !(edge > edges[i - 1]))) {
      throw new RefusedValue('weight.edges', `ascending points of [${lower}, ${upper}]`, edges);
    }
    ({ nodes, masses } = panelRule(
      edges,
      (t, values) => {
        const mass = density(t);
        const value = target(t);
        values[0] = mass;
        values[1] = mass * value;
        values[2] = mass * value * value;
      },
      panels,
    ));
    for (let i = 0; i < nodes.length; i++) masses[i] *= density(nodes[i]);
  }
  let total = 0;
  for (const mass of masses) {
    if (!(mass >= 0)) throw new RefusedValue('weight', 'masses >= 0', mass);
    total += mass;
  }
  if (!(total > 0 && total < Infinity)) throw new RefusedValue('weight', 'a positive finite total mass', total);
  for (let i = 0; i < masses.length; i++) masses[i] /= total;
  return { nodes, masses };
}

/** Nodes in a panel, exact up to degree 21. Without the ends a rule would miss a jump beside an end. */
const PANEL_NODES = 12;

const PANEL_RULE: QuadratureRule = /* @__PURE__ */ gaussLobatto(PANEL_NODES);

/**
 * A panel is split when its halves disagree with it by more than this multiple of the whole integral of |·|; the halves
 * are kept, for a smooth function 2²² times more accurate than the panel.
 */
const PANEL_TOLERANCE = 1e-12;

/** A panel is not split more often than this: around a jump the remaining error is 2⁻⁴⁵ of a panel. */
const PANEL_DEPTH = 45;

/** The largest number of panels before giving up. */
const PANEL_LIMIT = 20_000;

/**
 * A composite Gauss–Lobatto rule on [edges[0], edges[last]] fine enough for three given functions at once: a panel whose
 * integrals change when it is halved is replaced by its halves. Bisection finds jumps and kinks, so the caller need not
 * give them. A function that is not finite, or too rough for the limit on panels, is refused.
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
    const settled = totals.every((total, k) => {
      // The larger of the first estimate and the integral over this panel, which the first estimate may have missed.
      const whole = max(total, left[k + 3] + right[k + 3]);
      return abs(left[k] + right[k] - sums[k]) <= PANEL_TOLERANCE * whole;
    });
    if (!settled && depth < PANEL_DEPTH) {
      const next = depth + 1;
      open.push({ from: middle, to, depth: next, sums: right }, { from, to: middle, depth: next, sums: left });
      continue;
    }
    closed.push(from, middle, middle, to);
    if (closed.length > 2 * PANEL_LIMIT) {
      throw new RefusedValue(`"f" expected a function integrable with ${PANEL_LIMIT} panels, got one that is not`);
    }
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
 * The polynomial t ↦ P(slope·t + intercept). With another intercept than 0 terms of both signs cancel when the new origin
 * lies far from the old one: the rounding is that of coefficients of size Σ_k |c_k|·(|slope| + |intercept|)^k.
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

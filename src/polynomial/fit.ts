import { checkFinite, checkInteger, checkNonNegative, refusal } from '../check/number.ts';
import { RefusedValue } from '../check/refusal.ts';
import { chebyshevToMonomial, checkInterval, evaluatePolynomial, type Interval } from './chebyshev.ts';
import { createMatrix, type Matrix, semidefiniteRows, solveLeastSquares } from './least-squares.ts';
import { panelRule, type QuadratureRule } from './quadrature.ts';

const { abs, ceil, max, sqrt } = Math;

/** Largest degree of a fit; its monomial coefficients still carry about eight digits. */
export const MAXIMUM_FIT_DEGREE = 20;

/** Parameters of {@link noiseAwareFit}. */
export interface NoiseAwareFitOptions extends Interval {
  /** The function that P approximates, usually the derivative f′ of a margin loss. It may have jumps. */
  readonly target: (t: number) => number;
  /** D, the degree of P. */
  readonly degree: number;
  /** Where the margins are expected: a density on the interval or a {@link FitWeight}; uniform by default. */
  readonly weight?: ((t: number) => number) | FitWeight;
  /**
   * The price of the coefficients, already divided by the number of players: Γ_k/n for each of c_0 … c_D, or all of the
   * symmetric positive semidefinite (D + 1) × (D + 1) matrix Γ/n row after row. None by default.
   */
  readonly noise?: ArrayLike<number>;
}

/** A polynomial that replaces f′, and its cost. */
export interface NoiseAwareFit {
  /** Monomial coefficients c_0 … c_D of P. */
  readonly coefficients: Float64Array;
  /** sup |P − f′| on the interval. */
  readonly bias: number;
  /** Root of the weighted mean of (P − f′)². */
  readonly rmsBias: number;
  /** cᵀ·Γ·c/n, the variance due to the noise. */
  readonly noisePenalty: number;
  /** The minimised quantity: rmsBias² + noisePenalty. */
  readonly objective: number;
}

/**
 * The polynomial P = Σ c_k t^k that minimises ∫(P − f′)² dω + cᵀΓc/n over degree D, where ω is the weight as a
 * probability law. This is the squared bias where the margins lie plus the variance of the report in use.
 *
 * Its objective never exceeds that of a smaller degree, which is the same problem with the last coefficients at 0. If
 * the minimiser is not unique (fewer points than coefficients, no noise), the Chebyshev coefficients on the interval
 * have the least Euclidean norm. Solved in the Chebyshev basis by orthogonal transformations.
 *
 * @throws RangeError for a degree above {@link MAXIMUM_FIT_DEGREE}, a weight without mass or reaching outside the
 * interval, a target that is not finite, or a noise that is not positive semidefinite.
 */
export function noiseAwareFit(options: NoiseAwareFitOptions): NoiseAwareFit {
  const { target, weight, noise } = options;
  const degree = checkInteger('degree', options.degree, 0, MAXIMUM_FIT_DEGREE);
  const interval = checkInterval(options);
  const size = degree + 1;
  // T_j·T_k has at most this many half waves per panel: few enough for the nodes to be exact.
  const panels = 1 + ceil(degree / 4);
  const law =
    weight === undefined
      ? uniformWeight(interval)
      : typeof weight === 'function'
        ? { density: weight, edges: [interval.lower, interval.upper] }
        : weight;
  const rule = weightedRule(law, target, interval, panels);
  const penalty = penaltyRows(noise ?? new Float64Array(size), size);
  const { matrix, right } = stackRows(rule, target, penalty, interval);
  const series = solveLeastSquares(matrix, right);
  const coefficients = chebyshevToMonomial(series, interval);
  let squaredBias = 0;
  rule.nodes.forEach((t, i) => {
    squaredBias += rule.masses[i] * (evaluatePolynomial(coefficients, t) - target(t)) ** 2;
  });
  let noisePenalty = 0;
  for (let i = 0; i < size; i++) {
    let sum = 0;
    for (let k = 0; k < size; k++) sum += penalty.entries[i * size + k] * coefficients[k];
    noisePenalty += sum * sum;
  }
  return {
    coefficients,
    // A fit that is repeated until it agrees with its minimiser never asks for it, and it costs a third of the whole.
    get bias() {
      return largestError(coefficients, target, interval, panels);
    },
    rmsBias: sqrt(squaredBias),
    noisePenalty,
    objective: squaredBias + noisePenalty,
  };
}

/** Rows B with ‖B·c‖² = cᵀΓc. */
function penaltyRows(noise: ArrayLike<number>, size: number): Matrix {
  const gamma = createMatrix(size, size);
  if (noise.length === size) {
    for (let k = 0; k < size; k++) {
      gamma.entries[k * size + k] = sqrt(checkNonNegative(`noise[${k}]`, noise[k]));
    }
    return gamma;
  }
  if (noise.length !== size * size) {
    throw new RefusedValue(refusal('noise', `${size} or ${size * size} numbers`, noise.length));
  }
  for (let i = 0; i < noise.length; i++) gamma.entries[i] = checkFinite(`noise[${i}]`, noise[i]);
  const rows = semidefiniteRows(gamma);
  if (rows === undefined) {
    throw new RefusedValue('"noise" expected a symmetric positive semidefinite matrix, got one that is not');
  }
  return rows;
}

/** The least-squares problem in the Chebyshev coefficients: one row per node, then one per row of the penalty. */
function stackRows(
  { nodes, masses }: QuadratureRule,
  target: (t: number) => number,
  penalty: Matrix,
  interval: Required<Interval>,
): { matrix: Matrix; right: Float64Array } {
  const size = penalty.columns;
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
  // A penalty row in Chebyshev coefficients: the row times the monomial coefficients of each T_k.
  const unit = new Float64Array(size);
  for (let k = 0; k < size; k++) {
    unit.fill(0)[k] = 1;
    const monomials = chebyshevToMonomial(unit, interval);
    for (let i = 0; i < size; i++) {
      let sum = 0;
      for (let m = 0; m < size; m++) sum += penalty.entries[i * size + m] * monomials[m];
      matrix.entries[(nodes.length + i) * size + k] = sum;
    }
  }
  return { matrix, right };
}

/** Local maxima of |P − f′| on the nodes are refined if they reach this fraction of the largest. */
const RIVAL = 0.9;

/**
 * sup |P − f′|: first on panels that are refined at every jump of f′, then by golden section around the largest values.
 */
function largestError(
  coefficients: Float64Array,
  target: (t: number) => number,
  { lower, upper }: Required<Interval>,
  panels: number,
): number {
  const error = (t: number): number => abs(evaluatePolynomial(coefficients, t) - target(t));
  const alone = (t: number, values: Float64Array): void => {
    values[0] = target(t);
  };
  const { nodes } = panelRule([lower, upper], alone, 32 * panels);
  const errors = nodes.map(error);
  const coarse = errors.reduce((most, value) => max(most, value), 0);
  let largest = coarse;
  for (let i = 1; i + 1 < nodes.length; i++) {
    if (errors[i] < RIVAL * coarse || errors[i] < errors[i - 1] || errors[i] < errors[i + 1]) continue;
    largest = max(largest, goldenMaximum(error, nodes[i - 1], nodes[i + 1]));
  }
  return largest;
}

/** The largest value found by a golden-section search on [left, right]. */
function goldenMaximum(f: (t: number) => number, left: number, right: number): number {
  const golden = (sqrt(5) - 1) / 2;
  let largest = 0;
  // 50 steps shrink the bracket by 3e-11, which moves the value at a smooth maximum by the square of that.
  for (let step = 0; step < 50; step++) {
    const a = right - golden * (right - left);
    const b = left + golden * (right - left);
    const [atA, atB] = [f(a), f(b)];
    largest = max(largest, atA, atB);
    if (atA < atB) left = a;
    else right = b;
  }
  return largest;
}

/** A weight with a density on an interval; it need not be normalised. */
export interface DensityWeight {
  /** The density, at least 0, finite, and positive somewhere. */
  readonly density: (t: number) => number;
  /** Ascending points between which the density varies on one scale; outside the first and last there is no mass. */
  readonly edges: readonly number[];
}

/** A weight on finitely many points, such as a sample of margins. */
export interface PointWeight {
  readonly points: ArrayLike<number>;
  /** One mass per point, at least 0 and not all 0; the masses need not sum to 1. */
  readonly masses: ArrayLike<number>;
}

/** The weight of a least-squares fit: where the margins t are expected. */
export type FitWeight = DensityWeight | PointWeight;

/** The uniform weight on an interval. */
export function uniformWeight(interval: Interval = {}): DensityWeight {
  const { lower, upper } = checkInterval(interval);
  return { density: () => 1, edges: [lower, upper] };
}

/**
 * A weight and a target as one quadrature rule with masses that sum to 1. The weighted mean of any smooth function is
 * the mass-weighted sum, and panels are refined until the means of the target and of its square are settled.
 *
 * @throws RangeError when the weight is negative, not finite or has no mass, or reaches outside the interval.
 */
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
      throw new RefusedValue(refusal('weight.masses', `${nodes.length} numbers`, masses.length));
    }
    for (const node of nodes) {
      if (!(node >= lower && node <= upper)) {
        throw new RefusedValue(refusal('weight.points', `points of the interval [${lower}, ${upper}]`, node));
      }
    }
  } else {
    const { density, edges } = weight;
    checkEdges(edges, lower, upper);
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
    if (!(mass >= 0)) throw new RefusedValue(refusal('weight', 'masses >= 0', mass));
    total += mass;
  }
  if (!(total > 0 && total < Infinity))
    throw new RefusedValue(refusal('weight', 'a positive finite total mass', total));
  for (let i = 0; i < masses.length; i++) masses[i] /= total;
  return { nodes, masses };
}

function checkEdges(edges: readonly number[], lower: number, upper: number): void {
  const inside = edges.length >= 2 && edges[0] >= lower && edges[edges.length - 1] <= upper;
  if (!inside || edges.some((edge, i) => i > 0 && !(edge > edges[i - 1]))) {
    throw new RefusedValue(refusal('weight.edges', `ascending points of [${lower}, ${upper}]`, edges));
  }
}

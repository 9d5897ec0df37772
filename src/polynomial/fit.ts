import {
  checkFinite,
  checkInteger,
  checkNonNegative,
  checkPositive,
  checkVector,
  RefusedValue,
} from '../check/refusal.ts';
import { createMatrix, type Matrix, semidefiniteRows, solveLeastSquares } from '../numeric/matrix.ts';
import { normalCdf } from '../numeric/normal.ts';
import {
  chebyshevToMonomial,
  checkInterval,
  evaluatePolynomial,
  type Interval,
  panelRule,
  type QuadratureRule,
} from './chebyshev.ts';

const { PI, abs, ceil, exp, max, min, sqrt } = Math;

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
    throw new RefusedValue('noise', `${size} or ${size * size} numbers`, noise.length);
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
      throw new RefusedValue('weight.masses', `${nodes.length} numbers`, masses.length);
    }
    for (const node of nodes) {
      if (!(node >= lower && node <= upper)) {
        throw new RefusedValue('weight.points', `points of the interval [${lower}, ${upper}]`, node);
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
    if (!(mass >= 0)) throw new RefusedValue('weight', 'masses >= 0', mass);
    total += mass;
  }
  if (!(total > 0 && total < Infinity)) throw new RefusedValue('weight', 'a positive finite total mass', total);
  for (let i = 0; i < masses.length; i++) masses[i] /= total;
  return { nodes, masses };
}

function checkEdges(edges: readonly number[], lower: number, upper: number): void {
  const inside = edges.length >= 2 && edges[0] >= lower && edges[edges.length - 1] <= upper;
  if (!inside || edges.some((edge, i) => i > 0 && !(edge > edges[i - 1]))) {
    throw new RefusedValue('weight.edges', `ascending points of [${lower}, ${upper}]`, edges);
  }
}

/** Known or privately estimated properties of the margins t = ⟨w, v⟩. */
export interface MarginSpread {
  /** R > 0: margins lie in [−R, R]. */
  readonly radius: number;
  /** E t at the current w. */
  readonly mean: number;
  /** Standard deviation of t at the current w, ≥ 0. */
  readonly deviation: number;
  /** √E t² at a direction drawn uniformly from the sphere of radius R: R·√(E‖v‖²/p). */
  readonly isotropic: number;
  /** Where f′ jumps, so that no panel of the quadrature straddles a jump. */
  readonly kinks?: readonly number[];
}

/**
 * The weight of the places where the polynomial that replaces f′ must be good: a plausible law of the margins, in two
 * parts.
 *
 * - One fifth: the places τ on the path from 0 to the current w. L(w) − L(0) is the mean over players of ∫_0^t f′(τ)dτ,
 *   so an error of P at τ counts with the probability that the margin lies beyond τ. Margins are assumed normal with
 *   the given mean and deviation.
 * - Four fifths: the margin at a still unknown w, N(0, R²·E‖v‖²/p). It keeps the fit from following the noise in the
 *   current w; the proportion was chosen on the Adult benchmark (docs/hinge.md).
 *
 * Law: a density on [−R, R], not normalised after the truncation.
 */
export function marginWeight(spread: MarginSpread): DensityWeight {
  const radius = checkPositive('radius', spread.radius);
  const mean = checkFinite('mean', spread.mean);
  // A spread of 0 (one player, a zero record) is slightly widened, so that the density stays a density.
  const deviation = max(checkNonNegative('deviation', spread.deviation), 0.01 * radius);
  const isotropic = max(checkNonNegative('isotropic', spread.isotropic), 0.01 * radius);
  const path = 1 / meanMagnitude(mean, deviation);
  const anywhere = 4 / (sqrt(2 * PI) * isotropic);
  const density = (t: number): number => {
    const beyond = normalCdf((t > 0 ? mean - t : t - mean) / deviation);
    return path * beyond + anywhere * exp(-0.5 * (t / isotropic) ** 2);
  };
  // Both parts vary on their own scale, around the mean and around 0.
  const steps = [1, 3, 9].flatMap((step) => [step * isotropic, -step * isotropic]);
  const around = [-9, -3, -1, 0, 1, 3, 9].map((step) => mean + step * deviation);
  const inner = [0, ...steps, ...around, ...(spread.kinks ?? [])].filter((edge) => abs(edge) < radius);
  const edges = [...new Set([-radius, ...inner, radius])].sort((a, b) => a - b);
  return { density, edges };
}

// E|T| for T ~ N(mean, deviation²).
function meanMagnitude(mean: number, deviation: number): number {
  const ratio = mean / deviation;
  return deviation * sqrt(2 / PI) * exp(-0.5 * ratio * ratio) + mean * (1 - 2 * normalCdf(-ratio));
}

/** A fit that depends on the point to which it leads. */
export interface FitProblem {
  /** Number of coordinates of a point. */
  readonly dimension: number;
  /** The highest degree that the moments allow. */
  readonly highest: number;
  /** The requested degree, or `automatic`: the lowest degree for which the next one is not clearly better. */
  readonly degree: number | 'automatic';
  /** The polynomial of this degree when the margins are those at w. */
  fitAt(w: Float64Array, degree: number): NoiseAwareFit;
  /** The point to which the polynomial leads. */
  solve(coefficients: ArrayLike<number>): Float64Array;
}

/** The next degree is used only if it lowers the forecast error by this factor, because it gives up convexity. */
const DEGREE_GAIN = 0.6;

/** Number of rounds. A round fits the polynomial to the current margins and moves w to the point to which it leads. */
const ROUNDS = 8;

/** A polynomial and the point to which it leads, brought into agreement from w = 0. */
export function settleFit({ dimension, highest, degree: wanted, fitAt, solve }: FitProblem): {
  readonly w: Float64Array;
  readonly coefficients: Float64Array;
} {
  const settle = (degree: number) => {
    let w: Float64Array = new Float64Array(dimension);
    let coefficients: Float64Array = new Float64Array(0);
    for (let round = 0; round < ROUNDS; round++) {
      const fit = fitAt(w, degree).coefficients;
      // Half a step: with full steps the fit and the minimiser would oscillate.
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

/**
 * sup |P − f′| on [−R, R], on a grid fine enough for a polynomial of the degrees in use.
 *
 * Shape: the coefficients of P, at least one and the constant one first.
 * @throws TypeError or RangeError naming the argument.
 */
export function largestGap(coefficients: ArrayLike<number>, slope: (t: number) => number, radius: number): number {
  checkInteger('coefficients.length', coefficients?.length, 1);
  checkVector('coefficients', coefficients);
  checkPositive('radius', radius);
  let largest = 0;
  for (let i = 0; i <= 2000; i++) {
    const t = radius * (i / 1000 - 1);
    largest = max(largest, abs(evaluatePolynomial(coefficients, t) - slope(t)));
  }
  return largest;
}

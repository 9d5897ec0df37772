import { checkInteger, checkOpenUnit, type Random } from 'ldpkit';
import { chiSquareExceedance, packedLength } from 'ldpkit/inference';
import { fillNormal } from 'ldpkit/mechanism';

const { exp, floor, log, max, PI, sqrt } = Math;

/** Terms of the Karhunen–Loève series of q bridges that are drawn; the rest enters by its mean and covariance. */
const termsFor = (contrasts: number): number => 24 + 8 * contrasts;

/** Cells per unit of log A, and their number from log A = LOWEST on: the law of A is kept as a fine histogram. */
const CELLS_PER_UNIT = 400;
const LOWEST = -12;
const CELLS = 6000;

/**
 * The law of the joint random scaling statistic T_q = W(1)ᵀ(∫ W̄W̄ᵀ)⁻¹W(1), W a q-dimensional Wiener process and W̄ its
 * bridge, as a simulated law of the part that no formula gives.
 *
 * Law: the bridge is independent of W(1) and invariant under rotation, so T_q = χ²_q/A with A = 1/(∫ W̄W̄ᵀ)⁻¹₁₁ independent
 * of χ²_q. A is drawn, the chi-square tail is exact.
 */
export interface JointScalingLaw {
  /** q, the number of contrasts. */
  readonly contrasts: number;
  /** Number of draws of the bridge; each gives q values of A. */
  readonly draws: number;
  /** Values of A at which the histogram has mass, ascending. */
  readonly values: Float64Array;
  /** Their masses, of sum 1. */
  readonly masses: Float64Array;
}

/** An exceedance with the error of its simulation. */
export interface SimulatedExceedance {
  readonly probability: number;
  /** A bound on the standard deviation of `probability` over the draws. */
  readonly standardError: number;
}

/**
 * Simulates the law of T_q. The same source in the same state gives the same law.
 *
 * With 2¹⁸ draws the probability 0.05 is known to about 1e-4, and the critical value to 0.1 %; the error falls with the
 * root of the draws. For q = 1 `randomScalingCriticalValue` is exact: T₁ = t².
 *
 * Source: Kiefer, Vogelsang and Bunzel (2000), Simple robust testing of regression hypotheses, for the statistic.
 *
 * @throws TypeError or RangeError unless the contrasts are a whole number from 1 to 30 and the draws one from 1 to 1e9.
 * @theorem online-inference Corollary 3
 */
export function jointScalingLaw(contrasts: number, draws: number, random: Random): JointScalingLaw {
  checkInteger('contrasts', contrasts, 1, 30);
  checkInteger('draws', draws, 1, 1e9);
  const terms = termsFor(contrasts);
  const weights = Float64Array.from({ length: terms }, (_, k) => 1 / (PI * (k + 1)) ** 2);
  let rest = 1 / 6;
  let restVariance = 1 / 90;
  for (const weight of weights) {
    rest -= weight;
    restVariance -= weight * weight;
  }
  const histogram = new Float64Array(CELLS + 1);
  const size = packedLength(contrasts);
  const normals = new Float64Array(terms * contrasts + size);
  const matrix = new Float64Array(size);
  const residual = new Float64Array(contrasts);
  for (let draw = 0; draw < draws; draw++) {
    fillNormal(normals, random);
    drawScatter(matrix, contrasts, normals, weights, rest, sqrt(restVariance));
    fillResiduals(residual, matrix, contrasts);
    for (let i = 0; i < contrasts; i++) spread(histogram, residual[i]);
  }
  const places = Array.from(histogram.keys()).filter((cell) => histogram[cell] > 0);
  return {
    contrasts,
    draws,
    values: Float64Array.from(places, (cell) => exp(LOWEST + cell / CELLS_PER_UNIT)),
    masses: Float64Array.from(places, (cell) => histogram[cell] / (draws * contrasts)),
  };
}

/**
 * P(T_q > x), with the error of the simulation.
 *
 * @throws TypeError or RangeError unless x is a finite number ≥ 0.
 */
export function jointScalingExceedance(law: JointScalingLaw, x: number): SimulatedExceedance {
  const { contrasts, draws, values, masses } = law;
  let probability = 0;
  let square = 0;
  for (let i = 0; i < values.length; i++) {
    const tail = chiSquareExceedance(x * values[i], contrasts);
    probability += masses[i] * tail;
    square += masses[i] * tail * tail;
  }
  // The q values of one draw are taken as if they were one: whatever their correlation, that is an upper bound.
  return { probability, standardError: sqrt(max(0, square - probability * probability) / draws) };
}

/**
 * The critical value of the joint ellipsoid: the x with P(T_q ≤ x) = level. In the form of an F statistic it is x/q.
 *
 * @throws TypeError or RangeError for a level outside (0, 1).
 */
export function jointScalingCriticalValue(law: JointScalingLaw, level: number): number {
  checkOpenUnit('level', level);
  // Between e⁻⁴⁰ and e⁴⁰, by halves of log x.
  let [below, above] = [-40, 40];
  while (above - below > 1e-14) {
    const middle = (below + above) / 2;
    if (middle === below || middle === above) break;
    if (jointScalingExceedance(law, exp(middle)).probability > 1 - level) below = middle;
    else above = middle;
  }
  return exp(above);
}

// ∫ W̄W̄ᵀ = Σ_k z_k z_kᵀ/(πk)²; beyond the weights given, a sum of many small terms, drawn as a normal matrix with its two moments.
function drawScatter(
  matrix: Float64Array,
  contrasts: number,
  normals: Float64Array,
  weights: Float64Array,
  rest: number,
  deviation: number,
): void {
  let next = weights.length * contrasts;
  for (let i = 0, k = 0; i < contrasts; i++) {
    for (let j = 0; j < i; j++) matrix[k++] = deviation * normals[next++];
    // Σ w_k z_k² has variance 2Σ w_k², the mixed sums half of that.
    matrix[k++] = rest + Math.SQRT2 * deviation * normals[next++];
  }
  for (let k = 0; k < weights.length; k++) {
    const from = k * contrasts;
    for (let i = 0, cell = 0; i < contrasts; i++) {
      const factor = weights[k] * normals[from + i];
      for (let j = 0; j <= i; j++) matrix[cell++] += factor * normals[from + j];
    }
  }
}

// 1/(M⁻¹)_ii for all i, from the factor M = LLᵀ: (M⁻¹)_ii = Σ_k (L⁻¹)²_ki. Overwrites the matrix.
function fillResiduals(target: Float64Array, matrix: Float64Array, contrasts: number): void {
  for (let i = 0; i < contrasts; i++) {
    const row = (i * (i + 1)) / 2;
    for (let j = 0; j <= i; j++) {
      const other = (j * (j + 1)) / 2;
      let sum = matrix[row + j];
      for (let k = 0; k < j; k++) sum -= matrix[row + k] * matrix[other + k];
      matrix[row + j] = j === i ? sqrt(sum) : sum / matrix[other + j];
    }
  }
  // L⁻¹ in place, column by column: entry (i, j) needs the inverse above it and the factor beside it.
  for (let j = 0; j < contrasts; j++) {
    const diagonal = (j * (j + 1)) / 2 + j;
    matrix[diagonal] = 1 / matrix[diagonal];
    let squares = matrix[diagonal] * matrix[diagonal];
    for (let i = j + 1; i < contrasts; i++) {
      const row = (i * (i + 1)) / 2;
      let sum = 0;
      for (let k = j; k < i; k++) sum -= matrix[row + k] * matrix[(k * (k + 1)) / 2 + j];
      matrix[row + j] = sum / matrix[row + i];
      squares += matrix[row + j] * matrix[row + j];
    }
    target[j] = 1 / squares;
  }
}

// Adds one value to the histogram, shared by its two neighbours so that a smooth mean is right to second order.
function spread(histogram: Float64Array, value: number): void {
  const place = max(0, (log(value) - LOWEST) * CELLS_PER_UNIT);
  const cell = floor(place);
  const share = place - cell;
  histogram[cell] += 1 - share;
  histogram[cell + 1] += share;
}

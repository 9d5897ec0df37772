import { checkFinite, checkInteger, checkNonNegative, checkPositive, RefusedValue } from '../check/refusal.ts';
import { euclideanNorm, innerProduct } from '../numeric/matrix.ts';
import { largestGap, marginWeight, noiseAwareFit, settleFit } from '../polynomial/fit.ts';
import {
  createLiftedPolynomial,
  type Lift,
  type LiftedPolynomial,
  liftedNoiseNorm,
  momentMatrix,
  setMomentMatrix,
} from '../polynomial/lift.ts';
import type { MarginLoss } from '../risk/margin-loss.ts';
import { minimizeBallQuadratic, projectedGradient, quadraticValue, symmetricEigen } from './ball.ts';

const { SQRT2, abs, max, min, sqrt } = Math;

/** Moments T_j = E[sym^j(v)] of the players' v = y·x, ‖v‖ ≤ 1, estimated without bias from private reports. */
export interface CorrectedMoments {
  /** The basis of the symmetric powers. */
  readonly lift: Lift;
  /** T_1, …, T_J one after the other, `lift.size` entries. */
  readonly values: Float64Array;
  /** For each power, the variance of the noise on ⟨s, T_j⟩, ‖s‖ = 1, where T_j is the mean over all players. */
  readonly noise: Float64Array;
  /** Number of players. */
  readonly players: number;
}

/** A query to the moments after collection. */
export interface CorrectedRiskQuery {
  /** The loss f of the margin. */
  readonly loss: MarginLoss;
  /** R > 0: the constraint is ‖w‖ ≤ R. Default 1. */
  readonly radius?: number;
  /**
   * Degree of the polynomial that replaces f′; by default the protocol chooses among the degrees that the moments
   * allow.
   */
  readonly degree?: number | 'automatic';
  /** The polynomial itself: monomial coefficients c_0 … c_d. It replaces fit and degree. */
  readonly coefficients?: ArrayLike<number>;
  /** Added to the second moment as ridge·I; by default 0.3 times the operator norm of its noise. */
  readonly ridge?: number | 'automatic';
  /**
   * Project the second moment on the set in which it must lie (positive semi-definite, trace at most 1). Default true.
   */
  readonly semidefinite?: boolean;
  /** Least standard deviation of the margins at a still unknown w. Default 0: the moments alone give it. */
  readonly leastSpread?: number;
  /** Factors on the forecast noise of c_0, of c_1, and of c_2 and all later coefficients. Default 0, 2, 10. */
  readonly noiseFactors?: readonly number[];
}

/** A minimiser of the corrected risk, and the corrected risk. */
export interface CorrectedRisk {
  /** The minimiser, ‖w‖ ≤ R. */
  readonly w: Float64Array;
  /** R. */
  readonly radius: number;
  /** Degree of the polynomial used. */
  readonly degree: number;
  /** Its monomial coefficients c_0 … c_degree. */
  readonly coefficients: Float64Array;
  /** The ridge used. */
  readonly ridge: number;
  /** sup |P − f′| on [−R, R]; the risk's own bias at w is at most E ∫_0^|t| of it. */
  readonly bias: number;
  /**
   * The reconstructed risk f(0) + Σ c_k/(k + 1)·⟨sym^{k+1}(w), T_{k+1}⟩: unbiased for the risk with P instead of f′.
   */
  riskAt(w: ArrayLike<number>): number;
}

/**
 * Factors by which the fit multiplies the forecast noise of c_0, of c_1, and of c_2 and all later coefficients. The
 * forecast is a mean, and the minimiser moves towards favourable noise. Shrinking c_0 would only rescale the gradient;
 * T_2 is denoised, later moments are not. Chosen on the Adult benchmark (docs/hinge.md).
 */
const NOISE_FACTOR: readonly number[] = [0, 2, 10];

/** The automatic ridge in units of the noise operator norm 2√(p·variance). */
const RIDGE_FACTOR = 0.3;

/** Radii within which squares and products of coefficients keep their digits. */
const [LEAST_RADIUS, MOST_RADIUS] = [1e-6, 1e6];

/** A radius within which squares and products of coefficients keep their digits, 1e-6 to 1e6. */
export function checkRadius(radius: number): number {
  checkPositive('radius', radius);
  if (radius >= LEAST_RADIUS && radius <= MOST_RADIUS) return radius;
  throw new RefusedValue('radius', `a number from ${LEAST_RADIUS} to ${MOST_RADIUS}`, radius);
}

/**
 * Minimises the risk E f(⟨w, v⟩) over ‖w‖ ≤ R from moments alone. f′ is replaced by a polynomial from the noise-aware
 * fit, weighted by the law of the margins (`marginWeight`). The fit and the minimiser are repeated until they agree.
 */
export function minimizeCorrectedRisk(moments: CorrectedMoments, query: CorrectedRiskQuery): CorrectedRisk {
  const { lift } = moments;
  const { loss } = query;
  const radius = checkRadius(query.radius ?? 1);
  const highest = lift.degree - 1;
  const factors = query.noiseFactors ?? NOISE_FACTOR;
  if (query.leastSpread !== undefined) checkNonNegative('leastSpread', query.leastSpread);
  const { matrix, ridge } = denoisedMatrix(moments, query);
  const given = query.coefficients;
  if (given !== undefined) {
    checkInteger('coefficients.length', given.length, 1, lift.degree);
    for (let k = 0; k < given.length; k++) checkFinite(`coefficients[${k}]`, given[k]);
  }
  const solve = (coefficients: ArrayLike<number>): Float64Array =>
    minimizeSurrogate(moments, coefficients, matrix, ridge, radius);

  const spreadAt = (w: Float64Array) => {
    const { dimension } = lift;
    const mean = innerProduct(moments.values.subarray(0, dimension), w);
    if (matrix === undefined) {
      // Without a second moment, only ‖v‖ ≤ 1 is known.
      const isotropic = radius / sqrt(dimension);
      return { radius, mean, deviation: euclideanNorm(w) / sqrt(dimension), isotropic };
    }
    let trace = 0;
    for (let i = 0; i < dimension; i++) trace += matrix[i * dimension + i];
    const second = 2 * quadraticValue(new Float64Array(dimension), matrix, w);
    const deviation = sqrt(Math.max(0, second - mean * mean));
    return { radius, mean, deviation, isotropic: radius * sqrt(Math.max(0, trace) / dimension) };
  };
  const fitAt = (w: Float64Array, degree: number) => {
    const noise = Float64Array.from(
      { length: degree + 1 },
      (_, k) => factors[Math.min(k, 2)] * moments.noise[k] * liftedNoiseNorm(lift.dimension, k, radius),
    );
    const spread = spreadAt(w);
    const isotropic = Math.max(spread.isotropic, query.leastSpread ?? 0);
    const weight = marginWeight({ ...spread, isotropic, kinks: loss.kinks });
    return noiseAwareFit({ target: loss.derivative, degree, lower: -radius, upper: radius, weight, noise });
  };
  const chosen =
    given === undefined
      ? settleFit({ dimension: lift.dimension, highest, degree: query.degree ?? 'automatic', fitAt, solve })
      : { w: solve(given), coefficients: Float64Array.from(given) };
  const { w, coefficients } = chosen;
  return foundRisk(moments, { loss, radius, w, coefficients, ridge });
}

/** What was found from moments, with the reconstructed risk. */
export function foundRisk(
  { lift, values }: CorrectedMoments,
  found: Pick<CorrectedRisk, 'w' | 'radius' | 'coefficients' | 'ridge'> & { readonly loss: MarginLoss },
): CorrectedRisk {
  const { w, radius, coefficients, ridge, loss } = found;
  const bias = largestGap(coefficients, loss.derivative, radius);
  const integral = Array.from({ length: lift.degree }, (_, k) => (coefficients[k] ?? 0) / (k + 1));
  const surrogate = createLiftedPolynomial(lift, integral, values);
  const riskAt = (at: ArrayLike<number>): number => {
    if (at.length !== lift.dimension) throw new RefusedValue('w', `${lift.dimension} numbers`, at.length);
    return loss.value(0) + surrogate.value(at);
  };
  return { w, radius, degree: coefficients.length - 1, coefficients, ridge, bias, riskAt };
}

/** The second moment that the minimiser uses, without the ridge; undefined if the reports contain none. */
export function denoisedMatrix(
  moments: CorrectedMoments,
  query: Pick<CorrectedRiskQuery, 'ridge' | 'semidefinite'>,
): { matrix: Float64Array | undefined; ridge: number } {
  const { lift } = moments;
  const wanted = query.ridge ?? 'automatic';
  if (wanted !== 'automatic') checkNonNegative('ridge', wanted);
  if (lift.degree < 2) return { matrix: undefined, ridge: 0 };
  const raw = momentMatrix(lift, moments.values);
  const matrix = query.semidefinite === false ? raw : projectSecondMoment(raw, lift.dimension);
  const ridge = wanted === 'automatic' ? RIDGE_FACTOR * 2 * sqrt(lift.dimension * moments.noise[1]) : wanted;
  return { matrix, ridge };
}

/** The risk Σ c_k/(k + 1)·⟨sym^{k+1}(w), T_{k+1}⟩ with the denoised second moment and its ridge instead of T_2. */
export function ridgedSurrogate(
  { lift, values }: CorrectedMoments,
  { matrix, ridge }: { readonly matrix: Float64Array; readonly ridge: number },
  coefficients: ArrayLike<number>,
): LiftedPolynomial {
  const { dimension } = lift;
  const denoised = Float64Array.from(values);
  const ridged = matrix.slice();
  // Whatever the sign of c_1, the ridge adds curvature.
  for (let i = 0; i < dimension; i++) ridged[i * dimension + i] += Math.sign(coefficients[1]) * ridge;
  setMomentMatrix(lift, ridged, denoised);
  const integral = Array.from({ length: lift.degree }, (_, k) => (coefficients[k] ?? 0) / (k + 1));
  return createLiftedPolynomial(lift, integral, denoised);
}

// Minimiser over the ball of Σ c_k/(k + 1)·⟨sym^{k+1}(w), T_{k+1}⟩, with the denoised second moment instead of T_2.
function minimizeSurrogate(
  moments: CorrectedMoments,
  coefficients: ArrayLike<number>,
  matrix: Float64Array | undefined,
  ridge: number,
  radius: number,
): Float64Array {
  const { lift, values } = moments;
  const { dimension } = lift;
  const linear = Float64Array.from({ length: dimension }, (_, i) => coefficients[0] * values[i]);
  const slope = coefficients.length > 1 && matrix !== undefined ? coefficients[1] : 0;
  const quadratic = new Float64Array(dimension * dimension);
  if (matrix !== undefined) for (let i = 0; i < quadratic.length; i++) quadratic[i] = slope * matrix[i];
  for (let i = 0; i < dimension; i++) quadratic[i * dimension + i] += Math.abs(slope) * ridge;
  const start = minimizeBallQuadratic(linear, quadratic, radius).point;
  if (coefficients.length <= 2 || matrix === undefined) return start;

  const objective = ridgedSurrogate(moments, { matrix, ridge }, coefficients);
  return projectedGradient({ objective, radius, start }).point;
}

/** E‖v‖² of the denoised second moment, between .05, which noise may hide, and the 1 that records have at most. */
export function meanSquareOf(matrix: Float64Array, dimension: number): number {
  let trace = 0;
  for (let i = 0; i < dimension; i++) trace += matrix[i * dimension + i];
  return min(1, max(LEAST_SQUARE, trace));
}

/** The least E‖v‖² that a law of margins assumes. */
const LEAST_SQUARE = 0.05;

/**
 * The matrix nearest in Frobenius norm to the symmetric part of `matrix` among the second moments of the unit ball:
 * positive semi-definite with trace at most 1, as E[v·vᵀ] is when ‖v‖ ≤ 1.
 *
 * Noise spreads the eigenvalues of a second moment far below 0 and above 1. Projecting on the set in which it must lie
 * removes most of this spread. The eigenvalues are projected on \lbrace λ ≥ 0, Σ λ ≤ 1 \rbrace.
 *
 * Shape: p × p row-major, exactly symmetric.
 *
 * Source: Duchi, Shalev-Shwartz, Singer and Chandra (2008), projection on the simplex by one threshold.
 */
export function projectSecondMoment(matrix: Float64Array, dimension: number): Float64Array {
  const { values, vectors } = symmetricEigen(matrix, dimension);
  const threshold = simplexThreshold(values);
  const projected = new Float64Array(dimension * dimension);
  for (let k = 0; k < dimension; k++) {
    const value = max(0, values[k] - threshold);
    if (value === 0) continue;
    const vector = vectors.subarray(k * dimension, (k + 1) * dimension);
    for (let i = 0; i < dimension; i++) {
      for (let j = 0; j < dimension; j++) projected[i * dimension + j] += value * (vector[i] * vector[j]);
    }
  }
  return projected;
}

// The least τ ≥ 0 with Σ max(0, λ − τ) ≤ 1, for ascending λ.
function simplexThreshold(values: Float64Array): number {
  let sum = 0;
  let threshold = 0;
  for (let k = values.length - 1, count = 1; k >= 0; k--, count++) {
    sum += max(0, values[k]);
    const candidate = (sum - 1) / count;
    if (candidate >= values[k]) break;
    threshold = candidate;
  }
  return max(0, threshold);
}

/**
 * Minimises E ρ(y − ⟨w, x⟩) over ‖w‖ ≤ R from the moments of z = (x, y)/√2. The residual is r = √2·⟨ŵ, z⟩, ŵ = (−w, 1).
 * So the problem is that of a margin τ = ⟨ŵ, z⟩ under the loss τ ↦ ρ(√2·τ), with ŵ on a plane.
 *
 * Law: if ρ′ is a straight line (least squares), no polynomial is fitted, and the reconstruction is unbiased.
 *
 * Shape: `moments.lift` has dimension p + 1 and degree ≥ 2; `coefficients` of query and result are those of ρ′(r).
 *
 * Source: Wang, Smith, Xu 2020, remark 15.
 * @theorem noninteractive Remark 15
 */
export function minimizeCorrectedRegression(moments: CorrectedMoments, query: CorrectedRiskQuery): CorrectedRisk {
  const { lift, values } = moments;
  const { loss } = query;
  const radius = checkPositive('radius', query.radius ?? 1);
  const dimension = lift.dimension - 1;
  const { matrix, ridge } = denoisedMatrix(moments, query);
  if (matrix === undefined) throw new RefusedValue('moments', 'those up to a power of 2 or more', lift.degree);
  const denoised = Float64Array.from(values);
  setMomentMatrix(lift, matrix, denoised);
  const range = (1 + radius) / SQRT2;
  const slope = (tau: number): number => SQRT2 * loss.derivative(SQRT2 * tau);
  const extended = new Float64Array(dimension + 1);
  const extend = (w: ArrayLike<number>): Float64Array => {
    for (let i = 0; i < dimension; i++) extended[i] = -w[i];
    extended[dimension] = 1;
    return extended;
  };
  const solve = (coefficients: ArrayLike<number>): Float64Array => {
    const [c0, c1] = [coefficients[0], coefficients.length > 1 ? coefficients[1] : 0];
    const linear = new Float64Array(dimension);
    const quadratic = new Float64Array(dimension * dimension);
    for (let i = 0; i < dimension; i++) {
      const row = i * (dimension + 1);
      linear[i] = -c0 * values[i] - c1 * matrix[row + dimension];
      for (let j = 0; j < dimension; j++) quadratic[i * dimension + j] = c1 * matrix[row + j];
      quadratic[i * dimension + i] += abs(c1) * ridge;
    }
    const start = minimizeBallQuadratic(linear, quadratic, radius).point;
    if (coefficients.length <= 2) return start;
    const surrogate = createLiftedPolynomial(lift, integralOf(coefficients, lift.degree), denoised);
    const partial = new Float64Array(dimension + 1);
    const penalty = (w: Float64Array): number => (abs(c1) * ridge * innerProduct(w, w)) / 2;
    const objective = {
      dimension,
      value: (w: Float64Array): number => surrogate.value(extend(w)) + penalty(w),
      gradient(w: Float64Array, target: Float64Array): void {
        surrogate.gradient(extend(w), partial);
        for (let i = 0; i < dimension; i++) target[i] = abs(c1) * ridge * w[i] - partial[i];
      },
    };
    return projectedGradient({ objective, radius, start }).point;
  };
  const fitAt = (w: Float64Array, degree: number) => {
    const longest = sqrt(1 + radius * radius);
    const noise = Float64Array.from(
      { length: degree + 1 },
      (_, k) => NOISE_FACTOR[Math.min(k, 2)] * moments.noise[k] * liftedNoiseNorm(dimension + 1, k, longest),
    );
    const at = extend(w);
    const mean = innerProduct(values.subarray(0, dimension + 1), at);
    const second = 2 * quadraticValue(new Float64Array(dimension + 1), matrix, at);
    const deviation = sqrt(max(0, second - mean * mean));
    // For an unknown w, ⟨w, x⟩ adds R²·E‖x‖²/p to E y².
    let trace = 0;
    for (let i = 0; i < dimension; i++) trace += matrix[i * (dimension + 2)];
    const isotropic = sqrt(max(0, matrix[dimension * (dimension + 2)] + (radius * radius * trace) / dimension));
    const kinks = loss.kinks.map((kink) => kink / SQRT2);
    const weight = marginWeight({ radius: range, mean, deviation, isotropic, kinks });
    return noiseAwareFit({ target: slope, degree, lower: -range, upper: range, weight, noise });
  };
  const given = query.coefficients === undefined ? undefined : Float64Array.from(query.coefficients);
  if (given !== undefined) checkInteger('coefficients.length', given.length, 1, lift.degree);
  given?.forEach((c, k) => {
    checkFinite(`coefficients[${k}]`, c);
  });
  const scaled = given?.map((c, k) => c * SQRT2 ** (k + 1));
  const { w, coefficients: inner } =
    scaled === undefined
      ? settleFit({ dimension, highest: lift.degree - 1, degree: query.degree ?? 'automatic', fitAt, solve })
      : { w: solve(scaled), coefficients: scaled };
  const reconstruction = createLiftedPolynomial(lift, integralOf(inner, lift.degree), values);
  const riskAt = (at: ArrayLike<number>): number => {
    if (at.length !== dimension) throw new RefusedValue('w', `${dimension} numbers`, at.length);
    return loss.value(0) + reconstruction.value(extend(at));
  };
  const coefficients = inner.map((c, k) => c / SQRT2 ** (k + 1));
  const bias = largestGap(coefficients, loss.derivative, SQRT2 * range);
  return { w, radius, degree: coefficients.length - 1, coefficients, ridge, bias, riskAt };
}

const integralOf = (coefficients: ArrayLike<number>, length: number): number[] =>
  Array.from({ length }, (_, k) => (coefficients[k] ?? 0) / (k + 1));

/** The line c_0 + c_1·t that equals f′ on [−R, R], to rounding; undefined if f′ is not a line. */
export function straightSlope(loss: MarginLoss, radius: number): Float64Array | undefined {
  if (loss.kinks.some((kink) => abs(kink) < radius)) return undefined;
  const c0 = loss.derivative(0);
  const c1 = (loss.derivative(radius) - loss.derivative(-radius)) / (2 * radius);
  const line = Float64Array.of(c0, c1);
  return largestGap(line, loss.derivative, radius) <= 1e-12 * (abs(c0) + abs(c1) * radius) ? line : undefined;
}

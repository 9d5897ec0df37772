import {
  checkFinite,
  checkInteger,
  checkNonNegative,
  checkPositive,
  checkVector,
  RefusedValue,
} from '../check/refusal.ts';
import { euclideanNorm, innerProduct } from '../numeric/matrix.ts';
import { normalCdf } from '../numeric/normal.ts';
import { type DensityWeight, evaluatePolynomial, type NoiseAwareFit, noiseAwareFit } from '../polynomial/fit.ts';
import {
  createLiftedPolynomial,
  type Lift,
  type LiftedPolynomial,
  liftedNoiseNorm,
  momentMatrix,
  setMomentMatrix,
} from '../polynomial/lift.ts';
import { checkRadius, type MarginLoss } from '../risk/margin-loss.ts';
import { eigenvector, minimizeBallQuadratic, projectedGradient, quadraticForm, symmetricEigen } from './ball.ts';

const { PI, abs, exp, max, min, sqrt } = Math;

/** Moments T_j = E[sym^j(v)] of the players' v = y·x, ‖v‖ ≤ 1, estimated without bias from private reports. */
export interface CorrectedMoments {
  readonly lift: Lift;
  /** T_1, …, T_J one after the other, `lift.size` entries. */
  readonly values: Float64Array;
  /** For each power, the variance of the noise on ⟨s, T_j⟩, ‖s‖ = 1, where T_j is the mean over all players. */
  readonly noise: Float64Array;
  readonly players: number;
  /** Where records have norm 1 and their moments were pooled: the noise of an entry of each power before that. */
  readonly reported?: Float64Array;
}

/** A query to the moments after collection. */
export interface CorrectedRiskQuery {
  readonly loss: MarginLoss;
  /** R > 0: the constraint is ‖w‖ ≤ R. Default 1. */
  readonly radius?: number;
  /** Degree of the polynomial that replaces f′, up to that of the parameters; by default chosen by the protocol. */
  readonly degree?: number | 'automatic';
  /** The polynomial itself: monomial coefficients c_0 … c_d. It replaces fit and degree. */
  readonly coefficients?: ArrayLike<number>;
  /** Added to the second moment as ridge·I; by default 0.3 times the operator norm of its noise. */
  readonly ridge?: number | 'automatic';
  /** Project the second moment on the positive semi-definite matrices of trace at most 1. Default true. */
  readonly semidefinite?: boolean;
  /** Least standard deviation of the margins at a still unknown w. Default 0: the moments alone give it. */
  readonly leastSpread?: number;
  /** Factors on the forecast noise of c_0, of c_1, and of c_2 and all later coefficients. Default 0, 2, 10. */
  readonly noiseFactors?: readonly number[];
}

/** How the polynomial in the place of f′ is made. */
export type PolynomialFit = Pick<CorrectedRiskQuery, 'coefficients' | 'leastSpread' | 'noiseFactors'>;

/** A minimiser of the corrected risk, and the corrected risk. */
export interface CorrectedRisk {
  /** The minimiser, ‖w‖ ≤ R. */
  readonly w: Float64Array;
  /** R. */
  readonly radius: number;
  readonly degree: number;
  /** Its monomial coefficients c_0 … c_degree. */
  readonly coefficients: Float64Array;
  /** The ridge used; 0 where there is none. */
  readonly ridge: number;
  /** sup |P − f′| on [−R, R], which no number of players removes; the risk's bias at w is at most E ∫_0^|t| of it. */
  readonly bias: number;
  /** Where it was found from moments that are pooled over the powers, since all records have norm 1. */
  readonly pooled?: true;
  /** The reconstructed risk f(0) + Σ c_k/(k + 1)·⟨sym^{k+1}(w), T_{k+1}⟩: unbiased with P in the place of f′. */
  riskAt(w: ArrayLike<number>): number;
}

/**
 * Factors by which the fit multiplies the forecast noise of c_0, of c_1, and of c_2 and all later coefficients. The
 * forecast is a mean, and the minimiser moves towards favourable noise. Shrinking c_0 would only rescale the gradient;
 * T_2 is denoised, later moments are not. Chosen on the Adult benchmark (docs/hinge.md).
 */
export const NOISE_FACTOR: readonly number[] = [0, 2, 10];

/** The automatic ridge in units of the noise operator norm 2√(p·variance). */
const RIDGE_FACTOR = 0.3;

/**
 * Minimises the risk E f(⟨w, v⟩) over ‖w‖ ≤ R from moments alone. f′ is replaced by a polynomial from the noise-aware
 * fit, weighted by the law of the margins (`marginWeight`); fit and minimiser are repeated until they agree.
 */
export function minimizeCorrectedRisk(moments: CorrectedMoments, query: CorrectedRiskQuery): CorrectedRisk {
  const { lift } = moments;
  const { loss } = query;
  const radius = checkRadius(query.radius ?? 1, loss);
  const highest = lift.degree - 1;
  const factors = query.noiseFactors ?? NOISE_FACTOR;
  if (query.leastSpread !== undefined) checkNonNegative('leastSpread', query.leastSpread);
  const second = denoisedMatrix(moments, query);
  const { matrix, ridge } = second;
  const given = givenCoefficients(query, lift.degree);
  const solve = (coefficients: ArrayLike<number>) => minimizeSurrogate(moments, coefficients, second, radius);
  const spreadAt = (w: Float64Array) => {
    const { dimension } = lift;
    const mean = innerProduct(moments.values.subarray(0, dimension), w);
    if (matrix === undefined) {
      // Without a second moment, only ‖v‖ ≤ 1 is known.
      const isotropic = radius / sqrt(dimension);
      return { radius, mean, deviation: euclideanNorm(w) / sqrt(dimension), isotropic };
    }
    const deviation = sqrt(max(0, quadraticForm(matrix, w) - mean * mean));
    return { radius, mean, deviation, isotropic: radius * sqrt(max(0, traceOf(matrix, dimension)) / dimension) };
  };
  const fitAt = (w: Float64Array, degree: number) => {
    const noise = Float64Array.from(
      { length: degree + 1 },
      (_, k) => factors[min(k, 2)] * moments.noise[k] * liftedNoiseNorm(lift.dimension, k, radius),
    );
    const spread = spreadAt(w);
    const isotropic = max(spread.isotropic, query.leastSpread ?? 0);
    const weight = marginWeight({ ...spread, isotropic, kinks: loss.kinks });
    return noiseAwareFit({ target: loss.derivative, degree, lower: -radius, upper: radius, weight, noise });
  };
  const { w, coefficients } =
    given === undefined
      ? settleFit({ dimension: lift.dimension, highest, degree: query.degree ?? 'automatic', fitAt, solve })
      : { w: solve(given), coefficients: given };
  return foundRisk(moments, { loss, radius, w, coefficients, ridge });
}

/** The polynomial that a query contains, of at most so many coefficients; undefined where it contains none. */
export function givenCoefficients(
  { coefficients }: Pick<CorrectedRiskQuery, 'coefficients'>,
  most: number,
): Float64Array | undefined {
  if (coefficients === undefined) return undefined;
  checkInteger('coefficients.length', coefficients.length, 1, most);
  for (let k = 0; k < coefficients.length; k++) checkFinite(`coefficients[${k}]`, coefficients[k]);
  return Float64Array.from(coefficients);
}

export function foundRisk(
  { lift, values }: CorrectedMoments,
  found: Pick<CorrectedRisk, 'w' | 'radius' | 'coefficients' | 'ridge'> & { readonly loss: MarginLoss },
): CorrectedRisk {
  const { w, radius, coefficients, ridge, loss } = found;
  const bias = largestGap(coefficients, loss.derivative, radius);
  const surrogate = integralOn(lift, coefficients, values);
  const riskAt = riskOf(lift.dimension, (at) => loss.value(0) + surrogate.value(at));
  return { w, radius, degree: coefficients.length - 1, coefficients, ridge, bias, riskAt };
}

/** A risk of models with so many coordinates; another model is refused. */
export function riskOf(dimension: number, risk: CorrectedRisk['riskAt']): CorrectedRisk['riskAt'] {
  return (w) => {
    if (w.length !== dimension) throw new RefusedValue('w', `${dimension} numbers`, w.length);
    return risk(w);
  };
}

/** The second moment that the minimiser uses, without the ridge; undefined if the reports contain none. */
interface SecondMoment {
  readonly matrix: Float64Array | undefined;
  readonly ridge: number;
}

export function denoisedMatrix(
  moments: CorrectedMoments,
  query: Pick<CorrectedRiskQuery, 'ridge' | 'semidefinite'>,
): SecondMoment {
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
  return integralOn(lift, coefficients, denoised);
}

/** The integral Σ c_k/(k + 1)·⟨sym^{k+1}(w), T_{k+1}⟩ of a polynomial, from moments T_1, T_2, … one after the other. */
export function integralOn(lift: Lift, coefficients: ArrayLike<number>, values: Float64Array): LiftedPolynomial {
  const integral = Array.from({ length: lift.degree }, (_, k) => (coefficients[k] ?? 0) / (k + 1));
  return createLiftedPolynomial(lift, integral, values);
}

// Minimiser over the ball of the surrogate of `ridgedSurrogate`.
function minimizeSurrogate(
  moments: CorrectedMoments,
  coefficients: ArrayLike<number>,
  { matrix, ridge }: SecondMoment,
  radius: number,
): Float64Array {
  const { lift, values } = moments;
  const { dimension } = lift;
  const linear = Float64Array.from({ length: dimension }, (_, i) => coefficients[0] * values[i]);
  const slope = coefficients.length > 1 && matrix !== undefined ? coefficients[1] : 0;
  const quadratic = new Float64Array(dimension * dimension);
  if (matrix !== undefined) for (let i = 0; i < quadratic.length; i++) quadratic[i] = slope * matrix[i];
  for (let i = 0; i < dimension; i++) quadratic[i * dimension + i] += abs(slope) * ridge;
  const start = minimizeBallQuadratic(linear, quadratic, radius).point;
  if (coefficients.length <= 2 || matrix === undefined) return start;
  const objective = ridgedSurrogate(moments, { matrix, ridge }, coefficients);
  return projectedGradient({ objective, radius, start }).point;
}

/** E‖v‖² of the denoised second moment, between .05, which noise may hide, and the 1 that records have at most. */
export function meanSquareOf(matrix: Float64Array, dimension: number): number {
  return min(1, max(0.05, traceOf(matrix, dimension)));
}

function traceOf(matrix: Float64Array, dimension: number): number {
  let trace = 0;
  for (let i = 0; i < dimension; i++) trace += matrix[i * dimension + i];
  return trace;
}

/**
 * The matrix nearest in Frobenius norm to the symmetric part of `matrix` among the second moments of the unit ball,
 * exactly symmetric: positive semi-definite with trace at most 1, as E[v·vᵀ] is when ‖v‖ ≤ 1. Noise spreads the
 * eigenvalues far below 0 and above 1: their projection on \lbrace λ ≥ 0, Σ λ ≤ 1 \rbrace removes most of this spread.
 * Source: Duchi, Shalev-Shwartz, Singer and Chandra (2008), projection on the simplex by one threshold.
 */
export function projectSecondMoment(matrix: Float64Array, dimension: number): Float64Array {
  const eigen = symmetricEigen(matrix, dimension);
  const threshold = simplexThreshold(eigen.values);
  const projected = new Float64Array(dimension * dimension);
  for (let k = 0; k < dimension; k++) {
    const value = max(0, eigen.values[k] - threshold);
    if (value === 0) continue;
    const vector = eigenvector(eigen, k);
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

/** Known or privately estimated properties of the margins t = ⟨w, v⟩. */
export interface MarginSpread {
  /** R > 0: margins lie in [−R, R]. */
  readonly radius: number;
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
  readonly dimension: number;
  readonly highest: number;
  /** The requested degree, or `automatic`: the lowest degree for which the next one is not clearly better. */
  readonly degree: number | 'automatic';
  fitAt(w: Float64Array, degree: number): NoiseAwareFit;
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

import { checkFinite, checkInteger, checkPositive, RefusedValue } from '../../src/check/refusal.ts';
import {
  createMatrix,
  euclideanNorm,
  innerProduct,
  type Matrix,
  projectBall,
  semidefiniteRows,
  solveLeastSquares,
} from '../../src/numeric/matrix.ts';
import { projectedGradient } from '../../src/optimize/ball.ts';
import type { SmoothFunction } from '../../src/optimize/oracle.ts';
import { evaluatePolynomial } from '../../src/polynomial/fit.ts';
import { radialGradientCovariance, radialValueVariance } from '../../src/polynomial/heat.ts';
import type { LinearEstimate } from '../../src/simulation/study.ts';
import {
  liftedGradientNoise,
  liftedValueNoise,
  monomial,
  potential,
  type RadialMoments,
  type RadialRisks,
  radialRisks,
} from './moments.ts';

const { abs, max, min, sqrt } = Math;

/** A query to a tally after collection. Every field has a default. */
export interface EuclideanMedianQuery {
  /** R > 0: the server's constraint is ‖w‖ ≤ R. Default 1, the paper's. */
  readonly radius?: number;
  /** Degree of Q, up to the parameters'. Default: the parameters'; the fit weighs what a degree costs in noise. */
  readonly degree?: number;
  /** Q itself, coefficients in r = ‖w − x‖², in place of the fit; for the product decoder, in ⟨u, w − x⟩/2. */
  readonly coefficients?: ArrayLike<number>;
  /** β > 0 in 1/(2√(r + β²)). Default 0.1. */
  readonly beta?: number;
  /** κ, the share of players that the fit expects to be far from the median, between 0 and ½. Default 0.2. */
  readonly share?: number;
  /**
   * How noisy copies are decoded. `product`: report by report with random directions u; `averaged`: the copies are
   * averaged first, and u is integrated out. Default: `product` for `printed`, `averaged` for `copies`.
   */
  readonly decoder?: 'product' | 'averaged';
  /** The steps of the product decoder. Default: `sigm-with-replacement` for `printed`, `sigm` for `copies`. */
  readonly method?: 'sigm' | 'sigm-with-replacement' | 'averaged-sgd';
  /** Seed of the server's own choices (order of reports, directions u); public. Default: the parameters' digest. */
  readonly seed?: string;
}

/** What the reports say: a median, and the risk as a function of w. */
export interface EuclideanMedianEstimate extends LinearEstimate {
  /** The Euclidean median, ‖w‖ ≤ R. */
  readonly w: Float64Array;
  /** Its monomial coefficients. */
  readonly coefficients: Float64Array;
  /** Largest |Q(r)·√r − ½| at the plausible distances: the systematic error of one unit of pull. */
  readonly bias: number;
  /** The reconstructed risk E ½‖w − x‖ at w. */
  readonly risk: number;
  /** The plain private mean from the same reports, projected on the ball: the baseline. */
  readonly mean: Float64Array;
  /** The reconstructed risk at any w, up to the systematic error. */
  riskAt(w: ArrayLike<number>): number;
}

/** β where the query names none: at the ε and n of any real collection, finer detail of the loss is lost in noise. */
export const DEFAULT_BETA = 0.1;

const DEFAULT_SHARE = 0.2;

/** Largest number of times that Q is fitted again to the distances from the current w. */
const REFITS = 12;

interface Settings extends Required<Pick<EuclideanMedianQuery, 'radius' | 'degree' | 'beta' | 'share'>> {
  readonly fixed: Float64Array | undefined;
}

/** What every step of an estimate goes by; `mean` is the private mean, brought into the ball. */
interface Problem extends Settings {
  readonly moments: RadialMoments;
  readonly risks: RadialRisks;
  readonly mean: Float64Array;
}

interface Fitted {
  readonly w: Float64Array;
  readonly law: DistanceLaw;
  readonly coefficients: Float64Array;
}

/**
 * The w in the ball where E Q(‖w − x‖²)(w − x) = 0, and the risk there. Q ≈ 1/(2√r) is fitted to the distances from w
 * itself, as the moments show them. Descent starts at the private mean and at the origin, and the result with the lower
 * risk is kept. The risk of a polynomial is not convex, and beyond the fitted distances it can fall without limit.
 */
export function estimateFromMoments(moments: RadialMoments, query: EuclideanMedianQuery): EuclideanMedianEstimate {
  const settings = settingsOf(moments.features.degree, query);
  const { dimension } = moments.features;
  // Block 1 is E x.
  const mean = projectBall(moments.values.slice(0, dimension), settings.radius);
  const problem = { ...settings, moments, risks: radialRisks(moments), mean };
  const candidates = [mean, new Float64Array(dimension)].map((start) => descend(problem, start));
  const lossOf = ({ law }: Fitted): number => lawMean(law, (r) => sqrt(r) / 2);
  // The first of two equal ones is kept: the mean is the better start.
  return report(problem, lossOf(candidates[1]) < lossOf(candidates[0]) * (1 - 1e-6) ? candidates[1] : candidates[0]);
}

function descend(problem: Problem, start: Float64Array): Fitted {
  const { risks, mean, radius } = problem;
  let at = fitAt(problem, start);
  const range = sqrt(fitAt(problem, mean).law.mean);
  for (let refit = 0; refit < REFITS; refit++) {
    const point = minimizeNear(risks.risk(potential(at.coefficients)), mean, range, radius, at.w);
    const moved = at.w.reduce((sum, entry, i) => sum + (entry - point[i]) ** 2, 0);
    // A degree that was refused is not tried again, or refits could go round in a circle.
    at = fitAt({ ...problem, degree: at.coefficients.length - 1 }, point);
    if (moved < 1e-18) break;
  }
  return at;
}

/** Descent within `range` of the mean and within the ball: ‖E x − m‖ ≤ E‖x − m‖ ≤ E‖x − E x‖ ≤ √E‖x − E x‖². */
function minimizeNear(
  objective: SmoothFunction,
  mean: Float64Array,
  range: number,
  radius: number,
  start: Float64Array,
): Float64Array {
  const { dimension } = objective;
  const options = { iterations: 300, tolerance: 1e-10 };
  const shifted = new Float64Array(dimension);
  const shift = (v: Float64Array): Float64Array => {
    for (let i = 0; i < dimension; i++) shifted[i] = mean[i] + v[i];
    return shifted;
  };
  const around: SmoothFunction = {
    dimension,
    value: (v) => objective.value(shift(v)),
    gradient: (v, target) => objective.gradient(shift(v), target),
  };
  const from = projectBall(
    start.map((entry, i) => entry - mean[i]),
    range,
  );
  const { point } = projectedGradient({ objective: around, radius: range, start: from, ...options });
  const w = Float64Array.from(shift(point));
  if (euclideanNorm(w) <= radius) return w;
  // The ball of the query binds: descent within it, from the nearest place.
  return projectedGradient({ objective, radius, start: projectBall(w, radius), ...options }).point;
}

function fitAt({ moments, risks, degree, beta, share, fixed }: Problem, w: Float64Array): Fitted {
  const means = risks.powerMeans(w);
  const squaredNorm = innerProduct(w, w);
  const most = (1 + sqrt(squaredNorm)) ** 2;
  const law = plausibleLaw({ mean: means[1], square: means.length > 2 ? means[2] : undefined, most }, share);
  if (fixed !== undefined) return { w, law, coefficients: fixed };
  const gamma = gradientNoise(moments, degree, squaredNorm, law);
  return { w, law, coefficients: fitWeight(law, gamma, degree, beta) };
}

function report({ moments, risks, radius, mean }: Problem, { w, law, coefficients }: Fitted): EuclideanMedianEstimate {
  // No gradient depends on the constant. The law sets it: E S(r) = E ½√r under the law.
  const plain = potential(coefficients);
  const constant = lawMean(law, (r) => sqrt(r) / 2 - evaluatePolynomial(plain, r));
  const values = potential(coefficients, constant);
  const risk = risks.risk(values);
  const riskAt = (at: ArrayLike<number>): number => {
    if (at.length !== w.length) throw new RefusedValue('w', `${w.length} numbers`, at.length);
    return risk.value(Float64Array.from(at));
  };
  let bias = 0;
  for (const r of law.nodes) bias = max(bias, abs(evaluatePolynomial(coefficients, r) * sqrt(r) - 0.5));
  return {
    players: moments.players,
    w,
    radius,
    degree: coefficients.length - 1,
    coefficients,
    bias,
    risk: riskAt(w),
    standardError: valueDeviation(moments, values, innerProduct(w, w), law),
    mean,
    riskAt,
  };
}

/** The settings of a query of reports of a degree; it is refused where no tally can answer it. */
export function settingsOf(highest: number, query: EuclideanMedianQuery): Settings {
  const radius = checkPositive('radius', query.radius ?? 1);
  const beta = checkPositive('beta', query.beta ?? DEFAULT_BETA);
  const share = checkPositive('share', query.share ?? DEFAULT_SHARE);
  if (share > 0.5) throw new RefusedValue('share', 'a number above 0 and up to 0.5', share);
  const degree = checkInteger('degree', query.degree ?? highest, 0, highest);
  const fixed = query.coefficients === undefined ? undefined : Float64Array.from(query.coefficients);
  if (fixed !== undefined) {
    checkInteger('coefficients.length', fixed.length, 1, highest + 1);
    fixed.forEach((c, k) => {
      checkFinite(`coefficients[${k}]`, c);
    });
  }
  return { radius, beta, share, degree, fixed };
}

/** A plausible law of r = ‖w − x‖²: most players near, a share of them far. */
export interface DistanceLaw {
  /** Values of r, ascending. */
  readonly nodes: Float64Array;
  /** Their probabilities. */
  readonly masses: Float64Array;
  /** E r, brought within what is possible. */
  readonly mean: number;
  /** Mean of r among those near. */
  readonly near: number;
  /** r of those far. */
  readonly far: number;
}

/** The r of those near is at least this fraction of the mean of r: two noisy moments cannot say more. */
const NEAREST = 0.05;

/** Where the near players are, as multiples of their mean r: the radial spread of a cloud. */
const SPREAD: readonly number[] = [0.25, 0.75, 1.25, 1.75];

/**
 * The law with the given moments in which a given share is far: near a = E r − s√(κ/(1 − κ)), far
 * b = E r + s√((1 − κ)/κ), brought within what ‖x‖ ≤ 1 allows. Here κ is the share and s the standard deviation of r. E r² is
 * undefined where a tally has no such moment, and `most` is the largest r there can be, (1 + ‖w‖)².
 *
 * Why two scales: 1/(2√r) is steep near 0. One scale, matched to the mean, would give far players the weight of near
 * ones.
 */
export function plausibleLaw(
  { mean, square, most }: { readonly mean: number; readonly square: number | undefined; readonly most: number },
  share: number,
): DistanceLaw {
  const first = min(most, max(1e-4 * most, mean));
  // One moment only: as if r had an exponential law.
  const second = min(first * most, max(first * first, square ?? 2 * first * first));
  const deviation = sqrt(second - first * first);
  const near = max(NEAREST * first, first - deviation * sqrt(share / (1 - share)));
  const far = min(most, (first - (1 - share) * near) / share);
  const nodes = Float64Array.from([...SPREAD.map((factor) => factor * near), far]);
  const masses = Float64Array.from([...SPREAD.map(() => (1 - share) / SPREAD.length), share]);
  return { nodes, masses, mean: first, near, far };
}

/** E g(r) under the law. */
export function lawMean({ nodes, masses }: DistanceLaw, g: (r: number) => number): number {
  let sum = 0;
  for (let i = 0; i < nodes.length; i++) sum += masses[i] * g(nodes[i]);
  return sum;
}

/** The weight of the noise in the fit, against the square of the systematic error. */
const NOISE_PRICE = 2;

/** Places between near and far where Q is looked at. */
const BETWEEN = 8;

/** 1/(2√(r + β²)): Q of the smoothed loss ½√(r + β²). */
export function smoothedWeight(r: number, beta: number): number {
  return 0.5 / Math.sqrt(r + beta * beta);
}

/**
 * Covariance of the gradients of the monomials, Γ_ij = E⟨noise of r^i(w − x), noise of r^j(w − x)⟩ for the mean of all
 * reports at ‖w‖² = ρ: exact for block noise, averaged over the plausible law of r for a Gaussian copy.
 *
 * Shape: row after row, (degree + 1)² numbers.
 */
export function gradientNoise(
  { features, noise, players }: RadialMoments,
  degree: number,
  squaredNorm: number,
  law: DistanceLaw,
): Float64Array {
  const { dimension, blocks } = features;
  const size = degree + 1;
  const gamma = new Float64Array(size * size);
  for (let i = 0; i < size; i++) {
    for (let j = 0; j <= i; j++) {
      const [left, right] = [monomial(i), monomial(j)];
      let entry = 0;
      if (noise.kind === 'blocks') {
        for (let b = 0; b < blocks.length; b++) {
          entry += noise.variances[b] * liftedGradientNoise(blocks[b], left, right, dimension, squaredNorm);
        }
      } else {
        const covariance = radialGradientCovariance(left, right, { dimension, sigma: noise.sigma });
        entry = lawMean(law, (r) => evaluatePolynomial(covariance, r)) / players;
      }
      gamma[i * size + j] = gamma[j * size + i] = entry;
    }
  }
  return gamma;
}

/** Standard deviation of the privacy noise in the mean of a potential S(r), given the points. */
export function valueDeviation(
  { features, noise, players }: RadialMoments,
  potential: ArrayLike<number>,
  squaredNorm: number,
  law: DistanceLaw,
): number {
  if (noise.kind === 'blocks') {
    let sum = 0;
    features.blocks.forEach((block, b) => {
      sum += noise.variances[b] * liftedValueNoise(block, potential, squaredNorm);
    });
    return Math.sqrt(sum);
  }
  const variance = radialValueVariance(potential, { dimension: features.dimension, sigma: noise.sigma });
  return Math.sqrt(Math.max(0, lawMean(law, (r) => evaluatePolynomial(variance, r)) / players));
}

/**
 * The polynomial Q that minimises E r·(Q(r) − 1/(2√(r + β²)))² + λ·cᵀΓc over coefficients c_0 … c_d, with the mean over
 * the plausible law and λ = `NOISE_PRICE`. This is the squared error of the gradient Q(r)(w − x), systematic and
 * random. If Q has the wrong sign at some distance of the law, the next lower degree is taken: far players must not
 * push. So it is if between near and far, where the law has nobody, Q is above the largest weight there is or below 0 by more than a
 * third of it: with little noise nothing else binds Q there, and the descent would run off, or stop short of the median. A little
 * below 0 it costs less than a lower degree does.
 */
export function fitWeight(law: DistanceLaw, gamma: Float64Array, degree: number, beta: number): Float64Array {
  const [first] = law.nodes;
  const [near, far] = law.nodes.subarray(-2);
  const between = Array.from({ length: BETWEEN }, (_, i) => near * (far / near) ** ((i + 1) / (BETWEEN + 1)));
  const largest = smoothedWeight(first, beta);
  for (let d = degree; ; d--) {
    const coefficients = fitDegree(law, gamma, degree + 1, d, beta);
    const q = (r: number): number => evaluatePolynomial(coefficients, r);
    if (d === 0) return coefficients;
    if (law.nodes.every((r) => q(r) >= 0) && between.every((r) => q(r) >= -largest / 3 && q(r) <= largest))
      return coefficients;
  }
}

function fitDegree(law: DistanceLaw, gamma: Float64Array, stride: number, degree: number, beta: number): Float64Array {
  const { nodes, masses } = law;
  const size = degree + 1;
  const covariance = createMatrix(size, size);
  for (let i = 0; i < size; i++) {
    for (let j = 0; j < size; j++) covariance.entries[i * size + j] = NOISE_PRICE * gamma[i * stride + j];
  }
  const price = semidefiniteRows(covariance) ?? diagonalRows(covariance);
  const matrix = createMatrix(nodes.length + size, size);
  const right = new Float64Array(nodes.length + size);
  for (let i = 0; i < nodes.length; i++) {
    const root = Math.sqrt(masses[i] * nodes[i]);
    for (let j = 0; j < size; j++) matrix.entries[i * size + j] = root * nodes[i] ** j;
    right[i] = root * smoothedWeight(nodes[i], beta);
  }
  matrix.entries.set(price.entries, nodes.length * size);
  return solveLeastSquares(matrix, right);
}

/** Rows for the variances alone, for a covariance so small that, after rounding, it is not semidefinite. */
function diagonalRows({ rows, entries }: Matrix): Matrix {
  const diagonal = createMatrix(rows, rows);
  for (let i = 0; i < rows; i++) diagonal.entries[i * rows + i] = Math.sqrt(Math.max(0, entries[i * rows + i]));
  return diagonal;
}

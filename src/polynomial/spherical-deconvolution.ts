import { checkFinite, checkInteger, checkNonNegative, checkPositive, RefusedValue } from '../check/refusal.ts';
import { panelRule } from './fit.ts';

const { abs, exp, sqrt } = Math;

/** Noise with density proportional to exp(−κ‖η‖) in R^P, P odd, κ the rate; only its first p coordinates are observed. */
export interface SphericalNoise {
  readonly dimension: number;
  readonly noiseDimension: number;
  readonly rate: number;
}

export interface DeconvolutionRequest {
  readonly noise: SphericalNoise;
  /** The loss of the margin, given by its derivatives. */
  readonly derivatives: DerivativeMaker;
  /** Rate r at which the loss may grow, like e^(r·|t|); the default 0 means growth like a power of t. */
  readonly growthRate?: number;
}

/**
 * A loss f corrected for spherical Laplace noise. With u = ⟨w, Z⟩, a = ‖w‖²/κ², k = (P + 1)/2 and the derivative D, h̃(u)
 * = (1 − a·D²)^k f(u) has expectation f(⟨w, v⟩), since 1/(1 + a·τ²)^k is the characteristic function of ⟨w, η⟩. As P is
 * odd, it is finite: neither an approximation nor a polynomial is needed. An estimate with expectation f(⟨w, v⟩) for
 * every w has a gradient in w with expectation f′(⟨w, v⟩)·v.
 */
export interface SphericalDeconvolution {
  readonly noise: SphericalNoise;
  readonly order: number;
  readonly growthRate: number;
  /** f to f⁽²ᵏ⁺¹⁾. */
  readonly fill: DerivativeFiller;
  readonly scratch: Float64Array;
}

interface DeconvolvedTerms {
  /** h̃(u), the estimate of the loss. */
  value: number;
  /** h̃′(u), the factor of Z in its gradient. */
  slope: number;
  /** (2/κ²)·∂h̃/∂a, the factor of w. */
  pull: number;
}

export function sphericalDeconvolution(request: DeconvolutionRequest): SphericalDeconvolution {
  const { dimension, noiseDimension, rate } = request.noise;
  checkInteger('noiseDimension', noiseDimension, 1, MAXIMUM_DERIVATIVE_ORDER - 2);
  if (noiseDimension % 2 === 0) throw new RefusedValue('noiseDimension', 'an odd number', noiseDimension);
  checkInteger('dimension', dimension, Math.max(1, noiseDimension - 1), noiseDimension);
  checkPositive('rate', rate);
  const order = (noiseDimension + 1) / 2;
  return {
    noise: { dimension, noiseDimension, rate },
    order,
    growthRate: checkNonNegative('growthRate', request.growthRate ?? 0),
    fill: request.derivatives(2 * order + 1),
    scratch: new Float64Array(2 * order + 2),
  };
}

/**
 * Evaluates h̃ = Σ_j C(k, j)(−a)^j f⁽²ʲ⁾(u) and ∂h̃/∂a = −k·Σ_j C(k − 1, j)(−a)^j f⁽²ʲ⁺²⁾(u), the parts of its gradient,
 * at the noisy margin u for a given ‖w‖². Allocates nothing.
 */
function deconvolvedTerms(
  deconvolution: SphericalDeconvolution,
  u: number,
  squaredNorm: number,
  terms: DeconvolvedTerms,
): void {
  const { noise, order, fill, scratch } = deconvolution;
  const variance = 1 / (noise.rate * noise.rate);
  const a = squaredNorm * variance;
  fill(u, scratch);
  let value = 0;
  let slope = 0;
  let change = 0;
  // C(k, j)(−a)^j.
  let factor = 1;
  for (let j = 0; j <= order; j++) {
    value += factor * scratch[2 * j];
    slope += factor * scratch[2 * j + 1];
    // k·C(k − 1, j) = (k − j)·C(k, j).
    if (j < order) change -= (order - j) * factor * scratch[2 * j + 2];
    factor *= (-a * (order - j)) / (j + 1);
  }
  terms.value = value;
  terms.slope = slope;
  terms.pull = 2 * variance * change;
}

// Overwritten by each evaluation.
const terms: DeconvolvedTerms = { value: 0, slope: 0, pull: 0 };

/**
 * Writes h̃′(u)·Z + (2w/κ²)·∂h̃/∂a into `target`, an unbiased estimate of f′(⟨w, v⟩)·v from one report Z. Returns h̃(u),
 * an unbiased estimate of f(⟨w, v⟩), of which it is the gradient in w. Allocates nothing. A loss that grows too fast for
 * an expectation is refused: growthRate·‖w‖ ≥ κ.
 */
export function deconvolvedGradient(
  deconvolution: SphericalDeconvolution,
  w: ArrayLike<number>,
  report: ArrayLike<number>,
  target: Float64Array,
): number {
  const { noise, growthRate } = deconvolution;
  let u = 0;
  let squared = 0;
  for (let i = 0; i < noise.dimension; i++) {
    u += w[i] * report[i];
    squared += w[i] * w[i];
  }
  const norm = sqrt(squared);
  if (!(growthRate * norm < noise.rate)) {
    const expected = `a number < ${noise.rate / growthRate}, beyond which the estimate has no mean`;
    throw new RefusedValue('‖w‖', expected, norm);
  }
  deconvolvedTerms(deconvolution, u, squared, terms);
  for (let i = 0; i < noise.dimension; i++) target[i] = terms.slope * report[i] + terms.pull * w[i];
  return terms.value;
}

export interface SphericalGradientPoint {
  readonly weightNorm: number;
  /** ⟨w, v⟩/‖w‖, the component of v along w; for w = 0 the component in any direction. */
  readonly along: number;
  /** ‖v‖², at least along². */
  readonly squaredNorm: number;
}

export interface SphericalGradientMoments {
  /** E⟨g, w/‖w‖⟩ by the same quadrature; it should equal f′(⟨w, v⟩)·along. */
  readonly mean: number;
  readonly secondMoment: number;
}

/** Panels on each side of 0 before any refinement. */
const PANELS = 64;

/** e^(−700) is still just above the smallest doubles. */
const FURTHEST = 700;

/**
 * The moments of the estimate of `deconvolvedGradient` by quadrature over the noise along w.
 * Law: with n = (P − 1)/2 and θ_n the reverse Bessel polynomials, x = κ⟨η, w/‖w‖⟩ has the density
 * e^(−|x|)·θ_n(|x|)/(2^(n+1)·n!), and given x the noise orthogonal to w has the mean square (P −
 * 1)·θ_{n+1}(|x|)/(κ²·θ_n(|x|)).
 */
export function sphericalGradientMoments(
  deconvolution: SphericalDeconvolution,
  point: SphericalGradientPoint,
): SphericalGradientMoments {
  const norm = checkNonNegative('weightNorm', point.weightNorm);
  const along = checkFinite('along', point.along);
  const squaredNorm = checkNonNegative('squaredNorm', point.squaredNorm);
  if (squaredNorm < along * along * (1 - 1e-12)) {
    throw new RefusedValue(`"squaredNorm" expected at least along² (${along * along}), got ${squaredNorm}`);
  }
  const { dimension, noiseDimension, rate } = deconvolution.noise;
  const range = rangeOf(deconvolution, norm);
  const n = (noiseDimension - 1) / 2;
  let mass = 2;
  for (let i = 1; i <= n; i++) mass *= 2 * i;
  const squaredWeights = norm * norm;
  const evaluate = (x: number, values: Float64Array): void => {
    const here = reverseBessel(n, abs(x));
    const density = (exp(-abs(x)) * here) / mass;
    // p − 1 of the P − 1 directions orthogonal to w are observed.
    const across = ((dimension - 1) * reverseBessel(n + 1, abs(x))) / (rate * rate * here);
    const component = along + x / rate;
    deconvolvedTerms(deconvolution, norm * component, squaredWeights, terms);
    const { slope, pull } = terms;
    // Far from 0 an exponential loss is large and the density small: each factor of a square gets its root.
    const root = sqrt(density);
    const parallel = root * (slope * component + pull * norm);
    const orthogonal = root * slope;
    values[0] = parallel * parallel + orthogonal * orthogonal * (squaredNorm - along * along + across);
    values[1] = root * parallel;
    values[2] = density;
  };
  const rule = panelRule([-range, 0, range], evaluate, PANELS);
  const values = new Float64Array(3);
  let [secondMoment, mean] = [0, 0];
  for (let i = 0; i < rule.nodes.length; i++) {
    evaluate(rule.nodes[i], values);
    secondMoment += rule.masses[i] * values[0];
    mean += rule.masses[i] * values[1];
  }
  return { mean, secondMoment };
}

/** How far from 0 the integrand must be integrated where ‖w‖ = 0. */
const rangeAt0 = ({ growthRate, noise }: SphericalDeconvolution): number =>
  (growthRate > 0 ? 60 : 200) + 8 * noise.noiseDimension;

/** Refuses a ‖w‖, named as its caller names it, at which the second moment of the estimate is infinite, or lost in underflow. */
export function checkWeightNorm(name: string, deconvolution: SphericalDeconvolution, weightNorm: number): void {
  const { growthRate, noise } = deconvolution;
  const most = (noise.rate / 2) * (1 - rangeAt0(deconvolution) / FURTHEST);
  if (growthRate * weightNorm <= most) return;
  const expected = `a number <= ${most / growthRate}, beyond which the second moment is lost or infinite`;
  throw new RefusedValue(name, expected, weightNorm);
}

/**
 * How far from 0 the integrand must be integrated: it falls like e^(−x(1 − 2r‖w‖/κ)) times a power of x, and beyond this
 * it is 1e-20 of the total (with a reserve for polynomials, where r = 0).
 */
function rangeOf(deconvolution: SphericalDeconvolution, weightNorm: number): number {
  checkWeightNorm('weightNorm', deconvolution, weightNorm);
  const { growthRate, noise } = deconvolution;
  return rangeAt0(deconvolution) / (1 - (2 * growthRate * weightNorm) / noise.rate);
}

/** θ_n(x), by θ_n = (2n − 1)θ_{n−1} + x²θ_{n−2}, θ_0 = 1, θ_1 = 1 + x; all terms are positive for x ≥ 0. */
function reverseBessel(n: number, x: number): number {
  let before = 1;
  let value = n === 0 ? 1 : 1 + x;
  for (let k = 2; k <= n; k++) {
    const next = (2 * k - 1) * value + x * x * before;
    before = value;
    value = next;
  }
  return value;
}

/** Writes f(t), f′(t), …, f⁽ⁿ⁾(t) into entries 0 to n of `target`; the order n was fixed when the filler was made. */
export type DerivativeFiller = (t: number, target: Float64Array) => void;

/** Prepares the derivatives of one function up to an order, at most `MAXIMUM_DERIVATIVE_ORDER`. */
export type DerivativeMaker = (order: number) => DerivativeFiller;

/** Highest order of a derivative, where the rounding for the logistic loss is 1e-9 of the largest value. */
export const MAXIMUM_DERIVATIVE_ORDER = 32;

export function checkDerivativeOrder(order: unknown): number {
  return checkInteger('order', order, 0, MAXIMUM_DERIVATIVE_ORDER);
}

/** All derivatives of the polynomial Σ c_k t^k. The coefficients are copied. */
export function polynomialDerivatives(coefficients: ArrayLike<number>): DerivativeMaker {
  const fixed = Float64Array.from(coefficients);
  return (order) => {
    checkDerivativeOrder(order);
    return (t, target) => {
      target.fill(0, 0, order + 1);
      // Horner's scheme for all Taylor coefficients at t together; the factorials are applied afterwards.
      for (let k = fixed.length - 1; k >= 0; k--) {
        for (let n = order; n >= 1; n--) target[n] = target[n] * t + target[n - 1];
        target[0] = target[0] * t + fixed[k];
      }
      let factorial = 1;
      for (let n = 2; n <= order; n++) target[n] *= factorial *= n;
    };
  };
}

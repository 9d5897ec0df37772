import { checkFinite, checkNonNegative, refusal } from '../check/number.ts';
import { panelRule } from './quadrature.ts';
import type { DeconvolvedTerms, SphericalDeconvolution } from './spherical-deconvolution.ts';
import { deconvolvedTerms } from './spherical-deconvolution.ts';

const { abs, exp, sqrt } = Math;

/** Where a gradient is estimated. */
export interface SphericalGradientPoint {
  /** ‖w‖. */
  readonly weightNorm: number;
  /** ⟨w, v⟩/‖w‖, the part of the vector v along w; any direction will do for w = 0. */
  readonly along: number;
  /** ‖v‖², at least along². */
  readonly squaredNorm: number;
}

/** Moments of one gradient estimate. */
export interface SphericalGradientMoments {
  /** E⟨g, w/‖w‖⟩ by the same quadrature, f′(⟨w, v⟩)·along when all is well. */
  readonly mean: number;
  /** E‖g‖². */
  readonly secondMoment: number;
}

/** Panels on each side of 0 before any refinement. */
const PANELS = 64;

/** e^(−700) is just not yet below the smallest doubles. */
const FURTHEST = 700;

/**
 * The moments of the estimate of `deconvolvedGradient` by quadrature over the noise along w.
 *
 * Law: with n = (P − 1)/2 and θ_n the reverse Bessel polynomials, x = κ⟨η, w/‖w‖⟩ has the density e^(−|x|)·θ_n(|x|)/(2^(n+1)·n!),
 * and given x the noise orthogonal to w has the mean square (P − 1)·θ_{n+1}(|x|)/(κ²·θ_n(|x|)).
 *
 * @throws TypeError or RangeError for numbers that no vectors have, or when the loss grows too fast for a second moment.
 */
export function sphericalGradientMoments(
  deconvolution: SphericalDeconvolution,
  point: SphericalGradientPoint,
): SphericalGradientMoments {
  const norm = checkNonNegative('weightNorm', point.weightNorm);
  const along = checkFinite('along', point.along);
  const squaredNorm = checkNonNegative('squaredNorm', point.squaredNorm);
  if (squaredNorm < along * along * (1 - 1e-12)) {
    throw new RangeError(`"squaredNorm" expected at least along² (${along * along}), got ${squaredNorm}`);
  }
  const { dimension, noiseDimension, rate } = deconvolution.noise;
  const range = rangeOf(deconvolution, norm);
  const n = (noiseDimension - 1) / 2;
  let mass = 2;
  for (let i = 1; i <= n; i++) mass *= 2 * i;
  const terms: DeconvolvedTerms = { value: 0, slope: 0, pull: 0 };
  const squaredWeights = norm * norm;
  const evaluate = (x: number, values: Float64Array): void => {
    const here = reverseBessel(n, abs(x));
    const density = (exp(-abs(x)) * here) / mass;
    // p − 1 of the P − 1 directions orthogonal to w are seen.
    const across = ((dimension - 1) * reverseBessel(n + 1, abs(x))) / (rate * rate * here);
    const component = along + x / rate;
    deconvolvedTerms(deconvolution, norm * component, squaredWeights, terms);
    const { slope, pull } = terms;
    // Far out an exponential loss is large and the density small: half of it to each factor of a square.
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

/**
 * How far from 0 the integrand must be looked at: it falls like e^(−x(1 − 2r‖w‖/κ)) times a power of x, so that beyond this
 * it is 1e-20 of the whole (with room for polynomials, where r = 0).
 *
 * @throws RangeError when that is further than a density can be represented.
 */
function rangeOf(deconvolution: SphericalDeconvolution, weightNorm: number): number {
  const { growthRate, noise } = deconvolution;
  const scaled = (growthRate > 0 ? 60 : 200) + 8 * noise.noiseDimension;
  const most = (noise.rate / 2) * (1 - scaled / FURTHEST);
  if (!(growthRate * weightNorm <= most)) {
    const expected = `a number <= ${most / growthRate}, beyond which the second moment is lost or infinite`;
    throw new RangeError(refusal('weightNorm', expected, weightNorm));
  }
  return scaled / (1 - (2 * growthRate * weightNorm) / noise.rate);
}

/** E‖g‖² of the estimate of `deconvolvedGradient`: see {@link sphericalGradientMoments}. */
export function sphericalGradientSecondMoment(
  deconvolution: SphericalDeconvolution,
  point: SphericalGradientPoint,
): number {
  return sphericalGradientMoments(deconvolution, point).secondMoment;
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

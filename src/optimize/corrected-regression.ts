import { checkFinite, checkInteger, checkPositive, refusal } from '../check/number.ts';
import { RefusedValue } from '../check/refusal.ts';
import { noiseAwareFit } from '../polynomial/fit.ts';
import { createLiftedPolynomial, liftedNoiseNorm, setMomentMatrix } from '../polynomial/lifted-polynomial.ts';
import type { MarginLoss } from '../risk/margin-loss.ts';
import { minimizeBallQuadratic, quadraticValue } from './ball-newton.ts';
import type { CorrectedMoments, CorrectedRisk, CorrectedRiskQuery } from './corrected-risk.ts';
import { denoisedMatrix, NOISE_FACTOR } from './corrected-risk.ts';
import { innerProduct, projectedGradient } from './projection.ts';
import { largestGap, marginWeight, settleFit } from './settled-fit.ts';

const { abs, max, SQRT2, sqrt } = Math;

/**
 * Minimises E ρ(y − ⟨w, x⟩) over ‖w‖ ≤ R from the moments of z = (x, y)/√2. The residual is r = √2·⟨ŵ, z⟩, ŵ = (−w, 1).
 * So the problem is that of a margin τ = ⟨ŵ, z⟩ under the loss τ ↦ ρ(√2·τ), with ŵ on a plane.
 *
 * Law: if ρ′ is a straight line (least squares), no polynomial is fitted, and the reconstruction is unbiased.
 *
 * Shape: `moments.lift` has dimension p + 1 and degree ≥ 2; `coefficients` of query and result are those of ρ′(r).
 *
 * Source: Wang, Smith, Xu 2020, remark 15.
 *
 * @throws TypeError or RangeError naming the field.
 * @theorem noninteractive Remark 15
 */
export function minimizeCorrectedRegression(moments: CorrectedMoments, query: CorrectedRiskQuery): CorrectedRisk {
  const { lift, values } = moments;
  const { loss } = query;
  const radius = checkPositive('radius', query.radius ?? 1);
  const dimension = lift.dimension - 1;
  const { matrix, ridge } = denoisedMatrix(moments, query);
  if (matrix === undefined) throw new RefusedValue(refusal('moments', 'those up to a power of 2 or more', lift.degree));
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
    if (at.length !== dimension) throw new RefusedValue(refusal('w', `${dimension} numbers`, at.length));
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

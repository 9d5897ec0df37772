import { checkPositive, RefusedValue } from '../../src/check/refusal.ts';
import { unpackSymmetric } from '../../src/inference/block-sums.ts';
import { product, spectralMatrix } from '../../src/inference/interval.ts';
import { type SymmetricEigen, symmetricPart } from '../../src/optimize/ball.ts';
import type { Random } from '../../src/random/random.ts';
import {
  addNoise,
  descentVariance,
  difference,
  fitNoisily,
  flooredEigen,
  type NoisyFit,
} from '../noisy-gradient-descent/curator.ts';
import { type CentralRecord, curvatureMoment, NOISE_FAILURE } from '../noisy-gradient-descent/model.ts';
import type { NoisyNewtonPlan } from './parameters.ts';

const { hypot, log, sqrt } = Math;

/**
 * Runs noisy Newton on the records of a trusted curator. Everything in the result is released.
 *
 * Guarantee: that of the plan, with simulation-grade normals.
 * @throws TypeError or RangeError if the number of records differs from the plan's, or for a record outside the domain
 * (the message has no values); RangeError for a released Hessian that is not positive definite after the floor, with
 * its smallest eigenvalue, and for a first Newton step too far from the minimiser if the plan has a start condition.
 * @theorem slides M-estimators
 * @theorem slides Noisy Newton
 * @theorem slides Theorem, noisy Newton, conditions
 * @theorem slides Theorem, noisy Newton, part 3
 */
export function solve(plan: NoisyNewtonPlan, records: readonly CentralRecord[], random: Random): NoisyFit {
  const { model, warmUp, steps, gradientNoise, hessianNoise, hessianFloor } = plan;
  const { dimension } = model;
  return fitNoisily(plan, records, random, {
    count: warmUp.steps + steps,
    move(theta, k, score) {
      const gradient = score(k < warmUp.steps ? warmUp.noise : gradientNoise);
      if (k < warmUp.steps) {
        for (let i = 0; i < dimension; i++) theta[i] -= warmUp.step * gradient[i];
        return;
      }
      if (k === warmUp.steps) checkStart(plan, gradient);
      const packed = curvatureMoment(model, records, theta);
      addNoise(packed, hessianNoise, random);
      moveAgainst(theta, gradient, flooredEigen(unpackSymmetric(packed, dimension), dimension, hessianFloor));
    },
    injected: (hessian) => injectedCovariance(plan, hessian),
    // The last step: Newton's steps square the distance, and a step that noise does not explain was not the last.
    remaining(iterates, hessian, injected) {
      const last = iterates.length - 1;
      const before = injectedCovariance({ ...plan, steps: steps - 1 }, hessian);
      return {
        way: difference(iterates[last], iterates[last - 1]),
        covariance: injected.map((entry, i) => entry + before[i]),
        linear: false,
      };
    },
  });
}

/** √Σ(σ/λ_i)²: the root of the mean squared length of M⁻¹N for noise N of deviation σ and the eigenvalues of M. */
export function solvedNoise(sigma: number, curvatures: ArrayLike<number>): number {
  return sqrt(Array.from(curvatures).reduce((sum, at) => sum + (sigma / checkPositive('curvature', at)) ** 2, 0));
}

/** θ ← θ − M⁻¹·g for the matrix of these eigenvalues and eigenvectors. */
export function moveAgainst(theta: Float64Array, gradient: Float64Array, { values, vectors }: SymmetricEigen): void {
  const dimension = theta.length;
  for (let e = 0; e < dimension; e++) {
    const vector = vectors.subarray(e * dimension, (e + 1) * dimension);
    let along = 0;
    for (let i = 0; i < dimension; i++) along += vector[i] * gradient[i];
    for (let i = 0; i < dimension; i++) theta[i] -= (along / values[e]) * vector[i];
  }
}

/** Refuses a start that is too far away even if part of the gradient's length is noise. The gradient was released. */
function checkStart({ largestStart, gradientNoise, model }: NoisyNewtonPlan, gradient: Float64Array): void {
  if (largestStart === undefined) return;
  const allowed = largestStart + gradientNoise * (sqrt(model.dimension) + sqrt(2 * log(1 / NOISE_FAILURE)));
  const norm = hypot(...gradient);
  if (norm <= allowed) return;
  throw new RefusedValue('start', `one where the noisy gradient is at most ${allowed}: τ₁²/L and the noise`, norm);
}

/**
 * Covariance of θ⁽ᴷ⁾ − θ̂ from the noise of all steps, given the eigenvalues and eigenvectors of the Hessian H at θ̂.
 *
 * A step changes a distance d to H̃⁻¹(W·d − N), with W the noise on the Hessian and N the noise on the gradient. So to
 * first order in W the covariance D_k of step k follows D_{k+1} = σ_g²·H⁻² + σ_h²·H⁻¹(D_k + tr(D_k)·I − diag(D_k))H⁻¹,
 * from the expectation of W·D·W for independent entries. D_0 is the covariance after the warm-up. Relative to the first
 * term the second is of order p·(B̄/(μnτ₁))².
 *
 * Shape: p × p row-major.
 *
 * Source: derived; Avella-Medina, Bradshaw, Loh (2023) correct for the first term.
 * @theorem slides Theorem, noisy Newton, part 2
 */
export function injectedCovariance(plan: NoisyNewtonPlan, hessian: SymmetricEigen): Float64Array {
  const { warmUp, steps, gradientNoise, hessianNoise } = plan;
  const { step, noise } = warmUp;
  const dimension = hessian.values.length;
  const inverse = spectralMatrix(hessian, (curvature) => 1 / curvature);
  const last = spectralMatrix(hessian, (curvature) => (gradientNoise / curvature) ** 2);
  let covariance = spectralMatrix(hessian, (curvature) => descentVariance(curvature, step, warmUp.steps, noise));
  for (let k = 0; k < steps; k++) {
    const shaken = spread(inverse, covariance, dimension);
    covariance = last.map((entry, i) => entry + hessianNoise * hessianNoise * shaken[i]);
  }
  return covariance;
}

/**
 * M·E[E·U·E]·M for a symmetric E with independent entries of variance 1: E[E·U·E] = U + tr(U)·I − diag(U). `covariance` is U, and
 * is overwritten.
 */
export function spread(inverse: Float64Array, covariance: Float64Array, dimension: number): Float64Array {
  let trace = 0;
  for (let i = 0; i < dimension; i++) trace += covariance[i * (dimension + 1)];
  for (let i = 0; i < dimension; i++) covariance[i * (dimension + 1)] = trace;
  return symmetricPart(product(product(inverse, covariance, dimension), inverse, dimension), dimension);
}

import type { SymmetricEigen } from '../../src/optimize/symmetric-eigen.ts';
import { descentVariance, spectralMatrix } from '../noisy-gradient-descent/m-estimation/fit.ts';
import type { NoisyNewtonPlan } from './parameters.ts';

/**
 * Covariance of θ⁽ᴷ⁾ − θ̂ by the noise of all steps, from the eigenvalues and eigenvectors of the Hessian H at θ̂.
 *
 * A step leaves H̃⁻¹(W·d − N) of a distance d, W the noise on the Hessian and N that on the gradient, so that to first order in W
 * the covariance D_k of step k follows D_{k+1} = σ_g²·H⁻² + σ_h²·H⁻¹(D_k + tr(D_k)·I − diag(D_k))H⁻¹: the expectation of W·D·W for
 * independent entries. D_0 is what the warm-up leaves. Against the first term the
 * second is of order p·(B̄/(μnτ₁))².
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
    let trace = 0;
    for (let i = 0; i < dimension; i++) trace += covariance[i * (dimension + 1)];
    for (let i = 0; i < dimension; i++) covariance[i * (dimension + 1)] = trace;
    const spread = product(product(inverse, covariance, dimension), inverse, dimension);
    covariance = last.map((entry, i) => entry + hessianNoise * hessianNoise * symmetric(spread, i, dimension));
  }
  return covariance;
}

function product(a: Float64Array, b: Float64Array, dimension: number): Float64Array {
  const result = new Float64Array(dimension * dimension);
  for (let i = 0; i < dimension; i++) {
    for (let k = 0; k < dimension; k++) {
      const factor = a[i * dimension + k];
      for (let j = 0; j < dimension; j++) result[i * dimension + j] += factor * b[k * dimension + j];
    }
  }
  return result;
}

/** An entry of the symmetric part. */
function symmetric(matrix: Float64Array, index: number, dimension: number): number {
  const row = Math.floor(index / dimension);
  const column = index % dimension;
  return 0.5 * (matrix[index] + matrix[column * dimension + row]);
}

import { innerProduct } from 'ldpkit/optimize';
import type { Model } from 'ldpkit/protocols/influence-sgd';

/**
 * The mean of the records: ℓ(θ, x) = ½‖θ‖² − ⟨θ, x⟩, whose Hessian is the identity, so that μ = L = 1 and G = 1 for the part that depends
 * on the record. A step of 1/L along the mean gradient is over at the mean of the records, whatever it started from.
 */
export function meanModel(dimension: number): Model {
  const none = (): void => {};
  const score: Model['score'] = (theta, { features }, index) =>
    innerProduct(theta, features.subarray(index * dimension, (index + 1) * dimension) as Float64Array);
  return {
    name: 'mean of the records',
    parameters: dimension,
    features: dimension,
    ridge: 1,
    convex: true,
    gradientBound: 1,
    constants: { lipschitz: 1, smoothness: 1, hessianLipschitz: 0, curvature: 1 },
    loss: (theta, records, index) => -score(theta, records, index),
    score,
    addGradient(_theta, { features }, index, weight, target) {
      for (let j = 0, at = index * dimension; j < dimension; j++, at++) target[j] -= weight * features[at];
    },
    addHessian: none,
    addHessianProduct: none,
  };
}

import { asymptoticCovariance, type OnlinePlan } from 'ldpkit/protocols/online-sgd';
import { huberMoments } from '../reproductions/mallows-moments.ts';

/**
 * The diagonal of A⁻¹(S + noise)A⁻¹ for weighted Huber regression with the threshold 1.345 of y = 1 + Σz + deviation·e on standard
 * normal z, by quadrature. All else of it is 0, by symmetry.
 */
export function huberLimit(plan: OnlinePlan, deviation: number): Float64Array {
  const { dimension, features } = plan.model;
  const moments = huberMoments(features, deviation, 1.345);
  const square = (diagonal: Float64Array): Float64Array =>
    Float64Array.from({ length: dimension ** 2 }, (_, k) =>
      k % (dimension + 1) === 0 ? diagonal[k / (dimension + 1)] : 0,
    );
  const covariance = asymptoticCovariance(plan, {
    hessian: square(moments.hessian),
    gradient: square(moments.gradient),
  });
  return Float64Array.from({ length: dimension }, (_, i) => covariance[i * (dimension + 1)]);
}

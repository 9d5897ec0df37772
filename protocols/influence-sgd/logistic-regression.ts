import { checkInteger, checkNonNegative, checkPositive } from '../../src/check/number.ts';
import { logisticLoss } from '../../src/risk/logistic.ts';
import type { Model } from './model.ts';
import type { CentralRecords } from './records.ts';

const { value, derivative, secondDerivative } = logisticLoss();

/**
 * The largest |f‴| of the logistic loss f(t) = log(1 + e^(−t)): 1/(6√3), the .097 of remark 1 rounded up.
 *
 * @theorem influence Remark 1
 */
export const LOGISTIC_THIRD: number = 1 / (6 * Math.sqrt(3));

/** What a logistic regression is made from. */
export interface LogisticRegressionRequest {
  /** Number of features d, which is the number of parameters m. */
  readonly dimension: number;
  /** λ ≥ 0 of the regularisation (λ/2)‖θ‖². */
  readonly ridge: number;
  /** Radius r of the ball on which the constants hold; it matters for the Lipschitz constant 1 + λr only. */
  readonly radius: number;
}

/**
 * Regularised logistic regression, ℓ(θ; x, y) = log(1 + e^(−y⟨θ, x⟩)) + (λ/2)‖θ‖² for ‖x‖₂ ≤ 1: (1 + λr)-Lipschitz, (¼ + λ)-
 * smooth, 1/(6√3)-Hessian-Lipschitz and λ-strongly convex.
 *
 * @throws TypeError or RangeError naming the field.
 * @theorem influence Definition 1
 * @theorem influence Definition 2
 * @theorem influence Definition 3
 * @theorem influence Remark 1
 */
export function logisticRegression(request: LogisticRegressionRequest): Model {
  const d = checkInteger('dimension', request.dimension, 1);
  const ridge = checkNonNegative('ridge', request.ridge);
  const radius = checkPositive('radius', request.radius);
  const inner = (theta: Float64Array, { features }: CentralRecords, index: number): number => {
    let sum = 0;
    for (let j = 0, at = index * d; j < d; j++, at++) sum += theta[j] * features[at];
    return sum;
  };
  return {
    name: 'logistic regression',
    parameters: d,
    features: d,
    ridge,
    convex: true,
    gradientBound: 1,
    constants: {
      lipschitz: 1 + ridge * radius,
      smoothness: 0.25 + ridge,
      hessianLipschitz: LOGISTIC_THIRD,
      curvature: ridge,
    },
    loss: (theta, records, index) => value(records.labels[index] * inner(theta, records, index)),
    score: inner,
    addGradient(theta, records, index, weight, target) {
      const y = records.labels[index];
      const slope = weight * y * derivative(y * inner(theta, records, index));
      for (let j = 0, at = index * d; j < d; j++, at++) target[j] += slope * records.features[at];
    },
    addHessian(theta, records, index, weight, target) {
      const { features } = records;
      const curvature = weight * secondDerivative(inner(theta, records, index));
      for (let j = 0, k = 0; j < d; j++) {
        const row = curvature * features[index * d + j];
        // Most rows of sparse records vanish.
        if (row === 0) k += d;
        else for (let i = index * d; i < (index + 1) * d; i++) target[k++] += row * features[i];
      }
    },
    addHessianProduct(theta, records, index, vector, weight, target) {
      const along = weight * secondDerivative(inner(theta, records, index)) * inner(vector, records, index);
      for (let j = 0, at = index * d; j < d; j++, at++) target[j] += along * records.features[at];
    },
  };
}

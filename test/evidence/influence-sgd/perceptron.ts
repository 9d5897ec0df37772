import { checkInteger, checkPositive } from 'ldpkit';
import { logisticLoss } from 'ldpkit/optimize';
import type { CentralRecords, Model } from 'ldpkit/protocols/influence-sgd';

const { sqrt, tanh } = Math;
const { value, derivative, secondDerivative } = logisticLoss();

/** The largest |tanh″|, 4/(3√3), and the largest |tanh‴|. */
const TANH_SECOND = 4 / (3 * sqrt(3));
const TANH_THIRD = 2;

/** The largest |f‴| of the logistic loss. */
const LOGISTIC_THIRD = 1 / (6 * sqrt(3));

/** What a perceptron is made from. */
export interface PerceptronRequest {
  /** Number of features d. */
  readonly dimension: number;
  /** Number of hidden units h; d if left out, as in the paper's experiments. */
  readonly hidden?: number;
  /** λ ≥ 0 of the regularisation (λ/2)‖θ‖². */
  readonly ridge: number;
  /** Radius r of the ball on which the constants hold. */
  readonly radius: number;
}

/**
 * A perceptron with one hidden layer and the logistic loss: s = ⟨v, tanh(Wx)⟩ + c, f = log(1 + e^(−ys)). A constant among the
 * features gives the hidden units their offsets. Not convex; with λ = 0 not even its optimum is unique.
 *
 * On the ball of radius r and for ‖x‖₂ ≤ 1, ‖∇s‖² ≤ r² + h + 1, ‖∇²s‖ ≤ (4/(3√3))r + 1 and ‖∇³s‖ ≤ 2r + 4/√3, which give the
 * constants of ℓ by the chain rule. They are safe, not sharp.
 *
 * Shape: θ is W row by row (h·d), then v (h), then c (1).
 *
 * @throws TypeError or RangeError naming the field.
 * @theorem influence Definition 1
 * @theorem influence Definition 2
 * @theorem influence Definition 3
 */
export function perceptron(request: PerceptronRequest): Model {
  const d = checkInteger('dimension', request.dimension, 1);
  const h = checkInteger('hidden', request.hidden ?? d, 1);
  const { ridge } = request;
  const radius = checkPositive('radius', request.radius);
  const m = h * d + h + 1;
  const slope = sqrt(radius * radius + h + 1);
  const bend = TANH_SECOND * radius + 1;
  const twist = TANH_THIRD * radius + 3 * TANH_SECOND;
  // Scratch of one record: the hidden values, ∇s, and ∇²s·v. A model is used by one run at a time.
  const units = new Float64Array(h);
  const first = new Float64Array(m);
  const second = new Float64Array(m);
  /** Computes the hidden values and returns s. */
  const forward = (theta: Float64Array, { features }: CentralRecords, index: number): number => {
    let s = theta[m - 1];
    for (let i = 0, k = 0; i < h; i++) {
      let sum = 0;
      for (let at = index * d; at < (index + 1) * d; at++) sum += theta[k++] * features[at];
      units[i] = tanh(sum);
      s += theta[h * d + i] * units[i];
    }
    return s;
  };
  /** Computes ∇s after `forward`. */
  const backward = (theta: Float64Array, { features }: CentralRecords, index: number): void => {
    for (let i = 0, k = 0; i < h; i++) {
      const back = theta[h * d + i] * (1 - units[i] * units[i]);
      for (let at = index * d; at < (index + 1) * d; at++) first[k++] = back * features[at];
      first[h * d + i] = units[i];
    }
    first[m - 1] = 1;
  };
  const addHessianProduct: Model['addHessianProduct'] = (theta, records, index, vector, weight, target) => {
    const { features } = records;
    const y = records.labels[index];
    const margin = y * forward(theta, records, index);
    backward(theta, records, index);
    second[m - 1] = 0;
    for (let i = 0; i < h; i++) {
      let along = 0;
      for (let j = 0; j < d; j++) along += vector[i * d + j] * features[index * d + j];
      const rise = 1 - units[i] * units[i];
      const across = rise * vector[h * d + i] - 2 * theta[h * d + i] * units[i] * rise * along;
      for (let j = 0; j < d; j++) second[i * d + j] = across * features[index * d + j];
      second[h * d + i] = rise * along;
    }
    let inner = 0;
    for (let j = 0; j < m; j++) inner += first[j] * vector[j];
    const outer = weight * secondDerivative(margin) * inner;
    const bent = weight * y * derivative(margin);
    for (let j = 0; j < m; j++) target[j] += outer * first[j] + bent * second[j];
  };
  return {
    name: 'perceptron',
    parameters: m,
    features: d,
    ridge,
    convex: false,
    gradientBound: slope,
    constants: {
      lipschitz: slope + ridge * radius,
      smoothness: (slope * slope) / 4 + bend + ridge,
      hessianLipschitz: LOGISTIC_THIRD * slope ** 3 + 0.75 * slope * bend + twist,
      curvature: ridge - bend,
    },
    loss: (theta, records, index) => value(records.labels[index] * forward(theta, records, index)),
    score: forward,
    addGradient(theta, records, index, weight, target) {
      const y = records.labels[index];
      const outer = weight * y * derivative(y * forward(theta, records, index));
      backward(theta, records, index);
      for (let j = 0; j < m; j++) target[j] += outer * first[j];
    },
    addHessian(theta, records, index, weight, target) {
      const { features } = records;
      const y = records.labels[index];
      const margin = y * forward(theta, records, index);
      backward(theta, records, index);
      const outer = weight * secondDerivative(margin);
      for (let j = 0, k = 0; j < m; j++) {
        const row = outer * first[j];
        for (let l = 0; l < m; l++) target[k++] += row * first[l];
      }
      // ∇²s is block-diagonal in the units, with a border from W to v.
      const bent = weight * y * derivative(margin);
      const x = index * d;
      for (let i = 0; i < h; i++) {
        const rise = 1 - units[i] * units[i];
        const inside = -2 * bent * theta[h * d + i] * units[i] * rise;
        const v = h * d + i;
        for (let j = 0; j < d; j++) {
          const w = i * d + j;
          for (let l = 0; l < d; l++) target[w * m + i * d + l] += inside * features[x + j] * features[x + l];
          target[w * m + v] += bent * rise * features[x + j];
          target[v * m + w] += bent * rise * features[x + j];
        }
      }
    },
    addHessianProduct,
  };
}

/**
 * A start for the perceptron: normal numbers of standard deviation 1/√d for W and 1/√h for v, which a start at 0 cannot
 * replace: there all hidden units are alike for ever. `normals` fills an array with standard normals.
 */
export function perceptronStart(
  request: Pick<PerceptronRequest, 'dimension' | 'hidden'>,
  normals: (target: Float64Array) => void,
): Float64Array {
  const d = checkInteger('dimension', request.dimension, 1);
  const h = checkInteger('hidden', request.hidden ?? d, 1);
  const theta = new Float64Array(h * d + h + 1);
  normals(theta);
  for (let j = 0; j < theta.length; j++) theta[j] /= j < h * d ? sqrt(d) : sqrt(h);
  theta[h * d + h] = 0;
  return theta;
}

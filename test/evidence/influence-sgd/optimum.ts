import { innerProduct, symmetricEigen } from 'ldpkit/optimize';
import {
  type CentralRecords,
  empiricalHessian,
  empiricalRisk,
  fillMeanGradient,
  type Model,
} from 'ldpkit/protocols/influence-sgd';

const { max, sqrt } = Math;

/** How far the search goes. */
export interface OptimumOptions {
  /** Where to begin; the origin if left out, which a perceptron does not leave. */
  readonly start?: Float64Array;
  /** Stop when the gradient is at most this; 1e-10 if left out. */
  readonly tolerance?: number;
  /** The most Newton steps; 100 if left out. */
  readonly iterations?: number;
  /** Eigenvalues of the Hessian below this are raised to it, for losses that are not convex; 1e-3 if left out. */
  readonly floor?: number;
}

/** Where the search ended. */
export interface Optimum {
  /** θ*, or the best θ found. */
  readonly theta: Float64Array;
  /** L* = L(θ*; D), or the least risk found. */
  readonly risk: number;
  /** ‖∇L‖ there. */
  readonly gradientNorm: number;
}

/**
 * The model without privacy: a minimiser of the empirical risk by Newton steps, shortened until the risk falls. For a loss that is
 * not convex it is a local minimiser.
 *
 * @theorem influence Figure 2
 */
export function optimum(model: Model, records: CentralRecords, options: OptimumOptions = {}): Optimum {
  const m = model.parameters;
  const { start, tolerance = 1e-10, iterations = 100, floor = 1e-3 } = options;
  // A loss that is known to be curved keeps its Hessian.
  const least = model.convex && model.ridge > 0 ? 0 : floor;
  const theta = start === undefined ? new Float64Array(m) : start.slice();
  const gradient = new Float64Array(m);
  const direction = new Float64Array(m);
  const next = new Float64Array(m);
  let risk = empiricalRisk(model, theta, records);
  fillMeanGradient(model, theta, records, gradient);
  for (let i = 0; i < iterations && sqrt(innerProduct(gradient, gradient)) > tolerance; i++) {
    const { values, vectors } = symmetricEigen(empiricalHessian(model, theta, records), m);
    direction.fill(0);
    for (let k = 0; k < m; k++) {
      const vector = vectors.subarray(k * m, (k + 1) * m);
      const along = innerProduct(vector, gradient) / max(least, values[k]);
      for (let j = 0; j < m; j++) direction[j] += along * vector[j];
    }
    const slope = innerProduct(gradient, direction);
    let length = 1;
    let found = risk;
    for (; length > 1e-12; length /= 2) {
      for (let j = 0; j < m; j++) next[j] = theta[j] - length * direction[j];
      found = empiricalRisk(model, next, records);
      // Close to the optimum the fall is below the digits of the risk; the full step is then right.
      if (found <= risk - 1e-4 * length * slope || slope < 1e-14) break;
    }
    if (length <= 1e-12) break;
    theta.set(next);
    risk = found;
    fillMeanGradient(model, theta, records, gradient);
  }
  return { theta, risk, gradientNorm: sqrt(innerProduct(gradient, gradient)) };
}

/** The records with these indexes, as records of their own. */
export function selectRecords(given: CentralRecords, rows: ArrayLike<number>): CentralRecords {
  const { dimension } = given;
  const features = new Float64Array(rows.length * dimension);
  const labels = new Int8Array(rows.length);
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i];
    for (let j = 0; j < dimension; j++) features[i * dimension + j] = given.features[row * dimension + j];
    labels[i] = given.labels[row];
  }
  return { records: rows.length, dimension, features, labels };
}

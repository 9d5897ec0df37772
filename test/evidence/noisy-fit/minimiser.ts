import { unpackSymmetric } from 'ldpkit/inference';
import { symmetricEigen } from 'ldpkit/optimize';
import {
  type boundedModel,
  type CentralRecord,
  curvatureMoment,
  meanScore,
} from 'ldpkit/protocols/noisy-gradient-descent';

const { hypot } = Math;

/** The score at which a point is taken for the minimiser. */
const NEAR = 1e-11;
const STEPS = 60;
const LEAST_SHARE = 2 ** -20;

/** θ̂ and the Hessian there. */
export interface Minimiser {
  readonly theta: Float64Array;
  /** M, p × p row-major. */
  readonly hessian: Float64Array;
  /** Its eigenvalues, ascending. */
  readonly curvatures: Float64Array;
}

/**
 * The minimiser on these records, without privacy: Newton's method whose steps are halved until the score gets shorter.
 *
 * @throws RangeError where the score does not get to 0, and for a Hessian that is not positive definite on the way.
 */
export function minimise(
  model: ReturnType<typeof boundedModel>,
  records: readonly CentralRecord[],
  start: ArrayLike<number>,
): Minimiser {
  const { dimension } = model;
  const theta = Float64Array.from(start);
  const score = new Float64Array(dimension);
  const trial = new Float64Array(dimension);
  meanScore(model, records, theta, score);
  for (let k = 0; k < STEPS; k++) {
    const hessian = unpackSymmetric(curvatureMoment(model, records, theta), dimension);
    const size = hypot(...score);
    if (size <= NEAR) return { theta, hessian, curvatures: symmetricEigen(hessian, dimension).values };
    const move = solved(hessian, score);
    for (let share = 1; ; share /= 2) {
      if (share < LEAST_SHARE) throw new RangeError('"records" expected ones whose score can be made shorter');
      for (let i = 0; i < dimension; i++) trial[i] = theta[i] - share * move[i];
      meanScore(model, records, trial, score);
      if (hypot(...score) < size) break;
    }
    theta.set(trial);
  }
  throw new RangeError(`"records" expected ones whose minimiser is found in ${STEPS} steps`);
}

/**
 * M⁻¹·v for a symmetric M, row-major.
 *
 * @throws RangeError for a matrix that is not positive definite.
 */
export function solved(matrix: Float64Array, vector: ArrayLike<number>): Float64Array {
  const dimension = vector.length;
  const { values, vectors } = symmetricEigen(matrix, dimension);
  if (!(values[0] > 0)) throw new RangeError(`"matrix" expected a positive definite one, got ${values[0]}`);
  const solution = new Float64Array(dimension);
  for (let k = 0; k < dimension; k++) {
    const axis = vectors.subarray(k * dimension, (k + 1) * dimension);
    const along = axis.reduce((sum, entry, i) => sum + entry * vector[i], 0) / values[k];
    for (let i = 0; i < dimension; i++) solution[i] += along * axis[i];
  }
  return solution;
}

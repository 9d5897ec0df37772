import { checkInteger, checkVector, RefusedValue } from '../check/refusal.ts';
import { symmetricEigen, symmetricPart } from '../optimize/ball.ts';
import { addRows, addSquare, addSymmetricProduct, type Centred, packedLength, unpackSymmetric } from './block-sums.ts';

/**
 * Adds `count` released gradients, the rows of `gradients` from row `from` on, which were computed at the same rows of `iterates`;
 * neither is checked. The same state, bit for bit, as by `addReleasedGradient`, only faster.
 */
export function addReleasedGradients(
  state: ReleasedGradients,
  gradients: Float64Array,
  iterates: Float64Array,
  from: number,
  count: number,
): void {
  const { dimension } = state;
  const row = (table: Float64Array, at: number): Float64Array => table.subarray(at, at + dimension);
  addRows(
    state,
    from,
    count,
    (at) => addReleasedGradient(state, row(gradients, at), row(iterates, at)),
    (block, at, length) => {
      block.walk(0, gradients, at, length, [undefined, state.gradientSum]);
      block.walk(1, iterates, at, length, [state.reference, state.iterateSum]);
      block.addSquares(0, state.gradientProducts);
      block.addSquares(1, state.iterateProducts);
      block.addProducts(state.crossProducts);
    },
  );
}

/** No Hessian can be estimated if the ratio of the least to the largest spread of the iterates is below this. */
const NARROW = 1e-12;

/**
 * The state that the plug-in keeps of the released noisy gradients g̃_i and the iterates θ_{i−1} at which they were
 * computed. Both are public, so nothing here costs budget. Plain data of fixed size: a stream that is saved and resumed
 * continues bit for bit.
 *
 * Shape: vectors of length p; packed lower triangles of p(p + 1)/2 entries; `crossProducts` p × p row-major.
 */
export interface ReleasedGradients extends Centred {
  /** Σ (θ − c). */
  readonly iterateSum: Float64Array;
  /** Σ g̃. */
  readonly gradientSum: Float64Array;
  /** Σ (θ − c)(θ − c)ᵀ, packed. */
  readonly iterateProducts: Float64Array;
  /** Σ g̃g̃ᵀ, packed. */
  readonly gradientProducts: Float64Array;
  /** Σ g̃(θ − c)ᵀ. */
  readonly crossProducts: Float64Array;
}

export function createReleasedGradients(dimension: number): ReleasedGradients {
  checkInteger('dimension', dimension, 1);
  return {
    dimension,
    steps: 0,
    nextCentre: 1,
    reference: new Float64Array(dimension),
    iterateSum: new Float64Array(dimension),
    gradientSum: new Float64Array(dimension),
    iterateProducts: new Float64Array(packedLength(dimension)),
    gradientProducts: new Float64Array(packedLength(dimension)),
    crossProducts: new Float64Array(dimension * dimension),
  };
}

// Scratch memory of the hot loop, kept between calls; every call overwrites it.
let centred = new Float64Array(16);

/**
 * Adds a released gradient and the iterate at which it was computed (the one before the step). O(p²), allocates nothing.
 * @throws RangeError for a wrong length or an entry that is not finite; the state is then unchanged.
 */
export function addReleasedGradient(
  state: ReleasedGradients,
  gradient: ArrayLike<number>,
  iterate: Float64Array,
): void {
  const { dimension, reference, iterateSum, gradientSum, iterateProducts, gradientProducts, crossProducts } = state;
  checkVector('gradient', gradient, dimension);
  checkVector('iterate', iterate, dimension);
  if (centred.length < dimension) centred = new Float64Array(dimension);
  for (let i = 0, k = 0; i < dimension; i++) {
    const slope = gradient[i];
    const entry = iterate[i] - reference[i];
    centred[i] = entry;
    gradientSum[i] += slope;
    iterateSum[i] += entry;
    // The centred entries up to i are already computed, so one pass fills both triangles.
    for (let j = 0; j <= i; j++, k++) {
      gradientProducts[k] += slope * gradient[j];
      iterateProducts[k] += entry * centred[j];
    }
  }
  for (let i = 0, l = 0; i < dimension; i++) {
    const slope = gradient[i];
    for (let j = 0; j < dimension; j++) crossProducts[l++] += slope * centred[j];
  }
  if (++state.steps === state.nextCentre) {
    centre(state);
    state.nextCentre *= 2;
  }
}

/**
 * S̃ = (1/n) Σ g̃g̃ᵀ, the second moment of a released gradient. It includes the privacy noise and costs no budget. The
 * printed estimator adds noise to a mean that the server of a local protocol never sees.
 *
 * Shape: p × p row-major, exactly symmetric, positive semi-definite to rounding.
 * @throws RangeError without gradients.
 */
export function gradientSecondMoment(state: ReleasedGradients): Float64Array {
  checkSteps(state, 1);
  return unpackSymmetric(state.gradientProducts, state.dimension, 1 / state.steps);
}

/**
 * The Hessian Ã from public values only: the symmetrised slope of the least-squares regression of the released gradients on the
 * iterates, since E(g̃_i | θ_{i−1}) = A(θ_{i−1} − θ₀) near θ₀. Perhaps not positive definite.
 *
 * Its relative error falls like the root of 1/Σγ_i, n^(−(1 − α)/2): slowly, and hardly at all for α near 1. Start it
 * after a warm-up, because far from θ₀ the gradient is not linear.
 */
export function regressionHessian(state: ReleasedGradients): Float64Array {
  const { dimension, steps, iterateSum, gradientSum } = state;
  const { values, vectors } = spreadOf(state);
  const slope = new Float64Array(dimension * dimension);
  for (let k = 0; k < dimension; k++) {
    const vector = vectors.subarray(k * dimension, (k + 1) * dimension);
    for (let i = 0; i < dimension; i++) {
      let along = 0;
      for (let j = 0; j < dimension; j++) {
        along += (state.crossProducts[i * dimension + j] - (gradientSum[i] * iterateSum[j]) / steps) * vector[j];
      }
      for (let j = 0; j < dimension; j++) slope[i * dimension + j] += (along / values[k]) * vector[j];
    }
  }
  return symmetricPart(slope, dimension);
}

/**
 * The standard deviation of vᵀÃv, ‖v‖ = 1, of the Hessian à of {@link regressionHessian}: that of a slope of least squares, as for
 * gradients that are independent given their iterates.
 */
export function regressionDeviation(state: ReleasedGradients, direction: ArrayLike<number>): number {
  const { dimension } = state;
  const { values, vectors } = spreadOf(state);
  const moment = gradientSecondMoment(state);
  let [noise, inverse] = [0, 0];
  for (let k = 0; k < dimension; k++) {
    let along = 0;
    for (let j = 0; j < dimension; j++) {
      noise += direction[k] * moment[k * dimension + j] * direction[j];
      along += vectors[k * dimension + j] * direction[j];
    }
    inverse += along ** 2 / values[k];
  }
  return Math.sqrt(noise * inverse);
}

/** Σ (θ − θ̄)(θ − θ̄)ᵀ, by its eigenvalues and eigenvectors. */
function spreadOf(state: ReleasedGradients): ReturnType<typeof symmetricEigen> {
  const { dimension, steps, iterateSum } = state;
  checkSteps(state, dimension + 2);
  const spread = state.iterateProducts.slice();
  addSquare(spread, iterateSum, -1 / steps);
  const found = symmetricEigen(unpackSymmetric(spread, dimension), dimension);
  const [least] = found.values;
  if (!(least > NARROW * found.values[dimension - 1])) {
    throw new RefusedValue('iterates', 'a spread in every direction', least);
  }
  return found;
}

/** Moves the reference to the average c′: with Δ = c − c′ every θ − c becomes θ − c + Δ. */
function centre(state: ReleasedGradients): void {
  const { dimension, steps, reference, iterateSum, gradientSum, iterateProducts, crossProducts } = state;
  const target = reference.map((entry, i) => entry + iterateSum[i] / steps);
  const delta = reference.map((entry, i) => entry - target[i]);
  addSymmetricProduct(iterateProducts, delta, iterateSum);
  addSquare(iterateProducts, delta, steps);
  for (let i = 0; i < dimension; i++) {
    for (let j = 0; j < dimension; j++) crossProducts[i * dimension + j] += gradientSum[i] * delta[j];
    iterateSum[i] += steps * delta[i];
  }
  reference.set(target);
}

function checkSteps(state: ReleasedGradients, least: number): void {
  if (state.steps < least) throw new RefusedValue('steps', `at least ${least}`, state.steps);
}

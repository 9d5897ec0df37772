import { checkInteger, checkPositive, RefusedValue } from '../../src/check/refusal.ts';
import { innerProduct } from '../../src/numeric/matrix.ts';
import { clipEigenvalues, symmetricEigen } from '../../src/optimize/ball.ts';
import { type Random, uniformInteger } from '../../src/random/random.ts';
import {
  type CentralRecords,
  checkAll,
  empiricalHessian,
  empiricalRisk,
  fillMeanGradient,
  fillRecordGradient,
  type Model,
} from './model.ts';
import type { InfluenceParameters } from './parameters.ts';

const { ceil, log, max, sqrt } = Math;

/** Solves H x = b for one H: `target` holds b and is overwritten with x. */
export type Solver = (target: Float64Array) => void;

/**
 * A solver from the Cholesky factor of a symmetric positive definite matrix; each solve takes m² operations.
 *
 * Shape: `matrix` is m × m row-major and is not changed.
 * @throws RangeError for a matrix that is not positive definite, with its smallest eigenvalue.
 * @theorem influence Equation (11)
 */
export function choleskySolver(matrix: Float64Array, dimension: number): Solver {
  const m = checkInteger('dimension', dimension, 1);
  if (matrix.length !== m * m) throw new RefusedValue('matrix', `${m} × ${m} entries`, matrix.length);
  const factor = matrix.slice();
  for (let j = 0; j < m; j++) {
    for (let i = j; i < m; i++) {
      let sum = factor[i * m + j];
      for (let k = 0; k < j; k++) sum -= factor[i * m + k] * factor[j * m + k];
      if (i > j) factor[i * m + j] = sum / factor[j * m + j];
      // One comparison covers NaN as well.
      else if (sum > 0) factor[j * m + j] = sqrt(sum);
      else throw notPositive(symmetricEigen(matrix, m).values[0]);
    }
  }
  return (target) => {
    for (let i = 0; i < m; i++) {
      let sum = target[i];
      for (let k = 0; k < i; k++) sum -= factor[i * m + k] * target[k];
      target[i] = sum / factor[i * m + i];
    }
    for (let i = m - 1; i >= 0; i--) {
      let sum = target[i];
      for (let k = i + 1; k < m; k++) sum -= factor[k * m + i] * target[k];
      target[i] = sum / factor[i * m + i];
    }
  };
}

/** The error for a Hessian that cannot be inverted. */
export function notPositive(eigenvalue: number, floor: number = 0): RefusedValue {
  const expected = floor > 0 ? `a matrix with no eigenvalue below ${floor}` : 'a positive definite matrix';
  const shown = Number(eigenvalue.toPrecision(6));
  return new RefusedValue(`"hessian" expected ${expected}, got a smallest eigenvalue of at most ${shown}`);
}

/** Conjugate gradients stop when the residual is this fraction of the right-hand side. */
const TOLERANCE = 1e-8;

/**
 * A solver by conjugate gradients, from products with H alone, for m too large to store a matrix: `product(v, target)` writes H·v.
 *
 * The solver throws a RangeError if the iterations do not suffice, or for a direction in which H has no positive curvature; the message
 * has the Rayleigh quotient, an upper bound of the smallest eigenvalue.
 *
 * Source: Hestenes, Stiefel (1952).
 * @theorem influence Equation (11)
 */
export function conjugateGradientSolver(
  product: (vector: Float64Array, target: Float64Array) => void,
  dimension: number,
  iterations: number = 10 * dimension,
): Solver {
  const m = dimension;
  const solution = new Float64Array(m);
  const residual = new Float64Array(m);
  const direction = new Float64Array(m);
  const image = new Float64Array(m);
  return (target) => {
    solution.fill(0);
    residual.set(target);
    direction.set(target);
    let squared = innerProduct(residual, residual);
    const enough = TOLERANCE * TOLERANCE * squared;
    for (let i = 0; squared > enough; i++) {
      if (i === iterations) {
        throw new RefusedValue(`"iterations" expected enough for a residual of ${TOLERANCE}, got ${iterations}`);
      }
      product(direction, image);
      const curvature = innerProduct(direction, image);
      if (!(curvature > 0)) throw notPositive(curvature / innerProduct(direction, direction));
      const length = squared / curvature;
      for (let j = 0; j < m; j++) {
        solution[j] += length * direction[j];
        residual[j] -= length * image[j];
      }
      const next = innerProduct(residual, residual);
      for (let j = 0; j < m; j++) direction[j] = residual[j] + (next / squared) * direction[j];
      squared = next;
    }
    target.set(solution);
  };
}

/** The settings of a stochastic solver: its series is averaged over independent repetitions. */
interface LissaOptions {
  /** A number above every eigenvalue of every H_i, so that I − H_i/scale shrinks. */
  readonly scale: number;
  /** Terms of the series. */
  readonly depth: number;
  readonly repetitions: number;
  /** Writes H_i·v into `target` for an i drawn anew in each call. */
  readonly sample: (vector: Float64Array, target: Float64Array) => void;
}

/**
 * A solver by the stochastic Neumann series h_j = b + (I − H_i/s)h_{j−1}, h/s → H⁻¹b. A term uses one record, so the
 * time does not depend on n. Unbiased up to the truncation (1 − λ_min/s)^depth.
 *
 * Source: Agarwal, Bullins, Hazan (2017), Second-order stochastic optimization in linear time (LiSSA); Koh, Liang
 * (2017).
 * @theorem influence Equation (11)
 */
export function lissaSolver(m: number, options: LissaOptions): Solver {
  const { repetitions, sample } = options;
  const scale = checkPositive('scale', options.scale);
  const depth = checkInteger('depth', options.depth, 1);
  const sum = new Float64Array(m);
  const term = new Float64Array(m);
  const image = new Float64Array(m);
  return (target) => {
    sum.fill(0);
    for (let r = 0; r < repetitions; r++) {
      term.set(target);
      for (let k = 0; k < depth; k++) {
        sample(term, image);
        for (let j = 0; j < m; j++) term[j] += target[j] - image[j] / scale;
      }
      for (let j = 0; j < m; j++) sum[j] += term[j];
    }
    for (let j = 0; j < m; j++) target[j] = sum[j] / (scale * repetitions);
  };
}

/** How far rounding may push an eigenvalue below ζ, as a fraction of ζ. */
const ROUNDING = 1e-9;

/** The parameters that a Hessian solve needs. */
type InfluenceSettings = Pick<InfluenceParameters, 'curvature' | 'smoothness' | 'lipschitz' | 'method' | 'repair'>;

/**
 * The influence of records on the model θ of a round, all with the Hessian at θ. The result is a function that writes
 * c_z = −(1/n)(−H⁻¹∇ℓ(θ, z)) for record `index` into `target`. To first order c_z is θ*₋z − θ*, the change from leaving
 * out z.
 *
 * Source: Kang, Li, Liu, Wang, (11); Koh, Liang (2017), Understanding black-box predictions via influence functions.
 * @throws TypeError or RangeError for records outside the domain; RangeError for a Hessian that has eigenvalues below ζ
 * after the repair (below 0 for the methods without a matrix).
 * @theorem slides M-estimators: properties, influence function
 * @theorem influence Equation (11)
 * @theorem influence Remark 5
 */
export function influence(
  settings: InfluenceSettings,
  model: Model,
  records: CentralRecords,
  theta: Float64Array,
  random: Random,
): (index: number, target: Float64Array) => void {
  checkAll(model, theta, records);
  const point = theta.slice();
  const solve = hessianSolver(settings, model, records, point, random);
  return (index, target) => {
    fillRecordGradient(model, point, records, index, settings.lipschitz, target);
    solve(target);
    for (let j = 0; j < target.length; j++) target[j] /= records.records;
  };
}

function hessianSolver(
  settings: InfluenceSettings,
  model: Model,
  records: CentralRecords,
  theta: Float64Array,
  random: Random,
): Solver {
  const m = model.parameters;
  const { method, repair, curvature, smoothness } = settings;
  const diagonal = model.ridge + (repair === 'add' ? curvature : 0);
  if (method === 'explicit') {
    const hessian = empiricalHessian(model, theta, records);
    if (repair === 'raise') return choleskySolver(clipEigenvalues(hessian, m, curvature), m);
    if (repair === 'add') for (let j = 0; j < m; j++) hessian[j * m + j] += curvature;
    // If the loss is known to be curved enough, the eigenvalues need no check.
    if (model.constants.curvature + (diagonal - model.ridge) < curvature * (1 - ROUNDING)) {
      const [least] = symmetricEigen(hessian, m).values;
      if (!(least >= curvature * (1 - ROUNDING))) throw notPositive(least, curvature);
    }
    return choleskySolver(hessian, m);
  }
  if (method === 'conjugate-gradient') {
    return conjugateGradientSolver((vector, target) => {
      for (let j = 0; j < m; j++) target[j] = diagonal * vector[j];
      const weight = 1 / records.records;
      for (let i = 0; i < records.records; i++) model.addHessianProduct(theta, records, i, vector, weight, target);
    }, m);
  }
  const scale = smoothness + (repair === 'add' ? curvature : 0);
  return lissaSolver(m, {
    scale,
    // The truncation leaves out a fraction of 1e-4 in the slowest direction.
    depth: max(1, ceil((log(1e4) * scale) / curvature)),
    repetitions: 10,
    sample(vector, target) {
      for (let j = 0; j < m; j++) target[j] = diagonal * vector[j];
      model.addHessianProduct(theta, records, uniformInteger(records.records, random), vector, 1, target);
    },
  });
}

/** Eigenvalues of the Hessian below this are raised to it, where the loss need not have curvature. */
const FLOOR = 1e-3;

/** Where the search begins and when it stops. */
export interface OptimumOptions {
  /** Where to begin; the origin if left out. A perceptron never leaves the origin. */
  readonly start?: Float64Array;
  /** Stop when the gradient is at most this; 1e-10 if left out. */
  readonly tolerance?: number;
  /** The most Newton steps; 100 if left out. */
  readonly iterations?: number;
}

/** Where the search ended. */
export interface Optimum {
  /** θ*, or the best θ found. */
  readonly theta: Float64Array;
  /** L* = L(θ*; D), or the least risk found. */
  readonly risk: number;
  /** ‖∇L‖ at `theta`. */
  readonly gradientNorm: number;
}

/**
 * The model without privacy: a minimiser of the empirical risk, found by Newton steps that are shortened until the risk
 * falls. For a loss that is not convex the result is a local minimiser.
 * @throws TypeError or RangeError naming the field, or for records outside the domain.
 * @theorem influence Figure 2
 */
export function optimum(model: Model, records: CentralRecords, options: OptimumOptions = {}): Optimum {
  const m = model.parameters;
  const tolerance = checkPositive('tolerance', options.tolerance ?? 1e-10);
  const iterations = checkInteger('iterations', options.iterations ?? 100, 0);
  const theta = options.start === undefined ? new Float64Array(m) : options.start.slice();
  checkAll(model, theta, records);
  const gradient = new Float64Array(m);
  const direction = new Float64Array(m);
  const next = new Float64Array(m);
  let risk = empiricalRisk(model, theta, records);
  fillMeanGradient(model, theta, records, gradient);
  for (let i = 0; i < iterations && sqrt(innerProduct(gradient, gradient)) > tolerance; i++) {
    let hessian = empiricalHessian(model, theta, records);
    if (!(model.convex && model.ridge > 0)) hessian = clipEigenvalues(hessian, m, FLOOR);
    direction.set(gradient);
    choleskySolver(hessian, m)(direction);
    const slope = innerProduct(gradient, direction);
    let length = 1;
    let found = risk;
    for (; length > 1e-12; length /= 2) {
      for (let j = 0; j < m; j++) next[j] = theta[j] - length * direction[j];
      found = empiricalRisk(model, next, records);
      // Close to the optimum the fall is smaller than the rounding of the risk; the full step is then right.
      if (found <= risk - 1e-4 * length * slope || slope < 1e-14) break;
    }
    if (length <= 1e-12) break;
    theta.set(next);
    risk = found;
    fillMeanGradient(model, theta, records, gradient);
  }
  return { theta, risk, gradientNorm: sqrt(innerProduct(gradient, gradient)) };
}

import { refusal } from '../../src/check/number.ts';
import { innerProduct } from '../../src/optimize/projection.ts';
import type { CentralRecords } from './records.ts';

const { sqrt } = Math;

/** The constants of definitions 1 to 3 for the whole loss of a record, regularisation included, on the ball of radius r. */
export interface ModelConstants {
  /** G: ‖∇ℓ(θ, z)‖₂ ≤ G. */
  readonly lipschitz: number;
  /** L: ‖∇²ℓ(θ, z)‖₂ ≤ L. */
  readonly smoothness: number;
  /** C: ∇²ℓ(·, z) is C-Lipschitz. */
  readonly hessianLipschitz: number;
  /** A number below every eigenvalue of every ∇²ℓ(θ, z); 0 or less where the loss is not strongly convex. */
  readonly curvature: number;
}

/**
 * A loss ℓ(θ, z) = f(θ, z) + (λ/2)‖θ‖² of m parameters θ. The methods below speak of f, the part that depends on the record; λ
 * is `ridge`, and cancels wherever two data sets are compared.
 */
export interface Model {
  /** What a report or a plot calls it. */
  readonly name: string;
  /** Number of parameters m. */
  readonly parameters: number;
  /** Number of features d of a record. */
  readonly features: number;
  /** λ ≥ 0. */
  readonly ridge: number;
  /** Whether f is convex in θ. */
  readonly convex: boolean;
  /** A bound on ‖∇f(θ, z)‖₂ on that ball: what replacing a record can change is at most twice this. */
  readonly gradientBound: number;
  /** The constants of ℓ. */
  readonly constants: ModelConstants;
  /** f(θ, z_i). */
  loss(theta: Float64Array, records: CentralRecords, index: number): number;
  /** A number whose sign is the label predicted for record i. */
  score(theta: Float64Array, records: CentralRecords, index: number): number;
  /** Adds `weight`·∇f(θ, z_i) to `target`. Shape: m. */
  addGradient(theta: Float64Array, records: CentralRecords, index: number, weight: number, target: Float64Array): void;
  /** Adds `weight`·∇²f(θ, z_i) to `target`. Shape: m × m row-major. */
  addHessian(theta: Float64Array, records: CentralRecords, index: number, weight: number, target: Float64Array): void;
  /** Adds `weight`·∇²f(θ, z_i)·v to `target`, without forming the matrix. Shape: m. */
  addHessianProduct(
    theta: Float64Array,
    records: CentralRecords,
    index: number,
    vector: Float64Array,
    weight: number,
    target: Float64Array,
  ): void;
}

/**
 * The empirical risk L(θ; D), the mean of ℓ over the records.
 *
 * @theorem influence Figure 2
 */
export function empiricalRisk(model: Model, theta: Float64Array, records: CentralRecords): number {
  checkFit(model, theta, records);
  let sum = 0;
  for (let i = 0; i < records.records; i++) sum += model.loss(theta, records, i);
  return sum / records.records + (model.ridge / 2) * innerProduct(theta, theta);
}

/**
 * The share of records whose label the model predicts; a score of 0 predicts +1.
 *
 * @theorem influence Figure 1
 */
export function accuracy(model: Model, theta: Float64Array, records: CentralRecords): number {
  checkFit(model, theta, records);
  let correct = 0;
  for (let i = 0; i < records.records; i++) {
    if (model.score(theta, records, i) >= 0 === records.labels[i] > 0) correct++;
  }
  return correct / records.records;
}

/** Writes ∇L(θ; D) into `target`. */
export function fillMeanGradient(
  model: Model,
  theta: Float64Array,
  records: CentralRecords,
  target: Float64Array,
): void {
  for (let j = 0; j < theta.length; j++) target[j] = model.ridge * theta[j];
  const weight = 1 / records.records;
  for (let i = 0; i < records.records; i++) model.addGradient(theta, records, i, weight, target);
}

/** H_θ = ∇²L(θ; D), as m × m numbers row by row. */
export function empiricalHessian(model: Model, theta: Float64Array, records: CentralRecords): Float64Array {
  const m = model.parameters;
  const target = new Float64Array(m * m);
  const weight = 1 / records.records;
  for (let i = 0; i < records.records; i++) model.addHessian(theta, records, i, weight, target);
  for (let j = 0; j < m; j++) target[j * m + j] += model.ridge;
  return target;
}

/**
 * Writes ∇ℓ(θ, z_i) into `target`, the part of the record scaled down to `bound` where it is longer: that is what makes a model
 * G-Lipschitz that is not. With `bound` = Infinity nothing is scaled.
 *
 * @throws RangeError for a gradient that is not a number: no factor would bound it.
 */
export function fillRecordGradient(
  model: Model,
  theta: Float64Array,
  records: CentralRecords,
  index: number,
  bound: number,
  target: Float64Array,
): void {
  target.fill(0);
  model.addGradient(theta, records, index, 1, target);
  const norm = sqrt(innerProduct(target, target));
  if (Number.isNaN(norm)) throw new RangeError('"theta" expected numbers at which every gradient is finite');
  const factor = norm > bound ? bound / norm : 1;
  for (let j = 0; j < target.length; j++) target[j] = factor * target[j] + model.ridge * theta[j];
}

/**
 * Refuses parameters or records of another size than the model's.
 *
 * @throws RangeError naming the sizes.
 */
export function checkFit(model: Model, theta: Float64Array, records: CentralRecords): void {
  if (theta.length !== model.parameters) {
    throw new RangeError(refusal('theta', `${model.parameters} numbers`, theta.length));
  }
  if (records.dimension !== model.features) {
    throw new RangeError(refusal('records.dimension', `${model.features} features`, records.dimension));
  }
}

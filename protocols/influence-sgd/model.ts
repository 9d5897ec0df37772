import { UNIT_TOLERANCE } from '../../src/check/datum.ts';
import { checkInteger, checkNonNegative, checkPositive, RefusedKind, RefusedValue } from '../../src/check/refusal.ts';
import { innerProduct } from '../../src/numeric/matrix.ts';
import { logisticLoss } from '../../src/risk/named-loss.ts';

const { sqrt } = Math;

/** The records of a trusted curator, all in one place and unprotected. This is not local privacy. */
export interface CentralRecords {
  /** Number of records n. */
  readonly records: number;
  /** Number of features d of a record. */
  readonly dimension: number;
  /** Record i is `features[i·d] … features[i·d + d − 1]`; its ℓ₂ norm is at most 1. Length n·d. */
  readonly features: Float32Array | Float64Array;
  /** +1 or −1 for each record. Length n. */
  readonly labels: Int8Array;
}

/**
 * Checks all records. Every function of a curator does this before it uses a record. The messages name no value and no
 * record.
 * @throws TypeError or RangeError for lengths that do not fit, a norm above 1, a NaN, or a label that is neither +1 nor
 * −1.
 */
export function checkRecords(given: CentralRecords): void {
  const records = checkInteger('records', given.records, 1);
  const dimension = checkInteger('dimension', given.dimension, 1);
  const { features, labels } = given;
  if (!(features instanceof Float32Array || features instanceof Float64Array)) {
    throw new RefusedKind('"features" expected a Float32Array or a Float64Array');
  }
  if (!(labels instanceof Int8Array)) throw new RefusedKind('"labels" expected an Int8Array');
  if (features.length !== records * dimension)
    throw new RefusedValue('"features" expected records times dimension numbers');
  if (labels.length !== records) throw new RefusedValue('"labels" expected one label for each record');
  for (let i = 0; i < records; i++) {
    let squared = 0;
    for (let j = i * dimension; j < (i + 1) * dimension; j++) squared += features[j] * features[j];
    // One comparison covers NaN and the infinities as well. 32-bit features are rounded once more.
    if (!(squared <= 1 + UNIT_TOLERANCE + 2 ** -22)) {
      throw new RefusedValue('"features" expected finite numbers with an l2 norm of at most 1 in every record');
    }
    if (labels[i] !== 1 && labels[i] !== -1) throw new RefusedValue('"labels" expected +1 or -1 for every record');
  }
}

/**
 * Records that were checked, none of them outside the unit ball. Because of rounding, `checkRecords` accepts norms up to
 * 1 + 1.2e-7 of 32-bit features; such records are scaled to the sphere. The bound used for the calibration of the noise
 * then holds for all records. If no record is outside, the given records are returned unchanged.
 */
export function clipRecords(given: CentralRecords): CentralRecords {
  const { records, dimension, features, labels } = given;
  let clipped: Float64Array | undefined;
  for (let i = 0; i < records; i++) {
    let squared = 0;
    for (let j = i * dimension; j < (i + 1) * dimension; j++) squared += features[j] * features[j];
    if (squared <= 1) continue;
    clipped ??= Float64Array.from(features);
    // Shorter by more than the rounding errors of the sum of squares and of its root.
    const factor = (1 - (dimension + 4) * 2 ** -52) / sqrt(squared);
    for (let j = i * dimension; j < (i + 1) * dimension; j++) clipped[j] *= factor;
  }
  return clipped === undefined ? given : { records, dimension, features: clipped, labels };
}

/** The constants of definitions 1 to 3 for the full loss of a record, with its ridge, on the ball of radius r. */
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
 * A loss ℓ(θ, z) = f(θ, z) + (λ/2)‖θ‖² of m parameters θ. The methods below compute f, the part that depends on the
 * record. λ is `ridge`; its term cancels wherever two data sets are compared.
 */
export interface Model {
  /** The name of the model in a printed result or a plot. */
  readonly name: string;
  /** Number of parameters m. */
  readonly parameters: number;
  /** Number of features d of a record. */
  readonly features: number;
  /** λ ≥ 0. */
  readonly ridge: number;
  /** Whether f is convex in θ. */
  readonly convex: boolean;
  /** A bound on ‖∇f(θ, z)‖₂ on that ball. Replacing a record changes the gradient by at most twice this. */
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
 * Writes ∇ℓ(θ, z_i) into `target`. The part of the record is scaled down to `bound` if it is longer; this makes every
 * model G-Lipschitz. With `bound` = Infinity nothing is scaled.
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
  if (Number.isNaN(norm)) throw new RefusedValue('"theta" expected numbers at which every gradient is finite');
  const factor = norm > bound ? bound / norm : 1;
  for (let j = 0; j < target.length; j++) target[j] = factor * target[j] + model.ridge * theta[j];
}

/**
 * Refuses parameters or records whose size differs from that of the model.
 * @throws RangeError naming the sizes.
 */
export function checkFit(model: Model, theta: Float64Array, records: CentralRecords): void {
  if (theta.length !== model.parameters) {
    throw new RefusedValue('theta', `${model.parameters} numbers`, theta.length);
  }
  if (records.dimension !== model.features) {
    throw new RefusedValue('records.dimension', `${model.features} features`, records.dimension);
  }
}

/** Refuses records outside the domain, and sizes that differ from those of the model or of the parameters. */
export function checkAll(
  model: Model,
  theta: Float64Array,
  given: CentralRecords,
  { records }: Pick<CentralRecords, 'records'> = given,
): void {
  checkRecords(given);
  checkFit(model, theta, given);
  if (given.records !== records) {
    throw new RefusedValue('records', `${records}, as in the parameters`, given.records);
  }
}

const { value, derivative, secondDerivative } = logisticLoss();

/**
 * The largest |f‴| of the logistic loss f(t) = log(1 + e^(−t)): 1/(6√3), the .097 of remark 1 rounded up.
 * @theorem influence Remark 1
 */
export const LOGISTIC_THIRD: number = 1 / (6 * Math.sqrt(3));

/** The request for a logistic regression. */
export interface LogisticRegressionRequest {
  /** Number of features d, which is the number of parameters m. */
  readonly dimension: number;
  /** λ ≥ 0 of the regularisation (λ/2)‖θ‖². */
  readonly ridge: number;
  /** Radius r of the ball on which the constants hold; only the Lipschitz constant 1 + λr depends on it. */
  readonly radius: number;
}

/**
 * Regularised logistic regression, ℓ(θ; x, y) = log(1 + e^(−y⟨θ, x⟩)) + (λ/2)‖θ‖² for ‖x‖₂ ≤ 1: (1 + λr)-Lipschitz, (¼ + λ)-
 * smooth, 1/(6√3)-Hessian-Lipschitz and λ-strongly convex.
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

import { mallowsWeight, symmetricEigen } from 'ldpkit/optimize';
import {
  chargeScale,
  fillInsuranceFeatures,
  INSURANCE_COLUMNS,
  INSURANCE_NOISE,
  type InsuranceEncoding,
  type InsuranceTable,
} from './insurance-table.ts';

const { exp, log, max } = Math;

/** Features without the intercept, and with it. */
const FEATURES = INSURANCE_COLUMNS.length;
const WIDTH = FEATURES + 1;

/** A table with the responses of both models, split into rows that train and rows that test. */
export interface InsuranceTask {
  readonly table: InsuranceTable;
  /** Rows before this one train; the table is in random order. */
  readonly train: number;
  /** Charges, standardised. */
  readonly responses: Float64Array;
  /** 0, 1 or 2: below the 33 % point of the charges that train, between, above the 66 % point. */
  readonly classes: Uint8Array;
}

/** The task of a table. */
export function insuranceTask(table: InsuranceTable, train: number): InsuranceTask {
  const { centre, unit } = chargeScale();
  const responses = table.charges.map((charge) => (charge - centre) / unit);
  const sorted = responses.slice(0, train).sort();
  const cuts = [0.33, 0.66].map((share) => sorted[Math.floor(share * train)]);
  const classes = Uint8Array.from(responses, (response) => (response < cuts[0] ? 0 : response < cuts[1] ? 1 : 2));
  return { table, train, responses, classes };
}

/** Ordinary least squares of standardised columns on the rows that train, in the clear: [intercept, coefficients …]. */
export function leastSquares({ table, train, responses }: InsuranceTask): Float64Array {
  const x = new Float64Array(WIDTH);
  const features = x.subarray(1);
  x[0] = 1;
  return solveLeastSquares(responses.subarray(0, train), (row) => {
    fillInsuranceFeatures(table, row, 'standardised', features);
    return x;
  });
}

/** The θ that minimises Σ(y_r − ⟨x_r, θ⟩)², where `features` gives x_r. */
export function solveLeastSquares(responses: Float64Array, features: (row: number) => Float64Array): Float64Array {
  const width = features(0).length;
  const gram = new Float64Array(width * width);
  const cross = new Float64Array(width);
  for (let row = 0; row < responses.length; row++) {
    const x = features(row);
    for (let i = 0; i < width; i++) {
      cross[i] += x[i] * responses[row];
      for (let j = 0; j < width; j++) gram[i * width + j] += x[i] * x[j];
    }
  }
  return solveNormalEquations(gram, cross);
}

/** The solution of gram·θ = cross, for a positive definite matrix, p × p. A direction without spread gets no coefficient. */
function solveNormalEquations(gram: Float64Array, cross: Float64Array): Float64Array {
  const width = cross.length;
  const { values, vectors } = symmetricEigen(gram, width);
  const least = 1e-12 * max(...values);
  const solution = new Float64Array(width);
  for (let k = 0; k < width; k++) {
    if (values[k] <= least) continue;
    const vector = vectors.subarray(k * width, (k + 1) * width);
    const along = vector.reduce((sum, entry, i) => sum + entry * cross[i], 0) / values[k];
    for (let i = 0; i < width; i++) solution[i] += along * vector[i];
  }
  return solution;
}

/** Mean squared error of [intercept, coefficients …] on the rows that test. */
export function testError(task: InsuranceTask, theta: ArrayLike<number>, encoding: InsuranceEncoding): number {
  const { table, train, responses } = task;
  const features = new Float64Array(FEATURES);
  let sum = 0;
  for (let row = train; row < table.rows; row++) {
    fillInsuranceFeatures(table, row, encoding, features);
    sum += (responses[row] - inner(theta, 0, features)) ** 2;
  }
  return sum / (table.rows - train);
}

/** How a classifier does on the rows that test. */
export interface ClassScore {
  readonly crossEntropy: number;
  readonly accuracy: number;
}

/** Cross-entropy and accuracy of a multinomial model with class 0 as the reference. */
export function classScore(
  { table, train, classes }: InsuranceTask,
  theta: ArrayLike<number>,
  encoding: InsuranceEncoding,
): ClassScore {
  const features = new Float64Array(FEATURES);
  let entropy = 0;
  let right = 0;
  for (let row = train; row < table.rows; row++) {
    fillInsuranceFeatures(table, row, encoding, features);
    const one = inner(theta, 0, features);
    const two = inner(theta, WIDTH, features);
    const top = max(0, one, two);
    const scores = [0, one, two];
    entropy += top + log(exp(-top) + exp(one - top) + exp(two - top)) - scores[classes[row]];
    if (scores[classes[row]] === top) right++;
  }
  const count = table.rows - train;
  return { crossEntropy: entropy / count, accuracy: right / count };
}

function inner(theta: ArrayLike<number>, from: number, features: Float64Array): number {
  let sum = theta[from];
  for (let j = 0; j < FEATURES; j++) sum += theta[from + 1 + j] * features[j];
  return sum;
}

/** Moments of the features of an encoding, p × p row-major: E[xxᵀ], and A and S of weighted Huber regression at the truth. */
export interface InsuranceMoments {
  readonly features: Float64Array;
  readonly hessian: Float64Array;
  readonly gradient: Float64Array;
}

/** The moments over all rows. Noise stays within the threshold of the score, where that is linear. */
export function insuranceMoments({ table }: InsuranceTask, encoding: InsuranceEncoding): InsuranceMoments {
  const size = WIDTH * WIDTH;
  const moments = {
    features: new Float64Array(size),
    hessian: new Float64Array(size),
    gradient: new Float64Array(size),
  };
  const x = new Float64Array(WIDTH);
  const columns = x.subarray(1);
  x[0] = 1;
  for (let row = 0; row < table.rows; row++) {
    fillInsuranceFeatures(table, row, encoding, columns);
    const weight = mallowsWeight(x.reduce((sum, entry) => sum + entry * entry, 0));
    for (let i = 0, k = 0; i < WIDTH; i++) {
      for (let l = 0; l < WIDTH; l++, k++) {
        const product = (x[i] * x[l]) / table.rows;
        moments.features[k] += product;
        moments.hessian[k] += weight * product;
        moments.gradient[k] += INSURANCE_NOISE * weight * weight * product;
      }
    }
  }
  return moments;
}

import type { AuditSample } from './target.ts';

const { abs, exp, log1p, max, min, sqrt } = Math;

/** A learned score that is linear in the numbers seen, in their squares and, where they are few, in their products. */
export interface LogisticModel {
  /** The numbers used; beyond a limit, only those whose means differ most. */
  readonly inputs: Int32Array;
  /** Pairs of inputs whose product is a term: i, j, i, j, …; squares are pairs of equal ones. */
  readonly products: Int32Array;
  /** Mean of each term, inputs first. */
  readonly means: Float64Array;
  /** Weight of each term, 0 for one that never varied. */
  readonly weights: Float64Array;
}

/** Largest number of inputs; squares and products are left out where there would be too many terms. */
const INPUTS = 96;
const SQUARES_UP_TO = 32;
const PRODUCTS_UP_TO = 8;

/**
 * Largest number of Newton steps, and the ridge on standardized terms per row, far below any spread larger than
 * rounding.
 */
const STEPS = 8;
const RIDGE = 1e-12;

/** The score of the row that begins at `offset`: larger if the row is more likely under the first datum. */
export function logisticScore(model: LogisticModel, values: ArrayLike<number>, offset: number): number {
  const { inputs, products, means, weights } = model;
  const count = inputs.length;
  let sum = 0;
  for (let k = 0; k < count; k++) sum += weights[k] * (values[offset + inputs[k]] - means[k]);
  for (let k = count, at = 0; at < products.length; k++, at += 2) {
    sum += weights[k] * (values[offset + products[at]] * values[offset + products[at + 1]] - means[k]);
  }
  return sum;
}

/**
 * Logistic regression of the datum on a sample, by Newton's method. Terms that depend on each other exactly are wanted:
 * the direction in which all noise cancels gets a very large weight.
 */
export function learnLogistic(sample: AuditSample): LogisticModel {
  const inputs = chosenInputs(sample);
  const products: number[] = [];
  for (let i = 0; i < inputs.length && inputs.length <= SQUARES_UP_TO; i++) {
    const last = inputs.length <= PRODUCTS_UP_TO ? inputs.length : i + 1;
    for (let j = i; j < last; j++) products.push(inputs[i], inputs[j]);
  }
  const size = inputs.length + products.length / 2;
  const empty: LogisticModel = {
    inputs,
    products: Int32Array.from(products),
    means: new Float64Array(size),
    weights: new Float64Array(size),
  };
  const terms = termsOf(empty, sample);
  const { rows } = sample;
  for (let k = 0; k < size; k++) {
    let mean = 0;
    for (let row = 0; row < 2 * rows; row++) mean += terms[row * size + k] / (2 * rows);
    let spread = 0;
    for (let row = 0; row < 2 * rows; row++) spread += (terms[row * size + k] - mean) ** 2 / (2 * rows);
    // A term that varies only by rounding is a constant.
    const scale = spread > (1e-12 * mean) ** 2 && spread < Infinity ? 1 / sqrt(spread) : 0;
    empty.means[k] = mean < Infinity ? mean : 0;
    empty.weights[k] = scale;
    for (let row = 0; row < 2 * rows; row++) {
      const at = row * size + k;
      terms[at] = scale > 0 ? (terms[at] - mean) * scale : 0;
    }
  }
  const fitted = newton(terms, rows, size);
  return { ...empty, weights: empty.weights.map((scale, k) => scale * fitted[k]) };
}

function chosenInputs({ first, second, rows, width }: AuditSample): Int32Array {
  const all = Int32Array.from({ length: width }, (_, i) => i);
  if (width <= INPUTS) return all;
  const strength = Float64Array.from(all, (i) => {
    let [sum, difference, squares] = [0, 0, 0];
    for (let row = 0; row < rows; row++) {
      const [a, b] = [first[row * width + i], second[row * width + i]];
      sum += a + b;
      difference += a - b;
      squares += a * a + b * b;
    }
    const variance = squares - (sum * sum) / (2 * rows);
    return variance > 0 ? difference ** 2 / variance : 0;
  });
  return all.sort((a, b) => strength[b] - strength[a] || a - b).slice(0, INPUTS);
}

/** All rows' terms, those under the first datum before those under the second. */
function termsOf({ inputs, products, means }: LogisticModel, sample: AuditSample): Float64Array {
  const size = means.length;
  const { rows, width } = sample;
  const terms = new Float64Array(2 * rows * size);
  for (let row = 0; row < 2 * rows; row++) {
    const values = row < rows ? sample.first : sample.second;
    const offset = (row % rows) * width;
    let at = row * size;
    for (let k = 0; k < inputs.length; k++) terms[at++] = values[offset + inputs[k]];
    for (let k = 0; k < products.length; k += 2) {
      terms[at++] = values[offset + products[k]] * values[offset + products[k + 1]];
    }
  }
  return terms;
}

function newton(terms: Float64Array, rows: number, size: number): Float64Array {
  let accepted = new Float64Array(size + 1);
  let candidate = accepted;
  let best = Infinity;
  for (let step = 0; step < STEPS; step++) {
    const { loss, gradient, hessian } = expansion(terms, rows, candidate);
    if (!(loss < best)) break;
    best = loss;
    accepted = candidate;
    candidate = accepted.slice();
    // The sample is separated already: further steps only enlarge the weights.
    if (loss < 1e-3 * rows || !solveInto(hessian, gradient, candidate)) break;
  }
  return accepted;
}

/** Loss, gradient and lower triangle of the Hessian of the ridged log likelihood; the last weight is the intercept. */
function expansion(terms: Float64Array, rows: number, weights: Float64Array) {
  const width = weights.length;
  const size = width - 1;
  const gradient = new Float64Array(width);
  const hessian = new Float64Array(width * width);
  const row = new Float64Array(width);
  row[size] = 1;
  let loss = 0;
  for (let at = 0; at < 2 * rows; at++) {
    let eta = weights[size];
    for (let k = 0; k < size; k++) eta += weights[k] * (row[k] = terms[at * size + k]);
    const signed = max(-40, min(40, at < rows ? eta : -eta));
    const wrong = 1 / (1 + exp(signed));
    loss += log1p(exp(-signed));
    const push = at < rows ? wrong : -wrong;
    const curvature = wrong * (1 - wrong);
    for (let i = 0; i < width; i++) {
      gradient[i] += push * row[i];
      const scaled = curvature * row[i];
      for (let j = 0; j <= i; j++) hessian[i * width + j] += scaled * row[j];
    }
  }
  for (let i = 0; i < width; i++) {
    gradient[i] -= RIDGE * rows * weights[i];
    hessian[i * width + i] += RIDGE * rows;
  }
  return { loss, gradient, hessian };
}

/** Adds the solution of H·x = g to `target`, by Cholesky; false where rounding has made H indefinite. */
function solveInto(hessian: Float64Array, gradient: Float64Array, target: Float64Array): boolean {
  const size = gradient.length;
  for (let i = 0; i < size; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = hessian[i * size + j];
      for (let k = 0; k < j; k++) sum -= hessian[i * size + k] * hessian[j * size + k];
      if (i !== j) hessian[i * size + j] = sum / hessian[j * size + j];
      else if (!(sum > 0)) return false;
      else hessian[i * size + i] = sqrt(sum);
    }
  }
  const x = gradient.slice();
  for (let i = 0; i < size; i++) {
    for (let k = 0; k < i; k++) x[i] -= hessian[i * size + k] * x[k];
    x[i] /= hessian[i * size + i];
  }
  for (let i = size - 1; i >= 0; i--) {
    for (let k = i + 1; k < size; k++) x[i] -= hessian[k * size + i] * x[k];
    x[i] /= hessian[i * size + i];
  }
  if (x.some((entry) => !(abs(entry) < Infinity))) return false;
  for (let i = 0; i < size; i++) target[i] += x[i];
  return true;
}

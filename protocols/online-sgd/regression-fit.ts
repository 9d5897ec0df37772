import { refusal } from '../../src/check/number.ts';
import { sandwich } from '../../src/inference/sandwich.ts';
import { ballNewton } from '../../src/optimize/ball-newton.ts';
import { symmetricEigen } from '../../src/optimize/symmetric-eigen.ts';
import { mallowsWeight } from '../../src/risk/huber.ts';
import type { OnlineDatum } from '../../src/risk/regression/gradient.ts';
import { type IndexModel, responseLossOf } from '../../src/risk/regression/model.ts';
import type { Population } from '../../src/simulation/population.ts';

const { sqrt } = Math;

/** The ball that is searched: far beyond any model whose response is in units of its noise. */
const RADIUS = 1e4;

/** Smallest over largest eigenvalue of a Hessian below which features are combinations of each other. */
const SINGULAR = 1e-10;

/** What a model fitted to all records in the clear says. */
export interface RegressionFit {
  /** The minimiser of the risk, of length p; zeros where a coordinate was left out. */
  readonly theta: Float64Array;
  /** The mean of w(x)·f(⟨θ, x⟩, y) there. */
  readonly risk: number;
  /** Standard errors of independent records: roots of the diagonal of A⁻¹SA⁻¹/n. */
  readonly standardErrors: Float64Array;
  /** Passes over the records. */
  readonly evaluations: number;
}

/** Which coordinates are fitted. */
export interface FitChoice {
  /** Only the first coordinates, 1 for the intercept alone; all by default. */
  readonly coordinates?: number;
}

/**
 * The model of least risk Σ w(x)·f(⟨θ, x⟩, y) over records in the clear, by Newton's method: what noisy gradient descent on
 * their stream goes to. w are Mallows weights.
 *
 * @throws RangeError for a clipped model, whose minimiser is none of a risk, features that are combinations of each other, or
 * records without a minimiser.
 */
export function fitRegression(
  model: IndexModel,
  population: Population<OnlineDatum>,
  { coordinates = model.dimension }: FitChoice = {},
): RegressionFit {
  if (model.clip !== undefined)
    throw new RangeError(refusal('model.clip', 'nothing: a clipped model has no risk', model.clip));
  const sums = riskSums(model, population, coordinates);
  const objective = {
    dimension: coordinates,
    evaluate: (point: Float64Array, gradient: Float64Array, hessian: Float64Array) => sums(point, gradient, hessian),
  };
  const { point, value, converged, evaluations } = ballNewton({ objective, radius: RADIUS, tolerance: 1e-12 });
  const gradient = new Float64Array(coordinates);
  const hessian = new Float64Array(coordinates * coordinates);
  const second = new Float64Array(coordinates * coordinates);
  sums(point, gradient, hessian, second);
  const { values } = symmetricEigen(hessian, coordinates);
  if (!(values[0] > SINGULAR * values[coordinates - 1])) {
    throw new RangeError('"features" expected columns that are no combinations of each other and of 1');
  }
  if (!converged) throw new RangeError('"data" expected records with a model of least risk');
  const { covariance } = sandwich({ dimension: coordinates, hessian, gradient: second, hessianFloor: values[0] });
  const theta = new Float64Array(model.dimension);
  theta.set(point);
  const errors = Float64Array.from(theta, (_, i) =>
    i < coordinates ? sqrt(covariance[i * (coordinates + 1)] / population.players) : 0,
  );
  return { theta, risk: value, standardErrors: errors, evaluations: evaluations + 1 };
}

/**
 * The mean of w(x)·f(⟨θ, x⟩, y) over records.
 *
 * @throws RangeError for a θ of another length.
 */
export function regressionRisk(model: IndexModel, population: Population<OnlineDatum>, theta: Float64Array): number {
  const { dimension } = model;
  if (theta.length !== dimension) throw new RangeError(refusal('theta', `${dimension} numbers`, theta.length));
  return riskSums(model, population, dimension)(theta);
}

type RiskSums = (theta: Float64Array, gradient?: Float64Array, hessian?: Float64Array, second?: Float64Array) => number;

// Means of value, gradient, Hessian and ggᵀ over all records, in one pass; only what has a place is summed.
function riskSums(model: IndexModel, { players, datum }: Population<OnlineDatum>, coordinates: number): RiskSums {
  const loss = responseLossOf(model.loss);
  const shift = model.intercept ? 1 : 0;
  const x = new Float64Array(model.dimension);
  if (model.intercept) x[0] = 1;
  return (theta, gradient, hessian, second) => {
    gradient?.fill(0);
    hessian?.fill(0);
    second?.fill(0);
    let value = 0;
    for (let i = 0; i < players; i++) {
      const { features, response } = datum(i);
      let squared = shift;
      for (let j = 0; j < features.length; j++) {
        const entry = features[j];
        x[j + shift] = entry;
        squared += entry * entry;
      }
      let inner = 0;
      for (let j = 0; j < coordinates; j++) inner += theta[j] * x[j];
      const weight = mallowsWeight(squared) / players;
      value += weight * loss.value(inner, response);
      if (gradient === undefined || hessian === undefined) continue;
      const slope = loss.derivative(inner, response);
      const curvature = weight * loss.secondDerivative(inner, response);
      const square = weight * weight * players * slope * slope;
      for (let j = 0; j < coordinates; j++) {
        gradient[j] += weight * slope * x[j];
        for (let k = 0; k <= j; k++) hessian[j * coordinates + k] += curvature * x[j] * x[k];
        if (second !== undefined) for (let k = 0; k <= j; k++) second[j * coordinates + k] += square * x[j] * x[k];
      }
    }
    if (hessian !== undefined) mirror(hessian, coordinates);
    if (second !== undefined) mirror(second, coordinates);
    return value;
  };
}

function mirror(matrix: Float64Array, size: number): void {
  for (let j = 0; j < size; j++) for (let k = 0; k < j; k++) matrix[k * size + j] = matrix[j * size + k];
}

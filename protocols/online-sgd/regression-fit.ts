import { brief, RefusedValue } from '../../src/check/refusal.ts';
import { mirror, sandwich } from '../../src/inference/interval.ts';
import { euclideanNorm } from '../../src/numeric/matrix.ts';
import { symmetricEigen } from '../../src/optimize/ball.ts';
import { ballNewton } from '../../src/optimize/ball-newton.ts';
import type { OnlineDatum } from '../../src/risk/regression/gradient.ts';
import { type IndexModel, type MultinomialModel, responseLossOf } from '../../src/risk/regression/model.ts';
import { mallowsWeight } from '../../src/risk/response-loss.ts';
import type { Population } from '../../src/simulation/runner.ts';

const { abs, exp, log, max, sqrt } = Math;

/** Radius of the ball that is searched: far beyond any model whose response is in units of its noise. */
const RADIUS = 1e4;

/** If smallest over largest eigenvalue of a Hessian is below this, features are combinations of each other. */
const SINGULAR = 1e-10;

/** The result of a model fitted to all records in the clear. */
export interface RegressionFit {
  /** The minimiser of the risk, of length p; zero at coordinates that were left out. */
  readonly theta: Float64Array;
  /** The mean of w(x)·f(⟨θ, x⟩, y) at the minimiser. */
  readonly risk: number;
  /** Standard errors of independent records: roots of the diagonal of A⁻¹SA⁻¹/n. */
  readonly standardErrors: Float64Array;
}

/** Which coordinates are fitted. */
export interface FitChoice {
  /** Only the first coordinates of each inner product, 1 for the intercept alone; all by default. */
  readonly coordinates?: number;
  /** Names of the features, in their order: a refusal of features that are combinations of each other names one of them. */
  readonly names?: readonly string[];
}

/** A model with a risk: with one inner product, or one for each class except the first. */
export type RiskModel = IndexModel | MultinomialModel;

/**
 * The model of least risk Σ w(x)·f(⟨θ, x⟩, y) over records in the clear, by Newton's method; w are Mallows weights.
 * Noisy gradient descent on the stream of these records converges to it. A clipped model has no such risk: the result
 * is then the model without clipping and without weights, and the stream need not converge to it.
 * @throws RangeError for features that are combinations of each other, or records without a minimiser.
 */
export function fitRegression(
  model: RiskModel,
  population: Population<OnlineDatum>,
  { coordinates: each = model.width, names }: FitChoice = {},
): RegressionFit {
  const blocks = blocksOf(model);
  const coordinates = blocks * each;
  const sums = riskSums(model, population, each);
  const objective = { dimension: coordinates, evaluate: sums };
  // Sums of squares without a weight have rounding errors larger than their slope can resolve.
  const tolerance = model.clip === undefined ? 1e-12 : 1e-6;
  const { point, value, gap, converged } = ballNewton({ objective, radius: RADIUS, tolerance });
  const gradient = new Float64Array(coordinates);
  const hessian = new Float64Array(coordinates * coordinates);
  const second = new Float64Array(coordinates * coordinates);
  sums(point, gradient, hessian, second);
  const { values } = symmetricEigen(hessian, coordinates);
  const flat = !(values[0] > SINGULAR * values[coordinates - 1]);
  if (flat) refuseCombined(model, population, each, names);
  // A mean of slopes of both signs is rounded by some √n units in the last place of their size: where it is 0, no gap is below that.
  let size = 0;
  for (let i = 0; i < coordinates; i++) size += second[i * (coordinates + 1)];
  const rounding = 8 * Number.EPSILON * RADIUS * sqrt(population.players * size);
  // Labels that the features tell apart have models of ever less risk, down to 0: it ends on the border of the ball, or next to 0.
  const endless = euclideanNorm(point) > RADIUS * (1 - 1e-9) || (model.responses !== 'number' && value < 1e-9);
  if (flat || endless || !(converged || gap <= rounding)) {
    throw new RefusedValue('"data" expected records with a model of least risk');
  }
  const { covariance } = sandwich({ dimension: coordinates, hessian, gradient: second, hessianFloor: values[0] });
  const theta = new Float64Array(model.dimension);
  const errors = new Float64Array(model.dimension);
  for (let block = 0; block < blocks; block++) {
    for (let j = 0; j < each; j++) {
      const [to, from] = [block * model.width + j, block * each + j];
      theta[to] = point[from];
      errors[to] = sqrt(covariance[from * (coordinates + 1)] / population.players);
    }
  }
  return { theta, risk: value, standardErrors: errors };
}

/** The mean of w(x)·f(⟨θ, x⟩, y) over records, without w if the model is clipped; a θ of another length is refused. */
export function regressionRisk(model: RiskModel, population: Population<OnlineDatum>, theta: Float64Array): number {
  const { dimension, width } = model;
  if (theta.length !== dimension) throw new RefusedValue('theta', `${dimension} numbers`, theta.length);
  return riskSums(model, population, width)(theta);
}

/** Refuses features that are combinations of each other and of 1, and names the one with the largest part in a combination that is 0. */
function refuseCombined(
  model: RiskModel,
  population: Population<OnlineDatum>,
  each: number,
  names?: readonly string[],
) {
  const size = blocksOf(model) * each;
  const [point, gradient] = [new Float64Array(size), new Float64Array(size)];
  const moments = new Float64Array(size * size);
  riskSums(model, population, each, squares)(point, gradient, moments);
  const { values, vectors } = symmetricEigen(moments, size);
  if (values[0] > SINGULAR * values[size - 1]) return;
  const first = model.intercept ? 1 : 0;
  let [most, found] = [-1, 0];
  for (let i = 0; i < size; i++) {
    const part = i % each < first ? -1 : abs(vectors[i]);
    if (part > most) [most, found] = [part, (i % each) - first];
  }
  const name = names?.[found];
  const named = name === undefined ? '' : `: ${JSON.stringify(brief(name))} is one`;
  throw new RefusedValue(`"features" expected columns that are no combinations of each other and of 1${named}`);
}

function blocksOf(model: RiskModel): number {
  return model.form === 'index' ? 1 : model.classes - 1;
}

/** A loss of inner products: its value. It also writes slopes and (row by row) curvatures into arrays, if given. */
type ScoreLoss = (scores: Float64Array, response: number, slopes?: Float64Array, curvatures?: Float64Array) => number;

function scoreLoss(model: RiskModel): ScoreLoss {
  if (model.form === 'multinomial') return multinomialLoss;
  const loss = responseLossOf(model.loss);
  return ([inner], response, slopes, curvatures) => {
    if (slopes !== undefined) slopes[0] = loss.derivative(inner, response);
    if (curvatures !== undefined) curvatures[0] = loss.secondDerivative(inner, response);
    return loss.value(inner, response);
  };
}

/** Half the squares of the scores, whose Hessian are the moments of the features. */
const squares: ScoreLoss = (scores, _, slopes, curvatures) => {
  slopes?.set(scores);
  for (let k = 0; k < scores.length; k++) if (curvatures !== undefined) curvatures[k * (scores.length + 1)] = 1;
  return 0;
};

/** −ln of the probability of the class; the scores are those of all classes except the first. */
function multinomialLoss(
  scores: Float64Array,
  response: number,
  slopes?: Float64Array,
  curvatures?: Float64Array,
): number {
  const count = scores.length;
  let largest = 0;
  for (let k = 0; k < count; k++) largest = max(largest, scores[k]);
  let total = exp(-largest);
  for (let k = 0; k < count; k++) total += exp(scores[k] - largest);
  if (slopes !== undefined && curvatures !== undefined) {
    for (let k = 0; k < count; k++) {
      const share = exp(scores[k] - largest) / total;
      slopes[k] = share - (response === k + 1 ? 1 : 0);
      for (let l = 0; l < count; l++) {
        curvatures[k * count + l] = (k === l ? share : 0) - (share * exp(scores[l] - largest)) / total;
      }
    }
  }
  return log(total) + largest - (response === 0 ? 0 : scores[response - 1]);
}

/** Means of value, gradient, Hessian and ggᵀ over all records, in one pass; only those with a given array are summed. */
function riskSums(
  model: RiskModel,
  { players, datum }: Population<OnlineDatum>,
  each: number,
  loss: ScoreLoss = scoreLoss(model),
) {
  const blocks = blocksOf(model);
  const size = blocks * each;
  const shift = model.intercept ? 1 : 0;
  const x = new Float64Array(model.width);
  if (model.intercept) x[0] = 1;
  const scores = new Float64Array(blocks);
  const slopes = new Float64Array(blocks);
  const curvatures = new Float64Array(blocks * blocks);
  return (theta: Float64Array, gradient?: Float64Array, hessian?: Float64Array, second?: Float64Array): number => {
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
      for (let b = 0; b < blocks; b++) {
        let inner = 0;
        for (let j = 0; j < each; j++) inner += theta[b * each + j] * x[j];
        scores[b] = inner;
      }
      const weight = (model.clip === undefined ? mallowsWeight(squared) : 1) / players;
      if (gradient === undefined || hessian === undefined) {
        value += weight * loss(scores, response);
        continue;
      }
      value += weight * loss(scores, response, slopes, curvatures);
      for (let b = 0; b < blocks; b++) {
        for (let j = 0; j < each; j++) gradient[b * each + j] += weight * slopes[b] * x[j];
        for (let c = 0; c <= b; c++) {
          const curvature = weight * curvatures[b * blocks + c];
          const square = weight * weight * players * slopes[b] * slopes[c];
          for (let j = 0; j < each; j++) {
            const from = (b * each + j) * size + c * each;
            const until = b === c ? j + 1 : each;
            for (let k = 0; k < until; k++) hessian[from + k] += curvature * x[j] * x[k];
            if (second !== undefined) for (let k = 0; k < until; k++) second[from + k] += square * x[j] * x[k];
          }
        }
      }
    }
    if (hessian !== undefined) mirror(hessian, size);
    if (second !== undefined) mirror(second, size);
    return value;
  };
}

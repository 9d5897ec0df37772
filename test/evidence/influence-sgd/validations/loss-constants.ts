import { type Random, seededRandom } from 'ldpkit';
import { fillNormal, fillSphere, uniform } from 'ldpkit/mechanism';
import { innerProduct, symmetricEigen } from 'ldpkit/optimize';
import {
  type CentralRecords,
  empiricalRisk,
  fillMeanGradient,
  fillRecordGradient,
  logisticRegression,
  type Model,
  optimum,
} from 'ldpkit/protocols/influence-sgd';
import { perceptron } from '../perceptron.ts';
import { drawRecords } from './logistic-records.ts';

const { max, sqrt } = Math;

/** r of the ball that points are drawn from. */
export const RADIUS = 4;
const DIMENSION = 3;
const RECORDS = 250;
/** λ. */
export const RIDGE = 0.2;

/** Which model. */
export type Name = 'logistic' | 'perceptron';
/** The models. */
export const MODELS: Readonly<Record<Name, Model>> = {
  logistic: logisticRegression({ dimension: DIMENSION, ridge: RIDGE, radius: RADIUS }),
  perceptron: perceptron({ dimension: DIMENSION, hidden: 2, ridge: RIDGE, radius: RADIUS }),
};

/** Random points of the ball and records of the sphere. */
export type ConstantsSetting = { readonly model: Name; readonly points: number };

/** The largest of each number over the points, as a fraction of what bounds it. */
export type ConstantsChunk = {
  /** ‖∇ℓ‖/G, ‖∇²ℓ‖/L and ‖∇²ℓ(θ) − ∇²ℓ(θ′)‖/(C‖θ − θ′‖). */
  readonly constants: readonly number[];
  /** Of Definition 5: 2μ(L − L*)/‖∇L‖². Of Remark 2: (μ/2)‖θ − θ*‖²/(L − L*). Of Lemma 2: ‖∇ℓ‖²/(2Lℓ). Convex model only. */
  readonly inequalities: readonly number[];
};

function hessianAt(model: Model, records: CentralRecords, theta: Float64Array, index: number): Float64Array {
  const m = model.parameters;
  const hessian = new Float64Array(m * m);
  model.addHessian(theta, records, index, 1, hessian);
  for (let j = 0; j < m; j++) hessian[j * m + j] += model.ridge;
  return hessian;
}

/** The spectral norm of a symmetric matrix. */
function normOf(matrix: Float64Array, m: number): number {
  const { values } = symmetricEigen(matrix, m);
  return max(values[m - 1], -values[0]);
}

function pointInBall(m: number, random: Random): Float64Array {
  const theta = new Float64Array(m);
  fillSphere(theta, random);
  const length = RADIUS * (uniform(random) < 0.5 ? 1 : uniform(random));
  return theta.map((x) => length * x);
}

/** The largest fraction of every bound at random points. */
export function measureConstants(
  { model: name, points }: ConstantsSetting,
  index: number,
  seed: string,
): ConstantsChunk {
  const random = seededRandom(`${seed} constants ${name} ${index}`);
  const model = MODELS[name];
  const m = model.parameters;
  const { lipschitz, smoothness, hessianLipschitz } = model.constants;
  const records = drawRecords(RECORDS, DIMENSION, random);
  const gradient = new Float64Array(m);
  const shift = new Float64Array(m);
  const constants = [0, 0, 0];
  const inequalities = [0, 0, 0];
  const raise = (list: number[], place: number, value: number): void => {
    list[place] = max(list[place], value);
  };
  const best = model.convex ? optimum(model, records) : undefined;
  for (let point = 0; point < points; point++) {
    const i = point % RECORDS;
    const theta = pointInBall(m, random);
    fillRecordGradient(model, theta, records, i, Infinity, gradient);
    const squared = innerProduct(gradient, gradient);
    raise(constants, 0, sqrt(squared) / lipschitz);
    const here = hessianAt(model, records, theta, i);
    raise(constants, 1, normOf(here, m) / smoothness);
    fillNormal(shift, random);
    const distance = 1e-4 * sqrt(innerProduct(shift, shift));
    const there = hessianAt(
      model,
      records,
      theta.map((x, j) => x + 1e-4 * shift[j]),
      i,
    );
    raise(
      constants,
      2,
      normOf(
        there.map((h, j) => h - here[j]),
        m,
      ) /
        (hessianLipschitz * distance),
    );
    if (best === undefined) continue;
    const loss = model.loss(theta, records, i) + (RIDGE / 2) * innerProduct(theta, theta);
    raise(inequalities, 2, squared / (2 * smoothness * loss));
    const gap = empiricalRisk(model, theta, records) - best.risk;
    fillMeanGradient(model, theta, records, gradient);
    raise(inequalities, 0, (2 * RIDGE * gap) / innerProduct(gradient, gradient));
    for (let j = 0; j < m; j++) gradient[j] = theta[j] - best.theta[j];
    raise(inequalities, 1, ((RIDGE / 2) * innerProduct(gradient, gradient)) / gap);
  }
  return { constants, inequalities };
}

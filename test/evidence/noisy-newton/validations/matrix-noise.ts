import { seededRandom } from 'ldpkit';
import { unpackSymmetric } from 'ldpkit/inference';
import { normal } from 'ldpkit/mechanism';
import { symmetricEigen } from 'ldpkit/optimize';
import { boundedModel, type CentralRecord, curvatureMoment, meanScore } from 'ldpkit/protocols/noisy-gradient-descent';
import type { TheoremValidation } from '../../experiment/experiment.ts';
import { type MatrixNoiseChunk, type MatrixNoiseSetting, matrixNoiseReport, requestOf } from './matrix-noise-report.ts';

const { abs, hypot, max, SQRT2 } = Math;

const DIMENSIONS = [2, 4, 8];
const KINDS = ['huber', 'logistic'] as const;
const PAIRS = 1500;
const STEP = 1e-5;
/** In how many points a difference quotient is taken. */
const SLOPES = 20;

function chunk(setting: MatrixNoiseSetting, index: number, seed: string): MatrixNoiseChunk {
  const { kind, dimension, pairs } = setting;
  const model = boundedModel(requestOf(setting));
  const random = seededRandom(`${seed}/noisy matrix/${kind}/${dimension}`).stream(index);
  const vector = (size: number): Float64Array => Float64Array.from({ length: dimension }, () => size * normal(random));
  const draw = (): CentralRecord => ({
    features: vector(2),
    response: kind === 'huber' ? 0.5 * normal(random) : normal(random) > 0 ? 1 : 0,
  });
  const hessianOf = (record: CentralRecord, theta: Float64Array): Float64Array =>
    curvatureMoment(model, [record], theta).map((entry) => entry / model.hessianBound);
  const apart = (a: Float64Array, b: Float64Array): number => hypot(...a.map((entry, i) => entry - b[i]));
  const found = { random: 0, largest: 0, second: 0, slope: 0 };
  for (let k = 0; k < pairs; k++) {
    const theta = vector(0.2);
    const [a, b] = [hessianOf(draw(), theta), hessianOf(draw(), theta)];
    found.random = max(found.random, apart(a, b));
    if (k >= pairs / 10) continue;
    const { values } = symmetricEigen(unpackSymmetric(a, dimension), dimension);
    found.largest = max(found.largest, values[dimension - 1]);
    found.second = max(found.second, ...Array.from(values.subarray(0, dimension - 1), abs));
  }
  const [forth, back] = [new Float64Array(dimension), new Float64Array(dimension)];
  for (let k = 0; k < SLOPES; k++) {
    const theta = vector(0.2);
    const records = Array.from({ length: 5 }, draw);
    const hessian = unpackSymmetric(curvatureMoment(model, records, theta), dimension);
    const before = unpackSymmetric(
      curvatureMoment(
        model,
        records,
        theta.map((entry) => entry - 2 * STEP),
      ),
      dimension,
    );
    const after = unpackSymmetric(
      curvatureMoment(
        model,
        records,
        theta.map((entry) => entry + 2 * STEP),
      ),
      dimension,
    );
    // Where a residual crosses the threshold nearby, the Huber score has a kink and no derivative.
    if (kind === 'huber' && apart(before, after) > 0) continue;
    for (let j = 0; j < dimension; j++) {
      meanScore(
        model,
        records,
        theta.map((entry, i) => (i === j ? entry + STEP : entry)),
        forth,
      );
      meanScore(
        model,
        records,
        theta.map((entry, i) => (i === j ? entry - STEP : entry)),
        back,
      );
      for (let i = 0; i < dimension; i++) {
        const quotient = (forth[i] - back[i]) / (2 * STEP);
        found.slope = max(found.slope, abs(quotient - hessian[i * dimension + j]) / model.hessianBound);
      }
    }
  }
  // ‖x‖² = 2 along an axis: full weight, and a·aᵀ of norm B̄ where the curvature f″ is largest, at the inner product 0.
  const along = (axis: number): CentralRecord => ({
    features: Float64Array.from({ length: dimension }, (_, i) => (i === axis ? SQRT2 : 0)),
    response: 0,
  });
  const zero = new Float64Array(dimension);
  return { ...found, axes: apart(hessianOf(along(0), zero), hessianOf(along(1), zero)) };
}

/** The sensitivity of a Hessian. */
export const matrixNoise: TheoremValidation<MatrixNoiseSetting, MatrixNoiseChunk> = {
  paper: 'slides',
  theorems: ['Noisy Newton, scale of the matrix noise', 'Noisy Newton, Condition'],
  name: 'noisy-newton-matrix-noise',
  title: 'How far one record moves a Hessian',
  source: 'Slides of Avella-Medina (2023), noisy Newton, noise W and condition on the Hessian',
  summary:
    'Hessians of one record of Huber regression and of logistic regression with Mallows weights, at random points: distances of random ' +
    'pairs, and of a pair along two axes; their eigenvalues; and difference quotients of scores.',
  version: 1,
  cells: (scale) =>
    KINDS.flatMap((kind) =>
      DIMENSIONS.map((dimension) => ({
        key: `${kind}-${dimension}`,
        label: `${kind}, p = ${dimension}`,
        setting: { kind, dimension, pairs: PAIRS },
        chunks: scale === 'full' ? 50 : 1,
      })),
    ),
  smallRun: (setting) => ({ ...setting, pairs: 20 }),
  chunk,
  report: matrixNoiseReport,
};

import { describe, expect, test } from '@jest/globals';
import {
  type BoundedModelRequest,
  boundedModel,
  curvatureMoment,
  meanScore,
  scoreMoment,
} from '../../../../protocols/noisy-gradient-descent/model.ts';
import { unpackSymmetric } from '../../../../src/inference/block-sums.ts';
import { normal } from '../../../../src/random/random.ts';
import { seededRandom } from '../../../../src/random/seeded.ts';
import { huberScaleConstant, huberValue } from '../../../../src/risk/response-loss.ts';
import { labelledRecords, linearRecords } from '../../../protocols/noisy-records.ts';

const { abs, hypot, max, min, SQRT2 } = Math;

const HUBER: BoundedModelRequest = { kind: 'huber', features: 3, scale: 2 };
const JOINT: BoundedModelRequest = { kind: 'huber-scale', features: 3, leastScale: 0.5 };
const MODELS: readonly [string, BoundedModelRequest, readonly [number, number] | undefined][] = [
  ['huber', HUBER, undefined],
  ['huber-scale', JOINT, undefined],
  ['logistic', { kind: 'logistic', features: 3 }, [0, 1]],
  ['expectile', { kind: 'expectile', features: 3, tau: 0.8 }, undefined],
  ['quantile', { kind: 'quantile', features: 3, tau: 0.3, bandwidth: 0.5 }, undefined],
  ['logistic of a margin', { kind: 'margin', features: 3, loss: 'logistic' }, [-1, 1]],
  ['Huber hinge', { kind: 'margin', features: 3, loss: 'huber-hinge' }, [-1, 1]],
];

const recordsOf = (labels: readonly [number, number] | undefined, count: number, seed: string) =>
  labels === undefined ? linearRecords(count, seed) : labelledRecords(count, seed, labels);

/** A parameter somewhere, its scale positive. */
function somewhere(dimension: number, joint: boolean): Float64Array {
  const theta = Float64Array.from({ length: dimension }, (_, i) => 0.3 + 0.2 * i);
  if (joint) theta[dimension - 1] = 1.7;
  return theta;
}

describe.each(MODELS)('the model %s', (_, request, labels) => {
  const model = boundedModel(request);
  const { dimension } = model;
  const theta = somewhere(dimension, request.kind === 'huber-scale');

  test('has the derivative of its mean score as its Hessian', () => {
    const records = recordsOf(labels, 40, 'derivative');
    const exact = unpackSymmetric(curvatureMoment(model, records, theta), dimension);
    const step = 1e-6;
    const high = new Float64Array(dimension);
    const low = new Float64Array(dimension);
    let worst = 0;
    for (let j = 0; j < dimension; j++) {
      const moved = theta.slice();
      moved[j] += step;
      meanScore(model, records, moved, high);
      moved[j] -= 2 * step;
      meanScore(model, records, moved, low);
      for (let i = 0; i < dimension; i++) {
        worst = max(worst, abs((high[i] - low[i]) / (2 * step) - exact[i * dimension + j]));
      }
    }
    // Rounding of the difference is 1e-16/1e-6; no record has its kink within 1e-6.
    expect(worst).toBeLessThan(1e-8);
  });

  test('keeps its bounds B, the sensitivity and B̄ on hard records, and comes near B and B̄', () => {
    const random = seededRandom('bounds');
    let largest = 0;
    let curvature = 0;
    let distance = 0;
    const score = new Float64Array(dimension);
    const before = new Float64Array(dimension);
    for (let trial = 0; trial < 4000; trial++) {
      // Parameters small and large, features around the knee of the weights, responses near the fit and far from it.
      const at = Float64Array.from({ length: dimension }, () => normal(random) * 10 ** (trial % 3));
      if (request.kind === 'huber-scale') at[dimension - 1] = 0.5 * (1 + (trial % 7));
      if (trial % 2 === 0) at.fill(0, 0, 4);
      const features = Array.from({ length: 3 }, () => normal(random) * (trial % 5 === 0 ? 30 : 0.8));
      const fitted = at[0] + features.reduce((sum, x, i) => sum + x * at[i + 1], 0);
      const near = fitted + (request.kind === 'huber-scale' ? 1.2 * at[dimension - 1] : 2.7) * normal(random);
      const response = labels === undefined ? (trial % 4 === 0 ? near : 1e3 * normal(random)) : labels[trial % 2];
      const record = [{ features, response }];
      meanScore(model, record, at, score);
      largest = max(largest, hypot(...score));
      distance = max(distance, hypot(...score.map((entry, i) => entry - before[i])));
      before.set(score);
      const packed = unpackSymmetric(curvatureMoment(model, record, at), dimension);
      // The trace of a·aᵀ is ‖a‖².
      curvature = max(
        curvature,
        Array.from({ length: dimension }, (__, i) => packed[i * (dimension + 1)]).reduce((a, b) => a + b),
      );
    }
    expect(largest).toBeLessThanOrEqual(model.scoreBound * (1 + 1e-12));
    expect(largest).toBeGreaterThan(0.98 * model.scoreBound);
    expect(distance).toBeLessThanOrEqual(model.scoreSensitivity * (1 + 1e-12));
    expect(curvature).toBeLessThanOrEqual(model.hessianBound * (1 + 1e-12));
    expect(curvature).toBeGreaterThan(0.9 * model.hessianBound);
  });

  test('has the sum of squares of its scores as the trace of their second moment', () => {
    const records = recordsOf(labels, 30, 'moment');
    const matrix = unpackSymmetric(scoreMoment(model, records, theta), dimension);
    const score = new Float64Array(dimension);
    let squares = 0;
    for (const record of records) {
      meanScore(model, [record], theta, score);
      squares += score.reduce((sum, entry) => sum + entry * entry, 0) / records.length;
    }
    const trace = score.reduce((sum, __, i) => sum + matrix[i * (dimension + 1)], 0);
    expect(trace).toBeCloseTo(squares, 12);
  });
});

describe('bounds by hand', () => {
  test('Huber with σ = 2 known has B = √2·1.345 and B̄ = 1', () => {
    const { scoreBound, scoreSensitivity, hessianBound } = boundedModel(HUBER);
    expect([scoreBound, scoreSensitivity, hessianBound]).toEqual([SQRT2 * 1.345, 2 * SQRT2 * 1.345, 1]);
  });

  test('a joint scale has B̄ = (2 + c²)/σ_min, and logistic regression B̄ = ½', () => {
    expect(boundedModel(JOINT).hessianBound).toBeCloseTo((2 + 1.345 ** 2) / 0.5, 12);
    expect(boundedModel({ kind: 'logistic', features: 2 }).hessianBound).toBe(0.5);
  });

  test('the joint score is the gradient of w·(σρ(u) + ½κσ)', () => {
    const model = boundedModel(JOINT);
    const record = { features: [0.4, -1.1, 0.9], response: 2.5 };
    const weight = min(1, 2 / (1 + 0.16 + 1.21 + 0.81));
    const kappa = huberScaleConstant(1.345);
    const loss = (theta: Float64Array): number => {
      const sigma = theta[4];
      const residual = 2.5 - theta[0] - 0.4 * theta[1] + 1.1 * theta[2] - 0.9 * theta[3];
      return weight * (sigma * huberValue(residual / sigma, 1.345) + 0.5 * kappa * sigma);
    };
    const theta = somewhere(5, true);
    const score = new Float64Array(5);
    meanScore(model, [record], theta, score);
    const numeric = score.map((_, i) => {
      const above = theta.slice();
      const below = theta.slice();
      above[i] += 1e-5;
      below[i] -= 1e-5;
      return (loss(above) - loss(below)) / 2e-5;
    });
    expect(max(...score.map((entry, i) => abs(entry - numeric[i])))).toBeLessThan(1e-9);
  });
});

describe('a loss without a bound is refused, and the missing bound is named', () => {
  test.each<[string, BoundedModelRequest, RegExp]>([
    ['squared', { kind: 'response', features: 2, loss: 'squared' }, /finite bound B of its score.*got "squared"/],
    ['absolute', { kind: 'response', features: 2, loss: 'absolute' }, /finite bound B̄ of its Hessian.*got "absolute"/],
    ['hinge', { kind: 'margin', features: 2, loss: 'hinge' }, /finite bound B̄ of its Hessian.*got "hinge"/],
    ['squared hinge', { kind: 'margin', features: 2, loss: 'squared-hinge' }, /finite bound B of its score/],
    ['exponential', { kind: 'margin', features: 2, loss: 'exponential' }, /finite bound B of its score/],
  ])('%s', (_, request, message) => {
    expect(() => boundedModel(request)).toThrow(RangeError);
    expect(() => boundedModel(request)).toThrow(message);
  });

  test.each<[string, object, RegExp]>([
    ['clipping', { kind: 'huber', features: 2, clip: 1 }, /"model.clip"/],
    ['more than two classes', { kind: 'multinomial', features: 2, classes: 3 }, /"model.kind"/],
    ['a joint scale without a lower bound', { kind: 'huber-scale', features: 2 }, /"model.leastScale"/],
    ['a lower bound of a known scale', { kind: 'huber', features: 2, leastScale: 1 }, /"model.leastScale"/],
    ['an unknown loss', { kind: 'margin', features: 2, loss: 'nothing' }, /"loss"/],
    ['no features', { kind: 'huber', features: 0 }, /"model.features"/],
  ])('%s is refused too', (_, request, message) => {
    expect(() => boundedModel(request as BoundedModelRequest)).toThrow(message);
  });

  test('what is not an object is refused', () => {
    expect(() => boundedModel(null as unknown as BoundedModelRequest)).toThrow(TypeError);
  });
});

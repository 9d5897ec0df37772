import { describe, expect, test } from '@jest/globals';
import { addNoise, descentVariance, fitIntervals } from '../../protocols/noisy-gradient-descent/curator.ts';
import {
  type BoundedModelRequest,
  boundedModel,
  type CentralRecord,
  meanScore,
} from '../../protocols/noisy-gradient-descent/model.ts';
import { guarantee, hessianDistance } from '../../protocols/noisy-gradient-descent/protocol.ts';
import { injectedCovariance } from '../../protocols/noisy-newton/curator.ts';
import { newton, solve } from '../../protocols/noisy-newton/index.ts';
import type { NoisyNewtonRequest } from '../../protocols/noisy-newton/parameters.ts';
import { certificate, theory } from '../../protocols/noisy-newton/protocol.ts';
import { unpackSymmetric } from '../../src/inference/block-sums.ts';
import { fillNormal } from '../../src/random/random.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { privacyErrorRate } from '../evidence/noisy-fit/rates.ts';
import { labelledRecords, linearRecords } from './noisy-records.ts';

const { hypot, sqrt, SQRT2 } = Math;

const MODEL: BoundedModelRequest = { kind: 'huber', features: 3, scale: 2 };
const REQUEST: NoisyNewtonRequest = { mu: 1, records: 500, model: MODEL };
const PRINTED = { warmUp: 0, curvatureShare: 0.5, matrixCalibration: 'printed', regions: false } as const;

describe('the plan', () => {
  test('has the printed noises 2B√(2K)/(nμ) and 2B̄√(2K)/(nμ) where they are asked for', () => {
    const { gradientNoise, hessianNoise, steps, warmUp } = newton({ ...REQUEST, ...PRINTED, steps: 5 });
    expect([steps, warmUp.steps]).toEqual([5, 0]);
    expect(gradientNoise).toBeCloseTo((2 * SQRT2 * 1.345 * sqrt(10)) / 500, 12);
    expect(hessianNoise).toBeCloseTo((2 * 1 * sqrt(10)) / 500, 12);
  });

  test('has √2 times less noise on the Hessian with its exact sensitivity √2·B̄/n', () => {
    const plan = newton({ ...REQUEST, ...PRINTED, matrixCalibration: 'exact' });
    expect(newton({ ...REQUEST, ...PRINTED }).hessianNoise / plan.hessianNoise).toBeCloseTo(SQRT2, 12);
    expect(500 * hessianDistance(plan)).toBeCloseTo(SQRT2, 12);
  });

  test('takes K from the rule, and eight gradient steps before', () => {
    const plan = newton(REQUEST);
    expect([plan.steps, plan.warmUp.steps, plan.warmUp.step]).toEqual([2, 8, 1]);
    expect(privacyErrorRate(plan)).toBeCloseTo((sqrt(2) * 4) / 500, 12);
  });
});

describe('the certificate', () => {
  test.each<[string, NoisyNewtonRequest, number, number]>([
    ['as it is', REQUEST, 5, 1],
    ['without regions', { ...REQUEST, regions: false }, 3, 1],
    ['without a warm-up', { ...REQUEST, warmUp: 0 }, 4, 1],
    // The printed Hessian noise spends half of its half: μ²·(½ + ¼).
    ['with the printed noises', { ...REQUEST, ...PRINTED }, 2, sqrt(0.75)],
  ])('adds up to μ and no more, %s', (_, request, count, spent) => {
    const plan = newton(request);
    const { totals, releases, claimed } = certificate(plan);
    expect(claimed).toEqual(guarantee(plan));
    expect(releases.length).toBe(count);
    const total = totals.find(({ accounting }) => accounting === 'gdp');
    expect(total?.withinClaim).toBe(true);
    expect(total?.guarantee).toEqual({ kind: 'gdp', mu: expect.closeTo(spent, 12) });
    expect(theory.certificate(plan)).toEqual(certificate(plan));
  });

  test('control: a Hessian noise that is 5 % less is not within the claim', () => {
    const plan = newton(REQUEST);
    const { totals } = certificate({ ...plan, hessianNoise: 0.95 * plan.hessianNoise });
    expect(totals.find(({ accounting }) => accounting === 'gdp')?.withinClaim).toBe(false);
  });
});

describe('with next to no noise', () => {
  const MODELS: readonly [string, BoundedModelRequest, CentralRecord[], object][] = [
    ['huber', MODEL, linearRecords(400, 'exact'), {}],
    [
      'huber-scale',
      { kind: 'huber-scale', features: 3, leastScale: 0.5 },
      linearRecords(400, 'exact'),
      { smoothness: 1, strongConvexity: 0.02, warmUp: 60 },
    ],
    ['logistic', { kind: 'logistic', features: 3 }, labelledRecords(400, 'exact', [0, 1]), { strongConvexity: 0.001 }],
    [
      'quantile',
      { kind: 'quantile', features: 3, tau: 0.4, bandwidth: 1 },
      linearRecords(400, 'exact'),
      { warmUp: 40 },
    ],
  ];

  test.each(MODELS)('the score of %s is 0 after a few steps', (_, model, records, extra) => {
    const plan = newton({ mu: 1e10, records: 400, model, steps: 8, warmUp: 20, ...extra });
    const { theta, iterates } = solve(plan, records, seededRandom('exact'));
    const score = new Float64Array(theta.length);
    meanScore(boundedModel(model), records, theta, score);
    expect(hypot(...score)).toBeLessThan(1e-6);
    expect(iterates.length).toBe(plan.warmUp.steps + 9);
  });

  test('the distance to the minimiser is squared by every step', () => {
    const records = labelledRecords(400, 'quadratic', [0, 1]);
    const model: BoundedModelRequest = { kind: 'logistic', features: 3 };
    const plan = newton({ mu: 1e13, records: 400, model, steps: 7, warmUp: 5, strongConvexity: 1e-4, regions: false });
    const { iterates, theta } = solve(plan, records, seededRandom('quadratic'));
    const distances = iterates.slice(5).map((at) => hypot(...at.map((entry, i) => entry - theta[i])));
    const used = distances.filter((distance) => distance < 0.5 && distance > 1e-4);
    expect(used.length).toBeGreaterThanOrEqual(2);
    const factors = used.map((distance) => distances[distances.indexOf(distance) + 1] / distance ** 2);
    expect(Math.max(...factors)).toBeLessThan(1);
  });
});

describe('the covariance of the noise', () => {
  const plan = newton({ ...REQUEST, steps: 3 });
  const values = Float64Array.of(0.1, 0.2, 0.25, 0.4);
  // Rows of a rotation.
  const vectors = Float64Array.of(1, 1, 1, 1, 1, -1, 1, -1, 1, 1, -1, -1, 1, -1, -1, 1).map((entry) => entry / 2);

  test('is that of the last gradient, and what noise on Hessians makes of the distance before it', () => {
    const { warmUp, gradientNoise, hessianNoise } = plan;
    const matrix = (of: (value: number) => number) => {
      const rows = Array.from(values, (value, k) => ({ weight: of(value), row: vectors.subarray(4 * k, 4 * k + 4) }));
      return (x: Float64Array) =>
        x.map((_, i) =>
          rows.reduce((sum, { weight, row }) => sum + weight * row[i] * row.reduce((s, v, j) => s + v * x[j], 0), 0),
        );
    };
    const inverse = matrix((value) => 1 / value);
    const random = seededRandom('covariance');
    const packed = new Float64Array(10);
    const normals = new Float64Array(4);
    const runs = 40_000;
    const squares = new Float64Array(16);
    const begin = matrix((value) => sqrt(descentVariance(value, warmUp.step, warmUp.steps, warmUp.noise)));
    for (let r = 0; r < runs; r++) {
      fillNormal(normals, random);
      let distance = begin(normals);
      for (let k = 0; k < 3; k++) {
        packed.fill(0);
        addNoise(packed, hessianNoise, random);
        const noise = unpackSymmetric(packed, 4);
        fillNormal(normals, random);
        // H⁻¹(W·d − N)
        const moved = distance.map((_, i) =>
          distance.reduce((sum, d, j) => sum + noise[4 * i + j] * d, -gradientNoise * normals[i]),
        );
        distance = inverse(moved);
      }
      for (let i = 0; i < 16; i++) squares[i] += (distance[i >> 2] * distance[i & 3]) / runs;
    }
    const covariance = injectedCovariance(plan, { values, vectors });
    const size = hypot(...covariance);
    // A mean of 40,000 products has relative sd .5 %, and 16 of them are compared: 4 sd. Without the second term it is 6 % off.
    expect(hypot(...covariance.map((entry, i) => entry - squares[i])) / size).toBeLessThan(0.02);
    const first = injectedCovariance({ ...plan, hessianNoise: 0 }, { values, vectors });
    expect(hypot(...first.map((entry, i) => entry - squares[i])) / size).toBeGreaterThan(0.02);
  });
});

describe('a fit', () => {
  const records = linearRecords(500, 'fit');

  test('is the same for the same coins', () => {
    const plan = newton(REQUEST);
    const fit = solve(plan, records, seededRandom('coins'));
    expect(solve(plan, records, seededRandom('coins'))).toEqual(fit);
    expect(fitIntervals(fit, { level: 0.9 }).length).toBe(4);
  });

  test('is refused where a released Hessian is not positive definite after the floor', () => {
    const plan = newton({ ...REQUEST, mu: 0.05, hessianFloor: 0, force: true });
    expect(() => solve(plan, records, seededRandom('bare'))).toThrow(
      /"smallest eigenvalue of the Hessian" expected a number > 0 after the floor 0, got -/,
    );
  });

  test('is refused from a start whose gradient is beyond τ₁²/L and the noise, and not from one within', () => {
    const request = {
      mu: 1e4,
      records: 500,
      model: MODEL,
      warmUp: 0,
      steps: 4,
      regions: false,
      hessianLipschitz: 0.05,
    };
    expect(() => solve(newton(request), records, seededRandom('far'))).toThrow(/^"start" expected one where the noisy/);
    const near = newton({ ...request, start: [1, 1, 1, 1] });
    expect(hypot(...solve(near, records, seededRandom('near')).theta.map((entry) => entry - 1))).toBeLessThan(1);
  });
});

describe('bad input', () => {
  test.each<[string, object, RegExp]>([
    ['μ = 0', { mu: 0 }, /"mu" expected a finite number > 0, got 0/],
    ['K = 0', { steps: 0 }, /"steps" expected a whole number from 1/],
    ['K below the rule', { steps: 1 }, /"steps" expected at least 2, what the theorem asks for/],
    ['n below the condition', { records: 20 }, /"records" expected at least \d+, what the theorem asks for/],
    ['n below the condition of a radius', { radius: 0.2 }, /"records" expected at least \d+/],
    ['n below the condition for noisy Hessians', { records: 240 }, /"records" expected at least 28\d, what/],
    ['a warm-up below 0', { warmUp: -1 }, /"warmUp"/],
    ['a share of 1', { curvatureShare: 1 }, /"curvatureShare"/],
    ['a share of 0', { warmUpShare: 0 }, /"warmUpShare"/],
    ['L = 0', { hessianLipschitz: 0 }, /"hessianLipschitz"/],
    ['a field of gradient descent', { step: 0.5 }, /^"request" expected no fields but .*, got "step"/],
    ['a field of weights', { lastShare: 0.5 }, /^"request" expected no fields but .*, got "lastShare"/],
    [
      'an unbounded Hessian',
      { model: { kind: 'margin', features: 3, loss: 'hinge' } },
      /finite bound B̄ of its Hessian/,
    ],
  ])('%s is refused', (_, change, message) => {
    expect(() => newton({ ...REQUEST, ...change } as NoisyNewtonRequest)).toThrow(message);
  });

  test('another number of records is refused', () => {
    expect(() => solve(newton(REQUEST), linearRecords(499, 'few'), seededRandom('few'))).toThrow('"records"');
  });
});

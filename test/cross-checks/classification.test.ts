import { describe, expect, test } from '@jest/globals';
import {
  empiricalHessian,
  empiricalRisk,
  fillMeanGradient,
  logisticRegression,
  optimum,
} from '../../protocols/influence-sgd/index.ts';
import { fitRegression } from '../../protocols/online-sgd/regression-fit.ts';
import { projectedGradient } from '../../src/optimize/ball.ts';
import { ballNewton } from '../../src/optimize/ball-newton.ts';
import { type WeiszfeldOptions, weiszfeld } from '../../src/optimize/weiszfeld.ts';
import { fillGradient } from '../../src/risk/regression/gradient.ts';
import { onlineModel } from '../../src/risk/regression/model.ts';
import { hingeOptimum } from '../../src/simulation/hinge-optimum.ts';
import { fixture, largestDifference, type Records, records } from './fixture.ts';

interface Place {
  readonly point: number[];
  readonly value: number;
}

const figures = fixture<{
  logistic: {
    near: { theta: number[]; errors: number[] };
    far: number[];
    farErrors: number[];
    ridge: Record<string, number[]>;
  };
  multinomial: { sklearn: number[]; statsmodels: number[] };
  hinge: { leastRisk: number; machine: { norm: number; risk: number } };
  median: { once: Place; weighted: Place };
  ball: Place & { slsqp: number[]; free: number };
}>('fits');

const near = records(1, 0.5);
const far = records(2, 4);
const labels = Int8Array.from(near.responses, (y) => (y > 0 ? 1 : -1));
const flat = near.features.flatMap((x) => [...x]);
const central = { records: 300, dimension: 3, features: Float64Array.from(flat), labels };

// Newton's method on both sides, to gradients of 1e-10 or less; curvatures are at least .01. Controls are off by more than 1e-3.
const SOLVED = 1e-8;

describe('logistic regression by scikit-learn', () => {
  const fitOf = ({ features, responses }: Records) => {
    const model = onlineModel({ kind: 'logistic', features: 3 });
    if (model.form !== 'index') throw new Error('a model of one inner product');
    const datum = (i: number) => ({ features: features[i], response: responses[i] > 0 ? 1 : 0 });
    return fitRegression(model, { players: 300, datum });
  };

  test('coefficients, and the standard errors HC0 of statsmodels', () => {
    const { theta, standardErrors } = fitOf(near);
    expect(largestDifference(theta, figures.logistic.near.theta)).toBeLessThan(SOLVED);
    expect(largestDifference(standardErrors, figures.logistic.near.errors)).toBeLessThan(SOLVED);
  });

  test('with Mallows weights as weights of the sample', () => {
    const { theta, standardErrors } = fitOf(far);
    expect(largestDifference(theta, figures.logistic.far)).toBeLessThan(SOLVED);
    expect(largestDifference(standardErrors, figures.logistic.farErrors)).toBeLessThan(SOLVED);
    expect(largestDifference(fitOf(near).theta, figures.logistic.far)).toBeGreaterThan(1e-3);
  });

  test.each([0.1, 0.01, 0.001])('with the penalty (λ/2)‖θ‖², λ = %p', (ridge) => {
    const at = (lambda: number) =>
      optimum(logisticRegression({ dimension: 3, ridge: lambda, radius: 10 }), central).theta;
    expect(largestDifference(at(ridge), figures.logistic.ridge[ridge])).toBeLessThan(SOLVED);
    // With λ‖θ‖² instead the control has twice the penalty.
    expect(largestDifference(at(2 * ridge), figures.logistic.ridge[ridge])).toBeGreaterThan(1e-3);
  });
});

describe('multinomial logistic regression', () => {
  const model = onlineModel({ kind: 'multinomial', features: 3, classes: 3 });
  const sizeAt = (theta: ArrayLike<number>): number => {
    const mean = new Float64Array(8);
    const one = new Float64Array(8);
    for (const [i, features] of near.features.entries()) {
      const y = near.responses[i];
      fillGradient(model, Float64Array.from(theta), { features, response: y < -0.5 ? 0 : y < 0.5 ? 1 : 2 }, one);
      for (let j = 0; j < 8; j++) mean[j] += one[j] / 300;
    }
    return Math.hypot(...mean);
  };

  test.each(['sklearn', 'statsmodels'] as const)('the mean gradient vanishes where %s stops', (name) => {
    expect(sizeAt(figures.multinomial[name])).toBeLessThan(1e-9);
    // The blocks of the two classes changed over.
    const swapped = [...figures.multinomial[name].slice(4), ...figures.multinomial[name].slice(0, 4)];
    expect(sizeAt(swapped)).toBeGreaterThan(1e-2);
  });
});

describe('the least hinge risk', () => {
  // Features of the generator have 17 bits: nothing is lost in 32-bit floats.
  const dataset = { players: 300, dimension: 3, features: Float32Array.from(flat), labels };

  test('is that of a linear programme, up to the 5e-4 of lemma 9', () => {
    const { risk } = hingeOptimum(dataset, 100);
    expect(risk - figures.hinge.leastRisk).toBeGreaterThan(-1e-12);
    expect(risk - figures.hinge.leastRisk).toBeLessThan(5e-4);
    expect(hingeOptimum(dataset, 0.8).risk - figures.hinge.leastRisk).toBeGreaterThan(5e-4);
  });

  test('over a ball is that of a support vector machine of scikit-learn with this norm', () => {
    const { norm, risk } = figures.hinge.machine;
    // The penalised minimum is the least risk among models no longer than it.
    const found = hingeOptimum(dataset, norm, undefined, 1).risk;
    expect(found - risk).toBeGreaterThan(-1e-6);
    expect(found - risk).toBeLessThan(5e-4);
    expect(hingeOptimum(dataset, 0.8 * norm, undefined, 1).risk - risk).toBeGreaterThan(5e-4);
  });
});

describe('the Euclidean median by a trust region of SciPy', () => {
  const once = { dimension: 3, points: flat };
  const weighted = { ...once, weights: Float64Array.from(near.features, (_, i) => 1 + (i % 3)) };
  const exact: WeiszfeldOptions = { tolerance: 1e-14 };

  test.each([
    ['once', once],
    ['weighted', weighted],
  ] as const)('points %s', (name, data) => {
    const { point, value, converged } = weiszfeld(data, exact);
    expect(converged).toBe(true);
    expect(largestDifference(point, figures.median[name].point)).toBeLessThan(1e-12);
    expect(Math.abs(value - figures.median[name].value)).toBeLessThan(1e-14);
  });

  test('weights matter, and the mean is another point', () => {
    const mean = Float64Array.from([0, 1, 2], (j) => near.features.reduce((sum, x) => sum + x[j] / 300, 0));
    expect(largestDifference(mean, figures.median.once.point)).toBeGreaterThan(1e-3);
    expect(largestDifference(figures.median.weighted.point, figures.median.once.point)).toBeGreaterThan(1e-3);
  });
});

describe('logistic risk over a ball of radius 1, which the free minimiser is beyond: SLSQP and the multiplier of SciPy', () => {
  const model = logisticRegression({ dimension: 3, ridge: 0, radius: 10 });
  const value = (point: Float64Array): number => empiricalRisk(model, point, central);
  const gradient = (point: Float64Array, target: Float64Array): void => fillMeanGradient(model, point, central, target);

  test('by Newton steps in the ball', () => {
    const evaluate = (point: Float64Array, slope: Float64Array, hessian: Float64Array): number => {
      gradient(point, slope);
      hessian.set(empiricalHessian(model, point, central));
      return value(point);
    };
    const run = (radius: number) => ballNewton({ objective: { dimension: 3, evaluate }, radius, tolerance: 1e-14 });
    expect(largestDifference(run(1).point, figures.ball.point)).toBeLessThan(1e-6);
    expect(Math.abs(run(1).value - figures.ball.value)).toBeLessThan(1e-13);
    expect(largestDifference(run(1.01).point, figures.ball.point)).toBeGreaterThan(1e-3);
    expect(Math.abs(Math.hypot(...run(100).point) - figures.ball.free)).toBeLessThan(SOLVED);
  });

  test('by projected gradient steps', () => {
    const objective = { dimension: 3, value, gradient };
    const { point } = projectedGradient({ objective, radius: 1, tolerance: 1e-11, iterations: 5000 });
    expect(largestDifference(point, figures.ball.point)).toBeLessThan(1e-8);
    expect(largestDifference(point, figures.ball.slsqp)).toBeLessThan(1e-6);
    const loose = projectedGradient({ objective, radius: 1, tolerance: 1e-2 }).point;
    expect(largestDifference(loose, figures.ball.point)).toBeGreaterThan(1e-6);
  });
});

import { describe, expect, test } from '@jest/globals';
import { conjugateGradientSolver, lissaSolver } from '../../protocols/influence-sgd/contribution.ts';
import { skipsNoise } from '../../protocols/influence-sgd/curator.ts';
import { laplacianSmoothing } from '../../protocols/influence-sgd/gradient-perturbation.ts';
import {
  choleskySolver,
  claimOf,
  descendNoisily,
  empiricalHessian,
  empiricalRisk,
  fillMeanGradient,
  fillRecordGradient,
  gradientPerturbation,
  influence,
  logisticRegression,
  type Model,
  momentsSigma,
  optimum,
  outputPerturbation,
  perturbOutput,
  printed,
  recalibrated,
  splitBudget,
  train,
} from '../../protocols/influence-sgd/index.ts';
import { accuracy, checkRecords } from '../../protocols/influence-sgd/model.ts';
import { decisionThreshold, type InfluenceRequest, momentsEpsilon } from '../../protocols/influence-sgd/parameters.ts';
import { skipProbability } from '../../protocols/influence-sgd/theory.ts';
import * as main from '../../src/index.ts';
import { gdpEpsilon } from '../../src/privacy/gaussian.ts';
import { fillNormal, uniform, uniformInteger } from '../../src/random/random.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { perceptron, perceptronStart } from '../evidence/influence-sgd/perceptron.ts';
import { selectRecords } from '../evidence/influence-sgd/records.ts';
import { conditionOf, labelled, sizeOf } from './influence-sgd-data.ts';

const { abs, log, sqrt } = Math;

const models: readonly (readonly [string, Model])[] = [
  ['logistic regression', logisticRegression({ dimension: 3, ridge: 0.2, radius: 2 })],
  ['the perceptron', perceptron({ dimension: 3, hidden: 2, ridge: 0.2, radius: 2 })],
];

const request: InfluenceRequest = {
  ...splitBudget({ epsilon: 1, delta: 2e-3 }),
  records: 60,
  ...logisticRegression({ dimension: 3, ridge: 0.2, radius: 2 }).constants,
  curvature: 0.2,
  radius: 2,
  localRounds: 40,
  globalRounds: 3,
};

describe.each(models)('%s', (_, model) => {
  const records = labelled(30, 3, 'models');
  const random = seededRandom('points');
  const theta = new Float64Array(model.parameters);
  fillNormal(theta, random);
  for (let j = 0; j < theta.length; j++) theta[j] *= 1.5 / sqrt(theta.length);

  test('has the derivatives of its loss, by central differences', () => {
    const m = model.parameters;
    const gradient = new Float64Array(m);
    const hessian = empiricalHessian(model, theta, records);
    fillMeanGradient(model, theta, records, gradient);
    const h = 1e-5;
    let worst = 0;
    const up = new Float64Array(m);
    const down = new Float64Array(m);
    for (let j = 0; j < m; j++) {
      const forth = theta.slice();
      const back = theta.slice();
      forth[j] += h;
      back[j] -= h;
      const slope = (empiricalRisk(model, forth, records) - empiricalRisk(model, back, records)) / (2 * h);
      worst = Math.max(worst, abs(slope - gradient[j]));
      fillMeanGradient(model, forth, records, up);
      fillMeanGradient(model, back, records, down);
      for (let i = 0; i < m; i++) {
        worst = Math.max(worst, abs((up[i] - down[i]) / (2 * h) - hessian[i * m + j]));
      }
    }
    expect(worst).toBeLessThan(1e-8);
    expect(sizeOf(gradient)).toBeGreaterThan(1e-3);
  });

  test('multiplies by its Hessian as the matrix does', () => {
    const m = model.parameters;
    const hessian = empiricalHessian(model, theta, records);
    const vector = new Float64Array(m);
    fillNormal(vector, random);
    const product = vector.map((x) => model.ridge * x);
    for (let i = 0; i < records.records; i++) model.addHessianProduct(theta, records, i, vector, 1 / 30, product);
    let worst = 0;
    for (let i = 0; i < m; i++) {
      let sum = 0;
      for (let j = 0; j < m; j++) sum += hessian[i * m + j] * vector[j];
      worst = Math.max(worst, abs(sum - product[i]));
    }
    expect(worst).toBeLessThan(1e-14);
  });

  test('stays within its constants at random points of the ball', () => {
    const { constants, gradientBound } = model;
    const found = conditionOf(model, records, 2, 200);
    expect(found.gradient).toBeLessThanOrEqual(constants.lipschitz);
    expect(found.gradient - 2 * model.ridge).toBeLessThanOrEqual(gradientBound);
    expect(found.largest).toBeLessThanOrEqual(constants.smoothness);
    expect(found.least).toBeGreaterThanOrEqual(constants.curvature - 1e-12);
    expect(found.hessianSlope).toBeLessThanOrEqual(constants.hessianLipschitz);
    // Not vacuous: within a factor of what was met.
    expect(found.gradient).toBeGreaterThan(constants.lipschitz / 4);
  });

  test('scales the part of a gradient that depends on the record down to the bound asked for', () => {
    const gradient = new Float64Array(model.parameters);
    fillRecordGradient(model, theta, records, 0, 0.01, gradient);
    for (let j = 0; j < gradient.length; j++) gradient[j] -= model.ridge * theta[j];
    expect(sizeOf(gradient)).toBeCloseTo(0.01, 12);
  });
});

describe('the solvers', () => {
  const matrix = Float64Array.of(4, 1, 0, 1, 3, 1, 0, 1, 2);
  const product = (vector: Float64Array, target: Float64Array): void => {
    for (let i = 0; i < 3; i++) {
      target[i] = 0;
      for (let j = 0; j < 3; j++) target[i] += matrix[3 * i + j] * vector[j];
    }
  };

  test('by Cholesky and by conjugate gradients agree with the solution by hand', () => {
    // H·(1, −1, 2) = (3, 0, 3).
    for (const solve of [choleskySolver(matrix, 3), conjugateGradientSolver(product, 3)]) {
      const target = Float64Array.of(3, 0, 3);
      solve(target);
      expect([...target].map((x, j) => abs(x - [1, -1, 2][j]) < 1e-9)).toEqual([true, true, true]);
    }
  });

  test('refuse a matrix that is not positive definite, with its smallest eigenvalue', () => {
    const indefinite = Float64Array.of(1, 2, 2, 1);
    expect(() => choleskySolver(indefinite, 2)).toThrow('smallest eigenvalue of at most -1');
    const solve = conjugateGradientSolver((vector, target) => {
      target[0] = vector[0];
      target[1] = -vector[1];
    }, 2);
    expect(() => solve(Float64Array.of(0, 1))).toThrow('"hessian" expected a positive definite matrix');
    expect(() => conjugateGradientSolver(product, 3, 1)(Float64Array.of(3, 0, 3))).toThrow('iterations');
  });

  test('by single records is unbiased: mean of 400 solves within 5 standard errors', () => {
    // H₁ = diag(.5, 1), H₂ = diag(1.5, .2): their mean is diag(1, .6).
    const random = seededRandom('lissa');
    const solve = lissaSolver(2, {
      scale: 2,
      depth: 60,
      repetitions: 400,
      sample(vector, target) {
        const first = uniformInteger(2, random) === 0;
        target[0] = (first ? 0.5 : 1.5) * vector[0];
        target[1] = (first ? 1 : 0.2) * vector[1];
      },
    });
    const target = Float64Array.of(1, 1);
    solve(target);
    // Its standard error is .009 and .023 here, measured over repetitions; one that forgot the scale would be off by 1.
    expect(abs(target[0] - 1)).toBeLessThan(0.05);
    expect(abs(target[1] - 1 / 0.6)).toBeLessThan(0.12);
  });

  test('give one influence, whichever is used', () => {
    const model = logisticRegression({ dimension: 3, ridge: 0.2, radius: 2 });
    const records = labelled(60, 3, 'influence');
    const { theta } = optimum(model, records);
    const found = (['explicit', 'conjugate-gradient', 'lissa'] as const).map((method) => {
      const target = new Float64Array(3);
      influence(printed({ ...request, method }), model, records, theta, seededRandom('solve'))(7, target);
      return target;
    });
    expect(sizeOf(found[0].map((x, j) => x - found[1][j]))).toBeLessThan(1e-8 * sizeOf(found[0]));
    expect(sizeOf(found[0].map((x, j) => x - found[2][j]))).toBeLessThan(0.15 * sizeOf(found[0]));
  });

  test('refuse a Hessian below ζ, and repair it when asked', () => {
    const model = perceptron({ dimension: 3, ridge: 0, radius: 2 });
    const records = labelled(60, 3, 'influence');
    const theta = perceptronStart({ dimension: 3 }, (target) => fillNormal(target, seededRandom('start')));
    const settings = { ...printed(request), curvature: 0.1, lipschitz: 10 };
    const run = (repair: 'refuse' | 'add' | 'raise'): void =>
      influence({ ...settings, repair }, model, records, theta, seededRandom('x'))(0, new Float64Array(13));
    expect(() => run('refuse')).toThrow(/no eigenvalue below 0.1, got a smallest eigenvalue of at most -0[.]/);
    expect(() => run('raise')).not.toThrow();
  });
});

describe('the decision', () => {
  test('line by line is the closed threshold', () => {
    const random = seededRandom('decision');
    let different = 0;
    let passed = 0;
    for (let i = 0; i < 20_000; i++) {
      const numbers = { epsilon1: 4 * uniform(random), delta1: 0.1 * uniform(random), radius: 10 * uniform(random) };
      const threshold = decisionThreshold(numbers);
      const c = Float64Array.from({ length: 2 }, () => 3 * threshold * (uniform(random) - 0.5));
      const passes = c.every((x) => abs(x) <= threshold);
      if (passes) passed++;
      if (passes !== skipsNoise(c, numbers)) different++;
    }
    expect(different).toBe(0);
    expect(passed).toBeGreaterThan(5000);
  });

  test('passes with the probability stated: 20 000 draws within 4.5 standard errors, a false alarm in 10⁵', () => {
    const random = seededRandom('passing');
    const parameters = { ...printed(request), threshold: 0.5, contributionSigma: 0.3 };
    const contribution = Float64Array.of(0.1, -0.2);
    const noise = new Float64Array(2);
    let count = 0;
    for (let i = 0; i < 20_000; i++) {
      fillNormal(noise, random);
      if (contribution.every((c, j) => abs(2 * c + 0.3 * noise[j]) <= 0.5)) count++;
    }
    const expected = skipProbability(contribution, parameters);
    const error = 4.5 * sqrt((expected * (1 - expected)) / 20_000);
    expect(abs(count / 20_000 - expected)).toBeLessThan(error);
    // Without the doubling of line 9 it would be this, far off.
    expect(abs(skipProbability(Float64Array.of(0.05, -0.1), parameters) - expected)).toBeGreaterThan(5 * error);
  });
});

describe('the curator', () => {
  const model = logisticRegression({ dimension: 3, ridge: 0.2, radius: 2 });
  const records = labelled(60, 3, 'curator');

  test('takes T steps, each noised or not, and gives the same model for the same coins', () => {
    const parameters = printed(request);
    const one = train(parameters, model, records, seededRandom('run'));
    const other = train(parameters, model, records, seededRandom('run'));
    expect([...one.theta]).toEqual([...other.theta]);
    expect(one.noised + one.skipped).toBe(120);
    expect([...train(parameters, model, records, seededRandom('other run')).theta]).not.toEqual([...one.theta]);
  });

  test('skips a share of steps that follows from the contributions: 4.5 standard errors', () => {
    // A threshold of about one standard deviation of the decision noise, in three coordinates.
    const parameters = printed({ ...request, localRounds: 4000, globalRounds: 1, step: 1e-9 });
    const radius = (parameters.radius * parameters.contributionSigma) / parameters.threshold;
    const wide = printed({ ...request, localRounds: 4000, globalRounds: 1, step: 1e-9, radius });
    const contributionOf = influence(wide, model, records, new Float64Array(3), seededRandom('x'));
    const target = new Float64Array(3);
    let expected = 0;
    for (let i = 0; i < 60; i++) {
      contributionOf(i, target);
      expected +=
        skipProbability(
          target.map((c) => c + wide.remainder),
          wide,
        ) / 60;
    }
    const { skipped } = train(wide, model, records, seededRandom('share'));
    expect(expected).toBeGreaterThan(0.1);
    expect(abs(skipped / 4000 - expected)).toBeLessThan(4.5 * sqrt((expected * (1 - expected)) / 4000));
  });

  test('without noise is plain stochastic gradient descent', () => {
    const parameters = printed({ ...request, radius: 1e9, localRounds: 50, globalRounds: 1 });
    const order: number[] = [];
    const { theta, skipped } = train(parameters, model, records, seededRandom('plain'), {
      onStep: (index) => order.push(index),
    });
    const expected = new Float64Array(3);
    const gradient = new Float64Array(3);
    for (const index of order) {
      fillRecordGradient(model, expected, records, index, Infinity, gradient);
      for (let j = 0; j < 3; j++) expected[j] -= parameters.step * gradient[j];
    }
    expect(skipped).toBe(50);
    expect([...theta]).toEqual([...expected]);
  });

  test('trains a perceptron in rounds, with a repaired Hessian', () => {
    const network = perceptron({ dimension: 3, ridge: 0.01, radius: 3 });
    const parameters = recalibrated({ ...request, lipschitz: 1, curvature: 0.05, repair: 'raise', localRounds: 5 });
    const start = perceptronStart({ dimension: 3 }, (target) => fillNormal(target, seededRandom('start')));
    const { theta, noised } = train(parameters, network, records, seededRandom('network'), { start });
    expect(theta.length).toBe(13);
    expect(theta.every(Number.isFinite)).toBe(true);
    expect(noised).toBeGreaterThan(0);
  });

  test('refuses records that are not those of the parameters', () => {
    const parameters = printed(request);
    expect(() => train(parameters, model, labelled(59, 3, 'x'), seededRandom('x'))).toThrow('"records" expected 60');
    expect(() => train(parameters, model, labelled(60, 2, 'x'), seededRandom('x'))).toThrow('records.dimension');
  });
});

describe('the variants', () => {
  test('follow the formulas of Theorem 5, worked by hand', () => {
    const parameters = printed({ ...request, lipschitz: 1 });
    expect(parameters.sigma).toBeCloseTo((2 * sqrt(2) * sqrt(120 * log(1000))) / (60 * 0.75), 12);
    expect(parameters.contributionSigma).toBeCloseTo((2 * sqrt(2) * 3 * sqrt(log(3750))) / (60 * 0.2 * 0.25), 12);
    expect(parameters.threshold).toBeCloseTo(2 * 2 * 1e-3 * (1 + Math.exp(-0.75)), 14);
    expect(parameters.step).toBeCloseTo(1 / 0.45, 14);
    expect(parameters.remainder).toBeCloseTo((2 * 0.45 + 1 / (6 * sqrt(3)) / 0.2) / (0.2 * 60) ** 2, 14);
  });

  test.each([
    [{ epsilon1: 0 }, '"epsilon" expected a finite number > 0'],
    [{ delta1: 0.5, delta2: 0.5 }, '"delta1 + delta2"'],
    [{ curvature: 0 }, '"curvature"'],
    [{ records: 1 }, '"records"'],
    [{ localRounds: 0 }, '"localRounds"'],
    [{ radius: -1 }, '"radius"'],
    [{ method: 'lissa', repair: 'raise' }, '"repair"'],
  ] as const)('refuse %j', (change, message) => {
    expect(() => printed({ ...request, ...change } as InfluenceRequest)).toThrow(message);
    expect(() => recalibrated({ ...request, ...change } as InfluenceRequest)).toThrow(message);
  });

  test('refuse a constant that they do not read', () => {
    expect(() => recalibrated({ ...request, noiseConstant: 2 })).toThrow(
      '"noiseConstant" expected none but for printed, got 2',
    );
    expect(() => printed({ ...request, noiseConstant: 2 })).not.toThrow();
  });

  test('make a claim and no guarantee, and the main entry knows nothing of them', () => {
    const claim = claimOf(printed(request));
    expect(claim).toMatchObject({ kind: 'claim', holds: false, claimed: { epsilon: 1, delta: 2e-3 } });
    expect(claim).not.toHaveProperty('guarantee');
    expect(claim.audited.threshold).toBeGreaterThan(1);
    expect(claim.audited.oneRun).toBeGreaterThan(1);
    const names = Object.keys(main);
    expect(names.filter((name) => /claimOf|recalibrated|skipsNoise|InfluenceParameters/.test(name))).toEqual([]);
  });
});

describe('the comparators', () => {
  const model = logisticRegression({ dimension: 3, ridge: 0.1, radius: 4 });
  const records = labelled(2000, 3, 'comparators');
  const best = optimum(model, records);
  const budget = { epsilon: 1, delta: 1e-5 };

  test('the optimum has no gradient, and predicts', () => {
    expect(best.gradientNorm).toBeLessThan(1e-10);
    expect(accuracy(model, best.theta, records)).toBeGreaterThan(0.7);
  });

  test('the moments accountant is at least what Gaussian composition asks for without drawing', () => {
    const descent = { records: 1000, batch: 1000, steps: 25, lipschitz: 1, delta: 1e-5 };
    // Without drawing it is a Gaussian mechanism with μ = 2·5/(1000σ): the conversion costs a little.
    const epsilon = momentsEpsilon({ ...descent, sigma: 0.01 });
    expect(epsilon).toBeGreaterThan(gdpEpsilon(1, 1e-5));
    expect(epsilon).toBeLessThan(1.1 * gdpEpsilon(1, 1e-5));
    const sigma = momentsSigma({ ...descent, batch: 1, epsilon: 1 });
    expect(momentsEpsilon({ ...descent, batch: 1, sigma })).toBeLessThanOrEqual(1);
    expect(momentsEpsilon({ ...descent, batch: 1, sigma: 0.999 * sigma })).toBeGreaterThan(1);
  });

  test.each(['moments', 'gdp'] as const)('DP-SGD by %s comes near the optimum, plain and smoothed', (accountant) => {
    for (const smoothing of [0, 1]) {
      const parameters = gradientPerturbation({
        ...budget,
        accountant,
        records: 2000,
        batch: accountant === 'gdp' ? 2000 : 1,
        lipschitz: 1,
        steps: accountant === 'gdp' ? 40 : 2000,
        step: accountant === 'gdp' ? 2 : 0.02,
        smoothing,
      });
      const theta = descendNoisily(parameters, model, records, seededRandom('descent'));
      const zero = empiricalRisk(model, new Float64Array(3), records) - best.risk;
      expect(empiricalRisk(model, theta, records) - best.risk).toBeLessThan((accountant === 'gdp' ? 0.25 : 0.6) * zero);
      expect(parameters.guarantee).toBeDefined();
    }
    expect(
      gradientPerturbation({ ...budget, accountant: 'printed', records: 9, lipschitz: 1, steps: 9, step: 1 }),
    ).not.toHaveProperty('guarantee');
  });

  test('Laplacian smoothing inverts I − sΔ and keeps the mean', () => {
    const vector = Float64Array.of(1, -2, 0.5, 3, 7);
    const smoothed = vector.slice();
    laplacianSmoothing(5, 1.5)(smoothed);
    let worst = 0;
    for (let i = 0; i < 5; i++) {
      const around = smoothed[(i + 4) % 5] - 2 * smoothed[i] + smoothed[(i + 1) % 5];
      worst = Math.max(worst, abs(smoothed[i] - 1.5 * around - vector[i]));
    }
    expect(worst).toBeLessThan(1e-12);
    expect(smoothed.reduce((a, b) => a + b)).toBeCloseTo(9.5, 12);
  });

  test('output perturbation: no record moves the last iterate by more than the sensitivity', () => {
    for (const ridge of [0, 0.1]) {
      const convex = logisticRegression({ dimension: 3, ridge, radius: 4 });
      const request = { ...budget, model: convex, records: 60, passes: 3, radius: 4, step: 0.5 };
      const parameters = { ...outputPerturbation(request), sigma: 0 };
      const data = labelled(60, 3, 'output');
      const base = perturbOutput(parameters, data, seededRandom('order'));
      let farthest = 0;
      for (let i = 0; i < 60; i++) {
        const changed = { ...data, labels: data.labels.map((y, k) => (k === i ? -y : y)) };
        const theta = perturbOutput(parameters, changed, seededRandom('order'));
        farthest = Math.max(farthest, sizeOf(theta.map((x, j) => x - base[j])));
      }
      expect(farthest).toBeLessThanOrEqual(parameters.sensitivity);
      expect(farthest).toBeGreaterThan(parameters.sensitivity / 10);
    }
    const network = perceptron({ dimension: 3, ridge: 0.1, radius: 4 });
    expect(() => outputPerturbation({ ...budget, model: network, records: 60, passes: 1, radius: 4 })).toThrow(
      'convex',
    );
  });
});

test('records are checked, and nothing of them is in a message', () => {
  const data = labelled(5, 2, 'records');
  expect(() => checkRecords(data)).not.toThrow();
  expect(selectRecords(data, [3, 1]).labels).toEqual(Int8Array.of(data.labels[3], data.labels[1]));
  expect(() => checkRecords({ ...data, features: data.features.map((x) => 9.75 * x) })).toThrow(/^(?!.*9[.]75).*norm/);
  expect(() => checkRecords({ ...data, labels: new Int8Array(5) })).toThrow('+1 or -1');
  expect(() => checkRecords({ ...data, dimension: 3 })).toThrow('features');
});

// Streams: what a plan asks its players for, losses at points where they are known, and what a player sends beside its gradient.

import { describe, expect, test } from '@jest/globals';
import { onlineSgd } from '../../protocols/online-sgd/index.ts';
import type { BudgetRequest, GaussianNoise } from '../../protocols/online-sgd/noise.ts';
import { gaussian, gdp, privUnit } from '../../protocols/online-sgd/parameters.ts';
import { player } from '../../protocols/online-sgd/player.ts';
import { server } from '../../protocols/online-sgd/server.ts';
import { simulateStream } from '../../protocols/online-sgd/simulate.ts';
import { hessianRelease, randomizeHessian } from '../../src/inference/hessian-release.ts';
import { discreteGaussianMechanism, randomizeDiscreteGaussian } from '../../src/mechanism/discrete-gaussian.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { binaryLogisticLoss } from '../../src/risk/named-loss.ts';
import { type ModelRequest, responseLossOf } from '../../src/risk/regression/model.ts';
import { expectileLoss } from '../../src/risk/response-loss.ts';
import { stepByStep } from '../../src/simulation/runner.ts';

const { abs, exp, max, min, SQRT2, sqrt } = Math;
const model: ModelRequest = { kind: 'huber', features: 3 };
const B0 = SQRT2 * 1.345;

describe('plans', () => {
  test('with Hessians a report has p + p(p + 1)/2 numbers: 4 + 10', () => {
    const plan = gdp({ model, mu: 0.6, hessianMu: 0.8 });
    expect([plan.gradientLength, plan.length]).toEqual([4, 14]);
    expect(gdp({ model, mu: 0.6 }).length).toBe(4);
  });

  test('a stream begins where it is told to', () => {
    expect([...gdp({ model, mu: 1, start: [0.5, -2, 3, 0.25] }).start]).toEqual([0.5, -2, 3, 0.25]);
    expect([...gdp({ model, mu: 1 }).start]).toEqual([0, 0, 0, 0]);
  });

  test('a scale begins at 1 where no start is asked for', () => {
    expect([...gdp({ model: { kind: 'huber-scale', features: 2 }, mu: 1 }).start]).toEqual([0, 0, 0, 1]);
  });

  test('what is kept for intervals: batch means and the plug-in, and the plug-in alone where batches do not grow', () => {
    expect(gdp({ model, mu: 1 }).inference).toEqual(['batch means', 'plug-in']);
    expect(gdp({ model, mu: 1, decay: 0.9 }).inference).toEqual(['batch means', 'plug-in']);
    expect(gdp({ model, mu: 1, decay: 1 }).inference).toEqual(['plug-in']);
  });

  test('where budgets differ the largest one is promised', () => {
    const promised = (budgets: BudgetRequest): number => {
      const { guarantee } = gdp({ model, budgets }).noise as GaussianNoise;
      return guarantee?.kind === 'gdp' ? guarantee.mu : Number.NaN;
    };
    // 1.5, or the next double where 2B₀/(2B₀/1.5) rounds up; the smallest has 4.
    expect(promised({ rule: 'list', mus: [0.25, 1.5, 0.5] })).toBeCloseTo(1.5, 14);
    expect(promised({ rule: 'list', mus: [0.25, 1.5, 0.5] })).toBeGreaterThanOrEqual(1.5);
    // Draws stay below the end of a range, unless it is a few doubles long.
    expect(promised({ rule: 'uniform', low: 0.5, high: 2 })).toBe(2);
    expect(promised({ rule: 'uniform', low: 1, high: 1 + 2 ** -52 })).toBe(1 + 2 ** -51);
  });

  // Rounding to 24 bits moves a value of size up to B₀ + 8σ by 2⁻²⁴ of it: a hundredth of σ at most while
  // σ ≥ 100·2⁻²⁴·(B₀ + 8σ), which is σ/B₀ ≥ 5.961e-6 for 100·2⁻²⁴ = 5.9605e-6.
  test.each([0.01, 1, 30])(
    'reports are in single precision while rounding is a hundredth of the noise: B₀ = %p',
    (clip) => {
      const share = 100 * 2 ** -24;
      const least = (share * clip) / (1 - 8 * share);
      // σ = 2B₀/μ.
      const precision = (sigma: number) => gdp({ model: { ...model, clip }, mu: (2 * clip) / sigma }).precision;
      expect(precision(least * 1.000001)).toBe('float32');
      expect(precision(least * 0.999999)).toBe('float64');
      expect(precision(1000 * clip)).toBe('float32');
    },
  );

  test('unit vectors count in units of B₀, so that a bound far from 1 changes nothing', () => {
    for (const clip of [1e-9, 1, 1e9]) {
      expect(privUnit({ model: { ...model, clip }, epsilon: 2 }).precision).toBe('float32');
    }
  });

  test('integers on a grid have the sensitivity of the model where that is below 2B₀: a scale moves by c²/2 only', () => {
    const plan = gaussian({
      model: { kind: 'huber-scale', features: 3 },
      epsilon: 1,
      delta: 1e-5,
      grade: 'deployment',
    });
    const c = 1.345;
    // κ = E ψ(Z)² = .710164 at c = 1.345: both gradients are shorter than √(2c² + ¼(c² − κ)²), √(8c² + c⁴/4) apart.
    const apart = sqrt(8 * c ** 2 + c ** 4 / 4);
    const bound = sqrt(2 * c ** 2 + (c ** 2 - 0.710164) ** 2 / 4);
    expect(plan.model.gradientBound).toBeCloseTo(bound, 4);
    if (plan.noise.law !== 'grid') throw new Error('expected integers');
    const full = gaussian({ model, epsilon: 1, delta: 1e-5, grade: 'deployment' });
    if (full.noise.law !== 'grid') throw new Error('expected integers');
    // In whole numbers, relative to a model whose gradients are 2B₀ apart; the rounding to the grid is below a hundredth.
    const relative = plan.noise.mechanism.coordinateVariance / full.noise.mechanism.coordinateVariance;
    expect(sqrt(relative) / (apart / bound / 2)).toBeCloseTo(1, 2);
    // Without it the quotient would be 1.0127.
    expect(apart / bound / 2).toBeCloseTo(0.98751, 5);
  });
});

describe('losses', () => {
  test('the curvature of the logistic loss is e^(−|t|)/(1 + e^(−|t|))², far out as well', () => {
    const { secondDerivative } = binaryLogisticLoss();
    expect(secondDerivative(0, 1)).toBe(0.25);
    for (const t of [-60, -5, 2, 40]) {
      expect(secondDerivative(t, 0) / (exp(-abs(t)) / (1 + exp(-abs(t))) ** 2)).toBeCloseTo(1, 12);
    }
  });

  test('expectiles: a residual is at most (1 + R)/σ, which bounds the slope where the threshold is further', () => {
    const { constantsOn } = expectileLoss({ tau: 0.3, threshold: 5, scale: 2 });
    // max(.3, .7)·min(5, 2/2) and ·min(5, 12/2).
    expect(constantsOn(1).lipschitz).toBeCloseTo(0.7, 14);
    expect(constantsOn(11).lipschitz).toBeCloseTo(3.5, 14);
    expect(constantsOn(1).smoothness).toBeCloseTo(0.35, 14);
  });

  test('a loss of a margin as one of ⟨θ, x⟩: its curvature is that at y·⟨θ, x⟩', () => {
    const loss = responseLossOf({ kind: 'margin', name: 'logistic' });
    // Of the logistic loss at ±2: e²/(1 + e²)².
    expect(loss.secondDerivative(2, -1)).toBeCloseTo(0.1049936, 7);
    expect(loss.secondDerivative(2, 1)).toBeCloseTo(0.1049936, 7);
    expect(loss.derivative(2, -1)).toBeCloseTo(0.8807971, 7);
    const hinged = responseLossOf({ kind: 'margin', name: 'squared-hinge' });
    expect([hinged.secondDerivative(2, 1), hinged.secondDerivative(2, -1)]).toEqual([0, expect.any(Number)]);
    expect(hinged.secondDerivative(2, -1)).toBeGreaterThan(0);
  });
});

describe('players', () => {
  test('a released Hessian is f″·w·xxᵀ plus noise: its mean over 4000 reports', () => {
    const plan = gdp({ model, mu: 1, hessianMu: 4 });
    const step = server.step(plan, server.start(plan));
    const datum = { features: [0.6, -0.3, 0.2], response: 0.4 };
    const random = seededRandom('hessian');
    const mean = new Float64Array(10);
    for (let i = 0; i < 4000; i++) {
      const { values } = player.randomize(step, datum, random);
      for (let k = 0; k < 10; k++) mean[k] += values[4 + k] / 4000;
    }
    // ‖(1, x)‖² = 1.49 has weight 1, and a residual of .4 is within the threshold: the rows of xxᵀ.
    const x = [1, 0.6, -0.3, 0.2];
    const expected = x.flatMap((a, i) => x.slice(0, i + 1).map((b) => a * b));
    // σ = 2√2/4 (‖m‖² ≤ 2); six standard errors are .067 for each of ten: a false alarm once in 10⁷.
    expected.forEach((entry, k) => {
      expect(abs(mean[k] - entry)).toBeLessThan((6 * SQRT2) / 2 / sqrt(4000));
    });
  });

  test('a factor with a longer square than the bound is refused: the release would cost more than it says', () => {
    const release = hessianRelease({ dimension: 2, bound: 2, mu: 1 });
    const released = new Float64Array(3);
    randomizeHessian(release, [1, 1], released, seededRandom('within'));
    expect(() => randomizeHessian(release, [1, 1.001], released, seededRandom('beyond'))).toThrow(RangeError);
    expect(() => randomizeHessian(release, [-1.5, 0], released, seededRandom('beyond'))).toThrow(RangeError);
  });

  test('whole numbers stand for the gradient itself, in units of B₀: their mean over 2000 reports', () => {
    const plan = gaussian({ model, epsilon: 50, delta: 0.1, grade: 'deployment', start: [0.2, 0, 0, 0] });
    if (plan.noise.law !== 'grid') throw new Error('expected integers');
    const { step: unit, coordinateVariance } = plan.noise.mechanism;
    const step = server.step(plan, server.start(plan));
    const datum = { features: [0.6, -0.3, 0.2], response: 1.1 };
    const random = seededRandom('grid');
    const [mean, squares] = [new Float64Array(4), new Float64Array(4)];
    for (let i = 0; i < 2000; i++) {
      const { values } = player.randomize(step, datum, random);
      for (let k = 0; k < 4; k++) {
        mean[k] += (values[k] * unit) / 2000;
        squares[k] += (values[k] * unit) ** 2 / 2000;
      }
    }
    // −(1.1 − .2)·(1, x)/B₀: the residual is within the threshold and ‖(1, x)‖² = 1.49 has weight 1.
    const expected = [1, 0.6, -0.3, 0.2].map((entry) => (-0.9 * entry) / B0);
    // Six standard errors each, false alarm 10⁻⁸; a gradient shortened by a fifth is much further off.
    const error = 6 * sqrt((coordinateVariance + 1e-6) / 2000);
    expected.forEach((entry, k) => {
      expect(abs(mean[k] - entry)).toBeLessThan(error);
      // Every coordinate has its noise: the relative deviation of a variance of 2000 is .032, six of them are .19.
      expect(abs((squares[k] - mean[k] ** 2) / coordinateVariance - 1)).toBeLessThan(0.19);
    });
    expect(0.2 * abs(expected[0])).toBeGreaterThan(2 * error);
  });

  test('whole numbers that do not fit stop at the ends of 32 bits, ±(2³¹ − 1), and wider ones go on', () => {
    const wide = discreteGaussianMechanism({ epsilon: 1e-6, delta: 1e-9, dimension: 40 });
    expect(wide.sigma).toBeGreaterThan(2 ** 31);
    const [short, long] = [new Int32Array(40), new Float64Array(40)];
    randomizeDiscreteGaussian(wide, new Float64Array(40), short, seededRandom('long'));
    randomizeDiscreteGaussian(wide, new Float64Array(40), long, seededRandom('long'));
    const largest = 2 ** 31 - 1;
    expect([...short]).toEqual([...long].map((entry) => max(-largest, min(largest, entry))));
    expect([...short]).toEqual(expect.arrayContaining([largest, -largest]));
  });

  test('a stream counts its players and steps over blocks, also where budgets of players are all used', () => {
    const plan = gdp({ model, mu: 1, burnIn: 3 });
    const state = server.start(plan);
    const datum = { features: [0.6, -0.3, 0.2], response: 0.4 };
    for (const [players, total] of [
      [5, 5],
      [300, 305],
      [1, 306],
    ]) {
      simulateStream(plan, state, players, () => datum, seededRandom('counts'));
      expect([state.players, state.steps]).toEqual([total, total]);
    }
  });

  test('who comes after an iterate that left the numbers is refused, at the end of a block as well', () => {
    // No request has such a rate.
    const plan = { ...gdp({ model, mu: 1 }), rate: 1e101 };
    const datum = { features: [0.6, -0.3, 0.2], response: 5 };
    const outcomes = [simulateStream, stepByStep(onlineSgd)].map((simulate) => {
      const state = server.start(plan);
      let refusal = 'none';
      try {
        simulate(plan, state, 2, () => datum, seededRandom('coins'));
      } catch (error) {
        refusal = String(error);
      }
      return [state.players, refusal];
    });
    expect(outcomes[0]).toEqual(outcomes[1]);
    expect(outcomes[0][1]).not.toBe('none');
    expect(B0).toBeCloseTo(plan.model.gradientBound, 12);
  });
});

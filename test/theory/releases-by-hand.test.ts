// What leaves a player or a curator, release by release: how often, how far two data are apart, with which noise, and that all of it
// together is the budget. Sensitivities by hand from the bounds on scores, not from the code that has them.

import { describe, expect, test } from '@jest/globals';
import { descent, privacyError as errorOfDescent } from '../../protocols/noisy-gradient-descent/index.ts';
import {
  certificate as certificateOfDescent,
  neighbourDistance as distanceOfDescent,
  neighbourDistance as distanceOfNewton,
  hessianDistance,
} from '../../protocols/noisy-gradient-descent/protocol.ts';
import { injectedCovariance } from '../../protocols/noisy-newton/curator.ts';
import { privacyError as errorOfNewton, newton } from '../../protocols/noisy-newton/index.ts';
import type { NoisyNewtonPlan } from '../../protocols/noisy-newton/parameters.ts';
import { certificate as certificateOfNewton } from '../../protocols/noisy-newton/protocol.ts';
import { gaussian, gdp, laplace, printedGaussian, privUnit } from '../../protocols/online-sgd/parameters.ts';
import { certificate, neighbourDistance } from '../../protocols/online-sgd/theory.ts';
import { type ErmRound, ermRound } from '../../protocols/user-level-erm/gradients.ts';
import { descent as descentOfPlayers, fillGradient, userLevelErm } from '../../protocols/user-level-erm/index.ts';
import { certificate as certificateOfPlayers } from '../../protocols/user-level-erm/protocol.ts';
import { normalIntervals } from '../../src/inference/interval.ts';
import { symmetricEigen } from '../../src/optimize/ball.ts';
import type { Release } from '../../src/privacy/totals.ts';
import { privacyErrorRate as rateOfDescent, privacyErrorRate as rateOfNewton } from '../evidence/noisy-fit/rates.ts';
import { smallRequest } from '../protocols/user-level-erm-cases.ts';
import { coverage } from '../statistics/coverage.ts';

const { SQRT2, sqrt } = Math;

/** √Σ count·(Δ/σ)²: what Gaussian releases spend together. */
const spent = (releases: readonly Release[]): number =>
  sqrt(releases.reduce((sum, { count, sensitivity, scale }) => sum + count * (sensitivity / scale) ** 2, 0));

describe('noisy fits of n = 500 records, Huber at 1.345 with Mallows weights', () => {
  const request = { mu: 0.8, records: 500, model: { kind: 'huber', features: 3, scale: 1 } } as const;
  // ‖Ψ‖ ≤ √2·1.345 = B, ‖a‖² ≤ B̄: two scores are 2B apart, two squares √2 times the larger of them.
  const bound = SQRT2 * 1.345;

  test('descent: K mean scores 2B/n apart, a mean Hessian √2·B̄/n, a mean of squares √2·B²/n, and μ in all', () => {
    const plan = descent(request);
    const { releases } = certificateOfDescent(plan);
    const { hessianBound } = plan.model;
    expect(releases.map(({ count }) => count)).toEqual([plan.steps, 1, 1]);
    const expected = [2 * bound, SQRT2 * hessianBound, SQRT2 * bound ** 2];
    releases.forEach(({ sensitivity }, i) => {
      expect(500 * sensitivity).toBeCloseTo(expected[i], 10);
    });
    expect(500 * distanceOfDescent(plan)).toBeCloseTo(2 * bound, 10);
    expect(spent(releases) / 0.8).toBeCloseTo(1, 6);
    expect(spent(releases)).toBeLessThanOrEqual(0.8);
    expect(releases[0].scale).toBe(plan.noise);
  });

  test('descent without regions spends μ on K scores: σ = 2B√K/(nμ)', () => {
    const plan = descent({ ...request, regions: false, steps: 49 });
    expect(plan.noise).toBeCloseTo((2 * bound * 7) / (500 * 0.8), 8);
    expect(certificateOfDescent(plan).releases).toHaveLength(1);
  });

  test('shares of μ² that are asked for are those that are spent', () => {
    const split = { optimization: 0.5, hessian: 0.2, scores: 0.3 };
    const { releases } = certificateOfDescent(descent({ ...request, split }));
    [0.5, 0.2, 0.3].forEach((share, i) => {
      expect((spent([releases[i]]) / 0.8) ** 2).toBeCloseTo(share, 6);
    });
    const newtons = certificateOfNewton(
      newton({ ...request, split, warmUp: 4, warmUpShare: 0.25, curvatureShare: 0.4, force: true }),
    ).releases;
    // Of the half: a quarter for four steps before, of the rest 60 % for gradients and 40 % for Hessians.
    [0.125, 0.225, 0.15, 0.2, 0.3].forEach((share, i) => {
      expect((spent([newtons[i]]) / 0.8) ** 2).toBeCloseTo(share, 6);
    });
  });

  test('Newton: scores before and in K steps, K Hessians, and the two matrices of the sandwich', () => {
    const plan = newton({ ...request, steps: 3, warmUp: 5 });
    const { releases } = certificateOfNewton(plan);
    expect(releases.map(({ count }) => count)).toEqual([5, 3, 3, 1, 1]);
    const { hessianBound } = plan.model;
    const expected = [2 * bound, 2 * bound, SQRT2 * hessianBound, SQRT2 * hessianBound, SQRT2 * bound ** 2];
    releases.forEach(({ sensitivity }, i) => {
      expect(500 * sensitivity).toBeCloseTo(expected[i], 10);
    });
    expect(500 * distanceOfNewton(plan)).toBeCloseTo(2 * bound, 10);
    expect(500 * hessianDistance(plan)).toBeCloseTo(SQRT2 * hessianBound, 10);
    expect(spent(releases) / 0.8).toBeCloseTo(1, 6);
    expect(plan.hessianNoise).toBe(releases[2].scale);
    for (const { sensitivity, scale, guarantee } of releases) {
      expect(guarantee).toEqual({ kind: 'gdp', mu: expect.closeTo(sensitivity / scale, 12) });
    }
    expect(certificateOfNewton(newton({ ...request, warmUp: 0 })).releases).toHaveLength(4);
  });

  test('a start has to have a gradient of τ₁²/L: .25/2', () => {
    const plan = newton({ ...request, strongConvexity: 0.5, hessianLipschitz: 2, force: true });
    expect(plan.largestStart).toBeCloseTo(0.125, 12);
  });

  test('rates √K·p/(μn): 3·4/(.8·500)', () => {
    expect(rateOfDescent(descent({ ...request, steps: 900, force: true }))).toBeCloseTo((30 * 4) / 400, 12);
    expect(rateOfNewton(newton({ ...request, steps: 9, force: true }))).toBeCloseTo((3 * 4) / 400, 12);
  });

  test('the error by noise: K steps of a scalar descent by hand, summed over eigenvectors, and σ/λ for Newton', () => {
    const plan = { ...descent(request), step: 0.4, steps: 3, noise: 2 };
    // λ = ½: .16·4·(1 + .64 + .4096) = 1.311744; λ = 1: .64·(1 + .36 + .1296) = .953344.
    expect(errorOfDescent(plan, [0.5, 1])).toBeCloseTo(sqrt(1.311744 + 0.953344), 10);
    expect(errorOfNewton({ gradientNoise: 0.3 } as NoisyNewtonPlan, [0.5, 1])).toBeCloseTo(sqrt(0.45), 12);
  });

  test('what noisy Hessians add is E[A⁻¹NCNA⁻¹], N over all signs of its distinct entries', () => {
    const hessian = [2, 0.5, 0.5, 1];
    const determinant = 1.75;
    const inverse = [1 / determinant, -0.5 / determinant, -0.5 / determinant, 2 / determinant];
    const multiply = (a: readonly number[], b: readonly number[]): number[] =>
      [0, 1, 2, 3].map((k) => a[2 * (k >> 1)] * b[k % 2] + a[2 * (k >> 1) + 1] * b[2 + (k % 2)]);
    const plan = {
      warmUp: { steps: 1, step: 0.3, noise: 0.7 },
      steps: 2,
      gradientNoise: 0.4,
      hessianNoise: 0.15,
    } as unknown as NoisyNewtonPlan;
    // One step of descent leaves η²σ²I.
    let covariance = [0.0441, 0, 0, 0.0441];
    for (let k = 0; k < 2; k++) {
      const next = multiply(inverse, inverse).map((entry) => 0.16 * entry);
      for (let signs = 0; signs < 8; signs++) {
        const [a, b, c] = [1, 2, 4].map((bit) => (signs & bit ? 1 : -1));
        const noise = [a, b, b, c];
        const turned = multiply(multiply(inverse, noise), multiply(covariance, multiply(noise, inverse)));
        turned.forEach((entry, i) => {
          next[i] += (0.15 ** 2 * entry) / 8;
        });
      }
      covariance = next;
    }
    const found = injectedCovariance(plan, symmetricEigen(Float64Array.from(hessian), 2));
    found.forEach((entry, i) => {
      expect(entry).toBeCloseTo(covariance[i], 10);
    });
  });
});

describe('reports of a stream', () => {
  const model = { kind: 'huber', features: 3 } as const;
  const bound = SQRT2 * 1.345;

  test.each([
    ['Gaussian', gdp({ model, mu: 0.5 }), 2 * bound, 4 * bound],
    ['budgets', gdp({ model, budgets: { rule: 'uniform', low: 0.5, high: 2 } }), 2 * bound, bound],
    ['printed', printedGaussian({ model, epsilon: 2, delta: 1e-5 }), 2 * bound, bound * sqrt(46.944276)],
    ['Laplace', laplace({ model, epsilon: 2 }), 4 * bound, 2 * bound],
  ])('%s: one gradient, its sensitivity and its noise', (_, plan, sensitivity, scale) => {
    const { releases } = certificate(plan);
    expect(releases).toHaveLength(1);
    expect(releases[0].count).toBe(1);
    expect(releases[0].sensitivity).toBeCloseTo(sensitivity, 10);
    expect(releases[0].scale).toBeCloseTo(scale, 5);
    expect(neighbourDistance(plan)).toBeCloseTo(2 * bound, 10);
  });

  test('with a Hessian two releases, of μ and μ_A', () => {
    const { releases } = certificate(gdp({ model, mu: 0.6, hessianMu: 0.8 }));
    expect(releases.map(({ count }) => count)).toEqual([1, 1]);
    // ‖m‖² ≤ 2.
    expect(releases[1].sensitivity).toBeCloseTo(2 * SQRT2, 10);
    expect(spent(releases)).toBeCloseTo(1, 10);
  });

  test('unit vectors and integers on a grid: directions are 2 apart, with the variance of a coordinate', () => {
    const unit = privUnit({ model, epsilon: 3 });
    const grid = gaussian({ model, epsilon: 1, delta: 1e-5, grade: 'deployment' });
    for (const plan of [unit, grid]) {
      const [release] = certificate(plan).releases;
      expect(release.count).toBe(1);
      expect(neighbourDistance(plan)).toBeCloseTo(2, 10);
      if (plan.noise.law === 'unit') {
        expect(release.sensitivity).toBe(2);
        expect(release.scale ** 2 / plan.noise.mechanism.coordinateVariance).toBeCloseTo(1, 12);
      }
    }
  });
});

describe('user-level descent', () => {
  test('one bit for each player, as likely as ε allows; of the same players one in each round, and ε in all', () => {
    const fresh = descentOfPlayers(smallRequest('logistic'));
    const [release] = certificateOfPlayers(fresh).releases;
    expect([release.count, release.sensitivity]).toEqual([1, 1]);
    // e² to 1: the contrast of randomized response is tanh(1).
    expect(release.scale).toBeCloseTo(1 / 0.7615942, 6);
    const same = descentOfPlayers(smallRequest('logistic', { samePlayers: true, delta: 1e-5 }));
    const [again] = certificateOfPlayers(same).releases;
    expect(again.count).toBe(same.shares.length);
    expect(same.shares.length).toBeGreaterThan(1);
  });

  test('a round asks about coordinates around its centre: two thresholds for each', () => {
    const plan = descentOfPlayers(smallRequest('logistic'));
    const { round, iteration, place, theta, model } = userLevelErm.rounds.first(plan) as ErmRound;
    const state = { round, iteration, place, theta, model, centre: Float64Array.of(1, -2, 4) };
    const asked = ermRound(plan, state, Float64Array.of(-0.5, 0.5, -1, 1, 0, 3));
    expect([...asked.asked.thresholds]).toEqual([0.5, 1.5, -3, -1, 4, 7]);
  });

  // Two records, one inside the thresholds and one beyond, at θ = (.5, −.2, .3).
  const datum = { features: Float64Array.of(0.6, 0.1, -0.4, 0.2, -0.7, 0.5), responses: Float64Array.of(1, -1) };
  const theta = Float64Array.of(0.5, -0.2, 0.3);

  /** The mean loss of the two records. */
  const risk = (loss: 'logistic' | 'squared' | 'huber', at: Float64Array): number =>
    [0, 1].reduce((sum, record) => {
      const x = datum.features.subarray(3 * record, 3 * record + 3);
      const y = datum.responses[record];
      const inner = x.reduce((total, coordinate, i) => total + coordinate * at[i], 0);
      if (loss === 'logistic') return sum + Math.log1p(Math.exp(-y * inner)) / 2;
      if (loss === 'squared') return sum + (y - inner) ** 2 / 4;
      const weight = Math.min(1, 2 / x.reduce((total, coordinate) => total + coordinate ** 2, 0));
      const off = Math.abs(y - inner);
      return sum + (weight * (off <= 1.345 ? off ** 2 / 2 : 1.345 * off - 1.345 ** 2 / 2)) / 2;
    }, 0);

  test.each(['logistic', 'squared', 'huber'] as const)('the gradient of the %s risk is its difference', (loss) => {
    const { objective } = descentOfPlayers(smallRequest(loss));
    const gradient = new Float64Array(3);
    fillGradient(objective, theta, datum, gradient);
    for (let i = 0; i < 3; i++) {
      const [low, high] = [-1e-5, 1e-5].map((h) =>
        risk(
          loss,
          theta.map((x, j) => (i === j ? x + h : x)),
        ),
      );
      expect(Math.abs((high - low) / 2e-5 - gradient[i])).toBeLessThan(1e-9);
    }
  });
});

describe('intervals', () => {
  const scatter = Float64Array.of(4, 1, 1, 9);

  test('are the middle ± z·√(Σ_ii/n): 1.959964·2/10 and ·3/10', () => {
    const found = normalIntervals(Float64Array.of(1, -2), scatter, 100, { level: 0.95 });
    expect(found[0].low).toBeCloseTo(1 - 0.3919928, 6);
    expect(found[0].high).toBeCloseTo(1 + 0.3919928, 6);
    expect(found[1].low).toBeCloseTo(-2 - 0.5879892, 6);
    expect(found[1].high).toBeCloseTo(-2 + 0.5879892, 6);
  });

  test('coverage: two of four intervals hold 0, √(½·½/4), lengths 2, 2, 2 and 4', () => {
    const rows = [
      [-1, 1],
      [0, 2],
      [1, 3],
      [1, 5],
    ];
    const [found] = coverage(
      rows.map(([low, high]) => [{ low, high } as never]),
      [0],
    );
    // The deviations from 2.5 are .5, .5, .5 and 1.5: 3/3/4 is the squared error of their mean.
    expect(found).toMatchObject({ count: 4, share: 0.5, shareError: 0.25, length: 2.5 });
    expect(found.lengthError).toBeCloseTo(0.5, 12);
  });
});

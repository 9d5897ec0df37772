import { describe, expect, test } from '@jest/globals';
import {
  addReleasedHessian,
  createHessianSum,
  hessianRelease,
  meanHessian,
  randomizeHessian,
} from '../../../src/inference/hessian-release.ts';
import { fillSphere } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { centralMomentTest, meanTest } from '../../statistics/moments.ts';
import { reloaded } from './paths.ts';

describe('the local release of a Hessian', () => {
  test('has noise √2·B₁/μ and says what it guarantees', () => {
    const release = hessianRelease({ dimension: 3, bound: 4, mu: 2 });
    expect(release.mechanism.sigma).toBeCloseTo(Math.SQRT2 * 2, 14);
    expect(release.mechanism.dimension).toBe(6);
    expect(release.mechanism.guarantee).toMatchObject({ mu: expect.closeTo(2, 14) });
  });

  test('its sensitivity √2·B₁ is never exceeded and is reached by orthogonal factors', () => {
    const random = seededRandom('sensitivity');
    const distance = (m: readonly number[], n: readonly number[]): number => {
      let square = 0;
      for (let i = 0; i < 3; i++) for (let j = 0; j <= i; j++) square += (m[i] * m[j] - n[i] * n[j]) ** 2;
      return Math.sqrt(square);
    };
    let largest = 0;
    for (let trial = 0; trial < 20_000; trial++) {
      const draw = (): number[] => {
        const factor = new Float64Array(3);
        fillSphere(factor, random);
        return [...factor];
      };
      largest = Math.max(largest, distance(draw(), draw()));
    }
    expect(largest).toBeLessThanOrEqual(Math.SQRT2);
    expect(distance([1, 0, 0], [0, 1, 0])).toBeCloseTo(Math.SQRT2, 15);
  });

  // p-values compared with 1e-6, two tests on each of three entries; the control is the scale off by 5 %.
  test('is unbiased with the stated variance; a scale off by 5 % is noticed', () => {
    const release = hessianRelease({ dimension: 2, bound: 1, mu: 1 });
    const random = seededRandom('release');
    const draws = 20_000;
    const samples = [0, 1, 2].map(() => new Float64Array(draws));
    const target = new Float64Array(3);
    const factor = Float64Array.of(0.6, -0.8);
    for (let draw = 0; draw < draws; draw++) {
      randomizeHessian(release, factor, target, random);
      for (let k = 0; k < 3; k++) samples[k][draw] = target[k];
    }
    for (const [k, entry] of [0.36, -0.48, 0.64].entries()) {
      expect(meanTest(samples[k], entry, 2)).toBeGreaterThan(1e-6);
      expect(centralMomentTest(samples[k], entry, 2, 2, 12)).toBeGreaterThan(1e-6);
      expect(centralMomentTest(samples[k], entry, 2, 2 * 1.05 ** 2, 12 * 1.05 ** 4)).toBeLessThan(1e-6);
    }
  });

  test('refuses a factor above the bound without repeating it', () => {
    const release = hessianRelease({ dimension: 2, bound: 1, mu: 1 });
    const random = seededRandom(1);
    const target = new Float64Array(3);
    for (const factor of [[0.9, 0.9], [1], [1, 0, 0], [Number.NaN, 0], [Infinity, 0]]) {
      expect(() => randomizeHessian(release, factor, target, random)).toThrow(
        new RangeError('"factor" expected 2 finite numbers with a squared norm of at most 1'),
      );
    }
    expect(() => randomizeHessian(release, [1, 0], new Float64Array(4), random)).toThrow('"target" expected 3 entries');
    for (const wrong of [{ dimension: 0 }, { bound: 0 }, { mu: -1 }, { mu: Infinity }]) {
      expect(() => hessianRelease({ dimension: 1, bound: 1, mu: 1, ...wrong })).toThrow(RangeError);
    }
  });
});

describe('the mean of released Hessians', () => {
  test('is the mean, symmetric, also of a sum that was saved', () => {
    const state = createHessianSum(2);
    addReleasedHessian(state, Float64Array.of(1, 2, 3));
    const resumed = reloaded(state);
    addReleasedHessian(resumed, Float64Array.of(3, -2, 5));
    expect([...meanHessian(resumed)]).toEqual([2, 0, 0, 4]);
  });

  test('refuses what is no release', () => {
    const state = createHessianSum(2);
    expect(() => meanHessian(state)).toThrow(new RangeError('"count" expected at least 1, got 0'));
    expect(() => addReleasedHessian(state, new Float64Array(4))).toThrow('"released" expected 3 numbers, got 4');
    expect(() => addReleasedHessian(state, Float64Array.of(1, Number.NaN, 1))).toThrow('"released" expected finite');
    expect(state.count).toBe(0);
  });
});

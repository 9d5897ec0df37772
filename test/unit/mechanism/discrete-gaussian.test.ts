import { describe, expect, test } from '@jest/globals';
import {
  type DiscreteGaussianRequest,
  discreteGaussianMechanism,
  integerNoise,
  randomizeDiscreteGaussian,
} from '../../../src/mechanism/discrete-gaussian.ts';
import { analyticGaussianSigma, gdpDelta } from '../../../src/privacy/gaussian.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { exactIntegerDelta } from './integer-noise.ts';

const asked = { epsilon: 1, delta: 1e-6, dimension: 10 };

describe('the discrete Gaussian mechanism', () => {
  test('is plain data that belongs together', () => {
    const mechanism = discreteGaussianMechanism(asked);
    expect(mechanism.name).toBe('discrete Gaussian');
    expect(mechanism.guarantee).toEqual({ kind: 'approximate', epsilon: 1, delta: 1e-6 });
    expect(Math.log2(mechanism.sigma)).toBe(18);
    expect(mechanism.sensitivity).toBe(2 * mechanism.radius);
    expect(mechanism.mu).toBe(mechanism.sensitivity / mechanism.sigma);
    expect(mechanism.rho).toBeCloseTo(mechanism.mu ** 2 / 2, 14);
    expect(mechanism.rho).toBeGreaterThanOrEqual(mechanism.mu ** 2 / 2);
    expect(mechanism.deviation).toBe(mechanism.sigma * mechanism.step);
    expect(mechanism.saturation).toBeLessThan(1e-100);
    expect(JSON.parse(JSON.stringify(mechanism))).toEqual(mechanism);
  });

  test.each([0.1, 0.3, 1, 2, 4, 8])(
    'costs less than 0.1 %% of the variance at ε = %d, grid and rounding included',
    (epsilon) => {
      for (const dimension of [1, 10, 1000]) {
        const mechanism = discreteGaussianMechanism({ epsilon, delta: 1e-6, dimension });
        const continuous = analyticGaussianSigma({ epsilon, delta: 1e-6, sensitivity: 2 }) ** 2;
        const ratio = (mechanism.coordinateVariance + mechanism.roundingVariance) / continuous;
        expect(ratio).toBeGreaterThan(1);
        expect(ratio).toBeLessThan(1.001);
      }
    },
  );

  test('keeps the budget: a copy on the Gaussian curve, and exactly summed for a coarse grid', () => {
    for (const copies of [1, 7]) {
      const mechanism = discreteGaussianMechanism({ ...asked, copies });
      const delta = gdpDelta(mechanism.mu * Math.sqrt(copies), 1);
      expect(delta).toBeLessThan(1e-6);
      expect(delta).toBeGreaterThan(0.99e-6);
    }
    const coarse = discreteGaussianMechanism({ epsilon: 1, delta: 1e-6, dimension: 1, sigma: 400 });
    expect(exactIntegerDelta(400, 1, [coarse.sensitivity])).toBeLessThanOrEqual(1e-6);
    expect(exactIntegerDelta(400, 1, [coarse.sensitivity + 2])).toBeGreaterThan(1e-6);
  });

  test('takes a smaller sensitivity at its word, with what rounding adds to it', () => {
    const mechanism = discreteGaussianMechanism({ ...asked, sensitivity: 1 });
    expect(mechanism.sensitivity).toBeGreaterThan(mechanism.scale + 2 * Math.sqrt(10) - 1e-6);
    expect(mechanism.sensitivity).toBeLessThan(mechanism.scale + 2 * Math.sqrt(10) + 1e-6);
    const half = analyticGaussianSigma({ epsilon: 1, delta: 1e-6, sensitivity: 1 });
    expect(mechanism.deviation / half).toBeGreaterThan(1);
    expect(mechanism.deviation / half).toBeLessThan(1.001);
  });

  test('has the largest grid there is for budgets of any size, and is refused as ε where it must travel', () => {
    for (const sensitivity of [2, 1]) {
      const mechanism = discreteGaussianMechanism({ epsilon: 1e25, delta: 1e-6, dimension: 3, sensitivity });
      expect(mechanism.radius).toBe(2 ** 52 - 1);
    }
    expect(() => integerNoise({ epsilon: 1e25, delta: 1e-6, dimension: 3 })).toThrow(
      '"epsilon" expected a budget whose noise fits into 32-bit integers',
    );
  });

  test('takes larger integers for small budgets and many coordinates, and refuses the smallest', () => {
    expect(Math.log2(discreteGaussianMechanism({ ...asked, epsilon: 8 }).sigma)).toBe(16);
    const many = discreteGaussianMechanism({ ...asked, epsilon: 0.01, dimension: 100_000 });
    expect(Math.log2(many.sigma)).toBe(26);
    expect(many.radius).toBeGreaterThan(256 * Math.sqrt(100_000));
    const tiny = discreteGaussianMechanism({ epsilon: 1e-6, delta: 1e-9, dimension: 1000 });
    expect(tiny.radius).toBeGreaterThan(256 * Math.sqrt(1000));
    expect(() => discreteGaussianMechanism({ epsilon: 1e-12, delta: 1e-12, dimension: 1e6 })).toThrow(
      '"epsilon" expected',
    );
    expect(() => discreteGaussianMechanism({ ...asked, sigma: 20 })).toThrow('"sigma" expected');
  });
});

describe('its report', () => {
  const vector = [0.5, -0.25, 0, 0.1, 0, 0, 0.3, 0, -0.6, 0.2];

  /** Standard errors of the measured mean and mean square from the claimed ones. */
  function deviations(request: DiscreteGaussianRequest, factor: number): readonly [number, number] {
    const mechanism = discreteGaussianMechanism(request);
    const random = seededRandom('reports');
    const target = new Int32Array(10);
    const reports = 20_000;
    let mean = 0;
    let square = 0;
    for (let t = 0; t < reports; t++) {
      randomizeDiscreteGaussian(mechanism, vector, target, random);
      for (let i = 0; i < 10; i++) {
        const error = target[i] * mechanism.step - vector[i];
        mean += error;
        square += error * error;
      }
    }
    const variance = factor * mechanism.coordinateVariance;
    const count = 10 * reports;
    return [mean / Math.sqrt(count * variance), (square - count * variance) / Math.sqrt(2 * count) / variance];
  }

  test('is unbiased with the variance claimed, and not with 5 % more standard deviation', () => {
    // Two deviations beyond 4.5 standard errors: probability 1.4e-5.
    expect(Math.max(...deviations(asked, 1).map(Math.abs))).toBeLessThan(4.5);
    expect(Math.abs(deviations(asked, 1.05 ** 2)[1])).toBeGreaterThan(4.5);
  });

  test('is whole numbers, the same in both kinds of target, and saturates', () => {
    const mechanism = discreteGaussianMechanism(asked);
    const [first, second] = [new Int32Array(11).fill(7), new Float64Array(11).fill(7)];
    randomizeDiscreteGaussian(mechanism, vector, first, seededRandom(5));
    randomizeDiscreteGaussian(mechanism, vector, second, seededRandom(5));
    expect(Array.from(first)).toEqual(Array.from(second));
    expect(first[10]).toBe(7);
    const wide = discreteGaussianMechanism({ ...asked, sigma: 2 ** 36 });
    expect(wide.saturation).toBe(1);
    randomizeDiscreteGaussian(wide, vector, first, seededRandom(5));
    expect(Array.from(first.subarray(0, 10), Math.abs).filter((k) => k === 2 ** 31 - 1).length).toBeGreaterThan(5);
  });

  test('takes long vectors and refuses what is not in the ball, without its value', () => {
    const mechanism = discreteGaussianMechanism({ ...asked, dimension: 300 });
    const target = new Int32Array(300);
    randomizeDiscreteGaussian(mechanism, new Float64Array(300).fill(0.05), target, seededRandom(6));
    expect(new Set(target).size).toBeGreaterThan(290);
    const outside = new Float64Array(300).fill(0.0712345);
    expect(() => randomizeDiscreteGaussian(mechanism, outside, target, seededRandom(6))).toThrow(RangeError);
    expect(() => randomizeDiscreteGaussian(mechanism, outside, target, seededRandom(6))).not.toThrow('0.07');
  });
});

test.each([
  [{ sensitivity: 0 }, '"sensitivity" expected'],
  [{ sensitivity: 2.5 }, '"sensitivity" expected'],
  [{ copies: 0 }, '"copies" expected'],
  [{ sigma: 2 ** 45 }, '"sigma" expected'],
  [{ sigma: 1000.5 }, '"sigma" expected'],
  [{ delta: 0 }, '"delta" expected'],
  [{ dimension: 1.5 }, '"dimension" expected'],
  [{ dimension: 0 }, '"dimension" expected'],
  [{ rounding: 'up' as 'random' }, '"rounding" expected one of random, nearest, got "up"'],
])('%j is refused', (change, message) => {
  expect(() => discreteGaussianMechanism({ ...asked, ...change })).toThrow(message);
});

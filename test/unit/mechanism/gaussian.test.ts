import { describe, expect, test } from '@jest/globals';
import { gaussianMechanism, randomizeGaussian } from '../../../src/mechanism/added-noise.ts';
import { deltaAt } from '../../../src/privacy/conversion.ts';
import { analyticGaussianSigma } from '../../../src/privacy/gaussian.ts';
import { seededRandom } from '../../../src/random/seeded.ts';

describe('the Gaussian mechanism', () => {
  test('says what it guarantees and how far off it is', () => {
    expect(gaussianMechanism({ dimension: 3, sensitivity: 2, sigma: 4 })).toEqual({
      name: 'Gaussian',
      dimension: 3,
      sensitivity: 2,
      sigma: 4,
      guarantee: { kind: 'gdp', mu: 0.5 },
      densityRatio: Infinity,
      squaredError: 48,
      coordinateVariance: 16,
    });
  });

  test('keeps the budget that σ was calibrated for', () => {
    const sigma = analyticGaussianSigma({ epsilon: 1, delta: 1e-6, sensitivity: 2 });
    const { guarantee } = gaussianMechanism({ dimension: 3, sensitivity: 2, sigma });
    expect(deltaAt(guarantee, 1)).toBeLessThanOrEqual(1e-6 * (1 + 1e-12));
    expect(deltaAt(guarantee, 0.99)).toBeGreaterThan(1e-6);
  });

  /** Standard errors between the measured and the claimed mean and squared error. */
  function deviations(claimed: number): readonly [number, number] {
    const mechanism = gaussianMechanism({ dimension: 3, sensitivity: 2, sigma: 1.5 });
    const random = seededRandom('gaussian');
    const vector = [0.1, -0.5, 0.3];
    const target = new Float64Array(3);
    const reports = 50_000;
    let mean = 0;
    let error = 0;
    for (let k = 0; k < reports; k++) {
      randomizeGaussian(mechanism, vector, target, random);
      for (let i = 0; i < 3; i++) {
        mean += target[i] - vector[i];
        error += (target[i] - vector[i]) ** 2;
      }
    }
    // 3N normals: the sum has variance 3Nσ², the sum of squares 6Nσ⁴.
    const sigma = claimed;
    return [
      mean / Math.sqrt(3 * reports * sigma ** 2),
      (error - 3 * reports * sigma ** 2) / Math.sqrt(6 * reports * sigma ** 4),
    ];
  }

  test('adds centred noise of standard deviation σ, and not of 1.05σ', () => {
    // Two deviations beyond 4 standard errors: probability 1.3e-4.
    expect(Math.max(...deviations(1.5).map(Math.abs))).toBeLessThan(4);
    expect(Math.abs(deviations(1.5 * 1.05)[1])).toBeGreaterThan(4);
  });

  test('works in place, in single precision and on long vectors', () => {
    const mechanism = gaussianMechanism({ dimension: 500, sensitivity: 2, sigma: 1 });
    const target = new Float64Array(501).fill(0.25);
    const single = new Float32Array(501).fill(0.25);
    randomizeGaussian(mechanism, new Float64Array(500).fill(0.25), single, seededRandom(2));
    randomizeGaussian(mechanism, target, target, seededRandom(2));
    expect(target[500]).toBe(0.25);
    expect([...single]).toEqual([...target].map(Math.fround));
    expect(new Set(target).size).toBeGreaterThan(490);
  });

  test('refuses what is not a dimension, a sensitivity or a standard deviation', () => {
    expect(() => gaussianMechanism({ dimension: 1.5, sensitivity: 1, sigma: 1 })).toThrow('"dimension" expected');
    expect(() => gaussianMechanism({ dimension: 1, sensitivity: 0, sigma: 1 })).toThrow('"sensitivity" expected');
    expect(() => gaussianMechanism({ dimension: 1, sensitivity: 1, sigma: Number.NaN })).toThrow('"sigma" expected');
  });
});

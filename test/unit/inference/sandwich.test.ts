import { describe, expect, test } from '@jest/globals';
import { packedLength } from '../../../src/inference/block-sums.ts';
import { sandwich } from '../../../src/inference/interval.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { printedPlugIn } from '../../evidence/online-sgd/printed-plug-in.ts';
import { MODEL, sandwichOf } from './linear-sgd.ts';
import { relativeGap } from './paths.ts';

const hessian = Float64Array.from(MODEL.hessian);
const gradient = Float64Array.of(1, -0.5, -0.5, 0.89);
const [a, b, c] = sandwichOf(MODEL);
const expected = Float64Array.of(a, b, b, c);

describe('the sandwich', () => {
  test('is refused where it is no double, and a packed length for what is no dimension', () => {
    const huge = {
      dimension: 1,
      hessian: Float64Array.of(1e-200),
      gradient: Float64Array.of(1e100),
      hessianFloor: 1e-200,
    };
    expect(() => sandwich(huge)).toThrow('"covariance" expected finite numbers, got Infinity');
    for (const dimension of [-1, 0.5, Number.NaN, Infinity]) {
      expect(() => packedLength(dimension)).toThrow('"dimension" expected a whole number >= 0');
    }
    expect([0, 1, 3].map(packedLength)).toEqual([0, 1, 6]);
  });

  test('is Ã⁻¹S̃Ã⁻¹, exactly symmetric, and says that no floor was in use', () => {
    const result = sandwich({ dimension: 2, hessian, gradient, hessianFloor: 0.1 });
    expect(relativeGap(result.covariance, expected)).toBeLessThan(1e-14);
    expect(result.covariance[1]).toBe(result.covariance[2]);
    expect(result).toMatchObject({ raisedHessian: 0, raisedGradient: 0 });
  });

  test('raises small and negative eigenvalues and says how many', () => {
    const result = sandwich({
      dimension: 3,
      hessian: Float64Array.of(2, 0, 0, 0, 0.01, 0, 0, 0, -5),
      gradient: Float64Array.of(4, 0, 0, 0, 1, 0, 0, 0, 0.02),
      hessianFloor: 0.5,
      gradientFloor: 0.25,
    });
    const diagonal = [0, 4, 8].map((k) => result.covariance[k]);
    expect(diagonal).toEqual([expect.closeTo(1, 13), expect.closeTo(4, 13), expect.closeTo(1, 13)]);
    expect(result).toMatchObject({ raisedHessian: 2, raisedGradient: 1 });
  });

  test('refuses floors and matrices that are none', () => {
    const request = { dimension: 2, hessian, gradient, hessianFloor: 0.1 };
    expect(() => sandwich({ ...request, hessianFloor: 0 })).toThrow('"hessianFloor"');
    expect(() => sandwich({ ...request, gradientFloor: -1 })).toThrow('"gradientFloor"');
    expect(() => sandwich({ ...request, dimension: 3 })).toThrow('"matrix"');
    expect(() => sandwich({ ...request, hessian: Float64Array.of(1, Number.NaN, 0, 1) })).toThrow('"matrix"');
  });
});

describe('the printed plug-in', () => {
  const request = {
    dimension: 2,
    steps: 1e12,
    mu: 2,
    hessian,
    gradient,
    gradientBound: 3,
    hessianBound: 5,
    hessianFloor: 1e-3,
    gradientFloor: 1e-3,
  };

  test('is labelled central, with the guarantee of two matrices', () => {
    const result = printedPlugIn(request, seededRandom(1));
    expect(result.model).toBe('central');
    expect(result.guarantee).toMatchObject({ mu: expect.closeTo(2 * Math.SQRT2, 14) });
  });

  test('for endless players is the sandwich with 4B₀²/μ² added in the middle', () => {
    const { covariance } = printedPlugIn(request, seededRandom(1));
    const noisy = Float64Array.of(1 + 9, -0.5, -0.5, 0.89 + 9);
    const limit = sandwich({ dimension: 2, hessian, gradient: noisy, hessianFloor: 1e-3 }).covariance;
    expect(relativeGap(covariance, limit)).toBeLessThan(1e-9);
    expect(relativeGap(covariance, expected)).toBeGreaterThan(1);
  });

  // With A = I and next to no noise on it, Σ is the middle: S + 4B₀²/μ²·I = 5·I plus the noise, of scale 0.02. A sample
  // variance of 20,000 normals has a relative deviation of 0.01, the bound is 4.5 of them; a scale off by 5 % is 0.10.
  test('adds symmetric noise of scale 2B₀²/(nμ) to the middle; 5 % more or less is noticed', () => {
    const random = seededRandom('middle');
    const identity = Float64Array.of(1, 0, 0, 1);
    const draws = 20_000;
    let diagonal = 0;
    let mixed = 0;
    for (let draw = 0; draw < draws; draw++) {
      const result = printedPlugIn(
        { ...request, steps: 100, mu: 1, hessian: identity, gradient: identity, gradientBound: 1, hessianBound: 1e-9 },
        random,
      ).covariance;
      diagonal += (result[0] - 5) ** 2 / draws;
      mixed += result[1] ** 2 / draws;
    }
    for (const variance of [diagonal, mixed]) {
      expect(Math.abs(variance / 0.02 ** 2 - 1)).toBeLessThan(0.045);
      expect(Math.abs(variance / 0.021 ** 2 - 1)).toBeGreaterThan(0.045);
      expect(Math.abs(variance / 0.019 ** 2 - 1)).toBeGreaterThan(0.045);
    }
  });
});

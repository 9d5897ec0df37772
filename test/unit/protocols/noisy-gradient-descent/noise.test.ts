import { describe, expect, test } from '@jest/globals';
import { addNoise, descentVariance, flooredEigen } from '../../../../protocols/noisy-gradient-descent/curator.ts';
import {
  leastGradientSteps,
  leastHessianRecords,
  leastNewtonSteps,
  leastRecords,
  squareSensitivity,
} from '../../../../protocols/noisy-gradient-descent/model.ts';
import { calibratedSensitivity } from '../../../../protocols/noisy-gradient-descent/parameters.ts';
import { addSquare, packedLength, unpackSymmetric } from '../../../../src/inference/block-sums.ts';
import { symmetricEigen } from '../../../../src/optimize/ball.ts';
import { fillNormal } from '../../../../src/random/random.ts';
import { seededRandom } from '../../../../src/random/seeded.ts';
import { minimaxErrorRate } from '../../../evidence/noisy-fit/rates.ts';

const { abs, ceil, hypot, log, max, sqrt, SQRT2 } = Math;

/** ‖vech(aaᵀ − bbᵀ)‖. */
function squareDistance(a: Float64Array, b: Float64Array): number {
  const packed = new Float64Array(packedLength(a.length));
  addSquare(packed, a);
  addSquare(packed, b, -1);
  return hypot(...packed);
}

describe('the symmetric-matrix mechanism', () => {
  test('has sensitivity √2·B̄, reached by two axes; the printed 2B̄ is √2 times that', () => {
    const root = sqrt(3);
    expect(squareDistance(Float64Array.of(root, 0, 0), Float64Array.of(0, root, 0))).toBeCloseTo(
      squareSensitivity(3),
      12,
    );
    expect(calibratedSensitivity(3, 'exact')).toBe(squareSensitivity(3));
    expect(calibratedSensitivity(3, 'printed')).toBe(6);
  });

  test('has no larger distance between any two factors', () => {
    const random = seededRandom('pairs');
    const a = new Float64Array(4);
    const b = new Float64Array(4);
    let largest = 0;
    for (let trial = 0; trial < 20_000; trial++) {
      fillNormal(a, random);
      fillNormal(b, random);
      const [sizeA, sizeB] = [hypot(...a), hypot(...b)];
      for (let i = 0; i < 4; i++) {
        a[i] /= sizeA;
        b[i] /= sizeB;
      }
      largest = max(largest, squareDistance(a, b));
    }
    expect(largest).toBeLessThanOrEqual(SQRT2);
    expect(largest).toBeGreaterThan(1.2);
  });

  test('adds noise of the asked variance to every distinct entry', () => {
    const random = seededRandom('matrix noise');
    const draws = 20_000;
    const squares = new Float64Array(6);
    const packed = new Float64Array(6);
    for (let r = 0; r < draws; r++) {
      packed.fill(0);
      addNoise(packed, 3, random);
      for (let k = 0; k < 6; k++) squares[k] += packed[k] ** 2 / (9 * draws);
    }
    // A mean of squares has sd √(2/20,000) = .01: 5 sd, false alarm 6·6e-7. Noise that is 5 % off is 10 sd away.
    const worst = max(...squares.map((square) => abs(square - 1)));
    expect(worst).toBeLessThan(0.05);
    expect(1.05 ** 2 - 1 - worst).toBeGreaterThan(0.05);
  });
});

describe('conditions', () => {
  test('gradient steps: ½·log n/−log(1 − ητ), one where a step is exact', () => {
    expect(leastGradientSteps(500, 1, 0.1)).toBe(30);
    expect(leastGradientSteps(4000, 1, 0.1)).toBe(40);
    expect(leastGradientSteps(4000, 1, 1)).toBe(1);
    expect(0.9 ** leastGradientSteps(777, 2, 0.05)).toBeLessThanOrEqual(1 / sqrt(777));
    expect(() => leastGradientSteps(10, 2, 0.6)).toThrow('"step · strongConvexity"');
  });

  test('Newton steps: log log n, at least 2', () => {
    expect([1, 500, 1700, 4000, 1e9].map(leastNewtonSteps)).toEqual([2, 2, 3, 3, 4]);
  });

  test('records: by hand', () => {
    const fields = { dimension: 4, steps: 25, mu: 0.5, sensitivity: 4, largestNoise: 2 };
    expect(leastRecords(fields)).toBe(ceil((4 * 5 * (2 + sqrt(2 * log(500)))) / (0.5 * 2)));
    expect(() => leastRecords({ ...fields, mu: 0 })).toThrow('"mu"');
  });

  test('records for Hessians: by hand, and the norm of noise that they speak of', () => {
    const fields = { dimension: 16, steps: 4, mu: 0.5, sensitivity: 3, strongConvexity: 0.1 };
    expect(leastHessianRecords(fields)).toBe(960);
    const random = seededRandom('norms');
    let mean = 0;
    for (let r = 0; r < 200; r++) {
      const packed = new Float64Array(packedLength(16));
      addNoise(packed, 1, random);
      const { values } = symmetricEigen(unpackSymmetric(packed, 16), 16);
      mean += max(abs(values[0]), abs(values[15])) / 200;
    }
    // 2√p = 8 but for a correction of order p^(−1/6); a norm varies by about 1, the mean of 200 by .07.
    expect(mean).toBeGreaterThan(7);
    expect(mean).toBeLessThan(8.5);
  });

  test('the bound on the longest of K noises fails as seldom as it says', () => {
    const random = seededRandom('longest');
    const [dimension, steps, runs] = [4, 25, 4000];
    const bound = sqrt(dimension) + sqrt(2 * log(steps / 0.05));
    const z = new Float64Array(dimension);
    let failures = 0;
    for (let run = 0; run < runs; run++) {
      let longest = 0;
      for (let k = 0; k < steps; k++) {
        fillNormal(z, random);
        longest = max(longest, hypot(...z));
      }
      if (longest > bound) failures++;
    }
    // At most 5 %: the count is then below 200 + 5·13.8 but for 3e-7.
    expect(failures).toBeLessThan(269);
  });

  test('the lower-bound curve: by hand, and its slopes −½ and −1', () => {
    const fields = { deviation: 2, dimension: 4, records: 400, epsilon: 1, delta: 1e-5 };
    expect(minimaxErrorRate(fields)).toBeCloseTo(2 * (0.1 + (4 * sqrt(log(1e5))) / 400), 12);
    const ratio = (n: number, epsilon: number) =>
      minimaxErrorRate({ ...fields, records: 4 * n, epsilon }) / minimaxErrorRate({ ...fields, records: n, epsilon });
    expect(ratio(1e6, 1e6)).toBeCloseTo(1 / 2, 3);
    expect(ratio(1e6, 1e-9)).toBeCloseTo(1 / 4, 3);
  });
});

describe('the variance that steps leave', () => {
  test('is that of the recursion', () => {
    let variance = 0;
    for (let k = 0; k < 7; k++) variance = (1 - 0.8 * 0.3) ** 2 * variance + 0.8 ** 2 * 0.05 ** 2;
    expect(descentVariance(0.3, 0.8, 7, 0.05)).toBeCloseTo(variance, 15);
  });

  test('grows by the step where nothing is contracted', () => {
    expect(descentVariance(1e-20, 1, 5, 0.1)).toBeCloseTo(0.05, 15);
    expect(descentVariance(2, 1, 5, 0.1)).toBeCloseTo(0.05, 15);
    // A curvature above 2/η is noise: the last step is all that is left.
    expect(descentVariance(2.1, 1, 5, 0.1)).toBeCloseTo(0.01, 15);
    expect(() => descentVariance(0, 1, 5, 0.1)).toThrow('"curvature"');
  });
});

test('the eigenvalues of a Hessian are raised to the floor, or refused with the smallest', () => {
  const hessian = Float64Array.of(2, 0, 0, -1);
  expect(Array.from(flooredEigen(hessian, 2, 0.1).values)).toEqual([0.1, 2]);
  expect(() => flooredEigen(hessian, 2, 0)).toThrow(
    '"smallest eigenvalue of the Hessian" expected a number > 0 after the floor 0, got -1',
  );
});

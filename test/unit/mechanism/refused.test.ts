import { describe, expect, test } from '@jest/globals';
import { unpackSymmetric } from '../../../src/inference/block-sums.ts';
import {
  gaussianMechanism,
  randomizeGaussian,
  randomizeSphericalLaplace,
  sphericalLaplace,
} from '../../../src/mechanism/added-noise.ts';
import { randomizeSubset, subsetSelection } from '../../../src/mechanism/categories.ts';
import { discreteGaussianMechanism, randomizeDiscreteGaussian } from '../../../src/mechanism/discrete-gaussian.ts';
import { kClosest, randomizeKClosest } from '../../../src/mechanism/k-closest.ts';
import { privUnitG, randomizePrivUnitG } from '../../../src/mechanism/unit-mechanism.ts';
import { innerProduct } from '../../../src/numeric/matrix.ts';
import { largestGap } from '../../../src/optimize/corrected-risk.ts';
import { analyticGaussianSigma } from '../../../src/privacy/gaussian.ts';
import type { Random } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';

const UNIT = Float64Array.of(0.6, 0, 0.8);
const gaussian = gaussianMechanism({ dimension: 3, sensitivity: 1, sigma: 1 });
const laplace = sphericalLaplace({ dimension: 3, epsilon: 1 });
const grid = discreteGaussianMechanism({ dimension: 3, epsilon: 1, delta: 1e-6 });

/** Each randomizer of an array, with a target of any length, and how many numbers it writes. */
const RANDOMIZERS: readonly (readonly [string, number, (length: number, random: Random) => void])[] = [
  ['randomizeGaussian', 3, (length, random) => randomizeGaussian(gaussian, UNIT, new Float64Array(length), random)],
  [
    'randomizeSphericalLaplace',
    3,
    (length, random) => randomizeSphericalLaplace(laplace, UNIT, new Float64Array(length), random),
  ],
  [
    'randomizePrivUnitG',
    3,
    (length, random) =>
      randomizePrivUnitG(privUnitG({ dimension: 3, epsilon: 1 }), UNIT, new Float64Array(length), random),
  ],
  [
    'randomizeKClosest',
    4,
    (length, random) =>
      randomizeKClosest(kClosest({ dimension: 3, epsilon: 1 }), UNIT, new Uint32Array(length), random),
  ],
  [
    'randomizeDiscreteGaussian',
    3,
    (length, random) => randomizeDiscreteGaussian(grid, UNIT, new Int32Array(length), random),
  ],
  [
    'randomizeSubset',
    subsetSelection({ categories: 9, epsilon: 0.5 }).subset,
    (length, random) =>
      randomizeSubset(subsetSelection({ categories: 9, epsilon: 0.5 }), 2, new Uint32Array(length), random),
  ],
];

describe('a randomizer refuses before it takes a coin', () => {
  test.each(RANDOMIZERS)(
    '%s: a target that is too short, and takes one that is long enough',
    (_, needed, randomize) => {
      expect(needed).toBeGreaterThan(1);
      const random = seededRandom('targets');
      const [next, first] = [random.next, random.words[random.next]];
      for (const length of [0, needed - 1]) {
        expect(() => randomize(length, random)).toThrow(`"target" expected ${needed} values, got ${length}`);
      }
      expect([random.next, random.words[random.next]]).toEqual([next, first]);
      randomize(needed, random);
      randomize(needed + 1, random);
      expect([random.next, random.words[random.next]]).not.toEqual([next, first]);
    },
  );

  test.each([
    [
      'randomizeGaussian',
      (vector: unknown) => randomizeGaussian(gaussian, vector as never, new Float64Array(3), COINS),
    ],
    [
      'randomizeSphericalLaplace',
      (vector: unknown) => randomizeSphericalLaplace(laplace, vector as never, new Float64Array(3), COINS),
    ],
  ])('%s: anything but finite numbers, without a value', (_, randomize) => {
    const { next } = COINS;
    const refused = [[0.5, 0.25], [0.5, Number.NaN, 0], [Infinity, 0, 0], ['0.5', 0, 0], undefined, null];
    for (const vector of refused) {
      expect(() => randomize(vector)).toThrow(new RangeError('"vector" expected 3 finite numbers'));
    }
    expect(COINS.next).toBe(next);
    randomize([0.5, 0.25, 0]);
    expect(COINS.next).not.toBe(next);
  });
});

const COINS = seededRandom('vectors');

describe('functions of numbers refuse', () => {
  test('vectors and matrices of other lengths', () => {
    expect(() => innerProduct(UNIT, UNIT.subarray(1))).toThrow('"b" expected 3 numbers, as in the first vector, got 2');
    expect(() => innerProduct(UNIT.subarray(1), UNIT)).toThrow('"b" expected 2 numbers');
    expect(() => unpackSymmetric(UNIT, 3)).toThrow('"packed" expected 6 numbers, got 3');
    expect(() => unpackSymmetric(UNIT, 1.5)).toThrow('"dimension" expected a whole number >= 0');
    expect([...unpackSymmetric(Float64Array.of(1, 2, 3), 2)]).toEqual([1, 2, 2, 3]);
  });

  test('a polynomial without coefficients, or on no interval', () => {
    const slope = (): number => 0;
    expect(() => largestGap([], slope, 1)).toThrow('"coefficients.length" expected a whole number >= 1, got 0');
    expect(() => largestGap([1, Number.NaN], slope, 1)).toThrow('"coefficients" expected finite numbers');
    expect(() => largestGap([1], slope, -1)).toThrow('"radius" expected a finite number > 0, got -1');
    expect(largestGap([1, 1], slope, 2)).toBe(3);
  });

  test('a sensitivity whose noise is no double', () => {
    const release = { epsilon: 0.1, delta: 1e-9 };
    expect(() => analyticGaussianSigma({ ...release, sensitivity: 1e308 })).toThrow(
      /^"sensitivity" expected .*, got 1e\+308$/,
    );
    expect(analyticGaussianSigma({ ...release, sensitivity: 1e300 })).toBeLessThan(Infinity);
  });
});

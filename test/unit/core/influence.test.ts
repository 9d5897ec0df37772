import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  checkNorms,
  chiSquareLimit,
  correctedLiftBounds,
  correctedPowerBounds,
  finiteOrInfinity,
  gaussianLimits,
  gaussianNormLimit,
  HONEST_REFUSAL,
  privUnitNormLimit,
  sphericalNormLimit,
  totalNorm,
  unitLimits,
} from '../../../src/core/influence.ts';
import { kClosest } from '../../../src/mechanism/k-closest.ts';
import { privUnitG } from '../../../src/mechanism/unit-mechanism.ts';
import { fillHermiteLift } from '../../../src/polynomial/heat.ts';
import { createLift } from '../../../src/polynomial/lift.ts';
import { upperGamma } from '../../statistics/incomplete-gamma.ts';

const { log, sqrt } = Math;

/** P(χ² with d degrees of freedom > x), by the testers' own special functions. */
const chiSquareTail = (d: number, x: number): number => upperGamma(d / 2, x / 2);

describe('the limit of chi-square', () => {
  const freedoms = [1, 2, 3, 10, 66, 1000, 1e5];
  const exponents = [0.1, 1, 5, 27.631, 60];

  test('is exceeded with at most the probability it was made for', () => {
    const tails = freedoms.flatMap((d) => exponents.map((x) => log(chiSquareTail(d, chiSquareLimit(d, x))) / x));
    expect(Math.max(...tails)).toBeLessThanOrEqual(-1);
  });

  test('is not far above what is needed: 12 % less would be too little at 1e-12', () => {
    const x = -log(1e-12);
    for (const d of freedoms)
      expect(chiSquareTail(d, (0.88 * chiSquareLimit(d, x)) / (d < 1000 ? 1 : 0.98))).toBeGreaterThan(1e-14);
    // The control: half of it is exceeded all the time.
    expect(chiSquareTail(66, 0.5 * chiSquareLimit(66, x))).toBeGreaterThan(1e-4);
  });

  test('by hand: three degrees of freedom, once in 10¹²', () => {
    // 3 + 2√(3·27.63102) + 2·27.63102.
    expect(chiSquareLimit(3, -log(1e-12))).toBeCloseTo(3 + 18.20912 + 55.26204, 4);
  });
});

describe('norm limits', () => {
  test('of a Gaussian copy: the centre and the noise, each at its most', () => {
    expect(gaussianNormLimit(1, 0, 7, 1e-12)).toBeCloseTo(1, 5);
    expect(gaussianNormLimit(1, 10, 3, 1e-12) - 1).toBeCloseTo(10 * sqrt(chiSquareLimit(3, -log(1e-12))), 3);
  });

  test('of PrivUnitG hold in one dimension by enumeration', () => {
    // z = scale·α: P(|α| > t) = keep·P(N > t)/cap for t above the threshold, plus the other side.
    const [cap, keep, scale] = [0.2, 0.7, 3];
    const limit = privUnitNormLimit({ dimension: 1, keep, cap, scale }, 1e-6) / scale;
    const tail = chiSquareTail(1, limit * limit) / 2;
    const exceeded = (keep / cap + (1 - keep) / (1 - cap)) * tail;
    expect(exceeded).toBeLessThan(1e-6);
    expect(exceeded).toBeGreaterThan(1e-10);
  });

  test('of spherical Laplace noise hold for its gamma law', () => {
    for (const noiseDimension of [1, 3, 11, 29]) {
      const limit = sphericalNormLimit({ noiseDimension, rate: 0.5 }, 1e-12);
      const tail = upperGamma(noiseDimension, 0.5 * (limit - 1));
      expect(tail).toBeLessThan(1e-12);
      expect(tail).toBeGreaterThan(1e-18);
    }
  });
});

describe('corrected powers', () => {
  test('of a number stay below their bounds, which are reached but for the slack of the law', () => {
    const [sigma, r, degree] = [1.3, 6, 9];
    const bounds = correctedPowerBounds(degree, sigma, r);
    const most = new Float64Array(degree + 1);
    for (let i = 0; i <= 6000; i++) {
      let [before, current] = [0, 1];
      for (let m = 0; m <= degree; m++) {
        most[m] = Math.max(most[m], current * current);
        [before, current] = [current, (i / 1000) * current - m * sigma * sigma * before];
      }
    }
    const ratios = Array.from(most, (square, m) => square / bounds[m]);
    expect(Math.max(...ratios)).toBeLessThanOrEqual(1);
    // Far out the slack is mσ²/r² at most to first order.
    const far = correctedPowerBounds(3, 1, 100);
    expect(far[3] / (100 ** 3 - 300) ** 2).toBeLessThan(1.001);
  });

  const cases = fc.record({
    dimension: fc.integer({ min: 1, max: 4 }),
    degree: fc.integer({ min: 1, max: 6 }),
    sigma: fc.double({ min: 0.01, max: 20, noNaN: true }),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    radius: fc.double({ min: 0.1, max: 50, noNaN: true }),
    direction: fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 4, maxLength: 4 }),
  });

  /** Squared norms of the blocks of the corrected lift of z, and their bounds. */
  function blocks({ dimension, degree, sigma, share, radius, direction }: Case): number[][] {
    const lift = createLift(dimension, degree);
    const own = direction.slice(0, dimension);
    const norm = sqrt(own.reduce((sum, entry) => sum + entry * entry, 0));
    const z = norm > 1e-6 ? own.map((entry) => (entry * share * radius) / norm) : own.map(() => 0);
    const target = new Float64Array(lift.size);
    fillHermiteLift(lift, z, sigma * sigma, target);
    const bounds = correctedLiftBounds(lift, sigma, radius);
    return Array.from(bounds, (bound, j) => [
      target.subarray(lift.offsets[j], lift.offsets[j + 1]).reduce((sum, entry) => sum + entry * entry, 0),
      bound,
    ]);
  }

  test('of a vector stay below their bounds, block by block, in every direction', () => {
    fc.assert(
      fc.property(cases, (one) => blocks(one).every(([square, bound]) => square <= bound * (1 + 1e-9))),
      { numRuns: 3000, seed: 20 },
    );
  });

  test('come within 10 % of their bounds at the largest norm: less would not do', () => {
    const at = { dimension: 3, degree: 4, sigma: 1, share: 1, radius: 30, direction: [0.3, -0.5, 0.1, 0] };
    for (const [square, bound] of blocks(at)) expect(square / bound).toBeGreaterThan(0.9);
    const [square, bound] = [totalNorm(blocks(at).map(([own]) => own)), totalNorm(blocks(at).map(([, most]) => most))];
    expect(square / bound).toBeGreaterThan(0.95);
    // The control: bounds computed for a radius 5 % smaller are broken.
    const smaller = totalNorm(correctedLiftBounds({ dimension: 3, degree: 4 }, 1, 0.95 * 30));
    expect(square).toBeGreaterThan(smaller);
  });

  test('of zero, by hand: in three dimensions the second has norm σ²√3', () => {
    expect(correctedLiftBounds({ dimension: 3, degree: 2 }, 2, 0)[1]).toBeGreaterThanOrEqual(3 * 2 ** 4);
    expect(
      blocks({ dimension: 3, degree: 2, sigma: 2, share: 0, radius: 1, direction: [0, 0, 0, 0] })[1][0],
    ).toBeCloseTo(48, 10);
  });
});

describe('by hand', () => {
  test('limits of PrivUnitG and of spherical Laplace noise', () => {
    const unit = privUnitG({ epsilon: 1, dimension: 4 });
    const { scale, keep, cap } = unit;
    // P(‖z‖ > t) is at most keep/cap times that of χ² with four degrees of freedom; refused once in e^x.
    const x = 5 + Math.log(keep / cap);
    const norm = scale * sqrt(4 + 2 * sqrt(4 * x) + 2 * x);
    expect(privUnitNormLimit(unit, Math.exp(-5)) / norm).toBeCloseTo(1 + 1e-6, 8);
    // A Gamma(3, 1/rate) length is χ² with six degrees of freedom over 2·rate.
    const length = 1 + (6 + 2 * sqrt(6 * 5) + 2 * 5) / (2 * 0.7);
    expect(sphericalNormLimit({ noiseDimension: 3, rate: 0.7 }, Math.exp(-5)) / length).toBeCloseTo(1 + 1e-6, 8);
  });

  test('bounds of corrected powers of a number, σ = 1, r = 2: h = 1, 2, 3, 2, −5', () => {
    // h_m² + m·h_{m−1}².
    expect(Array.from(correctedPowerBounds(4, 1, 2))).toEqual([1, 4 + 1, 9 + 2 * 4, 4 + 3 * 9, 25 + 4 * 4]);
    // σ = 2: h = 1, 2, 0, and σ² = 4.
    expect(Array.from(correctedPowerBounds(2, 2, 2))).toEqual([1, 4 + 4, 0 + 2 * 4 * 4]);
  });

  test('bounds of corrected symmetric powers in four dimensions: across, q = 1, 3, 45 from (1 − x²)^(−3/2)', () => {
    const blocks = [5, 17 + 3, 31 + 3 * 5 * 3, 41 + 6 * 17 * 3 + 45];
    expect(Array.from(correctedLiftBounds({ dimension: 4, degree: 4 }, 1, 2))).toEqual(blocks);
    // In one dimension there is nothing across.
    expect(Array.from(correctedLiftBounds({ dimension: 1, degree: 2 }, 1, 2))).toEqual([5, 17]);
    expect(totalNorm([9, 16])).toBe(5);
  });

  test('limits of a Gaussian copy: the norm, what it does to the sums, and that of an honest report', () => {
    const lift = { dimension: 4, degree: 2 };
    const { influence, check } = gaussianLimits({ sigma: 2, length: 4, lift });
    const norm = gaussianNormLimit(1, 2, 4, HONEST_REFUSAL);
    // d + 2√(dx) + 2x at d = 4, x = −log 10⁻¹², and a millionth of it for rounding.
    const x = 12 * Math.LN10;
    const exact = 1 + 2 * sqrt(4 + 2 * sqrt(4 * x) + 2 * x);
    expect(norm / exact - 1).toBeGreaterThan(0.95e-6);
    expect(norm / exact - 1).toBeLessThan(1.05e-6);
    expect(influence).toMatchObject({ reportNorm: norm, honestNorm: sqrt(1 + 4 * 4), honestRefusal: 1e-12 });
    expect(influence.bound).toBe(totalNorm(correctedLiftBounds(lift, 2, norm)));
    expect(() => check([0, 0, norm * (1 - 1e-12), 0])).not.toThrow();
    // The first entry counts, and the last.
    expect(() => check([norm * 1.001, 0, 0, 0])).toThrow('"report" expected a norm');
    expect(() => check([0, 0, 0, norm * 1.001])).toThrow('"report" expected a norm');
    // Whole numbers on a grid: the limit is one of steps, the report is their number times a step.
    const noise = { radius: 50, sigma: 100, step: 0.02 };
    const deployed = gaussianLimits({ sigma: 2, length: 4, lift, noise });
    const steps = gaussianNormLimit(50, 100, 4, HONEST_REFUSAL);
    expect(deployed.influence.reportNorm).toBe(steps * 0.02);
    expect(() => deployed.check([steps * 0.999, 0, 0, 0])).not.toThrow();
    expect(() => deployed.check([steps * 1.001, 0, 0, 0])).toThrow('"report" expected a norm');
    expect([finiteOrInfinity(NaN), finiteOrInfinity(3)]).toEqual([Infinity, 3]);
  });

  test('limits of a report of a unit vector', () => {
    const unit = privUnitG({ epsilon: 1, dimension: 4 });
    const { influence, check } = unitLimits(unit);
    const norm = privUnitNormLimit(unit, HONEST_REFUSAL);
    // E‖z‖² = 1 + E‖z − u‖², z being unbiased for a unit vector.
    const honestNorm = sqrt(1 + unit.squaredError);
    expect(influence).toMatchObject({ reportNorm: norm, bound: norm, honestNorm, honestRefusal: 1e-12 });
    expect(() => check([norm * 1.001, 0, 0, 0])).toThrow('"report" expected a norm');
    expect(() => check([0, 0, 0, norm * 1.001])).toThrow('"report" expected a norm');
    expect(() => check([norm * 0.999, 0, 0, 0])).not.toThrow();
    const closest = kClosest({ epsilon: 1, dimension: 4 });
    const near = unitLimits(closest).influence;
    // Every codeword has the norm `scale`, but for the rounding of doubles; nobody honest is refused.
    expect(near.reportNorm / closest.scale - 1).toBeGreaterThan(0.9e-9);
    expect(near.reportNorm / closest.scale - 1).toBeLessThan(1.1e-9);
    expect(near).toMatchObject({ bound: near.reportNorm, honestNorm: closest.scale, honestRefusal: 0 });
  });
});

test('a norm beyond its limit is refused, at it is not, and NaN and infinities are', () => {
  const limits = [{ from: 1, to: 3, norm: 5 }];
  expect(() => checkNorms(limits, [1e9, 3, -4, 1e9])).not.toThrow();
  for (const values of [
    [0, 3, 4.001, 0],
    [0, NaN, 0, 0],
    [0, Infinity, 0, 0],
    [0, 1e200, 0, 0],
  ]) {
    expect(() => checkNorms(limits, values)).toThrow(
      '"report" expected a norm that these parameters produce but once in 1e12 reports',
    );
  }
});

interface Case {
  readonly dimension: number;
  readonly degree: number;
  readonly sigma: number;
  readonly share: number;
  readonly radius: number;
  readonly direction: readonly number[];
}

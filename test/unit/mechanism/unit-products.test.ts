import { describe, expect, test } from '@jest/globals';
import { addUnitProducts } from '../../../src/core/vector-channel.ts';
import { type KClosest, kClosest, type UnitRequest } from '../../../src/mechanism/k-closest.ts';
import {
  drawAlong,
  privUnitG,
  privUnitWith,
  randomizeUnit,
  type UnitRandomizer,
} from '../../../src/mechanism/unit-mechanism.ts';
import {
  productConstants,
  productError,
  productGradient,
  productKClosest,
  productPrivUnitG,
  reportMoments,
} from '../../../src/mechanism/unit-products.ts';
import { normalCdf, normalQuantile } from '../../../src/numeric/normal.ts';
import { createLift, fillLift } from '../../../src/polynomial/lift.ts';
import { seededRandom } from '../../../src/random/seeded.ts';

type Make = (request: UnitRequest) => UnitRandomizer;

/** The unit vector that reports are made of. */
function unitOf(dimension: number): Float64Array {
  const u = Float64Array.from({ length: dimension }, (_, i) => ((i * 5) % 7) - 2.5);
  const norm = Math.hypot(...u);
  return u.map((entry) => entry / norm);
}

/** What n reports say of u and uuᵀ: the squared errors of the means, and of single reports, per entry and in units of what is stated. */
function measured(mechanism: UnitRandomizer, n: number, { offset, gain, variance } = productConstants(mechanism)) {
  const { dimension, coordinateVariance } = mechanism;
  const lift = createLift(dimension, 2);
  const u = unitOf(dimension);
  const target = new Float64Array(lift.size);
  fillLift(lift, lift.weight, u, target);
  const random = seededRandom('products');
  const report = mechanism.name === 'k-closest' ? new Uint32Array(4) : new Float64Array(dimension);
  const one = new Float64Array(lift.size);
  const sums = new Float64Array(lift.size);
  let single = 0;
  for (let i = 0; i < n; i++) {
    randomizeUnit(mechanism, u, report, random);
    one.fill(0);
    addUnitProducts(mechanism, lift, report, offset, one);
    for (let j = 0; j < lift.size; j++) {
      sums[j] += one[j];
      if (j >= dimension) single += (one[j] / gain - target[j]) ** 2;
    }
  }
  const products = lift.size - dimension;
  const square = (from: number, to: number, factor: number) =>
    Array.from({ length: to - from }, (_, j) => (sums[from + j] / n / factor - target[from + j]) ** 2).reduce(
      (sum, term) => sum + term,
      0,
    );
  return {
    first: (n * square(0, dimension, 1)) / dimension / coordinateVariance,
    second: (n * square(dimension, lift.size, gain)) / products / variance,
    single: single / n / products / variance,
  };
}

describe.each([
  ['PrivUnitG', productPrivUnitG as Make],
  ['k-closest', productKClosest as Make],
] as const)('%s for products', (_, make) => {
  test.each([
    [1, 4],
    [4, 4],
    [1, 9],
    [6, 9],
  ])('tells u and uuᵀ without bias, with the stated variance: ε = %d, %d coordinates', (epsilon, dimension) => {
    const mechanism = make({ epsilon, dimension });
    // Means of at least 4 squares of nearly normal variables with unequal variances of mean 1: beyond 5 with probability below 2e-4
    // each, sixteen of them: 1 in 300 seeds. The mean of 60,000 squared errors has a relative error below .02: five of them are .1.
    const { first, second, single } = measured(mechanism, 60_000);
    expect(first).toBeLessThan(5);
    expect(second).toBeLessThan(5);
    expect(Math.abs(single - 1)).toBeLessThan(0.1);
  });

  test('control: with the constants of the best cap for the mean, or a gain that is a fifth off, products are biased', () => {
    const mechanism = make({ epsilon: 4, dimension: 4 });
    const constants = productConstants(mechanism);
    // uuᵀ has norm 1: an error of a fifth in ten entries is n·.04/10/variance, hundreds of times what is stated.
    expect(measured(mechanism, 60_000, { ...constants, gain: 1.2 * constants.gain }).second).toBeGreaterThan(50);
    expect(measured(mechanism, 60_000, { ...constants, offset: 1.2 * constants.offset }).second).toBeGreaterThan(50);
  });

  test('the moments of a report along u and beside it, and E‖G‖² of a gradient from both estimates', () => {
    const mechanism = make({ epsilon: 2, dimension: 5 });
    const u = unitOf(5);
    const { along, rest, restFourth, fourthNorm } = reportMoments(mechanism);
    const constants = productConstants(mechanism);
    const { offset, gain } = constants;
    const w = [0.3, -0.8, 0.5, 0.4];
    const [c0, c1] = [0.7, -0.9];
    const inner = w.reduce((sum, entry, i) => sum + entry * u[i], 0);
    const vectorNorm = Math.hypot(...u.slice(0, 4));
    const point = { inner, norm: Math.hypot(...w), vectorNorm, dimension: 4 };
    const lift = createLift(5, 1);
    const random = seededRandom('moments of a report');
    const report = mechanism.name === 'k-closest' ? new Uint32Array(4) : new Float64Array(5);
    const z = new Float64Array(5);
    const n = 200_000;
    const found = new Float64Array(10);
    for (let i = 0; i < n; i++) {
      randomizeUnit(mechanism, u, report, random);
      z.fill(0);
      addUnitProducts(mechanism, lift, report, offset, z);
      const s = z.reduce((sum, entry, j) => sum + entry * u[j], 0);
      const norm = z.reduce((sum, entry) => sum + entry * entry, 0);
      const y = norm - s * s;
      const margin = w.reduce((sum, entry, j) => sum + entry * z[j], 0);
      const squares = w.reduce(
        (sum, entry, j) => sum + (c0 * z[j] + (c1 * (z[j] * margin - offset * entry)) / gain) ** 2,
        0,
      );
      [s, s * s, s ** 3, s ** 4, y, s * y, s * s * y, y * y, norm * norm, squares].forEach((value, k) => {
        found[k] += value / n;
      });
    }
    const stated = [...along, ...rest, restFourth, fourthNorm, productGradient(constants, [c0, c1], point)];
    // Relative errors of means of 200,000 such powers are below .012 (the fourth ones): five of them are .06.
    for (const [k, value] of stated.entries()) expect(Math.abs(found[k] / value - 1)).toBeLessThan(0.06);
    // A control: the gradient without what the two estimates have in common.
    const apart =
      c0 ** 2 * productGradient(constants, [1, 0], point) + c1 ** 2 * productGradient(constants, [0, 1], point);
    expect(Math.abs(found[9] / apart - 1)).toBeGreaterThan(0.06);
  });
});

describe('the cap for products', () => {
  const FLOOR = 0.25;
  const objective = (epsilon: number, near: number, far: number): number => {
    const mechanism = privUnitWith({ epsilon, dimension: 1000 }, near, far);
    // h = gain·m², with the variance 2/h² of products.
    const { offset, gain } = productConstants(mechanism);
    return mechanism.coordinateVariance + FLOOR * 2 * (offset / gain) ** 2;
  };

  test.each([0.3, 1, 2, 4, 8])('is the one of least variance among all with two sides: ε = %d', (epsilon) => {
    const { cap, opposite = 0 } = productPrivUnitG({ epsilon, dimension: 1000 });
    const best = objective(epsilon, cap - opposite, opposite);
    for (const step of [-0.2, -0.05, 0.05, 0.2]) {
      const moved = normalCdf(normalQuantile(cap - opposite) + step);
      expect(objective(epsilon, moved, opposite)).toBeGreaterThan(best);
      if (opposite > 1e-12) {
        const other = normalCdf(normalQuantile(opposite) + step);
        expect(objective(epsilon, cap - opposite, other)).toBeGreaterThan(best);
      }
    }
    // Nor is it the best cap of the mean alone, by a thousandth at least; for a large ε they are nearly the same.
    if (epsilon <= 4)
      expect(objective(epsilon, privUnitG({ epsilon, dimension: 1 }).cap, 0)).toBeGreaterThan(1.001 * best);
  });

  test('spends ε and no more, and α falls in it, and on its other side, as often as stated', () => {
    for (const epsilon of [0.5, 1, 3]) {
      const mechanism = productPrivUnitG({ epsilon, dimension: 3 });
      const { keep, cap, opposite = 0, threshold, densityRatio } = mechanism;
      expect(densityRatio).toBeLessThanOrEqual(Math.exp(epsilon));
      expect(densityRatio).toBeGreaterThan(Math.exp(epsilon) * (1 - 1e-9));
      const random = seededRandom(`alpha ${epsilon}`);
      const n = 100_000;
      let [near, far] = [0, 0];
      for (let i = 0; i < n; i++) {
        const alpha = drawAlong(mechanism, random);
        if (alpha >= threshold) near++;
        else if (alpha <= normalQuantile(opposite)) far++;
      }
      // Five deviations of a binomial: both with probability 6e-7 at each ε.
      for (const [count, part] of [
        [near, (keep * (cap - opposite)) / cap],
        [far, (keep * opposite) / cap],
      ]) {
        expect(Math.abs(count - n * part)).toBeLessThan(5 * Math.sqrt(n * part) + 1);
      }
      // A control: outside of the cap they would be fewer.
      if (epsilon < 2) expect(far).toBeGreaterThan((1.5 * n * (1 - keep) * opposite) / (1 - cap));
    }
  });

  test('has less noise than shares of two to one from ε = .8 on, and more at .6', () => {
    for (const dimension of [4, 11, 101]) {
      expect(productError({ epsilon: 0.8, dimension })).toBeLessThan(9 / 4);
      expect(productError({ epsilon: 0.6, dimension })).toBeGreaterThan(9 / 4);
    }
    // At ε = 4 both powers together have little more than the noise of one alone, and a quarter.
    expect(productError({ epsilon: 4, dimension: 101 })).toBeLessThan(1.25);
  });

  test('of the codebooks of 256 words the deployed one has the k of least variance, up to a hundredth', () => {
    const error = (mechanism: KClosest): number =>
      mechanism.coordinateVariance + FLOOR * productConstants(mechanism).variance;
    for (const [epsilon, dimension] of [
      [0.5, 4],
      [1, 11],
      [2, 31],
      [4, 11],
    ]) {
      const found = productKClosest({ epsilon, dimension });
      const others = Array.from({ length: 128 }, (_, k) =>
        error(kClosest({ epsilon, dimension, codewords: 256, closest: k + 1 })),
      );
      expect(found.codewords).toBe(256);
      expect(error(found)).toBeLessThan(1.01 * Math.min(...others));
      // A control: half of it, or three fifths more, is worse by more than that.
      for (const part of [0.5, 1.6]) {
        const k = Math.round(part * found.closest);
        if (k <= 128) expect(others[k - 1]).toBeGreaterThan(1.01 * Math.min(...others));
      }
    }
  });

  test('refuses what privUnitG and kClosest refuse, by name', () => {
    for (const make of [productPrivUnitG, productKClosest]) {
      for (const epsilon of [0, -1, NaN, 501, '1']) {
        expect(() => make({ epsilon: epsilon as number, dimension: 3 })).toThrow('"epsilon" expected');
      }
      for (const dimension of [0, 1.5, NaN]) {
        expect(() => make({ epsilon: 1, dimension })).toThrow('"dimension" expected');
      }
    }
  });
});

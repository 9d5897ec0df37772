import { describe, expect, test } from '@jest/globals';
import { thinMoments } from '../../../src/optimize/compared-risk.ts';
import { minimizeCorrectedRisk } from '../../../src/optimize/corrected-risk.ts';
import { minimizeCrossedRisk } from '../../../src/optimize/crossed-risk.ts';
import { createLift } from '../../../src/polynomial/lift.ts';
import { normal } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { hingeLoss } from '../../../src/risk/margin-loss.ts';
import { leastRisk, meanRisk, noisyMomentsOf, twoClasses } from './two-classes.ts';

const loss = hingeLoss();
/** Rare positives and some wrong labels, close together: margins lie in a small part of [−4, 4]. */
const close = { vectors: twoClasses({ separation: 0.3, spread: 0.3, positive: 0.2, wrong: 0.1 }), radius: 4 };

describe('a polynomial fitted to the margins of the model', () => {
  // The control is the fit that weighs margins anywhere, at the same degree.
  test('leaves less than seven tenths of the excess of a fit to margins anywhere, where margins lie close together', () => {
    const { vectors, radius } = close;
    const best = leastRisk(vectors, radius);
    for (const variance of [0, 1e-5]) {
      const moments = noisyMomentsOf(vectors, 4, variance, 'close');
      const crossed = meanRisk(vectors, minimizeCrossedRisk(moments, { loss, radius }, 'thin').w) - best;
      const anywhere = meanRisk(vectors, minimizeCorrectedRisk(moments, { loss, radius, degree: 3 }).w) - best;
      expect(crossed).toBeGreaterThan(-1e-3);
      expect(crossed).toBeLessThan(0.7 * anywhere);
    }
  });

  test('is the same for the same seed, within the ball, and says its polynomial and risk', () => {
    const { vectors } = close;
    const radius = 2;
    const moments = noisyMomentsOf(vectors, 4, 1e-5, 'once');
    const [one, again, other] = ['a', 'a', 'b'].map((seed) => minimizeCrossedRisk(moments, { loss, radius }, seed));
    expect(again.w).toEqual(one.w);
    expect(other.w).not.toEqual(one.w);
    expect(Math.hypot(...one.w)).toBeLessThanOrEqual(radius * (1 + 1e-12));
    expect(one).toMatchObject({ degree: 3, radius });
    expect(one.coefficients).toHaveLength(4);
    expect(Math.abs(one.riskAt(one.w) - meanRisk(vectors, one.w))).toBeLessThan(0.05);
  });

  test('needs three powers and a radius in reach', () => {
    const moments = (powers: number) => noisyMomentsOf(close.vectors, powers, 0, 'few');
    expect(() => minimizeCrossedRisk(moments(2), { loss, radius: 1 }, 'a')).toThrow(RangeError);
    for (const wrong of [0, -1, Number.NaN, 1e9]) {
      expect(() => minimizeCrossedRisk(moments(3), { loss, radius: wrong }, 'a')).toThrow('"radius"');
    }
  });
});

test('thinned moments have twice the variance each and no correlation', () => {
  // 3,000 thinnings of one entry with noise of variance 4: the products of the two halves' errors have mean 0 and a
  // deviation of 8 each, those of one half with itself have mean 8 and a deviation of 11.3. Both means of 3,000 are
  // within 5 deviations, .73 and 1.03, but for 6e-7 each.
  const lift = createLift(1, 1);
  const random = seededRandom('thin');
  let [cross, square] = [0, 0];
  const runs = 3000;
  for (let run = 0; run < runs; run++) {
    const moments = { lift, values: Float64Array.of(2 * normal(random)), noise: Float64Array.of(4), players: 1 };
    const { first, second } = thinMoments(moments, random);
    expect(first.noise[0]).toBe(8);
    cross += (first.values[0] * second.values[0]) / runs;
    square += first.values[0] ** 2 / runs;
  }
  expect(Math.abs(cross)).toBeLessThan(0.73);
  // The control: a half with itself.
  expect(Math.abs(square - 8)).toBeLessThan(1.03);
});

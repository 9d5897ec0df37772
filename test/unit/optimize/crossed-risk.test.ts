import { describe, expect, test } from '@jest/globals';
import { marginRisk, minimizeComparedRisk } from '../../../src/optimize/compared-risk.ts';
import { minimizeCorrectedRisk } from '../../../src/optimize/corrected-risk.ts';
import { minimizeCrossedRisk, thinMoments } from '../../../src/optimize/crossed-risk.ts';
import { createLift } from '../../../src/polynomial/lift.ts';
import { fillNormal, normal } from '../../../src/random/normal.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { hingeLoss } from '../../../src/risk/hinge.ts';
import { hingeRisk, leastHingeRisk, noisyMomentsOf, twoClasses } from './two-classes.ts';

const loss = hingeLoss();
/** Rare positives and some wrong labels, close together: margins lie in a small part of [−4, 4]. */
const close = { vectors: twoClasses({ separation: 0.3, spread: 0.3, positive: 0.2, wrong: 0.1 }), radius: 4 };
/** Classes far apart: a fit to margins anywhere is the better one. */
const apart = { vectors: twoClasses({ separation: 0.9, spread: 0.4, positive: 0.25, wrong: 0 }), radius: 4 };

describe('a polynomial fitted to the margins of the model', () => {
  // The control is the fit that weighs margins anywhere, at the same degree.
  test('leaves less than seven tenths of the excess of a fit to margins anywhere, where margins lie close together', () => {
    const { vectors, radius } = close;
    const best = leastHingeRisk(vectors, radius);
    for (const variance of [0, 1e-5]) {
      const moments = noisyMomentsOf(vectors, 4, variance, 'close');
      const crossed = hingeRisk(vectors, minimizeCrossedRisk(moments, { loss, radius }, 'thin').w) - best;
      const anywhere = hingeRisk(vectors, minimizeCorrectedRisk(moments, { loss, radius, degree: 3 }).w) - best;
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
    expect(Math.abs(one.riskAt(one.w) - hingeRisk(vectors, one.w))).toBeLessThan(0.05);
  });

  test('needs three powers and a radius in reach', () => {
    const moments = (powers: number) => noisyMomentsOf(close.vectors, powers, 0, 'few');
    for (const minimize of [minimizeCrossedRisk, minimizeComparedRisk]) {
      expect(() => minimize(moments(2), { loss, radius: 1 }, 'a')).toThrow(RangeError);
      for (const wrong of [0, -1, Number.NaN, 1e9]) {
        expect(() => minimize(moments(3), { loss, radius: wrong }, 'a')).toThrow('"radius"');
      }
    }
  });

  test('survives moments of noise alone', () => {
    const lift = createLift(4, 3);
    const values = new Float64Array(lift.size);
    fillNormal(values, seededRandom('noise'));
    const moments = { lift, values, noise: Float64Array.of(1, 1, 1), players: 10 };
    const { w } = minimizeComparedRisk(moments, { loss, radius: 2 }, 'a');
    expect(w.every(Number.isFinite)).toBe(true);
    expect(Math.hypot(...w)).toBeLessThanOrEqual(2 * (1 + 1e-12));
  });
});

describe('the comparison of the two fits', () => {
  test('takes the fit to the margins where margins lie close together, and the other one where classes are far apart', () => {
    for (const { vectors, radius } of [close, apart]) {
      const moments = noisyMomentsOf(vectors, 4, 1e-6, 'compared');
      const crossed = minimizeCrossedRisk(moments, { loss, radius }, 'seed').w;
      const anywhere = minimizeCorrectedRisk(moments, { loss, radius }).w;
      const better = hingeRisk(vectors, crossed) < hingeRisk(vectors, anywhere) ? crossed : anywhere;
      expect(better).toBe(vectors === close.vectors ? crossed : anywhere);
      expect(minimizeComparedRisk(moments, { loss, radius }, 'seed').w).toEqual(better);
    }
  });

  test('knows the risk of a model from moments that the model does not come from, within .02', () => {
    for (const { vectors } of [close, apart]) {
      const moments = noisyMomentsOf(vectors, 4, 1e-7, 'risk');
      for (const w of [Float64Array.of(-1, 1, 0, 0), Float64Array.of(-0.5, 0.2, 0.1, 0), Float64Array.of(0, 1, 1, 0)]) {
        expect(Math.abs(marginRisk(moments, w, loss) - hingeRisk(vectors, w))).toBeLessThan(0.02);
      }
      expect(marginRisk(moments, new Float64Array(4), loss)).toBe(0.5);
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

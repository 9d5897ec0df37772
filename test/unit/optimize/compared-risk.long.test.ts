import { describe, expect, test } from '@jest/globals';
import { drawClassLaws } from '../../../src/optimize/class-law.ts';
import { marginRisk, minimizeClassRisk, minimizeComparedRisk } from '../../../src/optimize/compared-risk.ts';
import { minimizeCorrectedRisk } from '../../../src/optimize/corrected-risk.ts';
import { minimizeCrossedRisk, minimizeTiltedRisk } from '../../../src/optimize/crossed-risk.ts';
import { createLift } from '../../../src/polynomial/lift.ts';
import { fillNormal } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { hingeLoss } from '../../../src/risk/margin-loss.ts';
import { leastRisk, meanRisk, noisyMomentsOf, type TwoClasses, twoClasses } from './two-classes.ts';

const loss = hingeLoss();
const SETTINGS: readonly TwoClasses[] = [
  { separation: 0.3, spread: 0.3, positive: 0.2, wrong: 0.1 },
  { separation: 0.9, spread: 0.4, positive: 0.25, wrong: 0 },
  { separation: 0.3, spread: 0.3, positive: 0.02, wrong: 0 },
  { separation: 0.5, spread: 0.5, positive: 0.5, wrong: 0.3 },
];

describe('the better of a model of classes and one of a polynomial', () => {
  // The control is the worse of the two models, which is farther off in many settings.
  test('is nearly the best of both, from two powers and from four, with and without much noise', () => {
    let apart = 0;
    for (const setting of SETTINGS) {
      const vectors = twoClasses(setting);
      for (const radius of [1, 4]) {
        const best = leastRisk(vectors, radius);
        for (const [powers, variance, quiet] of [
          [2, 1e-5, false],
          [2, 1e-3, false],
          [4, 1e-6, true],
        ] as const) {
          const moments = noisyMomentsOf(vectors, powers, variance, 'compared');
          const classes = minimizeClassRisk(
            drawClassLaws(moments, { intercept: 0 }, seededRandom('seed classes')),
            loss,
            radius,
          );
          const polynomial = quiet
            ? minimizeCrossedRisk(moments, { loss, radius }, 'seed')
            : minimizeCorrectedRisk(moments, { loss, radius });
          const [one, other] = [classes, polynomial.w].map((w) => meanRisk(vectors, w) - best);
          const found = (quiet ? minimizeTiltedRisk : minimizeComparedRisk)(
            moments,
            { loss, radius, intercept: 0 },
            'seed',
          );
          const excess = meanRisk(vectors, found.w) - best;
          const difference = Math.abs(one - other);
          expect(excess).toBeLessThan(Math.min(one, other) + 0.02 + 0.3 * difference);
          if (difference > 0.03) apart++;
          expect(Math.hypot(...found.w)).toBeLessThanOrEqual(radius * (1 + 1e-12));
          expect(found.coefficients).toHaveLength(found.degree + 1);
        }
      }
    }
    expect(apart).toBeGreaterThan(3);
  });

  test('is the same for the same seed', () => {
    const moments = noisyMomentsOf(twoClasses(SETTINGS[0]), 2, 1e-4, 'once');
    const query = { loss, radius: 2, intercept: 0 };
    expect(minimizeComparedRisk(moments, query, 'a').w).toEqual(minimizeComparedRisk(moments, query, 'a').w);
  });

  test('says a risk near the true one at its model, where the moments have little noise', () => {
    for (const setting of SETTINGS) {
      const vectors = twoClasses(setting);
      const moments = noisyMomentsOf(vectors, 4, 1e-7, 'said');
      const found = minimizeTiltedRisk(moments, { loss, radius: 1, intercept: 0 }, 'a');
      expect(Math.abs(found.riskAt(found.w) - meanRisk(vectors, found.w))).toBeLessThan(0.03);
    }
  });

  // Sixteen seeds: the models are .024 apart (root of the sum of the variances), and .039 with one repetition in the place of three, which is the
  // control that fails here. Fifteen independent differences in some three directions know either to about 15 %.
  test('hardly follows the coins of the server where classes are not normal', () => {
    const random = seededRandom('curved');
    const curved = Array.from({ length: 4000 }, () => {
      const drawn = new Float64Array(3);
      fillNormal(drawn, random);
      const record = Float64Array.of(1, Math.exp(0.5 * drawn[0]) - 1, drawn[1], drawn[2]);
      const sign = record[1] + 0.5 * record[2] ** 2 > 0.7 ? 1 : -1;
      const length = Math.hypot(...record);
      return record.map((x) => (sign * x) / length);
    });
    const moments = noisyMomentsOf(curved, 4, 1e-6, 'coins');
    const models = Array.from(
      { length: 16 },
      (_, k) => minimizeTiltedRisk(moments, { loss, radius: 2, intercept: 0 }, `seed ${k}`).w,
    );
    let variance = 0;
    for (let j = 0; j < 4; j++) {
      const mean = models.reduce((sum, w) => sum + w[j], 0) / 16;
      variance += models.reduce((sum, w) => sum + (w[j] - mean) ** 2, 0) / 15;
    }
    expect(Math.sqrt(variance)).toBeLessThan(0.031);
  });

  test('survives moments of noise alone', () => {
    for (const powers of [2, 3]) {
      const lift = createLift(4, powers);
      const values = new Float64Array(lift.size);
      fillNormal(values, seededRandom('noise'));
      const moments = { lift, values, noise: new Float64Array(powers).fill(1), players: 10 };
      for (const intercept of [0, undefined]) {
        const { w } = minimizeComparedRisk(moments, { loss, radius: 2, intercept }, 'a');
        expect(w.every(Number.isFinite)).toBe(true);
        expect(Math.hypot(...w)).toBeLessThanOrEqual(2 * (1 + 1e-12));
      }
    }
  });

  test('refuses a radius out of reach, moments of one power and an intercept that is no coordinate', () => {
    const moments = (powers: number) => noisyMomentsOf(twoClasses(SETTINGS[0]), powers, 0, 'few');
    for (const radius of [0, -1, Number.NaN, 1e9]) {
      expect(() => minimizeComparedRisk(moments(2), { loss, radius }, 'a')).toThrow('"radius"');
    }
    expect(() => minimizeComparedRisk(moments(1), { loss }, 'a')).toThrow(RangeError);
    expect(() => minimizeComparedRisk(moments(2), { loss, intercept: 4 }, 'a')).toThrow('"intercept"');
  });
});

test('four moments know the risk of a model that does not come from them, within .02; two of them where classes are normal', () => {
  for (const setting of SETTINGS) {
    const vectors = twoClasses(setting);
    for (const powers of [2, 4]) {
      const moments = noisyMomentsOf(vectors, powers, 1e-7, 'risk');
      const judge = marginRisk(moments, drawClassLaws(moments, { intercept: 0 }, seededRandom('a')), loss);
      for (const w of [Float64Array.of(-1, 1, 0, 0), Float64Array.of(-0.5, 0.2, 0.1, 0), Float64Array.of(0, 1, 1, 0)]) {
        expect(Math.abs(judge(w) - meanRisk(vectors, w))).toBeLessThan(0.02);
      }
      expect(judge(new Float64Array(4))).toBeCloseTo(0.5, 6);
    }
  }
});

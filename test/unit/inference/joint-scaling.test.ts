import { describe, expect, test } from '@jest/globals';
import { randomScalingCriticalValue, randomScalingExceedance } from '../../../src/inference/critical-value.ts';
import { normal } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import {
  jointScalingCriticalValue,
  jointScalingExceedance,
  jointScalingLaw,
} from '../../evidence/online-sgd/joint-scaling.ts';

describe('the simulated joint law', () => {
  // 4.5 standard errors at four places: a false alarm in 1 of 30,000; the control is off by 5 % in √x.
  test('for one contrast is the exact law of t²', () => {
    const law = jointScalingLaw(1, 2 ** 17, seededRandom('one'));
    for (const level of [0.5, 0.9, 0.95, 0.99]) {
      const c = randomScalingCriticalValue(level);
      const { probability, standardError } = jointScalingExceedance(law, c * c);
      expect(Math.abs(probability - (1 - level))).toBeLessThan(4.5 * standardError);
      const control = jointScalingExceedance(law, (1.05 * c) ** 2).probability;
      expect(Math.abs(control - (1 - level))).toBeGreaterThan(4.5 * standardError);
      expect(
        Math.abs(randomScalingExceedance(Math.sqrt(jointScalingCriticalValue(law, level))) - (1 - level)),
      ).toBeLessThan(4.5 * standardError);
    }
  });

  // With q = 2 the tail is D(s)^(−½)·E(b'b/b'(1 + 2sK)⁻¹b)^½ at s = x/2, D(s) = sinh √(2s)/√(2s): conditionally on one bridge b
  // the transform of the residual of the other is a ratio of determinants. Another route, with a quarter of the spread.
  test('for two contrasts agrees with the conditional transform', () => {
    const law = jointScalingLaw(2, 2 ** 17, seededRandom('two'));
    const random = seededRandom('transform');
    const draws = 30_000;
    const terms = 400;
    for (const x of [52, 103.5]) {
      let sum = 0;
      let squares = 0;
      for (let draw = 0; draw < draws; draw++) {
        let plain = 0;
        let damped = 0;
        for (let k = 1; k <= terms; k++) {
          const weight = 1 / (Math.PI * k) ** 2;
          const square = weight * normal(random) ** 2;
          plain += square;
          damped += square / (1 + x * weight);
        }
        sum += Math.sqrt(plain / damped);
        squares += plain / damped;
      }
      const root = Math.sqrt(x);
      const factor = Math.sqrt(root / Math.sinh(root));
      const mean = sum / draws;
      const error = factor * Math.sqrt((squares / draws - mean * mean) / draws);
      const { probability, standardError } = jointScalingExceedance(law, x);
      const tolerance = 4.5 * Math.hypot(error, standardError);
      expect(Math.abs(probability - factor * mean)).toBeLessThan(tolerance);
      expect(Math.abs(jointScalingExceedance(law, 1.05 * x).probability - factor * mean)).toBeGreaterThan(tolerance);
    }
  });

  test('is the same for the same source, a law of total mass 1, and falls with x', () => {
    const law = jointScalingLaw(3, 2000, seededRandom('same'));
    expect(jointScalingLaw(3, 2000, seededRandom('same'))).toEqual(law);
    expect(law.masses.reduce((sum, mass) => sum + mass, 0)).toBeCloseTo(1, 12);
    expect(jointScalingExceedance(law, 0)).toEqual({
      probability: expect.closeTo(1, 12),
      standardError: expect.closeTo(0, 6),
    });
    const tails = [1, 10, 100, 1000].map((x) => jointScalingExceedance(law, x).probability);
    expect([...tails].sort((a, b) => b - a)).toEqual(tails);
    const critical = jointScalingCriticalValue(law, 0.9);
    expect(jointScalingExceedance(law, critical).probability).toBeCloseTo(0.1, 12);
  });

  test('works for 30 contrasts, where the scatter is nearly singular', () => {
    const law = jointScalingLaw(30, 50, seededRandom('thirty'));
    expect(jointScalingCriticalValue(law, 0.95)).toBeGreaterThan(30 * randomScalingCriticalValue(0.95) ** 2);
    expect(law.values.every((value) => value > 0 && Number.isFinite(value))).toBe(true);
  });

  test('refuses what is no request', () => {
    const random = seededRandom(1);
    for (const contrasts of [0, 31, 1.5]) expect(() => jointScalingLaw(contrasts, 10, random)).toThrow('"contrasts"');
    expect(() => jointScalingLaw(1, 0, random)).toThrow('"draws"');
    const law = jointScalingLaw(1, 10, random);
    expect(() => jointScalingCriticalValue(law, 1)).toThrow('"level"');
  });
});

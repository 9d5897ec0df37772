import { describe, expect, test } from '@jest/globals';
import { clipContraction } from '../../../../../protocols/user-level-mean/vector/residual-round.ts';
import { logGamma } from '../../../../../src/numeric/beta.ts';
import { normalCdf } from '../../../../../src/numeric/normal.ts';
import { fillNormal } from '../../../../../src/random/random.ts';
import { seededRandom } from '../../../../../src/random/seeded.ts';

describe('what a clip leaves of a small shift', () => {
  test.each([0.3, 1, 2.5])('in one dimension is the probability of not being clipped at %d', (radius) => {
    expect(clipContraction(1, radius)).toBeCloseTo(2 * normalCdf(radius) - 1, 9);
  });

  test.each([2, 8, 65, 1000])(
    'in %i dimensions is 1 for a large radius and (1 − 1/d)·r·E 1/‖g‖ for a small one',
    (d) => {
      expect(clipContraction(d, 100)).toBeCloseTo(1, 6);
      const inverse = Math.exp(logGamma((d - 1) / 2) - logGamma(d / 2)) / Math.SQRT2;
      // E 1/‖g‖ in the plane has an integrand that does not vanish at 0: the rule starts there and is exact to 1e-4 only.
      expect(clipContraction(d, 1e-3) / (1e-3 * (1 - 1 / d) * inverse)).toBeCloseTo(1, d === 2 ? 2 : 6);
    },
  );

  // E⟨clip(g + t), e₁⟩ for t = 0.1·e₁, antithetic in g: 2e5 pairs. The standard deviation of a pair's mean is below 0.1·0.3, so
  // that of the ratio below 0.3/√2e5 = 7e-4; 5 of them, and t²/2 ~ 5e-3·(curvature < 0.2) for the finite shift.
  test('is the slope that a simulation finds, in 8 dimensions with r = √8, and not 1', () => {
    const [d, shift] = [8, 0.1];
    const radius = Math.sqrt(d);
    const random = seededRandom('slope');
    const g = new Float64Array(d);
    let sum = 0;
    const clipped = (sign: number) => {
      let squared = 0;
      for (let i = 0; i < d; i++) squared += (sign * g[i] + (i === 0 ? shift : 0)) ** 2;
      return (sign * g[0] + shift) * Math.min(1, radius / Math.sqrt(squared));
    };
    for (let run = 0; run < 200_000; run++) {
      fillNormal(g, random, 0, d);
      sum += clipped(1) + clipped(-1);
    }
    const slope = sum / 400_000 / shift;
    expect(Math.abs(slope - clipContraction(d, radius))).toBeLessThan(0.005);
    expect(Math.abs(slope - 1)).toBeGreaterThan(0.05);
  });
});

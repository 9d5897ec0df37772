import { describe, expect, test } from '@jest/globals';
import { LOSSES } from '../../../../protocols/gradient-waves/parameters.ts';
import { leastModel, leastRisk, riskOf } from '../../../../protocols/gradient-waves/protocol.ts';
import { weiszfeld } from '../../../../src/optimize/weiszfeld.ts';
import { fillNormal } from '../../../../src/random/random.ts';
import { seededRandom } from '../../../../src/random/seeded.ts';
import { records } from '../../../protocols/hinge-cases.ts';

const { hypot } = Math;

const data = records(2000, 3, 'optimum');
const clear = {
  players: data.length,
  dimension: 3,
  features: Float32Array.from(data.flatMap(({ features }) => Array.from(features))),
  // Mostly the side of a plane, so that the best models are not near 0.
  labels: Int8Array.from(data, ({ features, label }, i) =>
    i % 7 === 0 ? Math.sign(label) || 1 : features[0] > 0 ? 1 : -1,
  ),
};

describe('the model of least risk in the clear', () => {
  test.each([...LOSSES])('is not beaten by 300 others in the ball, %s', (variant) => {
    const random = seededRandom('others');
    for (const radius of [0.8, 3]) {
      const w = leastModel(variant, clear, radius);
      expect(hypot(...w)).toBeLessThanOrEqual(radius * (1 + 1e-9));
      const least = riskOf(variant, clear, w);
      const shift = new Float64Array(3);
      for (let i = 0; i < 300; i++) {
        fillNormal(shift, random, 0, 3);
        const other = w.map((entry, j) => entry + 0.1 ** (i % 4) * shift[j]);
        const norm = hypot(...other);
        const inside = norm > radius ? other.map((entry) => (entry * radius) / norm) : other;
        // The rounded corner costs at most 5e-4, and in practice far less.
        expect(riskOf(variant, clear, inside)).toBeGreaterThan(least - 2e-5);
      }
    }
  });

  test('is the Euclidean median by Weiszfeld, and at the corner ½ for one record on one axis', () => {
    const { value } = weiszfeld({ dimension: 3, points: clear.features });
    expect(leastRisk('median', clear, 3)).toBeCloseTo(value, 6);
    const one = { players: 1, dimension: 1, features: Float32Array.of(1), labels: Int8Array.of(1) };
    expect(leastRisk('hinge', one, 2)).toBeCloseTo(0, 3);
    // |w − 1| with |w| ≤ ¼, and log(1 + e^(−2)) at w = 2: by hand.
    expect(leastRisk('absolute', one, 0.25)).toBeCloseTo(0.75, 6);
    expect(leastRisk('logistic', one, 2)).toBeCloseTo(Math.log1p(Math.exp(-2)), 6);
  });
});

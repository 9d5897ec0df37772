import { describe, expect, test } from '@jest/globals';
import { uniform } from '../../src/random/random.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { gradientRadius, logNetSize } from '../evidence/user-level-erm/closed-forms.ts';

/** Greedily many points of a disk of radius 1, each at least so far from all others: a net, since no further point fits. */
function packing(distance: number, tries: number): readonly [number, number][] {
  const random = seededRandom(`net ${distance}`);
  const points: [number, number][] = [];
  for (let i = 0; i < tries; i++) {
    const [x, y] = [2 * uniform(random) - 1, 2 * uniform(random) - 1];
    if (Math.hypot(x, y) > 1) continue;
    if (points.every(([a, b]) => Math.hypot(x - a, y - b) > distance)) points.push([x, y]);
  }
  return points;
}

describe('a net of a ball', () => {
  test.each([0.5, 0.2, 0.1])(
    'has at most (1 + 2R/Δ)^d points and not a quarter of that power less, Δ = %d',
    (distance) => {
      const points = packing(distance, 40_000).length;
      const bound = Math.exp(logNetSize(2, 1, distance));
      expect(points).toBeLessThanOrEqual(bound);
      // The volumes: at least (R/Δ)² points are needed; a bound without the 2, (1 + R/Δ)², is exceeded or nearly so (control).
      expect(points).toBeGreaterThanOrEqual((1 / distance) ** 2);
      expect(points).toBeGreaterThan(bound / 8);
      expect(bound).toBeCloseTo((1 + 2 / distance) ** 2, 9);
    },
  );
});

describe('r_{n,m}', () => {
  const fields = {
    ...{ epsilon: 1, delta: 1e-6, players: 1e5, samples: 50, dimension: 8 },
    ...{ gradientBound: 1, smoothness: 0.3, failure: 0.05 },
  };

  test('by hand', () => {
    const logarithms = Math.log((1e5 * 8) / 0.05) + 8 * Math.log(1 + (0.3 * Math.sqrt(5e6)) / 64);
    const expected = (Math.sqrt(8) / Math.sqrt(5e6)) * logarithms ** 1.5 * Math.log(8e6);
    expect(gradientRadius(fields) / expected).toBeCloseTo(1, 12);
  });

  test('is proportional to B, falls with √m and with ε but for logarithms, and grows like d² where the net counts most', () => {
    const at = (change: object): number => gradientRadius({ ...fields, ...change });
    expect(at({ gradientBound: 2 }) / at({})).toBeCloseTo(2, 12);
    for (const change of [{ samples: 200 }, { epsilon: 2 }]) {
      const ratio = at(change) / at({});
      // One half, and what the logarithm of the net gains: (35.9/31.6)^1.5 = 1.2.
      expect(ratio).toBeGreaterThan(0.5);
      expect(ratio).toBeLessThan(0.65);
    }
    // d^½·d^1.5 and a logarithm that falls; without the net (θ is one point) d^½ and little more (control).
    const slope = (smoothness: number): number =>
      Math.log2(at({ dimension: 128, players: 1e12, smoothness }) / at({ dimension: 64, players: 1e12, smoothness }));
    expect(slope(1)).toBeGreaterThan(1.4);
    expect(slope(1)).toBeLessThan(2.1);
    expect(slope(1e-9)).toBeLessThan(0.7);
  });
});

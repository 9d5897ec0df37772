import { describe, expect, test } from '@jest/globals';
import { type MarginSpread, marginWeight } from '../../../src/optimize/corrected-risk.ts';

/** The integral over [−R, R] on 200,000 points, by the midpoint rule. */
function integral(f: (t: number) => number, radius: number): number {
  const steps = 200_000;
  let sum = 0;
  for (let i = 0; i < steps; i++) sum += f(radius * ((2 * i + 1) / steps - 1));
  return (sum * 2 * radius) / steps;
}

const spreads: readonly MarginSpread[] = [
  { radius: 1, mean: 0.2, deviation: 0.3, isotropic: 0.4 },
  { radius: 1, mean: -0.2, deviation: 0.1, isotropic: 0.1 },
  { radius: 3, mean: 0, deviation: 1, isotropic: 0.5 },
  { radius: 1, mean: 0.99, deviation: 0, isotropic: 0, kinks: [0.5] },
  { radius: 1, mean: 0, deviation: 0, isotropic: 0, kinks: [0.5, 0.5, 2] },
  { radius: 2, mean: -5, deviation: 0.3, isotropic: 7 },
];

describe('the weight of margins', () => {
  test.each(spreads)('is a positive finite density with ascending edges from −R to R at %j', (spread) => {
    const { density, edges } = marginWeight(spread);
    let [least, most] = [Infinity, 0];
    for (let i = 0; i <= 2000; i++) {
      const value = density(spread.radius * (i / 1000 - 1));
      least = Math.min(least, value);
      most = Math.max(most, value);
    }
    expect(least).toBeGreaterThanOrEqual(0);
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThan(Infinity);
    expect([edges[0], edges[edges.length - 1]]).toEqual([-spread.radius, spread.radius]);
    expect(edges.slice(1).every((edge, i) => edge > edges[i])).toBe(true);
    for (const kink of spread.kinks ?? []) if (kink < spread.radius) expect(edges).toContain(kink);
  });

  // How many parts of `anywhere` there are to one of `path`: a tuned number, the same for every spread.
  const parts = Math.round(integral(marginWeight({ radius: 12, mean: 0, deviation: 1, isotropic: 1 }).density, 12) - 1);

  test.each([
    [0.2, 0.3],
    [-0.7, 0.3],
    [0, 1],
    [2, 0.05],
  ])(
    'is one part path and a whole number of parts anywhere, before it is cut off (mean %p, deviation %p)',
    (mean, deviation) => {
      expect(parts).toBeGreaterThanOrEqual(1);
      const { density } = marginWeight({ radius: 12, mean, deviation, isotropic: 0.5 });
      expect(Math.abs(integral(density, 12) - (1 + parts))).toBeLessThan(1e-4);
    },
  );

  test('has in its first part P(margin beyond τ)/E|margin|, in the others N(0, isotropic²), by quadrature', () => {
    const [mean, deviation, isotropic] = [0.3, 0.4, 0.5];
    const { density } = marginWeight({ radius: 8, mean, deviation, isotropic });
    const normal = (t: number): number =>
      Math.exp(-0.5 * ((t - mean) / deviation) ** 2) / (deviation * Math.sqrt(2 * Math.PI));
    const magnitude = integral((t) => Math.abs(t) * normal(t), 8);
    for (const tau of [-0.6, -0.1, 0.1, 0.5, 1.1]) {
      const beyond = integral((t) => ((tau > 0 ? t > tau : t < tau) ? normal(t) : 0), 8);
      const anywhere = (parts / (isotropic * Math.sqrt(2 * Math.PI))) * Math.exp(-0.5 * (tau / isotropic) ** 2);
      expect(Math.abs(density(tau) - (beyond / magnitude + anywhere))).toBeLessThan(1e-4);
    }
  });

  test.each([
    ['radius', 0],
    ['radius', NaN],
    ['mean', Infinity],
    ['mean', '0'],
    ['deviation', -0.1],
    ['deviation', NaN],
    ['isotropic', -1],
    ['isotropic', Infinity],
  ])('refuses a wrong %s: %p', (field, value) => {
    const spread = { radius: 1, mean: 0, deviation: 1, isotropic: 1, [field]: value } as MarginSpread;
    expect(() => marginWeight(spread)).toThrow(`"${field}" expected `);
  });
});

// Noisy gradient descent and noisy Newton: what is released for confidence regions, by products of matrices of two rows, and how far a
// start may be.
import { describe, expect, test } from '@jest/globals';
import { descend, descent } from '../../protocols/noisy-gradient-descent/index.ts';
import { type NoisyNewtonPlan, newton, solve } from '../../protocols/noisy-newton/index.ts';
import { normal } from '../../src/random/normal.ts';
import { seededRandom } from '../../src/random/seeded.ts';

const { hypot, log, sqrt } = Math;

const RECORDS = 400;
const MODEL = { kind: 'huber', features: 1, scale: 1 } as const;

/** y = 1 + x + e. */
const people = (() => {
  const random = seededRandom('people');
  return Array.from({ length: RECORDS }, () => {
    const x = normal(random);
    return { features: [x], response: 1 + x + normal(random) };
  });
})();

const multiply = (a: ArrayLike<number>, b: ArrayLike<number>): number[] =>
  [0, 1, 2, 3].map((k) => a[2 * (k >> 1)] * b[k % 2] + a[2 * (k >> 1) + 1] * b[2 + (k % 2)]);

const inverse = ([a, b, c, d]: ArrayLike<number> & Iterable<number>): number[] =>
  [d, -b, -c, a].map((entry) => entry / (a * d - b * c));

describe('regions of descent', () => {
  test.each([0, 0.01])('M̃⁻¹Q̃M̃⁻¹/n and the noise of the steps; floor %p raises nothing here', (hessianFloor) => {
    const plan = descent({ mu: 100, records: RECORDS, model: MODEL, hessianFloor });
    const { region } = descend(plan, people, seededRandom('coins'));
    if (region === undefined) throw new Error('expected a region');
    const { hessian, scores, sampling, injected, covariance, raisedHessian } = region;
    const bread = inverse([...hessian] as never);
    multiply(multiply(bread, scores), bread).forEach((entry, k) => {
      expect((RECORDS * sampling[k]) / entry).toBeCloseTo(1, 9);
      expect(covariance[k]).toBeCloseTo(sampling[k] + injected[k], 14);
    });
    expect(raisedHessian).toBe(0);
  });

  test('eigenvalues below a floor are counted (control)', () => {
    const plan = descent({ mu: 100, records: RECORDS, model: MODEL, hessianFloor: 0.9 });
    expect(descend(plan, people, seededRandom('coins')).region?.raisedHessian).toBeGreaterThan(0);
  });
});

test('a start may be as far as τ₁²/L and what noise adds but one time in twenty: σ(√p + √(2 ln 20))', () => {
  const plan: NoisyNewtonPlan = newton({
    mu: 2,
    records: RECORDS,
    model: MODEL,
    strongConvexity: 0.5,
    hessianLipschitz: 2,
    warmUp: 0,
    force: true,
  });
  // A gradient noise that makes the noisy gradient of the first step far longer than that, or shorter.
  const first = (noise: number, seed: string): string => {
    try {
      solve({ ...plan, gradientNoise: noise, largestStart: 0 }, people, seededRandom(seed));
    } catch (error) {
      return String(error);
    }
    return 'near';
  };
  const allowed = Number(/at most ([\d.e-]+)/.exec(first(0.01, 'coins'))?.[1]);
  // p = 2, and an exp(−t²/2) of .05 at t = 2.447747.
  expect(allowed / 0.01).toBeCloseTo(sqrt(2) + 2.447747, 5);
  expect(sqrt(2 * log(20))).toBeCloseTo(2.447747, 6);
  // Where the gradient is next to nothing beside the noise, of 200 starts at most 24 are refused (a rate of .05 is 10 ± 3.1: five
  // deviations more are 25); the bound itself is a safe one.
  let refused = 0;
  for (let run = 0; run < 200; run++) if (/"start"/.test(first(1e3, `run ${run}`))) refused++;
  expect(refused).toBeLessThanOrEqual(24);
  expect(hypot(1, 1)).toBeLessThan(allowed / 0.01);
});

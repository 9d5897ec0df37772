// Noisy gradient descent and noisy Newton: what is released for confidence regions, by products of matrices of two rows, and how far a
// start may be.
import { describe, expect, test } from '@jest/globals';
import { descentVariance } from '../../protocols/noisy-gradient-descent/curator.ts';
import { descend, descent } from '../../protocols/noisy-gradient-descent/index.ts';
import { newton, solve } from '../../protocols/noisy-newton/index.ts';
import type { NoisyNewtonPlan } from '../../protocols/noisy-newton/parameters.ts';
import { fillNormal, normal } from '../../src/random/random.ts';
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

/** Mean score and Hessian of Huber regression at scale 1 with an intercept, threshold 1.345 and weights min(1, 2/‖x‖²). */
function huberAt([a, b]: readonly number[]): { score: number[]; hessian: number[] } {
  const [score, hessian] = [
    [0, 0],
    [0, 0, 0, 0],
  ];
  for (const { features, response } of people) {
    const x = [1, features[0]];
    const weight = Math.min(1, 2 / (x[0] ** 2 + x[1] ** 2)) / RECORDS;
    const error = response - a - b * x[1];
    for (let i = 0; i < 2; i++) {
      score[i] -= weight * Math.max(-1.345, Math.min(1.345, error)) * x[i];
      if (Math.abs(error) < 1.345) for (let j = 0; j < 2; j++) hessian[2 * i + j] += weight * x[i] * x[j];
    }
  }
  return { score, hessian };
}

test('every iterate of three noisy gradient steps: θ − η(mean score + noise)', () => {
  const plan = descent({
    mu: 5,
    records: RECORDS,
    model: MODEL,
    regions: false,
    force: true,
    steps: 3,
    start: [0.3, -0.2],
  });
  const { iterates } = descend(plan, people, seededRandom('coins'));
  const random = seededRandom('coins');
  const coins = new Float64Array(2);
  let theta = [0.3, -0.2];
  expect(iterates).toHaveLength(4);
  for (const iterate of iterates) {
    iterate.forEach((entry, i) => {
      expect(entry).toBeCloseTo(theta[i], 9);
    });
    const { score } = huberAt(theta);
    fillNormal(coins, random);
    theta = theta.map((entry, i) => entry - plan.step * (score[i] + plan.noise * coins[i]));
  }
  expect(plan.noise).toBeGreaterThan(1e-3);
});

test('what three steps leave of their noise along curvatures ½ and 1: .16·4·(1 + .64 + .4096) and .64·(1 + .36 + .1296)', () => {
  expect(descentVariance(0.5, 0.4, 3, 2)).toBeCloseTo(1.311744, 12);
  expect(descentVariance(1, 0.4, 3, 2)).toBeCloseTo(0.953344, 12);
  // Of a step as long as 2/λ nothing shrinks: three times .16·25·4.
  expect(descentVariance(0.4, 5, 3, 2)).toBeCloseTo(3 * 100, 10);
});

describe('noisy Newton step by step', () => {
  const steps = { mu: 5, records: RECORDS, model: MODEL, regions: false, force: true, start: [0.3, -0.2] } as const;

  /** The eigenvalues of a symmetric 2 × 2 matrix and the angle of the first direction. */
  function raised([a, b, , d]: readonly number[], floor: number): number[] {
    const angle = 0.5 * Math.atan2(2 * b, a - d);
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    const first = Math.max(floor, a * c * c + 2 * b * c * s + d * s * s);
    const second = Math.max(floor, a * s * s - 2 * b * c * s + d * c * c);
    return [
      first * c * c + second * s * s,
      (first - second) * c * s,
      (first - second) * c * s,
      first * s * s + second * c * c,
    ];
  }

  test('gradient steps are 1/L long, L = B̄ = 2 where none is given, and the floor is half of τ₁', () => {
    expect(newton({ ...steps, smoothness: 2.5 }).warmUp.step).toBeCloseTo(0.4, 14);
    expect(newton(steps).warmUp.step).toBeCloseTo(0.5, 14);
    expect(newton({ ...steps, strongConvexity: 0.3 }).hessianFloor).toBeCloseTo(0.15, 14);
    expect(newton(steps).hessianFloor).toBeCloseTo(0.1, 14);
    expect(newton(steps).warmUp.steps).toBe(8);
  });

  test.each([0.05, 0.7])(
    'every iterate of two gradient steps and two of Newton, eigenvalues raised to %p',
    (hessianFloor) => {
      const plan = { ...newton({ ...steps, warmUp: 2, steps: 2 }), hessianFloor };
      const { iterates } = solve(plan, people, seededRandom('coins'));
      const random = seededRandom('coins');
      const drawn = (count: number): Float64Array => {
        const normals = new Float64Array(count);
        fillNormal(normals, random);
        return normals;
      };
      expect(iterates).toHaveLength(5);
      let theta = [0.3, -0.2];
      for (let k = 0; k < 4; k++) {
        iterates[k].forEach((entry, i) => {
          expect(entry).toBeCloseTo(theta[i], 9);
        });
        const { score, hessian } = huberAt(theta);
        const noise = k < 2 ? plan.warmUp.noise : plan.gradientNoise;
        const coins = drawn(2);
        const gradient = score.map((entry, i) => entry + noise * coins[i]);
        if (k < 2) {
          theta = theta.map((entry, i) => entry - plan.warmUp.step * gradient[i]);
          continue;
        }
        // One coin for each of the three distinct entries.
        const matrix = drawn(3);
        const noisy = hessian.map((entry, i) => entry + plan.hessianNoise * matrix[[0, 1, 1, 2][i]]);
        const back = inverse(raised(noisy, hessianFloor) as never);
        theta = theta.map((entry, i) => entry - back[2 * i] * gradient[0] - back[2 * i + 1] * gradient[1]);
      }
      iterates[4].forEach((entry, i) => {
        expect(entry).toBeCloseTo(theta[i], 9);
      });
      // The control: without noise the path is another one.
      const plain = { ...plan, warmUp: { ...plan.warmUp, noise: 0 }, gradientNoise: 0, hessianNoise: 0 };
      expect(
        hypot(...solve(plain, people, seededRandom('coins')).theta.map((entry, i) => entry - theta[i])),
      ).toBeGreaterThan(1e-3);
    },
  );
});

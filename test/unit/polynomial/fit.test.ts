import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { chebyshevSeries } from '../../../src/polynomial/chebyshev.ts';
import {
  chebyshevToMonomial,
  evaluatePolynomial,
  MAXIMUM_FIT_DEGREE,
  type NoiseAwareFitOptions,
  noiseAwareFit,
} from '../../../src/polynomial/fit.ts';
import { hingeLoss, smoothedHinge } from '../../../src/risk/margin-loss.ts';

// The same cases on every run; the properties were also run over 4000 cases of other seeds.
fc.configureGlobal({ seed: 6 });

const hinge = hingeLoss().derivative;

// Least-squares coefficients of the smoothed hinge derivative on [−1, 1], uniform weight, from normal equations solved with
// 60 digits; computed independently with mpmath.
const REFERENCE_PLAIN = [
  -0.9934255683202401, 0.45566916085834613, 1.1879122413055825, 0.10931649890007045, -0.7311735368189852,
];
const REFERENCE_NOISY = [
  -0.7280337944464118, 0.07954401844704737, 0.00018545573530869157, 1.6901881410382296e-6, 2.4648511194540846e-9,
  1.2111383855052687e-11, 1.2830387237574662e-14, 4.476536372858342e-17, 3.7223069854392206e-20,
];

function expectCloseTo(actual: ArrayLike<number>, expected: number[], tolerance: number): void {
  expect(actual.length).toBe(expected.length);
  expect(Math.max(...expected.map((value, k) => Math.abs(actual[k] - value)))).toBeLessThan(tolerance);
}

describe('the fit by hand', () => {
  test('of the hinge derivative with the uniform weight: −3/4 and 9/16·t', () => {
    // E f′ = −3/4, 3·E[t·f′] = 9/16.
    const fit = noiseAwareFit({ target: hinge, degree: 1 });
    expectCloseTo(fit.coefficients, [-3 / 4, 9 / 16], 1e-12);
    // Var f′ = 3/16, of which (9/16)²/3 is explained.
    expect(Math.abs(fit.rmsBias ** 2 - (3 / 16 - (9 / 16) ** 2 / 3))).toBeLessThan(1e-12);
    expect(fit.noisePenalty).toBe(0);
    expect(fit.objective).toBeCloseTo(fit.rmsBias ** 2, 15);
  });

  test('noise shrinks: with Γ = (0, 1/3) the slope is halved, with Γ = (1, 0) the constant', () => {
    expectCloseTo(noiseAwareFit({ target: hinge, degree: 1, noise: [0, 1 / 3] }).coefficients, [-3 / 4, 9 / 32], 1e-12);
    const fit = noiseAwareFit({ target: hinge, degree: 1, noise: [1, 0] });
    expectCloseTo(fit.coefficients, [-3 / 8, 9 / 16], 1e-12);
    expect(fit.noisePenalty).toBeCloseTo(9 / 64, 12);
  });

  test('reproduces a polynomial of its own degree on any interval', () => {
    const fit = noiseAwareFit({ target: (t) => 1 - 2 * t + 3 * t ** 3, degree: 5, lower: -0.5, upper: 3 });
    expectCloseTo(fit.coefficients, [1, -2, 0, 3, 0, 0], 1e-10);
  });
});

describe('the fit against normal equations solved with 60 digits', () => {
  test('degree 4, β = 0.2, no noise', () => {
    const fit = noiseAwareFit({ target: smoothedHinge({ beta: 0.2 }).derivative, degree: 4 });
    expectCloseTo(fit.coefficients, REFERENCE_PLAIN, 1e-13);
  });

  test('degree 8, β = 0.1, the noise of one Gaussian copy: Γ_k/n from 0.03 to 7e14', () => {
    let noise = (70 * 10) / 25_000;
    const gamma = Array.from({ length: 9 }, (_, k) => (k === 0 ? noise : (noise *= 70 * k)));
    const fit = noiseAwareFit({ target: smoothedHinge({ beta: 0.1 }).derivative, degree: 8, noise: gamma });
    let worst = 0;
    REFERENCE_NOISY.forEach((c, k) => {
      worst = Math.max(worst, Math.abs(fit.coefficients[k] / c - 1));
    });
    expect(worst).toBeLessThan(1e-12);
  });
});

const options = fc.record({
  degree: fc.integer({ min: 0, max: 8 }),
  radius: fc.double({ min: 0.5, max: 2.5, noNaN: true }),
  beta: fc.double({ min: 0.02, max: 1, noNaN: true }),
  mean: fc.double({ min: -0.5, max: 0.8, noNaN: true }),
  deviation: fc.double({ min: 0.1, max: 2, noNaN: true }),
  noise: fc.double({ min: -6, max: 3, noNaN: true }).map((power) => 10 ** power),
});

function build({
  degree,
  radius,
  beta,
  mean,
  deviation,
  noise,
}: typeof options extends fc.Arbitrary<infer T> ? T : never): NoiseAwareFitOptions {
  return {
    target: smoothedHinge({ beta }).derivative,
    degree,
    lower: -radius,
    upper: radius,
    weight: {
      density: (t) => Math.exp(-(((t - mean) / deviation) ** 2) / 2),
      edges: [
        -radius,
        ...[-3, -1, 0, 1, 3].map((k) => mean + k * deviation).filter((t) => Math.abs(t) < radius),
        radius,
      ],
    },
    noise: Float64Array.from({ length: degree + 1 }, (_, k) => noise * (k + 1)),
  };
}

describe('the fit in general', () => {
  test('is never worse than the fit of a smaller degree', () => {
    fc.assert(
      fc.property(options, (random) => {
        const objectives = [0, 1, random.degree].map((degree) => noiseAwareFit(build({ ...random, degree })).objective);
        return (
          objectives[2] <= objectives[Math.min(1, random.degree)] + 1e-12 && objectives[1] <= objectives[0] + 1e-12
        );
      }),
      { numRuns: 60 },
    );
  });

  test('beats the Chebyshev truncation in its own objective, and perturbations of itself', () => {
    fc.assert(
      fc.property(
        options,
        fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 9, maxLength: 9 }),
        (random, direction) => {
          const given = build(random);
          const fit = noiseAwareFit(given);
          const { target, degree, noise } = given;
          const interval = { lower: given.lower!, upper: given.upper! };
          // The objective again, by a trapezium rule fine enough for four digits; compared at the same rule.
          const steps = 2000;
          const objective = (c: ArrayLike<number>): number => {
            let [sum, mass, penalty] = [0, 0, 0];
            for (let i = 0; i <= steps; i++) {
              const t = interval.lower + ((interval.upper - interval.lower) * i) / steps;
              const weight = Math.exp(-(((t - random.mean) / random.deviation) ** 2) / 2) * (i % steps === 0 ? 0.5 : 1);
              mass += weight;
              sum += weight * (evaluatePolynomial(c, t) - target(t)) ** 2;
            }
            for (let k = 0; k <= degree; k++) penalty += noise![k] * c[k] ** 2;
            return sum / mass + penalty;
          };
          const best = objective(fit.coefficients);
          if (Math.abs(best - fit.objective) > 1e-4 * (1 + best)) return false;
          const truncated = chebyshevToMonomial(chebyshevSeries(target, degree, interval), interval);
          const moved = Float64Array.from(fit.coefficients, (c, k) => c + 0.05 * direction[k]);
          return objective(truncated) >= best - 1e-5 && objective(moved) >= best - 1e-5;
        },
      ),
      { numRuns: 60 },
    );
  });

  test('more noise never lowers the objective and never raises the penalty-free size of the coefficients', () => {
    const sizes = [0, 1e-4, 1e-2, 1, 100].map((level) => {
      const fit = noiseAwareFit({ target: hinge, degree: 5, noise: new Float64Array(6).fill(level) });
      return { objective: fit.objective, size: Math.hypot(...fit.coefficients) };
    });
    for (let i = 1; i < sizes.length; i++) {
      expect(sizes[i].objective).toBeGreaterThan(sizes[i - 1].objective);
      expect(sizes[i].size).toBeLessThan(sizes[i - 1].size);
    }
  });

  test('weights by what it is given: a density, its object and its points agree', () => {
    const density = (t: number): number => 1 + t / 2;
    const points = Float64Array.from({ length: 20_000 }, (_, i) => -1 + (i + 0.5) / 10_000);
    const [a, b, c] = [density, { density, edges: [-1, 0.2, 1] }, { points, masses: points.map(density) }].map(
      (weight) => noiseAwareFit({ target: smoothedHinge({ beta: 0.3 }).derivative, degree: 3, weight }).coefficients,
    );
    expectCloseTo(b, [...a], 1e-12);
    expectCloseTo(c, [...a], 1e-7);
    const uniform = noiseAwareFit({ target: hinge, degree: 3, weight: () => 1 }).coefficients;
    expectCloseTo(uniform, [...noiseAwareFit({ target: hinge, degree: 3 }).coefficients], 1e-15);
  });
});

describe('the fit at the edges of what it takes', () => {
  test('all mass in one point: the value is met there by the smallest Chebyshev coefficients', () => {
    const t = 0.3;
    const fit = noiseAwareFit({ target: hinge, degree: 3, weight: { points: [t], masses: [1] } });
    expect(Math.abs(evaluatePolynomial(fit.coefficients, t) + 1)).toBeLessThan(1e-14);
    // Minimum norm: a_k ∝ T_k(t).
    const basis = [1, t, 2 * t * t - 1, 4 * t ** 3 - 3 * t];
    const squared = basis.reduce((sum, value) => sum + value * value, 0);
    const expected = chebyshevToMonomial(basis.map((value) => -value / squared));
    expectCloseTo(fit.coefficients, [...expected], 1e-14);
  });

  test('all mass in one point with noise: everything is shrunk, nothing breaks', () => {
    const fit = noiseAwareFit({ target: hinge, degree: 2, weight: { points: [0], masses: [4] }, noise: [1, 1, 1] });
    expectCloseTo(fit.coefficients, [-0.5, 0, 0], 1e-14);
  });

  test('refuses what it cannot do', () => {
    const refused: [Partial<NoiseAwareFitOptions>, string][] = [
      [{ degree: MAXIMUM_FIT_DEGREE + 1 }, '"degree" expected a whole number from 0 to 20, got 21'],
      [{ noise: [1] }, '"noise" expected 3 numbers, got 1'],
      [{ noise: [1, -1, 1] }, '"noise[1]" expected a finite number >= 0, got -1'],
      [{ target: () => Number.NaN }, 'expected'],
      [{ lower: 2 }, '"upper" expected a number > lower (2), got 1'],
      [{ weight: () => 0 }, '"weight" expected a positive finite total mass, got 0'],
    ];
    for (const [change, message] of refused) {
      expect(() => noiseAwareFit({ target: hinge, degree: 2, ...change })).toThrow(message);
    }
  });
});

import { describe, expect, test } from '@jest/globals';
import { type NoiseAwareFit, noiseAwareFit } from '../../../src/polynomial/fit.ts';
import { evaluatePolynomial, polynomialDerivative, polynomialProduct } from '../../../src/polynomial/monomial.ts';
import { hingeLoss, smoothedHinge } from '../../../src/risk/hinge.ts';
import { polynomialIntegral } from '../../evidence/hinge/polynomials.ts';

interface Problem {
  readonly name: string;
  readonly target: (t: number) => number;
  readonly degree: number;
  readonly radius: number;
  readonly noise: number[];
}

const TARGETS = [
  { name: 'hinge', target: hingeLoss().derivative },
  { name: 'smoothed hinge', target: smoothedHinge({ beta: 0.1 }).derivative },
  { name: 'wave', target: (t: number): number => Math.sin(5 * t) },
];

const PROBLEMS: Problem[] = TARGETS.flatMap(({ name, target }) =>
  [2, 3, 4, 5, 7, 10].flatMap((degree) =>
    [0, 0.01].map((level, i) => ({
      name,
      target,
      degree,
      radius: 1 + i,
      noise: Array.from({ length: degree + 1 }, (_, k) => level * (k + 1)),
    })),
  ),
);

function solve({ target, degree, radius, noise }: Problem, monotone: boolean): NoiseAwareFit {
  return noiseAwareFit({ target, degree, lower: -radius, upper: radius, noise, monotone });
}

function lowestSlope(coefficients: Float64Array, radius: number): number {
  const derivative = polynomialDerivative(coefficients);
  let lowest = Infinity;
  for (let i = 0; i <= 20_000; i++) {
    lowest = Math.min(lowest, evaluatePolynomial(derivative, radius * (i / 10_000 - 1)));
  }
  return lowest;
}

/** Directional derivative of the objective at c, by a midpoint rule of its own: Q ↦ 2∫(P − f′)Q dω + 2cᵀΓq. */
function createSlope({ target, radius, noise }: Problem, c: Float64Array): (q: ArrayLike<number>) => number {
  const steps = 4000;
  const moments = new Float64Array(c.length);
  for (let i = 0; i < steps; i++) {
    const t = radius * ((2 * i + 1) / steps - 1);
    const residual = (2 * (evaluatePolynomial(c, t) - target(t))) / steps;
    for (let k = 0, power = 1; k < c.length; k++, power *= t) moments[k] += residual * power;
  }
  for (let k = 0; k < c.length; k++) moments[k] += 2 * noise[k] * c[k];
  return (q) => moments.reduce((sum, moment, k) => sum + moment * (k < q.length ? q[k] : 0), 0);
}

/** Polynomials with Q′ ≥ 0 on [−R, R]: Q′ = square × (1, R + t, R − t or R² − t²), all of which Markov–Lukács needs. */
function increasing(degree: number, radius: number): Float64Array[] {
  const found: Float64Array[] = [];
  const multipliers = [[1], [radius, 1], [radius, -1], [radius * radius, 0, -1]];
  for (let seed = 0; seed < 400; seed++) {
    const multiplier = multipliers[seed % 4];
    const half = Math.floor((degree - multiplier.length) / 2);
    if (half < 0) continue;
    let square: Float64Array = Float64Array.of(1);
    for (let i = 0; i < half; i++) {
      const root = 1.2 * radius * Math.sin(1 + seed * (i + 1.7) * 0.61);
      square = polynomialProduct(square, polynomialProduct([-root, 1], [-root, 1]));
    }
    const q = polynomialIntegral(polynomialProduct(square, multiplier));
    const size = Math.hypot(...q);
    found.push(q.map((value) => value / size));
  }
  return found;
}

/** The worst violation of the optimality conditions on a convex cone: slope 0 along P itself, ≥ 0 along the cone. */
function violation(problem: Problem, c: Float64Array): number {
  const slope = createSlope(problem, c);
  let worst = Math.max(Math.abs(slope(c)) / (1 + Math.hypot(...c)), Math.abs(slope([1])));
  for (const q of increasing(problem.degree, problem.radius)) worst = Math.max(worst, -slope(q));
  return worst;
}

describe('the monotone fit', () => {
  test('has P′ ≥ −1e-12 everywhere, where the free fit mostly has not', () => {
    let lowest = Infinity;
    let negative = 0;
    for (const problem of PROBLEMS) {
      lowest = Math.min(lowest, lowestSlope(solve(problem, true).coefficients, problem.radius));
      if (lowestSlope(solve(problem, false).coefficients, problem.radius) < -1e-3) negative++;
    }
    expect(lowest).toBeGreaterThan(-1e-12);
    expect(negative).toBeGreaterThan(PROBLEMS.length / 2);
  });

  test('is optimal: no increasing polynomial lies downhill (the midpoint rule of the check is good to 1e-6)', () => {
    let worst = 0;
    for (const problem of PROBLEMS) worst = Math.max(worst, violation(problem, solve(problem, true).coefficients));
    expect(worst).toBeLessThan(1e-6);
  });

  test('control: the same check catches a monotone polynomial that is 2 % off', () => {
    for (const problem of PROBLEMS) {
      // The best increasing approximation of the wave is often a constant, which scaling does not change.
      if (problem.name === 'wave') continue;
      const c = solve(problem, true).coefficients.map((value, k) => (k === 0 ? value : 0.98 * value));
      expect(violation(problem, c)).toBeGreaterThan(1e-5);
    }
  });

  test('costs something where the constraint binds, and is the free fit where it does not', () => {
    for (const problem of PROBLEMS) {
      const free = solve(problem, false);
      const constrained = solve(problem, true);
      expect(constrained.objective).toBeGreaterThan(free.objective - 1e-13);
      if (lowestSlope(free.coefficients, problem.radius) > 1e-6) {
        expect([...constrained.coefficients]).toEqual([...free.coefficients]);
      }
    }
  });

  test('at degree 2 agrees with the best of the four sets of active constraints', () => {
    // P′ is linear: the constraint is P′(−1) ≥ 0 and P′(1) ≥ 0, that is |2c₂| ≤ c₁. Uniform weight, moments 1, 1/3, 1/5.
    for (const { target } of TARGETS) {
      const steps = 400_000;
      const b = [0, 0, 0];
      for (let i = 0; i < steps; i++) {
        const t = (2 * i + 1) / steps - 1;
        for (let k = 0; k < 3; k++) b[k] += (target(t) * t ** k) / steps;
      }
      // c₀ = b₀ − c₂/3 leaves q(c₁, c₂) = c₁²/3 − 2b₁c₁ + (4/45)c₂² − 2(b₂ − b₀/3)c₂.
      const h = b[2] - b[0] / 3;
      const q = (c1: number, c2: number): number => (c1 * c1) / 3 - 2 * b[1] * c1 + (4 / 45) * c2 * c2 - 2 * h * c2;
      const edge = (sign: number): number[] => {
        const c1 = (b[1] + (sign * h) / 2) / (1 / 3 + 1 / 45);
        return [c1, (sign * c1) / 2];
      };
      const candidates = [[3 * b[1], (45 / 4) * h], edge(1), edge(-1), [0, 0]].filter(
        ([c1, c2]) => Math.abs(2 * c2) <= c1 + 1e-12,
      );
      candidates.sort((x, y) => q(x[0], x[1]) - q(y[0], y[1]));
      const [c1, c2] = candidates[0];
      const fit = noiseAwareFit({ target, degree: 2, monotone: true });
      const error = Math.max(...[b[0] - c2 / 3, c1, c2].map((value, k) => Math.abs(value - fit.coefficients[k])));
      expect(error).toBeLessThan(2e-5);
    }
  });
});

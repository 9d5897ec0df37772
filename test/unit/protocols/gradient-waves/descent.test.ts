import { describe, expect, test } from '@jest/globals';
import { gradientWavesPlan } from '../../../../protocols/gradient-waves/index.ts';
import { nextPoint, type PointGradient } from '../../../../protocols/gradient-waves/server.ts';
import { symmetricEigen } from '../../../../src/optimize/ball.ts';
import { fillNormal } from '../../../../src/random/random.ts';
import { seededRandom } from '../../../../src/random/seeded.ts';

const { abs, hypot, max, sqrt } = Math;

const plan = gradientWavesPlan({ variant: 'hinge', epsilon: 1, dimension: 4, radius: 2, waves: 9 });

/** Waves at random points of the ball, with gradients that differ in size by direction. */
function randomPast(count: number, size: number): PointGradient[] {
  const random = seededRandom(`past ${count} ${size}`);
  return Array.from({ length: count }, () => {
    const [w, gradient] = [new Float64Array(4), new Float64Array(4)];
    fillNormal(w, random, 0, 4);
    fillNormal(gradient, random, 0, 4);
    const length = hypot(...w);
    return {
      w: w.map((entry) => (1.9 * entry) / max(1.9, length)),
      gradient: gradient.map((entry, j) => size * entry * 0.3 ** j),
      variance: 0.001,
    };
  });
}

/** A^½ of these gradients, entry by entry. */
function rootOf(past: readonly PointGradient[]): Float64Array {
  const matrix = new Float64Array(16);
  for (const { gradient, variance } of past) {
    for (let i = 0; i < 4; i++) {
      for (let j = 0; j < 4; j++) matrix[4 * i + j] += (gradient[i] * gradient[j]) / past.length;
      matrix[5 * i] += (5 * variance) / past.length;
    }
  }
  const { values, vectors } = symmetricEigen(matrix, 4);
  return matrix.map((_, at) => {
    const [i, j] = [at >> 2, at & 3];
    return values.reduce((sum, value, k) => sum + sqrt(value) * vectors[4 * k + i] * vectors[4 * k + j], 0);
  });
}

const times = (matrix: Float64Array, vector: Float64Array): Float64Array =>
  vector.map((_, i) => vector.reduce((sum, entry, j) => sum + matrix[4 * i + j] * entry, 0));

describe('the points of waves', () => {
  test('begin at 0, and then go √2·R/√T against the gradient, shorter by its noise: by hand', () => {
    expect(nextPoint(plan, [])).toEqual(new Float64Array(4));
    // ‖ḡ‖² = .25 and δ = 5·.03 = .15, so that A has √.4 along ḡ; √2·2/√9 = .942809.
    const first = { w: new Float64Array(4), gradient: Float64Array.of(0.3, 0, -0.4, 0), variance: 0.03 };
    const [a, b, c, d] = nextPoint(plan, [first]);
    expect(a).toBeCloseTo((-0.9428090416 * 0.3) / sqrt(0.4), 9);
    expect(c).toBeCloseTo((0.9428090416 * 0.4) / sqrt(0.4), 9);
    expect(hypot(b, d)).toBeLessThan(1e-15);
    // An orthogonal gradient after it: half of its square, and 8/9 of the step.
    const second = { w: Float64Array.of(0, 0.5, 0, 0), gradient: Float64Array.of(0, 0.2, 0, 0), variance: 0.03 };
    const moved = nextPoint(plan, [first, second]);
    expect(moved[1]).toBeCloseTo(0.5 - ((8 / 9) * 0.9428090416 * 0.2) / sqrt(0.5 * 0.04 + 0.15), 9);
    expect(hypot(moved[0], moved[2], moved[3])).toBeLessThan(1e-15);
  });

  // Fewer gradients than dimensions, as many, and more.
  test.each([1, 2, 4, 7])(
    'solve A^½·(w_t − w′) = η_t·ḡ_t + μ·w′ with μ ≥ 0, and μ = 0 inside the ball, %d waves',
    (count) => {
      for (const size of [0.01, 1]) {
        const past = randomPast(count, size);
        const { w, gradient } = past[count - 1];
        const root = rootOf(past);
        const next = nextPoint(plan, past);
        const eta = (Math.SQRT2 * 2 * (1 - (count - 1) / 9)) / 3;
        const pull = times(
          root,
          w.map((entry, i) => entry - next[i]),
        ).map((entry, i) => entry - eta * gradient[i]);
        const norm = hypot(...next);
        expect(norm).toBeLessThanOrEqual(2 * (1 + 1e-12));
        const mu = pull.reduce((sum, entry, i) => sum + entry * next[i], 0) / norm ** 2;
        expect(mu).toBeGreaterThan(-1e-9);
        if (norm < 2 - 1e-9) expect(abs(mu)).toBeLessThan(1e-9);
        expect(hypot(...pull.map((entry, i) => entry - mu * next[i]))).toBeLessThan(1e-8);
      }
    },
  );

  test('stay where they are without a gradient, and need no noise', () => {
    const w = Float64Array.of(0.1, 0.2, 0.3, 0.4);
    expect(nextPoint(plan, [{ w, gradient: new Float64Array(4), variance: 0 }])).toEqual(w);
    const alike = { w, gradient: Float64Array.of(1, 0, 0, 0), variance: 0 };
    expect(nextPoint(plan, [alike, alike]).every(Number.isFinite)).toBe(true);
  });
});

import { describe, expect, test } from '@jest/globals';
import { euclideanNorm } from '../../../src/numeric/matrix.ts';
import type { StochasticOracle } from '../../../src/optimize/oracle.ts';
import { sigm, sigmBound, sigmSchedule } from '../../../src/optimize/stochastic-gradient.ts';
import { fillNormal } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { matrixOf, quadratic } from './quadratic.ts';

const orders = [1, 1.25, 1.5, 1.75, 2];
const growths = ['growing', 'constant'] as const;

describe('sigm', () => {
  const exactly = (centre: readonly number[], curvatures: readonly number[]): StochasticOracle => ({
    dimension: centre.length,
    gradient: (at, answer) => {
      for (let i = 0; i < centre.length; i++) answer[i] = curvatures[i] * (at[i] - centre[i]);
    },
  });

  test('finds an interior minimiser and one on the sphere, for every order and growth', () => {
    for (const order of orders) {
      for (const growth of growths) {
        const options = { radius: 1, iterations: 400, order, growth, smoothness: 1, deviation: 0 };
        const inside = sigm({ ...options, oracle: exactly([0.3, -0.4], [1, 0.5]) });
        expect(Math.hypot(inside.point[0] - 0.3, inside.point[1] + 0.4)).toBeLessThan(2e-3);
        // Equal curvatures: the constrained minimiser is the projection of the centre.
        const outside = sigm({ ...options, oracle: exactly([3, -4], [1, 1]) });
        expect(Math.hypot(outside.point[0] - 0.6, outside.point[1] + 0.8)).toBeLessThan(1e-2);
        expect(euclideanNorm(outside.point)).toBeLessThanOrEqual(1 + 1e-12);
      }
    }
  });

  test('keeps its bound on random quadratics known exactly, from the centre and from elsewhere', () => {
    const random = seededRandom('sigm quadratics');
    let worst = 0;
    for (let trial = 0; trial < 60; trial++) {
      const p = 1 + (trial % 7);
      const eigenvalues = Array.from({ length: p }, (_, i) => 10 ** (-i * ((trial % 5) / 3)));
      const matrix = matrixOf(eigenvalues, random);
      const optimum = new Float64Array(p);
      fillNormal(optimum, random);
      const norm = euclideanNorm(optimum);
      for (let i = 0; i < p; i++) optimum[i] *= 0.99 / norm;
      const zero = new Float64Array(p);
      quadratic(zero, matrix).gradient(optimum, zero);
      const f = quadratic(
        zero.map((entry) => -entry),
        matrix,
      );
      const start = trial % 2 === 0 ? new Float64Array(p) : optimum.map((entry) => -entry);
      for (const order of orders) {
        const options = { oracle: f, radius: 1, start, iterations: 5 + trial, order, smoothness: 1, deviation: 0 };
        const { point, bound } = sigm(options);
        worst = Math.max(worst, (f.value(point) - f.value(optimum)) / bound);
      }
    }
    expect(worst).toBeLessThan(1);
    expect(worst).toBeGreaterThan(0.05);
  });

  test('one call is one projected gradient step of size 1/L', () => {
    const { point } = sigm({
      oracle: exactly([0.3, -0.4], [2, 1]),
      radius: 1,
      start: Float64Array.of(0.1, 0.2),
      iterations: 1,
      order: 1.5,
      smoothness: 4,
      deviation: 0,
    });
    expect([...point]).toEqual([0.1 + 0.4 / 4, 0.2 - 0.6 / 4].map((x) => expect.closeTo(x, 14)));
  });

  test('follows the published steps to the letter on any sequence of answers', () => {
    const random = seededRandom('letter');
    const answers = new Float64Array(40);
    fillNormal(answers, random);
    const clip = (w: number): number => Math.max(-1, Math.min(1, w));
    for (const order of orders) {
      const setting = { radius: 1, iterations: 40, order, smoothness: 0.5, deviation: 1.5, distance: 1.25 };
      const { weight, part, curvature } = sigmSchedule(setting);
      let sum = weight(0) * answers[0];
      let y = clip(0.25 - sum / curvature(0));
      let total = weight(0);
      const asked = [0.25];
      for (let k = 0; k < 39; k++) {
        const z = clip(0.25 - sum / curvature(k));
        const tau = weight(k + 1) / part(k + 1);
        asked.push(tau * z + (1 - tau) * y);
        const moved = clip(z - (weight(k + 1) / curvature(k)) * answers[k + 1]);
        const w = tau * moved + (1 - tau) * y;
        total += weight(k + 1);
        y = ((total - part(k + 1)) * y + part(k + 1) * w) / total;
        sum += weight(k + 1) * answers[k + 1];
      }
      const queries: number[] = [];
      const oracle: StochasticOracle = {
        dimension: 1,
        gradient: (at, answer) => {
          answer[0] = answers[queries.length];
          queries.push(at[0]);
        },
      };
      const { point } = sigm({ ...setting, oracle, start: Float64Array.of(0.25) });
      expect(point[0]).toBeCloseTo(y, 13);
      expect(Math.max(...queries.map((at, i) => Math.abs(at - asked[i])))).toBeLessThan(1e-13);
    }
  });

  test('no call returns the start and claims nothing', () => {
    const refuse: StochasticOracle = {
      dimension: 2,
      gradient: () => {
        throw new Error('asked');
      },
    };
    const options = { oracle: refuse, radius: 1, iterations: 0, order: 1, smoothness: 1, deviation: 1 };
    expect(sigm(options)).toEqual({ point: new Float64Array(2), bound: Infinity });
    const start = Float64Array.of(0.5, 0);
    const { point } = sigm({ ...options, start });
    expect([...point]).toEqual([0.5, 0]);
    expect(point).not.toBe(start);
  });

  test('asks exactly as often as it was told to, always in the ball, and leaves start and oracle settings alone', () => {
    let calls = 0;
    let farthest = 0;
    const start = Float64Array.of(0, 0.5);
    sigm({
      oracle: {
        dimension: 2,
        gradient(at, answer) {
          calls++;
          farthest = Math.max(farthest, euclideanNorm(at));
          answer.set([10 * Math.cos(calls), 10 * Math.sin(calls)]);
        },
      },
      radius: 0.5,
      start,
      iterations: 123,
      order: 2,
      smoothness: 0.1,
      deviation: 10,
    });
    expect(calls).toBe(123);
    expect(farthest).toBeLessThanOrEqual(0.5 * (1 + 1e-12));
    expect([...start]).toEqual([0, 0.5]);
  });

  test('is the same in other units: a tiny and a huge ball give the same relative point', () => {
    const run = (s: number): number[] => {
      const random = seededRandom(5);
      const noise = new Float64Array(2);
      const { point } = sigm({
        oracle: {
          dimension: 2,
          gradient(at, answer) {
            fillNormal(noise, random);
            for (let i = 0; i < 2; i++) answer[i] = (at[i] / s - 0.4 + noise[i]) / s;
          },
        },
        radius: s,
        iterations: 50,
        order: 1.5,
        smoothness: 1 / s ** 2,
        deviation: Math.SQRT2 / s,
      });
      return [...point].map((entry) => entry / s);
    };
    const unit = run(1);
    for (const s of [1e-9, 1e9]) expect(run(s)).toEqual(unit.map((x) => expect.closeTo(x, 9)));
  });

  test('a bound of a start away from the centre is that of the distance R + ‖start‖', () => {
    const options = { radius: 1, iterations: 10, order: 1, smoothness: 1, deviation: 1 };
    const { bound } = sigm({ ...options, oracle: exactly([0], [1]), start: Float64Array.of(0.5) });
    expect(bound).toBe(sigmBound({ ...options, distance: 1.5 }));
  });

  test('a NaN or infinite gradient stops it with an error, at the call where it comes', () => {
    for (const bad of [Number.NaN, Infinity]) {
      let calls = 0;
      const oracle: StochasticOracle = {
        dimension: 1,
        gradient: (_, answer) => answer.fill(++calls === 3 ? bad : 0.1),
      };
      expect(() => sigm({ oracle, radius: 1, iterations: 1e4, order: 1, smoothness: 1, deviation: 0 })).toThrow(
        new RangeError(`"gradient" expected finite numbers, got ${bad}`),
      );
      expect(calls).toBe(3);
    }
  });

  test('refuses orders, growths, radii, distances, counts and starts that are none', () => {
    const options = { oracle: exactly([0], [1]), radius: 1, iterations: 10, order: 1, smoothness: 1, deviation: 1 };
    expect(() => sigm({ ...options, order: 0.9 })).toThrow(
      new RangeError('"order" expected a number from 1 to 2, got 0.9'),
    );
    expect(() => sigm({ ...options, order: Number.NaN })).toThrow(RangeError);
    expect(() => sigm({ ...options, order: '1' as unknown as number })).toThrow(TypeError);
    expect(() => sigm({ ...options, growth: 'fast' as 'growing' })).toThrow('"growth"');
    expect(() => sigm({ ...options, radius: -1 })).toThrow('"radius" expected a finite number > 0, got -1');
    expect(() => sigm({ ...options, iterations: 1.5 })).toThrow('"iterations"');
    expect(() => sigm({ ...options, deviation: -1 })).toThrow('"deviation"');
    expect(() => sigm({ ...options, start: Float64Array.of(2) })).toThrow('"start"');
    expect(() => sigmBound({ ...options, distance: 0 })).toThrow('"distance"');
  });
});

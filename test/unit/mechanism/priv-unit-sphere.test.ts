import { describe, expect, test } from '@jest/globals';
import { incompleteBeta, inverseIncompleteBeta } from '../../../src/numeric/beta.ts';
import { fillSphere } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { chiSquareTest } from '../../statistics/chi-square.ts';
import { belowExp, ratioAtMost, spendsAtMost } from './exact-ratio.ts';
import { type Kernel, measure } from './measured.ts';
import { type PrivUnit2, privUnit2, randomizePrivUnit2 } from './priv-unit-2.ts';

const kernelOf =
  (mechanism: PrivUnit2): Kernel =>
  (unit, target, random) =>
    randomizePrivUnit2(mechanism, unit, target, random);

/** ε from 0.01 to 16, and the ends of the range, in dimensions from 2 to 10,000. */
const REQUESTS = [1e-9, 1e-4, ...Array.from({ length: 17 }, (_, i) => 0.01 * 1600 ** (i / 16)), 32].flatMap((epsilon) =>
  [2, 3, 4, 17, 100, 1001, 10_000].map((dimension) => ({ epsilon, dimension })),
);

/** P(⟨V, u⟩ ≥ t) for V uniform on the sphere. */
function beyond(t: number, dimension: number): number {
  const tail = 0.5 * incompleteBeta((1 - t) * (1 + t), (dimension - 1) / 2, 0.5);
  return t >= 0 ? tail : 1 - tail;
}

/** The probabilities of 20 equal cells of (0, 1). */
const EQUAL = new Float64Array(20).fill(0.05);

describe('the constants of PrivUnit2', () => {
  // Computed independently with SciPy and mpmath: d, ε, p, γ, E‖z − u‖².
  test.each([
    [3, 1, 0.6224593312018547, 0.24491866240370863, 15.67079235613106],
    [10, 1, 0.5977568753621288, 0.1283184039639487, 59.7326353612013],
    [10, 4, 0.817882250425489, 0.462532078181545, 3.6742967435495233],
    [100, 1, 0.5901154945972779, 0.039829942174340806, 629.3484803804024],
    [200, 5, 0.8326914770651938, 0.13046297341502752, 57.75237445297535],
    [1000, 8, 0.9013966029859322, 0.08659816227621897, 132.34682511117848],
  ])('in dimension %p at ε = %p are those of an independent search', (dimension, epsilon, p, gamma, error) => {
    const { keep, threshold, squaredError } = privUnit2({ epsilon, dimension });
    expect(Math.abs(keep - p)).toBeLessThan(1e-6);
    expect(Math.abs(threshold - gamma)).toBeLessThan(1e-6);
    expect(Math.abs(squaredError / error - 1)).toBeLessThan(1e-12);
  });

  test('have their closed form in dimension 3, where a coordinate is uniform on [−1, 1]', () => {
    let worst = 0;
    for (const epsilon of [0.1, 1, 3, 8]) {
      const { keep, cap, threshold, mean } = privUnit2({ epsilon, dimension: 3 });
      const exact = keep * ((1 + threshold) / 2) + (1 - keep) * ((threshold - 1) / 2);
      worst = Math.max(worst, Math.abs(cap - (1 - threshold) / 2), Math.abs(mean - exact));
    }
    expect(worst).toBeLessThan(1e-14);
  });

  test('are the best: no keep probability on a grid has a larger mean', () => {
    let worst = -Infinity;
    for (const [dimension, epsilon] of [
      [2, 1],
      [3, 4],
      [10, 0.1],
      [10, 16],
      [300, 2],
    ]) {
      const best = privUnit2({ epsilon, dimension }).mean;
      const half = (dimension - 1) / 2;
      // The constant of the density, from the best choice itself: only the ratio of two means is compared.
      const shape = (p: number, q: number): number =>
        inverseIncompleteBeta(2 * q, half, 0.5) ** half * (p / q - (1 - p) / (1 - q));
      const { keep, cap } = privUnit2({ epsilon, dimension });
      const top = shape(keep, cap);
      expect(best).toBeGreaterThan(0);
      for (let k = 1; k < 400; k++) {
        const p = 0.5 + k / 800;
        const q = p / (p + Math.exp(epsilon) * (1 - p));
        // A cap of more than half the sphere has γ < 0, and the best γ = m is positive.
        if (q < 0.5) worst = Math.max(worst, shape(p, q) / top - 1);
      }
    }
    expect(worst).toBeLessThan(1e-11);
  });

  test('make the covariance a multiple of the identity, with the trace that is the squared error', () => {
    let worst = 0;
    for (const request of REQUESTS.filter(({ epsilon }) => epsilon >= 0.01 && epsilon <= 16)) {
      const { coordinateVariance, alongVariance, squaredError } = privUnit2(request);
      const trace = (request.dimension - 1) * coordinateVariance + alongVariance;
      worst = Math.max(worst, Math.abs(trace / squaredError - 1), Math.abs(alongVariance / coordinateVariance - 1));
    }
    // For d = 2 and ε = 16 the variances are differences of numbers near 1 that leave 5e-5.
    expect(worst).toBeLessThan(1e-10);
  });

  test('have the moments along u that quadrature finds', () => {
    let worst = 0;
    for (const [dimension, epsilon] of [
      [3, 1],
      [5, 4],
      [50, 2],
    ]) {
      const { keep, cap, threshold, mean, alongVariance } = privUnit2({ epsilon, dimension });
      // Midpoints in the angle, where the density sin(θ)^(d−2) is smooth; the constant from the sum itself.
      const edge = Math.acos(threshold);
      const sums = [0, 0, 0, 0, 0, 0];
      for (const [side, from, to] of [
        [0, 0, edge],
        [1, edge, Math.PI],
      ]) {
        const step = (to - from) / 20_000;
        for (let k = 0; k < 20_000; k++) {
          const angle = from + (k + 0.5) * step;
          const weight = Math.sin(angle) ** (dimension - 2) * step;
          sums[3 * side] += weight;
          sums[3 * side + 1] += weight * Math.cos(angle);
          sums[3 * side + 2] += weight * Math.cos(angle) ** 2;
        }
      }
      const first = (keep * sums[1]) / sums[0] + ((1 - keep) * sums[4]) / sums[3];
      const second = (keep * sums[2]) / sums[0] + ((1 - keep) * sums[5]) / sums[3];
      const variance = (second - first * first) / (mean * mean);
      worst = Math.max(worst, Math.abs(sums[0] / (sums[0] + sums[3]) / cap - 1));
      worst = Math.max(worst, Math.abs(first / mean - 1), Math.abs(variance / alongVariance - 1));
    }
    expect(worst).toBeLessThan(1e-6);
  });
});

describe('the privacy of PrivUnit2', () => {
  test('is on the safe side of ε in exact arithmetic, for every ε and dimension', () => {
    const failures = REQUESTS.filter((request) => {
      const { keep, cap, densityRatio } = privUnit2(request);
      const { epsilon } = request;
      return !(
        spendsAtMost(keep, cap, epsilon) &&
        ratioAtMost(keep, cap, densityRatio) &&
        belowExp(densityRatio, epsilon)
      );
    });
    expect(failures).toEqual([]);
  });

  test('wastes nothing: a cap smaller by 1e-13 would be caught', () => {
    const missed = REQUESTS.filter((request) => {
      const { keep, cap } = privUnit2(request);
      return spendsAtMost(keep, cap * (1 - 1e-13), request.epsilon);
    });
    expect(missed).toEqual([]);
  });

  test('shows in reports of u and −u: no interval along u is more than e^ε times likelier', () => {
    const epsilon = 1;
    const mechanism = privUnit2({ epsilon, dimension: 3 });
    const random = seededRandom('ratio');
    const reports = 150_000;
    const edges = [-mechanism.threshold, 0, mechanism.threshold];
    const counts = [new Float64Array(4), new Float64Array(4)];
    const report = new Float64Array(3);
    for (const sign of [0, 1]) {
      const unit = Float64Array.of(0.36, 0.48, 0.8).map((entry) => (sign === 0 ? entry : -entry));
      for (let k = 0; k < reports; k++) {
        randomizePrivUnit2(mechanism, unit, report, random);
        const along = (0.36 * report[0] + 0.48 * report[1] + 0.8 * report[2]) * mechanism.mean;
        counts[sign][along < edges[0] ? 0 : along < edges[1] ? 1 : along < edges[2] ? 2 : 3]++;
      }
    }
    const ratios = [...counts[0]].map((count, i) => Math.log(count / counts[1][i]));
    // The least of the outer probabilities is 0.22: standard errors √(1/(0.22·N) + 1/(0.62·N)) = 0.0064 of a ratio there,
    // at most 0.0106 inside, where the true ratio is 1. Beyond 5: once in 1.7e6. ε less by 5 % is 7.8 away.
    const tolerance = 0.032;
    expect(Math.max(...ratios.map(Math.abs))).toBeLessThan(epsilon + tolerance);
    expect(Math.abs(ratios[3] - epsilon)).toBeLessThan(tolerance);
    expect(Math.abs(ratios[0] + epsilon)).toBeLessThan(tolerance);
    expect(Math.abs(ratios[3] - 0.95 * epsilon)).toBeGreaterThan(tolerance);
  });
});

describe('reports of PrivUnit2', () => {
  // Four deviations a case, each beyond 4 standard errors with probability 6.3e-5: 0.2 % over the eight cases, once for
  // all since the seeds are fixed. The squared error is the same in every report only up to ⟨z, u⟩, so it varies.
  test.each([
    [0.01, 2],
    [0.01, 5],
    [1, 2],
    [1, 3],
    [1, 66],
    [4, 4],
    [16, 2],
    [16, 10],
  ])('at ε = %p in dimension %p are unbiased, with the error claimed', (epsilon, dimension) => {
    const mechanism = privUnit2({ epsilon, dimension });
    const deviations = measure(mechanism, kernelOf(mechanism), 50_000, seededRandom(`${epsilon} ${dimension}`));
    expect(Math.max(...Object.values(deviations).map(Math.abs))).toBeLessThan(4);
  });

  test('that are 5 % too long are rejected', () => {
    const mechanism = privUnit2({ epsilon: 4, dimension: 4 });
    const deviations = measure(mechanism, kernelOf(mechanism), 50_000, seededRandom('4 4'), 1.05);
    expect(Math.min(...[deviations.along, deviations.error, deviations.variance].map(Math.abs))).toBeGreaterThan(4);
  });

  test('all have length 1/m', () => {
    let worst = 0;
    for (const dimension of [2, 3, 64]) {
      const mechanism = privUnit2({ epsilon: 3, dimension });
      const random = seededRandom('length');
      const unit = new Float64Array(dimension);
      const report = new Float64Array(dimension);
      for (let k = 0; k < 2000; k++) {
        fillSphere(unit, random);
        randomizePrivUnit2(mechanism, unit, report, random);
        let squared = 0;
        for (let i = 0; i < dimension; i++) squared += report[i] * report[i];
        worst = Math.max(worst, Math.abs(Math.sqrt(squared) * mechanism.mean - 1));
      }
    }
    // The component that is orthogonal to u up to rounding is divided by its norm, at worst about 1e-3 in the plane.
    expect(worst).toBeLessThan(1e-11);
  });

  /** Counts of the distribution function of ⟨V, u⟩, for a given keep probability: uniform if right. */
  function counts(mechanism: PrivUnit2, keep: number): Float64Array {
    const { dimension, cap, threshold, mean } = mechanism;
    const random = seededRandom(`along ${dimension}`);
    const unit = new Float64Array(dimension);
    const report = new Float64Array(dimension);
    fillSphere(unit, random);
    const cells = new Float64Array(20);
    for (let k = 0; k < 60_000; k++) {
      randomizePrivUnit2(mechanism, unit, report, random);
      let along = 0;
      for (let i = 0; i < dimension; i++) along += report[i] * unit[i] * mean;
      const tail = beyond(Math.min(1, Math.max(-1, along)), dimension);
      const below = along < threshold ? ((1 - keep) * (1 - tail)) / (1 - cap) : 1 - (keep * tail) / cap;
      cells[Math.min(19, Math.max(0, Math.floor(20 * below)))]++;
    }
    return cells;
  }

  test.each([2, 3, 20, 200])('have a component along u of exactly the two-piece law, in dimension %p', (dimension) => {
    const mechanism = privUnit2({ epsilon: 2, dimension });
    // A false alarm has probability 1e-4.
    expect(chiSquareTest(counts(mechanism, mechanism.keep), EQUAL)).toBeGreaterThan(1e-4);
  });

  test('would fail that test with a keep probability 5 % smaller', () => {
    const mechanism = privUnit2({ epsilon: 2, dimension: 3 });
    expect(chiSquareTest(counts(mechanism, mechanism.keep * 0.95), EQUAL)).toBeLessThan(1e-4);
  });

  test('are the same in single precision, and touch nothing beyond the dimension', () => {
    const mechanism = privUnit2({ epsilon: 1, dimension: 3 });
    const unit = Float64Array.of(0.6, 0, 0.8, 9, 9);
    const wide = new Float64Array(5).fill(7);
    const narrow = new Float32Array(5).fill(7);
    randomizePrivUnit2(mechanism, unit, wide, seededRandom(5));
    randomizePrivUnit2(mechanism, unit, narrow, seededRandom(5));
    expect([...narrow]).toEqual([...wide].map(Math.fround));
    expect([...wide.subarray(3)]).toEqual([7, 7]);
  });
});

describe('PrivUnit2 refuses', () => {
  test('budgets that are not numbers from 1e-9 to 32', () => {
    for (const epsilon of [0, -1, 1e-10, 33, Infinity, Number.NaN]) {
      expect(() => privUnit2({ epsilon, dimension: 2 })).toThrow(
        `"epsilon" expected a number from 1e-9 to 32, got ${epsilon}`,
      );
    }
    expect(() => privUnit2({ epsilon: null as unknown as number, dimension: 2 })).toThrow(TypeError);
  });

  test('dimensions that are not whole numbers above 1', () => {
    for (const dimension of [0, 1, 2.5, Number.NaN]) {
      expect(() => privUnit2({ epsilon: 1, dimension })).toThrow(RangeError);
    }
  });

  test('vectors off the sphere, without saying what they are', () => {
    const mechanism = privUnit2({ epsilon: 1, dimension: 2 });
    for (const unit of [[0.3, 0.4], [1, 1], [Number.NaN, 1], [1]]) {
      expect(() => randomizePrivUnit2(mechanism, unit, new Float64Array(2), seededRandom(1))).toThrow(
        new RangeError('"unit" expected a vector of l2 norm 1'),
      );
    }
  });
});

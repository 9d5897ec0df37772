import { describe, expect, test } from '@jest/globals';
import { checkVector } from '../../../src/check/refusal.ts';
import {
  checkQuality,
  inexactnessOfBias,
  onePassOracle,
  type ReportGradients,
  withReplacementOracle,
} from '../../../src/optimize/oracle.ts';
import { sigm } from '../../../src/optimize/stochastic-gradient.ts';
import { fillNormal } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';

const point = new Float64Array(1);
const target = new Float64Array(1);

describe('onePassOracle', () => {
  const named = (reports: number): ReportGradients => ({
    dimension: 1,
    reports,
    gradient: (index, _, answer) => answer.fill(index),
  });

  test('answers from every report once and then refuses', () => {
    const oracle = onePassOracle(named(50), seededRandom(1));
    const seen = Array.from({ length: 50 }, () => {
      oracle.gradient(point, target);
      return target[0];
    });
    expect([...seen].sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, i) => i));
    expect(seen).not.toEqual(Array.from({ length: 50 }, (_, i) => i));
    expect(() => oracle.gradient(point, target)).toThrow(
      new RangeError('"calls" expected at most one call a report, 50 in all, got 51'),
    );
  });

  test('gives the point on to the report', () => {
    const oracle = onePassOracle(
      { dimension: 2, reports: 1, gradient: (_, at, answer) => answer.set(at.map((x) => 2 * x)) },
      seededRandom(1),
    );
    const answer = new Float64Array(2);
    oracle.gradient(Float64Array.of(3, -4), answer);
    expect([...answer]).toEqual([6, -8]);
    expect(oracle.dimension).toBe(2);
  });

  test('refuses no report at all and a dimension that is none', () => {
    expect(() => onePassOracle(named(0), seededRandom(1))).toThrow(
      new RangeError('"reports" expected a whole number from 1 to 4294967295, got 0'),
    );
    expect(() => onePassOracle({ ...named(1), dimension: 0 }, seededRandom(1))).toThrow(RangeError);
  });

  // f(w) = ½‖w − c‖², 20 reports with the gradients w − c + ξ_i, ξ_i ~ N(0, 4²/2·I₂) drawn once. The bound on the gap is
  // claimed of fresh draws. With replacement and 4,000 calls the method finds the minimiser of the *reports*, whose gap is
  // ½‖mean ξ‖², of mean 16/2/20 = 0.4 over populations and standard deviation 0.4; over 300 populations the mean is
  // 0.4 ± 0.023. The bound for 4,000 fresh calls is LD²/2k + σD/√k = 0.002 + 0.253 = 0.255. The true mean
  // is 6 standard errors above it.
  test('is what the bound needs: one pass keeps it, sampling the same reports again and again breaks it', () => {
    const random = seededRandom('server loop');
    const [radius, deviation, reports, populations] = [4, 4, 20, 300];
    const centre = Float64Array.of(0.3, -0.5);
    const noise = new Float64Array(2 * reports);
    const sum: ReportGradients = {
      dimension: 2,
      reports,
      gradient(index, at, answer) {
        for (let i = 0; i < 2; i++) answer[i] = at[i] - centre[i] + noise[2 * index + i];
      },
    };
    const replaced = withReplacementOracle(sum, random);
    const setting = { radius, order: 1, smoothness: 1, deviation, growth: 'constant' } as const;
    const gap = (at: Float64Array): number => ((at[0] - centre[0]) ** 2 + (at[1] - centre[1]) ** 2) / 2;
    const mean = { once: 0, again: 0 };
    const bound = { once: 0, again: 0 };
    for (let i = 0; i < populations; i++) {
      fillNormal(noise, random);
      for (let j = 0; j < noise.length; j++) noise[j] *= deviation / Math.SQRT2;
      const once = sigm({ ...setting, oracle: onePassOracle(sum, random), iterations: reports });
      const again = sigm({ ...setting, oracle: replaced, iterations: 4000 });
      mean.once += gap(once.point) / populations;
      mean.again += gap(again.point) / populations;
      bound.once = once.bound;
      bound.again = again.bound;
    }
    expect(mean.once).toBeLessThan(bound.once);
    expect(bound.again).toBeCloseTo(0.255, 3);
    expect(mean.again).toBeGreaterThan(bound.again);
  });
});

describe('the quality of an oracle', () => {
  test('a gradient error of norm Δ is an inexactness 2RΔ, and no less will do', () => {
    const [radius, error, smoothness] = [1.5, 0.2, 0.8];
    const gamma = inexactnessOfBias(error, radius);
    expect(gamma).toBeCloseTo(0.6, 15);
    // Definition 7 in one dimension, f = (L/2)w², g(w) = Lw + e: f_γ(w) = f(w) + e·w − RΔ.
    let least = Infinity;
    let most = -Infinity;
    for (let v = -radius; v <= radius + 1e-9; v += 0.05) {
      for (let w = -radius; w <= radius + 1e-9; w += 0.05) {
        const value = (smoothness / 2) * w * w + error * w - radius * error;
        const rest = (smoothness / 2) * v * v - value - (smoothness * w + error) * (v - w);
        least = Math.min(least, rest);
        most = Math.max(most, rest - (smoothness / 2) * (v - w) ** 2);
      }
    }
    expect(least).toBeCloseTo(0, 12);
    expect(most).toBeCloseTo(gamma, 12);
  });

  test('defaults are exact gradients; negative, infinite and missing numbers are refused', () => {
    expect(checkQuality({ smoothness: 2, deviation: 0 })).toEqual({
      smoothness: 2,
      deviation: 0,
      inexactness: 0,
      gradientBias: 0,
    });
    expect(() => checkQuality({ smoothness: -1, deviation: 1 })).toThrow('"smoothness" expected a finite number >= 0');
    expect(() => checkQuality({ smoothness: 1, deviation: Infinity })).toThrow(RangeError);
    expect(() => checkQuality({ smoothness: 1 } as never)).toThrow(TypeError);
    expect(() => checkQuality({ smoothness: 1, deviation: 1, inexactness: Number.NaN })).toThrow('"inexactness"');
    expect(() => checkQuality({ smoothness: 1, deviation: 1, gradientBias: -1 })).toThrow('"gradientBias"');
    expect(() => checkQuality({ smoothness: 0, deviation: 0 })).toThrow(
      new RangeError('"smoothness" expected a finite number > 0 when the deviation is 0, got 0'),
    );
    expect(() => inexactnessOfBias(1, 0)).toThrow(RangeError);
    expect(() => inexactnessOfBias(-1, 1)).toThrow(RangeError);
  });

  test('an answer with a NaN or an infinity is refused, the largest finite numbers are not', () => {
    expect(() => checkVector('gradient', Float64Array.of(1, Number.NaN))).toThrow(
      new RangeError('"gradient" expected finite numbers, got NaN'),
    );
    expect(() => checkVector('gradient', Float64Array.of(-Infinity, 1))).toThrow('got -Infinity');
    expect(() => checkVector('gradient', Float64Array.of(Number.MAX_VALUE, Number.MAX_VALUE, -1, 0))).not.toThrow();
    expect(() => checkVector('gradient', new Float64Array(0))).not.toThrow();
  });
});

import { describe, expect, test } from '@jest/globals';
import {
  normalCriticalValue,
  randomScalingCoverage,
  randomScalingCriticalValue,
  randomScalingExceedance,
} from '../../../src/inference/critical-value.ts';
import { normal } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { proportionTest } from '../../statistics/moments.ts';

// All literals of this file were computed independently with SciPy and mpmath.
describe('the critical values of random scaling', () => {
  test.each([
    [0.01, 0.03314625595409919],
    [0.5, 1.8596051671819727],
    [0.8, 3.8748812807220943],
    [0.9, 5.32267990053013],
    [0.95, 6.747302109172834],
    [0.98, 8.613187246073364],
    [0.99, 10.017267063828745],
    [0.999, 14.659021932072724],
  ])('at level %d', (level, expected) => {
    expect(Math.abs(randomScalingCriticalValue(level) / expected - 1)).toBeLessThan(1e-12);
  });

  test.each([
    [0.1, 0.9698407664131828],
    [1, 0.7090163657939522],
    [6.747302109172834, 0.05000000000000004],
    [30, 4.767997757392625e-7],
  ])('P(|t| > %d)', (c, expected) => {
    expect(Math.abs(randomScalingExceedance(c) / expected - 1)).toBeLessThan(1e-12);
  });

  test('the two tails add up to 1, from far inside to far outside', () => {
    let worst = 0;
    for (let c = 1e-8; c < 100; c *= 1.3) {
      worst = Math.max(worst, Math.abs(randomScalingExceedance(c) + randomScalingCoverage(c) - 1));
    }
    expect(worst).toBeLessThan(1e-14);
    expect(randomScalingExceedance(0)).toBeCloseTo(1, 15);
    expect(randomScalingCoverage(0)).toBe(0);
  });

  test('inverts the law at any level, 1e-200 and 1 − 1e-15 included', () => {
    let worst = 0;
    for (const level of [1e-200, 1e-9, 0.01, 0.3, 0.49999, 0.5, 0.7, 0.95, 0.999, 1 - 1e-10, 1 - 1e-15]) {
      const c = randomScalingCriticalValue(level);
      worst = Math.max(worst, Math.abs(randomScalingCoverage(c) / level - 1));
      if (level >= 0.5) worst = Math.max(worst, Math.abs(randomScalingExceedance(c) / (1 - level) - 1));
    }
    expect(worst).toBeLessThan(1e-12);
  });

  // W(1) and the bridge Σ z_k √2 sin(kπr)/(kπ) are drawn; A = Σ z_k²/(kπ)², its rest beyond 60 terms by its mean. The p-value
  // is compared with 1e-6; a critical value off by 5 % moves the exceedance 0.05 by 0.0055, 11 standard errors.
  test('by simulation of the Wiener process; a critical value off by 5 % is noticed', () => {
    const random = seededRandom('bridges');
    const draws = 200_000;
    let rest = 1 / 6;
    for (let k = 1; k <= 60; k++) rest -= 1 / (Math.PI * k) ** 2;
    const weights = Float64Array.from({ length: 60 }, (_, k) => 1 / (Math.PI * (k + 1)) ** 2);
    const critical = randomScalingCriticalValue(0.95);
    const beyond = [0, 0, 0];
    for (let draw = 0; draw < draws; draw++) {
      let area = rest;
      for (let k = 0; k < 60; k++) area += weights[k] * normal(random) ** 2;
      const t = Math.abs(normal(random)) / Math.sqrt(area);
      if (t > critical) beyond[0]++;
      if (t > critical * 1.05) beyond[1]++;
      if (t > critical / 1.05) beyond[2]++;
    }
    expect(proportionTest(beyond[0], draws, 0.05)).toBeGreaterThan(1e-6);
    expect(proportionTest(beyond[1], draws, 0.05)).toBeLessThan(1e-6);
    expect(proportionTest(beyond[2], draws, 0.05)).toBeLessThan(1e-6);
  });
});

describe('normal critical values', () => {
  test.each([
    [0.95, 1.959963984540054],
    [0.99, 2.5758293035489004],
  ])('at level %d', (level, expected) => {
    expect(normalCriticalValue(level)).toBeCloseTo(expected, 13);
  });

  test('near 0 and near 1', () => {
    expect(normalCriticalValue(1e-10) / 1.253314241015177e-10 - 1).toBeCloseTo(0, 5);
    // SciPy rounds ½ + level/2; the exact slope at 0 is √(π/2). The two branches meet without a step.
    expect(normalCriticalValue(1e-10) / 1e-10).toBeCloseTo(Math.sqrt(Math.PI / 2), 14);
    expect(normalCriticalValue(1e-3) / normalCriticalValue(1e-3 + 1e-15) - 1).toBeCloseTo(0, 11);
    expect(normalCriticalValue(1 - 2 ** -40)).toBeGreaterThan(7);
  });
});

test('a coverage is no more than 1', () => {
  for (const c of [100, 1e9, 1e308]) expect(randomScalingCoverage(c)).toBe(1);
});

test('a level below all that matter has a critical value in proportion', () => {
  expect(randomScalingCriticalValue(1e-300) / (1e200 ** -1 * randomScalingCriticalValue(1e-100))).toBeCloseTo(1, 12);
  expect(randomScalingCriticalValue(5e-324)).toBeLessThan(1e-322);
});

test('levels outside (0, 1) are refused by both', () => {
  for (const level of [0, 1, -0.1, 95, Number.NaN]) {
    expect(() => randomScalingCriticalValue(level)).toThrow(RangeError);
    expect(() => normalCriticalValue(level)).toThrow('"level" expected a number strictly between 0 and 1');
  }
  expect(() => randomScalingCriticalValue('0.9' as unknown as number)).toThrow(TypeError);
  expect(() => randomScalingExceedance(-1)).toThrow('"c"');
  expect(() => randomScalingCoverage(Infinity)).toThrow('"c"');
});

import { describe, expect, test } from '@jest/globals';
import { transcriptMu } from '../../protocols/generalized-linear/margin/channels.ts';
import { printedCopies } from '../../src/mechanism/added-noise.ts';
import { gdpEpsilon } from '../../src/privacy/gaussian.ts';
import { composeAdvanced } from '../evidence/shared/printed-accounting.ts';

const delta = 1e-6;

// The ε that each accounting certifies at δ for k Gaussian releases of sensitivity 2, each (ε₀, δ₀) by the classical theorem.
function certified(epsilon0: number, count: number) {
  const delta0 = delta / (2 * count);
  const sigma = (2 * Math.sqrt(2 * Math.log(1.25 / delta0))) / epsilon0;
  return {
    basic: count * epsilon0,
    advanced: composeAdvanced({ epsilon: epsilon0, delta: delta0, count, slack: delta / 2 }).epsilon,
    gdp: gdpEpsilon(Math.sqrt(count) * (2 / sigma), delta),
  };
}

describe('Remark 12: advanced composition gains, and composition of Gaussian DP gains more', () => {
  test('for releases of ε₀ = 0.01 the advanced bound grows like √k (slope of a log-log fit 0.5 ± 0.05), basic like k', () => {
    const counts = [100, 200, 400, 800, 1600];
    const slope = (value: (count: number) => number): number =>
      Math.log(value(1600) / value(100)) / Math.log(counts[4] / counts[0]);
    expect(Math.abs(slope((count) => certified(0.01, count).advanced) - 0.5)).toBeLessThan(0.05);
    // δ₀ falls with k, so σ grows a little: a slope slightly below one half.
    expect(Math.abs(slope((count) => certified(0.01, count).gdp) - 0.5)).toBeLessThan(0.06);
    expect(slope((count) => certified(0.01, count).basic)).toBeCloseTo(1, 12);
  });

  test.each([10, 100, 1000])('of %d releases Gaussian DP certifies the least ε', (count) => {
    const { basic, advanced, gdp } = certified(0.05, count);
    expect(gdp).toBeLessThan(advanced);
    expect(gdp).toBeLessThan(basic);
  });

  test('for few releases advanced composition is worse than basic: the gain is not for free', () => {
    const { basic, advanced } = certified(0.05, 10);
    expect(advanced).toBeGreaterThan(basic);
  });

  test('the printed noise of algorithm 1 at ε = 1 certifies 0.63 at degree 2 by Gaussian DP where its proof adds up to 2', () => {
    const mu = transcriptMu(printedCopies({ epsilon: 1, delta, degree: 2, dimension: 3 }));
    expect(gdpEpsilon(mu, delta)).toBeGreaterThan(0.62);
    expect(gdpEpsilon(mu, delta)).toBeLessThan(0.64);
  });
});

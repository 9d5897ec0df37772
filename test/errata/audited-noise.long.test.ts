// docs/errata.md, three printed noises. Printed: variance 8·log(1.25/δ)/ε (examples 2) and 4/μ (example 3) of the online paper, and
// 2B²·ln(2/δ)/ε² for a value in [−B, B] on the slides. What holds: ε² and μ² under the fraction, and sensitivity 2B. The printed
// forms are too little noise; an audit that knows nothing of the formulas refutes them, and not the corrected ones.
import { describe, expect, test } from '@jest/globals';
import { audit } from '../../src/audit/audit.ts';
import { analyticGaussianSigma, gdpDelta, gdpEpsilon } from '../../src/privacy/gaussian.ts';
import { approximate, type Guarantee, gdp } from '../../src/privacy/guarantee.ts';
import { normal } from '../../src/random/random.ts';
import { seededRandom } from '../../src/random/seeded.ts';

const { log, sqrt } = Math;

/** The audit of a number in [−1, 1] with this noise: all that matters of a gradient of norm 1 in any dimension. */
function attack(sigma: number, claimed: Guarantee, trials: number) {
  const player = {
    randomize: (_: undefined, datum: number, random: Parameters<typeof normal>[0]): number[] => [
      Math.fround(datum + sigma * normal(random)),
    ],
    randomizeInto(_: undefined, datum: number, random: Parameters<typeof normal>[0], report: number[]): void {
      report[0] = Math.fround(datum + sigma * normal(random));
    },
  };
  const pair = { name: 'ends', first: -1, second: 1 };
  // All of it is against one event of the likelihood ratio, which is linear; a false alarm has probability 0.1 %.
  const logLikelihoodRatio = ([z]: number[]): number => -z;
  const options = { pair, trials, random: seededRandom('printed noise'), confidence: 0.999, logLikelihoodRatio };
  return audit({ player, parameters: undefined, claimed }, { ...options, twoReports: false, lastBits: false });
}

describe('example 2 of the online paper, variance 8·log(1.25/δ)/ε', () => {
  const budget = { epsilon: 0.05, delta: 1e-3 };
  const { epsilon, delta } = budget;
  const printed = sqrt((8 * log(1.25 / delta)) / epsilon);
  const corrected = sqrt(8 * log(1.25 / delta)) / epsilon;

  test('is μ = 2/σ Gaussian with a δ several times the one claimed', () => {
    expect(gdpDelta(2 / printed, epsilon)).toBeGreaterThan(5 * delta);
    expect(gdpDelta(2 / corrected, epsilon)).toBeLessThan(delta);
  });

  test('is refuted at ε = 0.05 by four million reports, and the corrected form is not', () => {
    const refuted = attack(printed, approximate(budget), 4_000_000);
    expect(refuted.verdict).toBe('violation');
    expect(refuted.lowerBound).toBeGreaterThan(epsilon);
    // What is proved is true: the printed noise has this ε at that δ.
    expect(refuted.lowerBound).toBeLessThan(gdpEpsilon(2 / printed, delta));
    expect(attack(corrected, approximate(budget), 1_000_000).verdict).toBe('consistent');
    expect(attack(analyticGaussianSigma({ ...budget, sensitivity: 2 }), approximate(budget), 1_000_000).verdict).toBe(
      'consistent',
    );
  });

  test('is enough for ε ≥ 1, where it is the larger of the two', () => {
    const large = { epsilon: 2, delta: 1e-3 };
    const sigma = sqrt((8 * log(1250)) / 2);
    expect(gdpDelta(2 / sigma, 2)).toBeLessThan(large.delta);
    expect(attack(sigma, approximate(large), 200_000).verdict).toBe('consistent');
  });
});

describe('example 3 of the online paper, variance 4/μ', () => {
  test.each([0.25, 0.5])('is refuted at μ = %p, and 4/μ² is not', (mu) => {
    const refuted = attack(2 / sqrt(mu), gdp(mu), 200_000);
    expect(refuted.verdict).toBe('violation');
    // The printed noise is exactly √μ-Gaussian.
    expect(refuted.muLowerBound).toBeGreaterThan(0.85 * sqrt(mu));
    expect(refuted.muLowerBound).toBeLessThan(sqrt(mu));
    const corrected = attack(2 / mu, gdp(mu), 200_000);
    expect(corrected.verdict).toBe('consistent');
    expect(corrected.muLowerBound).toBeGreaterThan(0.8 * mu);
  });
});

describe('the naive estimator of the slides, variance 2B²·ln(2/δ)/ε²', () => {
  const budget = { epsilon: 1, delta: 1e-2 };
  const printed = sqrt(2 * log(2 / budget.delta)) / budget.epsilon;
  const corrected = sqrt(8 * log(1.25 / budget.delta)) / budget.epsilon;

  test('is refuted, since two values differ by 2B, and 8B²·ln(1.25/δ)/ε² is not', () => {
    expect(gdpDelta(2 / printed, budget.epsilon)).toBeGreaterThan(2 * budget.delta);
    expect(attack(printed, approximate(budget), 400_000).verdict).toBe('violation');
    expect(attack(corrected, approximate(budget), 400_000).verdict).toBe('consistent');
    expect(attack(analyticGaussianSigma({ ...budget, sensitivity: 2 }), approximate(budget), 400_000).verdict).toBe(
      'consistent',
    );
  });
});

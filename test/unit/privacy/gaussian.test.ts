import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { analyticGaussianSigma, gdpDelta, gdpEpsilon, gdpMu } from '../../../src/privacy/gaussian.ts';
import { printedGaussianSigma } from '../../evidence/shared/printed-accounting.ts';
import { exactSlack } from './fixed-point.ts';
import { powerOfTen } from './powers-of-ten.ts';

// Computed independently with SciPy and mpmath; sensitivity 1.
const golden = [
  [0.5, 1e-5, 7.031826675582491],
  [1, 1e-5, 3.7306316348159423],
  [1, 1e-6, 4.224678889326829],
  [1, 1e-8, 5.100308787529936],
  [2, 1e-6, 2.2304762711864194],
  [4, 1e-5, 1.0811618495202402],
  [4, 1e-6, 1.1935185871579854],
  [8, 1e-3, 0.4800137524801105],
  [0.01, 1e-6, 306.35037615381833],
  [16, 1e-9, 0.43361959099545655],
];

/** The range of the promise: ε from 0.01 to 16, δ from 1e-18 to 1e-2. */
const promised = [powerOfTen(-2, Math.log10(16)), powerOfTen(-18, -2)] as const;
/** A wider one, with any sensitivity. */
const wide = [powerOfTen(-6, 2), powerOfTen(-18, -0.1), powerOfTen(-5, 5)] as const;

describe('The analytic Gaussian calibration', () => {
  test('agrees with the reference values to 1e-12, on the safe side', () => {
    for (const [epsilon, delta, sigma] of golden) {
      const found = analyticGaussianSigma({ epsilon, delta, sensitivity: 1 });
      expect(Math.abs(found / sigma - 1)).toBeLessThan(1e-12);
      expect(exactSlack({ sensitivity: 1, sigma: found, epsilon, delta })).toBeGreaterThanOrEqual(0);
    }
  });

  test('never exceeds δ in exact arithmetic, and would if σ were 1e-9 smaller', () => {
    let leastSlack = Infinity;
    let mostSlackOfSmaller = -Infinity;
    let largestSlack = 0;
    const look = (epsilon: number, delta: number, sensitivity: number): void => {
      const sigma = analyticGaussianSigma({ epsilon, delta, sensitivity });
      const slack = exactSlack({ sensitivity, sigma, epsilon, delta });
      const smaller = exactSlack({ sensitivity, sigma: sigma * (1 - 1e-9), epsilon, delta });
      leastSlack = Math.min(leastSlack, slack);
      largestSlack = Math.max(largestSlack, slack);
      mostSlackOfSmaller = Math.max(mostSlackOfSmaller, smaller);
    };
    fc.assert(
      fc.property(...promised, (epsilon, delta) => look(epsilon, delta, 1)),
      { seed: 4, numRuns: 300, endOnFailure: true },
    );
    fc.assert(fc.property(...wide, look), { seed: 5, numRuns: 200, endOnFailure: true });
    expect(leastSlack).toBeGreaterThanOrEqual(0);
    expect(largestSlack).toBeLessThan(1e-9);
    expect(mostSlackOfSmaller).toBeLessThan(0);
  });

  test('is proportional to the sensitivity', () => {
    const one = analyticGaussianSigma({ epsilon: 1, delta: 1e-6, sensitivity: 1 });
    expect(analyticGaussianSigma({ epsilon: 1, delta: 1e-6, sensitivity: 2 })).toBe(2 * one);
  });

  test('gives finite positive answers at the ends of the doubles', () => {
    for (const epsilon of [1e-300, 1e-8, 1e3, 1e6, 1e100, 1e300]) {
      for (const delta of [5e-324, 1e-300, 0.5, 1 - 1e-16]) {
        const mu = gdpMu({ epsilon, delta });
        expect(mu > 0 && mu < Infinity && gdpDelta(mu, epsilon) <= delta).toBe(true);
      }
    }
  });

  test('refuses budgets and sensitivities out of range', () => {
    const refused = (epsilon: number, delta: number, sensitivity: number): void => {
      expect(() => analyticGaussianSigma({ epsilon, delta, sensitivity })).toThrow(RangeError);
    };
    refused(0, 1e-6, 1);
    refused(-1, 1e-6, 1);
    refused(Number.NaN, 1e-6, 1);
    refused(1, 0, 1);
    refused(1, 1, 1);
    refused(1, 1e-6, 0);
    refused(1, 1e-6, Infinity);
    expect(() => gdpMu({ epsilon: 0, delta: 0.1 })).toThrow('"epsilon" expected a finite number > 0, got 0');
    expect(() => gdpEpsilon(-1, 0.1)).toThrow('"mu"');
    expect(() => gdpEpsilon(1e151, 0.1)).toThrow('"mu" expected a number <= 1e150');
    expect(() => gdpEpsilon(1, 0)).toThrow('"delta"');
  });
});

describe('Reading a Gaussian guarantee at a δ', () => {
  test('inverts the calibration to 1e-9 and never claims an ε that is too small', () => {
    let worst = 0;
    let leastSlack = Infinity;
    fc.assert(
      fc.property(...promised, (epsilon, delta) => {
        const mu = gdpMu({ epsilon, delta });
        const read = gdpEpsilon(mu, delta);
        worst = Math.max(worst, Math.abs(read / epsilon - 1));
        leastSlack = Math.min(leastSlack, exactSlack({ sensitivity: mu, sigma: 1, epsilon: read, delta }));
      }),
      { seed: 6, numRuns: 200, endOnFailure: true },
    );
    expect(leastSlack).toBeGreaterThanOrEqual(0);
    expect(worst).toBeLessThan(1e-9);
  });

  test('is 0 once δ covers the total variation distance, and not before', () => {
    expect(gdpEpsilon(0.01, 0.004)).toBe(0);
    expect(gdpEpsilon(0.01, 0.0039)).toBeGreaterThan(0);
  });

  test('grows in μ and falls in δ', () => {
    fc.assert(
      fc.property(powerOfTen(-3, 1.5), powerOfTen(-18, -1), (mu, delta) => {
        const here = gdpEpsilon(mu, delta);
        return gdpEpsilon(mu * 1.01, delta) >= here && gdpEpsilon(mu, Math.min(delta * 1.1, 0.9)) <= here;
      }),
      { seed: 7, numRuns: 300, endOnFailure: true },
    );
  });
});

describe('The classical printed calibration', () => {
  test('is the formula of the textbook', () => {
    // √(2·ln(1.25/1e-6)) = √28.0773… = 5.298804…
    expect(printedGaussianSigma({ epsilon: 1, delta: 1e-6, sensitivity: 1 })).toBeCloseTo(5.298804, 5);
    expect(printedGaussianSigma({ epsilon: 0.5, delta: 1e-6, sensitivity: 3 })).toBeCloseTo(6 * 5.298804, 4);
  });

  test('is too little noise at (8, 1e-3): it gives .472060 where .480014 is needed', () => {
    const release = { epsilon: 8, delta: 1e-3, sensitivity: 1 };
    const printed = printedGaussianSigma(release);
    const needed = analyticGaussianSigma(release);
    expect(printed).toBeCloseTo(0.47206, 6);
    expect(needed).toBeCloseTo(0.480014, 6);
    expect(exactSlack({ ...release, sigma: printed })).toBeLessThan(-0.05);
    expect(exactSlack({ ...release, sigma: needed })).toBeGreaterThanOrEqual(0);
  });

  test('is enough, and more than needed, for every ε up to 1 and every δ', () => {
    fc.assert(
      fc.property(powerOfTen(-6, 0), powerOfTen(-18, -0.001), (epsilon, delta) => {
        const release = { epsilon, delta, sensitivity: 1 };
        return printedGaussianSigma(release) >= analyticGaussianSigma(release);
      }),
      { seed: 8, numRuns: 500, endOnFailure: true },
    );
  });
});

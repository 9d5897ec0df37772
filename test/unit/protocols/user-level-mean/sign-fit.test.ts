import { describe, expect, test } from '@jest/globals';
import type { SignAnswers } from '../../../../protocols/user-level-mean/scalar/noisy-means.ts';
import type { SignQuestion } from '../../../../protocols/user-level-mean/scalar/question.ts';
import {
  cellShares,
  expectedSkew,
  fitSigns,
  residualIsBetter,
  skewOfSigns,
} from '../../../../protocols/user-level-mean/scalar/sign-fit.ts';
import { twoLevels } from '../../../../src/mechanism/exact-coin.ts';
import { normalCdf } from '../../../../src/numeric/normal.ts';

const coin = twoLevels(1, 1, 1);
const question = (lower: number, upper: number, cells: number): SignQuestion => ({
  kind: 'sign',
  lower,
  upper,
  cells,
  coin,
});

/** Answers exactly as expected of n players, with P(y < t) given. */
function expectedAnswers(asked: SignQuestion, n: number, below: (t: number) => number): SignAnswers {
  const { lower, upper, cells } = asked;
  const counts = new Float64Array(2 * cells);
  const points = 400;
  for (let i = 0; i < cells; i++) {
    let above = 0;
    for (let p = 0; p < points; p++) {
      above += (1 - below(lower + ((upper - lower) * (i + (p + 0.5) / points)) / cells)) / points;
    }
    const yes = 0.5 + coin.contrast * (above - 0.5);
    counts[2 * i] = (n / cells) * (1 - yes);
    counts[2 * i + 1] = (n / cells) * yes;
  }
  return { question: asked, counts };
}

const normalBelow = (mu: number, sigma: number) => (t: number) => normalCdf((t - mu) / sigma);

describe('shares of cells', () => {
  test.each([0.001, 0.01, 0.1, 1, 5])('are the averages of Φ for σ = %p', (sigma) => {
    const asked = question(-1, 0.6, 8);
    const shares = Array.from(cellShares(asked, 0.123, sigma).subarray(0, 8));
    const { counts } = expectedAnswers(asked, 8, normalBelow(0.123, sigma));
    for (let i = 0; i < 8; i++) {
      const average = (counts[2 * i + 1] - 0.5) / coin.contrast + 0.5;
      // 400 midpoints of a cell: h²/24 of the slope, for σ = .001 a step of half a deviation.
      expect(Math.abs(shares[i] - average)).toBeLessThan(2e-6 + (sigma < 0.01 ? 2e-4 : 0));
    }
  });

  test('of thresholds that are nearly one agree with the general form', () => {
    // Either side of the width at which the other branch is taken.
    const [narrow, wider] = [0.999e-2, 1.001e-2].map((width) =>
      Array.from(cellShares(question(0, 2 * width, 2), 0.3, 1).subarray(0, 2)),
    );
    for (let i = 0; i < 2; i++) expect(Math.abs(narrow[i] - wider[i])).toBeLessThan(3e-5);
    expect(Math.abs(narrow[0] - normalCdf(0.3 - 0.005))).toBeLessThan(2e-6);
  });
});

describe('a fit', () => {
  const [mu, sigma] = [0.3217, 0.0123];
  const rounds = [question(-1, 1, 16), question(0.2, 0.45, 16), question(0.32, 0.32, 1)];
  const answers = rounds.map((asked) => expectedAnswers(asked, 1e7, normalBelow(mu, sigma)));

  test('finds μ where σ is known, from answers as expected', () => {
    const fit = fitSigns(answers, { lower: -1, upper: 1, deviation: sigma });
    expect(Math.abs(fit.mean - mu)).toBeLessThan(fit.standardError / 10);
    expect(fit.deviation).toBeCloseTo(sigma, 12);
    expect(fit.deviationError).toBe(0);
    // The sign round alone gives σ√(π/2)/(κ√n); the others add to it, here as much as a quarter.
    const single = (sigma * Math.sqrt(Math.PI / 2)) / (coin.contrast * Math.sqrt(1e7));
    expect(fit.standardError / single).toBeGreaterThan(0.85);
    expect(fit.standardError / single).toBeLessThan(1.05);
  });

  test('finds both, over a range of a factor 1000', () => {
    const fit = fitSigns(answers, { lower: -1, upper: 1, deviation: [0.001, 0.1, 1] });
    expect(Math.abs(fit.mean - mu)).toBeLessThan(fit.standardError / 4);
    expect(Math.abs(Math.log(fit.deviation / sigma))).toBeLessThan(fit.deviationError);
    expect(fit.deviationError).toBeLessThan(0.01);
  });

  test('without answers leaves what was known', () => {
    const fit = fitSigns([], { lower: -1, upper: 3, deviation: 0.1 });
    expect(fit.mean).toBeCloseTo(1, 12);
    expect(fit.standardError).toBeCloseTo(4 / Math.sqrt(12), 1);
  });

  test('stays finite at a coin that never turns', () => {
    const sure = { ...question(-1, 1, 4), coin: twoLevels(100, 1, 1) };
    const fit = fitSigns([{ question: sure, counts: Float64Array.of(0, 9, 0, 9, 9, 0, 9, 0) }], {
      lower: -1,
      upper: 1,
      deviation: 0.01,
    });
    expect(Math.abs(fit.mean)).toBeLessThan(0.1);
    expect(fit.standardError).toBeGreaterThan(0);
  });
});

describe('the skewness', () => {
  // P(y < t) = Φ(z) − γ/6·(z² − 1)φ(z), γ = .3.
  const density = (z: number) => Math.exp(-0.5 * z * z) / Math.sqrt(2 * Math.PI);
  const skewed = (t: number) => {
    const z = (t - 0.1) / 0.05;
    return normalCdf(z) - (0.3 / 6) * (z * z - 1) * density(z);
  };

  test('is found by one step of scoring, within its standard error', () => {
    const answers = [expectedAnswers(question(-0.1, 0.3, 16), 1e6, skewed)];
    const fit = fitSigns(answers, { lower: -1, upper: 1, deviation: [0.001, 0.1, 1] });
    const { skew, standardError } = skewOfSigns(answers, fit);
    expect(Math.abs(skew - 0.3)).toBeLessThan(Math.max(0.03, standardError));
    expect(standardError).toBeLessThan(0.06);
    // The control: of normal answers none is found.
    const normal = [expectedAnswers(question(-0.1, 0.3, 16), 1e6, normalBelow(0.1, 0.05))];
    expect(Math.abs(skewOfSigns(normal, { ...fit, mean: 0.1, deviation: 0.05 }).skew)).toBeLessThan(0.01);
  });

  test('of a single threshold nothing is said', () => {
    const fit = { mean: 0.1, standardError: 0.01, deviation: 0.05, deviationError: 0 };
    expect(skewOfSigns([expectedAnswers(question(0.1, 0.1, 1), 1e6, skewed)], fit).standardError).toBe(Infinity);
    expect(expectedSkew({ skew: 0, standardError: Infinity }, 25)).toEqual({ skew: 0, standardError: 0.2 });
  });

  test('decides for unbiased bits where its bias outweighs their noise: n·κ₃² against 36m·(16 − π/2)/κ²', () => {
    const [m, skewness, contrast] = [25, 2, 0.5];
    const turn = (36 * m * (16 - Math.PI / 2)) / (skewness ** 2 * contrast ** 2);
    const said = { skew: skewness / Math.sqrt(m), standardError: 0 };
    expect(residualIsBetter(said, contrast, 0.99 * turn)).toBe(false);
    expect(residualIsBetter(said, contrast, 1.01 * turn)).toBe(true);
  });
});

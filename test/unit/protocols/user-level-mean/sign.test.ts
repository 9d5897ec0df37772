import { describe, expect, test } from '@jest/globals';
import { naive, userLevelMean } from '../../../../protocols/user-level-mean/index.ts';
import { residualMean } from '../../../../protocols/user-level-mean/scalar/noisy-means.ts';
import { type SignQuestion, scalarRound } from '../../../../protocols/user-level-mean/scalar/question.ts';
import { twoLevels } from '../../../../src/mechanism/exact-coin.ts';
import { seededRandom } from '../../../../src/random/seeded.ts';
import { chiSquareStatistic } from '../../../statistics/chi-square.ts';

const coin = twoLevels(1, 1, 1);
const wide: SignQuestion = { kind: 'sign', lower: -0.5, upper: 1, cells: 6, coin };
const point: SignQuestion = { kind: 'sign', lower: 0.25, upper: 0.25, cells: 1, coin };

const plan = naive({ epsilon: 1, delta: 1e-6, players: 1, samples: 1 });
const [wideRound, pointRound] = [wide, point].map((question) =>
  scalarRound(plan, { round: 0, share: 1, role: 'pilot' }, question),
);

/** Counts of n answers at y. */
function counts(question: SignQuestion, y: number, n: number, seed: string): Float64Array {
  const random = seededRandom(seed);
  const round = question === wide ? wideRound : pointRound;
  const sums = new Float64Array(2 * question.cells);
  for (let i = 0; i < n; i++) sums[userLevelMean.player.randomize(round, { samples: [y] }, random).values[0]]++;
  return sums;
}

/** P(yes) in each cell, by the law. */
function law({ lower, upper, cells }: SignQuestion, y: number, contrast: number): number[] {
  const width = (upper - lower) / cells;
  return Array.from({ length: cells }, (_, i) => {
    const below = Math.min(1, Math.max(0, width === 0 ? Number(y >= lower) : (y - lower - i * width) / width));
    return 0.5 + contrast * (below - 0.5);
  });
}

/** χ² of n answers at y, over all outputs. */
function distance(question: SignQuestion, y: number, contrast: number, n: number): number {
  const probabilities = law(question, y, contrast).flatMap((yes) => [1 - yes, yes].map((p) => p / question.cells));
  return chiSquareStatistic(counts(question, y, n, `${y} ${question.cells}`), probabilities);
}

describe('a sign', () => {
  test.each([-1, -0.5, 0.1, 0.3, 0.999, 1])('has its law at y = %p', (y) => {
    // χ² with 11 and 1 degrees of freedom: beyond 48 with probability 1.5e-6, beyond 24 with 1e-6.
    expect(distance(wide, y, coin.contrast, 60000)).toBeLessThan(48);
    expect(distance(point, y, coin.contrast, 60000)).toBeLessThan(24);
    // The control: a contrast that is off by 10 % is rejected.
    expect(distance(point, y, 1.1 * coin.contrast, 60000)).toBeGreaterThan(24);
  });

  test('spends its ε and no more, in every cell and at any two data', () => {
    for (const y of [-1, 0.2, 1]) {
      for (const other of [-1, 0.2, 1]) {
        const [a, b] = [law(wide, y, coin.contrast), law(wide, other, coin.contrast)];
        const ratios = a.flatMap((yes, i) => [yes / b[i], (1 - yes) / (1 - b[i])]);
        expect(Math.max(...ratios.map((ratio) => Math.abs(Math.log(ratio))))).toBeLessThanOrEqual(1 + 1e-12);
      }
    }
  });
});

describe('the residual mean', () => {
  test.each([-0.9, -0.5, 0, 0.37, 1, 2])('is exactly the clipped value when counts are as expected, at y = %p', (y) => {
    const yes = law(wide, y, coin.contrast);
    const expected = Float64Array.from({ length: 12 }, (_, i) => 1e6 * (i % 2 ? yes[i >> 1] : 1 - yes[i >> 1]));
    const { mean, standardError } = residualMean({ question: wide, counts: expected });
    expect(mean).toBeCloseTo(Math.min(1, Math.max(-0.5, y)), 12);
    // At most (upper − lower)/(2κ√n), n = 6e6.
    expect(standardError).toBeLessThan(1.5 / (2 * coin.contrast * Math.sqrt(6e6)) + 1e-12);
  });

  test('is unbiased where cells stay empty, and knows its error', () => {
    let [sum, squares, stated] = [0, 0, 0];
    const trials = 8000;
    for (let trial = 0; trial < trials; trial++) {
      const { mean, standardError } = residualMean({ question: wide, counts: counts(wide, 0.37, 8, `few ${trial}`) });
      sum += mean / trials;
      squares += (mean - 0.37) ** 2 / trials;
      stated += standardError ** 2 / trials;
    }
    // Five standard errors: 6e-7.
    expect(Math.abs(sum - 0.37)).toBeLessThan(5 * Math.sqrt(squares / trials));
    expect(stated / squares).toBeGreaterThan(0.8);
    // With a single answer in most cells the largest variance there is stands in.
    expect(stated / squares).toBeLessThan(2);
  });

  test('needs an answer', () => {
    expect(() => residualMean({ question: wide, counts: new Float64Array(12) })).toThrow(/at least 1 report/);
  });
});

import { describe, expect, test } from '@jest/globals';
import { fillDiscreteGaussian } from '../../../src/random/discrete-gaussian.ts';
import { discreteGaussianLaw } from '../../../src/random/gaussian-cells.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { cellProbabilities, chiSquareTest, countCells } from '../../statistics/chi-square.ts';
import { normalLaw } from '../../statistics/incomplete-gamma.ts';
import { correlationTest } from '../../statistics/moments.ts';
import { symmetricCounts, symmetricLaw } from './discrete-law.ts';

// Each statistical test rejects a true law with probability ALARM; the file makes 13 of them.
const ALARM = 1e-6;

function draws(numerator: bigint, denominator: bigint, count: number): Float64Array {
  const target = new Float64Array(count);
  fillDiscreteGaussian(target, discreteGaussianLaw({ numerator, denominator }), seededRandom('discrete Gaussian'));
  return target;
}

const gaussian = (variance: number) => (y: number) => (y * y) / (2 * variance);

describe('discrete Gaussian numbers', () => {
  test.each([
    [9n, 100n, 1],
    [16n, 25n, 3],
    [22n, 7n, 7],
    [9n, 1n, 13],
    [10_000n, 1n, 350],
  ])('has the exact law for σ² = %d/%d, number by number, and one off by 5 %% is rejected', (n, d, limit) => {
    const variance = Number(n) / Number(d);
    const counts = symmetricCounts(draws(n, d, 1_000_000), limit);
    expect(chiSquareTest(counts, symmetricLaw(limit, gaussian(variance)))).toBeGreaterThan(ALARM);
    expect(chiSquareTest(counts, symmetricLaw(limit, gaussian(variance * 1.05 ** 2)))).toBeLessThan(ALARM);
  });

  test.each([
    ['2³²', 1n << 32n, 1n],
    ['1.6e12', 8n * 10n ** 12n, 5n],
    ['2⁶⁰', 1n << 60n, 1n],
    ['2⁸⁸', 1n << 88n, 1n],
  ])('has the law of the rounded normal in 256 cells for σ² = %s, and one off by 1 %% is rejected', (_, n, d) => {
    const sigma = Math.sqrt(Number(n) / Number(d));
    // Cells a 37th of σ wide do not fit the columns, a 64th. The two laws differ by less than 1e-9 here.
    const edges = Float64Array.from({ length: 255 }, (_, i) => Math.round(((i - 127) * sigma) / 37));
    const law = (deviation: number) => (y: number) => normalLaw((y + 0.5) / deviation);
    const counts = countCells(draws(n, d, 1_000_000), edges);
    expect(chiSquareTest(counts, cellProbabilities(edges, law(sigma)))).toBeGreaterThan(ALARM);
    expect(chiSquareTest(counts, cellProbabilities(edges, law(1.01 * sigma)))).toBeLessThan(ALARM);
  });

  test('has the tail that it should: beyond 4, 4.5 and 5 σ of 10 million', () => {
    const sigma = 65_536;
    const sample = new Float64Array(1_000_000);
    const law = discreteGaussianLaw({ numerator: 1n << 32n, denominator: 1n });
    const random = seededRandom('tail');
    const edges = [4, 4.5, 5].map((x) => x * sigma);
    const counts = new Float64Array(4);
    for (let round = 0; round < 10; round++) {
      fillDiscreteGaussian(sample, law, random);
      const found = countCells(sample.map(Math.abs), edges);
      for (let i = 0; i < counts.length; i++) counts[i] += found[i];
    }
    const outside = (y: number, deviation: number): number => 1 - 2 * normalLaw(-(y + 0.5) / deviation);
    const cells = (deviation: number): Float64Array => cellProbabilities(edges, (y) => outside(y, deviation));
    expect(chiSquareTest(counts, cells(sigma))).toBeGreaterThan(ALARM);
    expect(chiSquareTest(counts, cells(1.05 * sigma))).toBeLessThan(ALARM);
  });

  test('has uniform last digits, and neighbours that know nothing of each other', () => {
    const sample = draws(1n << 32n, 1n, 1_000_000);
    const digits = new Float64Array(64);
    for (const y of sample) digits[((y % 64) + 64) % 64]++;
    expect(chiSquareTest(digits, new Float64Array(64).fill(1 / 64))).toBeGreaterThan(ALARM);
    const scaled = sample.map((y) => y / 65_536);
    expect(correlationTest(scaled.subarray(1), scaled.subarray(0, -1))).toBeGreaterThan(ALARM);
    const squares = scaled.map((x) => (x * x - 1) / Math.SQRT2);
    expect(correlationTest(squares.subarray(1), squares.subarray(0, -1))).toBeGreaterThan(ALARM);
  });
});

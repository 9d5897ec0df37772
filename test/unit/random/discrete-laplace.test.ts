import { describe, expect, test } from '@jest/globals';
import { discreteLaplace } from '../../../src/mechanism/discrete-laplace.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { cellProbabilities, chiSquareTest, countCells } from '../../statistics/chi-square.ts';
import { discreteLaplaceBigint } from '../../statistics/published-samplers.ts';
import { symmetricCounts, symmetricLaw } from './discrete-law.ts';
import { everyStream, outcome } from './every-stream.ts';

// Each statistical test rejects a true law with probability ALARM; the file makes 5 of them.
const ALARM = 1e-6;

test.each([
  [1n, 3n],
  [2n, 1n],
  [3n, 2n],
  [100n, 7n],
  [(1n << 40n) - 1n, 5n],
])(
  'scale %d/%d: plain numbers draw what bigints draw, for all streams of six words from five',
  (numerator, denominator) => {
    const scale = { numerator, denominator };
    const [t, s] = [Number(numerator), Number(denominator)];
    let different = 0;
    let decided = 0;
    everyStream([0, 1, 2, 3, 0xffffffff], 6, (words) => {
      const plain = outcome(words, (random) => discreteLaplace(t, s, random));
      if (plain !== outcome(words, (random) => discreteLaplaceBigint(scale, random))) different++;
      if (plain !== 'over') decided++;
    });
    expect(different).toBe(0);
    expect(decided).toBeGreaterThan(100);
  },
);

test('both draw the same 5000 numbers from one seed, and leave the same word next', () => {
  const scale = { numerator: 1234567n, denominator: 89n };
  const first = seededRandom('laplace');
  const second = seededRandom('laplace');
  let different = 0;
  for (let i = 0; i < 5000; i++) {
    if (BigInt(discreteLaplace(1234567, 89, first)) !== discreteLaplaceBigint(scale, second)) different++;
  }
  expect(different).toBe(0);
  expect(first.next).toBe(second.next);
});

describe('the law', () => {
  function draws(numerator: bigint, denominator: bigint, count: number): Float64Array {
    const random = seededRandom(`law ${numerator}/${denominator}`);
    return Float64Array.from({ length: count }, () => discreteLaplace(Number(numerator), Number(denominator), random));
  }

  test.each([
    [1n, 3n, 1],
    [3n, 2n, 10],
    [100n, 7n, 80],
  ])('of scale %d/%d is exact in every cell, and a scale off by 5 %% is rejected', (numerator, denominator, limit) => {
    const counts = symmetricCounts(draws(numerator, denominator, 200_000), limit);
    const scale = Number(numerator) / Number(denominator);
    expect(
      chiSquareTest(
        counts,
        symmetricLaw(limit, (y) => y / scale),
      ),
    ).toBeGreaterThan(ALARM);
    expect(
      chiSquareTest(
        counts,
        symmetricLaw(limit, (y) => y / (1.05 * scale)),
      ),
    ).toBeLessThan(ALARM);
  });

  test('of scale 1e6 is the continuous one in 40 cells, and one off by 5 % is rejected', () => {
    const sample = draws(1_000_000n, 1n, 100_000);
    const edges = Float64Array.from({ length: 39 }, (_, i) => (i - 19) * 200_000);
    // P(Y ≤ y) = 1 − e^(−(y + ½)/s)/2 for y ≥ 0 up to 1e-13: cells end half way between whole numbers.
    const law = (scale: number) => (y: number) =>
      y < 0 ? 0.5 * Math.exp((y + 0.5) / scale) : 1 - 0.5 * Math.exp(-(y + 0.5) / scale);
    const counts = countCells(sample, edges);
    expect(chiSquareTest(counts, cellProbabilities(edges, law(1e6)))).toBeGreaterThan(ALARM);
    expect(chiSquareTest(counts, cellProbabilities(edges, law(1.05e6)))).toBeLessThan(ALARM);
  });
});

import { describe, expect, test } from '@jest/globals';
import { fillDiscreteGaussian } from '../../../src/random/discrete-gaussian.ts';
import {
  CELL_AT_EDGE,
  type DiscreteGaussianLaw,
  discreteGaussianLaw,
  GAUSSIAN_CELLS,
} from '../../../src/random/gaussian-cells.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { exactExponential } from './discrete-law.ts';
import { scripted } from './scripted.ts';

const ONES = 0xffffffff;
const NEGATIVE = 2 ** 31;

/** The same law with every decision at the edge of the curve left to bigints. */
function exactly(law: DiscreteGaussianLaw): DiscreteGaussianLaw {
  return { ...law, cells: { ...law.cells, margin: Infinity } };
}

/** Two digits in base 2³² of 2^shift·A·exp(−y²/2σ²) − h, as one whole number. */
function threshold({ variance, cells }: DiscreteGaussianLaw, y: number, h: number, shift: number): bigint {
  const exponential = exactExponential(BigInt(y) ** 2n * variance.denominator, 2n * variance.numerator, 128);
  const curve = (BigInt(cells.height) * exponential) >> 64n;
  return (curve << BigInt(shift)) - (BigInt(h) << 64n);
}

/** What the words lead to, with a known draw of −1 after them for those that are refused. */
function drawn(law: DiscreteGaussianLaw, ...words: number[]): number {
  const target = new Float64Array(1);
  fillDiscreteGaussian(target, law, scripted(...words, NEGATIVE + law.cells.starts[1], 1, ...new Array(32).fill(0)));
  return target[0];
}

describe.each([
  [16n, 25n],
  [9n, 1n],
  [900n, 7n],
] as [bigint, bigint][])(
  'every cell of the table for σ² = %d/%d, where a column is one number',
  (numerator, denominator) => {
    const law = discreteGaussianLaw({ numerator, denominator });
    const { codes, starts } = law.cells;

    test('that is wholly under the curve gives its number, with the sign of the word', () => {
      let wrong = 0;
      for (let cell = 0; cell < GAUSSIAN_CELLS; cell++) {
        const m = codes[cell];
        if (m >= CELL_AT_EDGE) continue;
        // Bits between the cell's and the sign's do not matter.
        if (drawn(law, cell + 5 * GAUSSIAN_CELLS, 77) !== m) wrong++;
        if (drawn(law, cell + NEGATIVE, 77) !== (m === 0 ? -1 : -m)) wrong++;
      }
      expect(wrong).toBe(0);
    });

    test('that is cut by the curve keeps exactly the heights below it, to 64 binary digits, by doubles or by bigints', () => {
      let wrong = 0;
      let cells = 0;
      for (let cell = 0; cell < GAUSSIAN_CELLS; cell++) {
        if (codes[cell] < CELL_AT_EDGE || codes[cell] >= CELL_AT_EDGE + 512) continue;
        cells++;
        const m = codes[cell] - CELL_AT_EDGE;
        const limit = threshold(law, m, cell - starts[m], 0);
        const first = Number(limit >> 32n);
        const second = Number(limit & 0xffffffffn);
        for (const it of [law, exactly(law)]) {
          // Words below the first digit are kept, above it refused; equal ones go on to the second digit.
          if (first > 0 && drawn(it, cell, 0, first - 1) !== m) wrong++;
          if (first < ONES && drawn(it, cell, 0, first + 1) !== -1) wrong++;
          if (second > 0 && drawn(it, cell, 0, first, second - 1) !== m) wrong++;
          if (second < ONES && drawn(it, cell, 0, first, second + 1) !== -1) wrong++;
        }
      }
      expect(wrong).toBe(0);
      expect(cells).toBeGreaterThan(3);
    });

    test('that stands for all beyond keeps the numbers of its blocks with the probabilities that it should', () => {
      const columns = law.cells.edges.length;
      let wrong = 0;
      for (const [block, word] of [
        [0, 2 ** 31],
        [0, ONES],
        [1, 2 ** 30 + 3],
      ]) {
        for (const offset of [0, 1, 63]) {
          const y = columns + 64 * block + offset;
          const limit = threshold(law, y, 0, 7 + block);
          const first = Number(limit >> 32n);
          if (first > 0 && drawn(law, GAUSSIAN_CELLS - 1, 0, word, offset, first - 1) !== y) wrong++;
          if (drawn(law, GAUSSIAN_CELLS - 1, 0, word, offset, first + 1) !== -1) wrong++;
        }
      }
      // A first word of 0 picks a block beyond the 32nd, where nothing is as likely as 2⁻³².
      if (drawn(law, GAUSSIAN_CELLS - 1, 0, 0, ONES, 5, 0, 0, 1) !== -1) wrong++;
      expect(wrong).toBe(0);
    });
  },
);

describe('a column of several numbers', () => {
  const law = discreteGaussianLaw({ numerator: 300n * 300n, denominator: 1n });
  const { width, codes, starts } = law.cells;

  test('is picked from by multiplication, each number by equally many words', () => {
    expect(width).toBe(5);
    // 2³² = 5·858993459 + 1: one word, that of a low half 0, is refused.
    const least = Array.from({ length: 5 }, (_, j) => Math.ceil((j * 2 ** 32) / 5));
    const cell = starts[2];
    for (let j = 1; j < 5; j++) {
      expect(drawn(law, cell, least[j])).toBe(10 + j);
      expect(drawn(law, cell, least[j] - 1)).toBe(10 + j - 1);
    }
    expect(drawn(law, cell, 0)).toBe(-5);
    expect(drawn(law, cell, 1)).toBe(10);
    expect(drawn(law, cell, ONES)).toBe(14);
  });

  test('is cut at its own height at each of them', () => {
    let wrong = 0;
    for (let cell = 0; cell < GAUSSIAN_CELLS; cell++) {
      if (codes[cell] < CELL_AT_EDGE || codes[cell] >= CELL_AT_EDGE + 512) continue;
      const m = codes[cell] - CELL_AT_EDGE;
      for (let j = 0; j < 5; j++) {
        const limit = threshold(law, 5 * m + j, cell - starts[m], 0);
        const word = Math.ceil(((j + 0.5) * 2 ** 32) / 5);
        const first = Number(limit >> 32n);
        for (const it of [law, exactly(law)]) {
          const kept = (digit: number): boolean => drawn(it, cell, word, digit) === 5 * m + j;
          if (limit <= 0n) wrong += kept(0) ? 1 : 0;
          else if (first > ONES) wrong += kept(ONES) ? 0 : 1;
          else if ((first > 0 && !kept(first - 1)) || (first < ONES && kept(first + 1))) wrong++;
        }
      }
    }
    expect(wrong).toBe(0);
  });
});

test.each([
  [9n, 100n],
  [9n, 1n],
  [10_000n, 1n],
  [1n << 32n, 1n],
  [(1n << 61n) + 1n, 3n],
] as [bigint, bigint][])(
  'σ² = %d/%d: doubles and bigints draw the same 50 000 numbers, one by one and together',
  (n, d) => {
    const law = discreteGaussianLaw({ numerator: n, denominator: d });
    const target = new Float64Array(50_000);
    const same = new Float64Array(50_000);
    const [first, second, third] = [seededRandom(7), seededRandom(7), seededRandom(7)];
    fillDiscreteGaussian(target, law, first);
    fillDiscreteGaussian(same, exactly(law), second);
    expect(same).toEqual(target);
    const single = new Float64Array(5000);
    for (let i = 0; i < single.length; i++) fillDiscreteGaussian(single, law, third, i, i + 1);
    expect(single).toEqual(target.subarray(0, 5000));
    expect(first.next).toBe(second.next);
  },
);

test('fills a part of a target, and an Int32Array with what fits in it', () => {
  const law = discreteGaussianLaw({ numerator: 1n << 60n, denominator: 1n });
  const wide = new Float64Array(5000);
  const words = new Int32Array(5000);
  fillDiscreteGaussian(wide, law, seededRandom(3));
  fillDiscreteGaussian(words, law, seededRandom(3));
  const limit = 2 ** 31 - 1;
  expect(Array.from(words)).toEqual(Array.from(wide, (y) => Math.max(-limit, Math.min(limit, y))));
  // 4.6 % lie beyond two standard deviations.
  expect(words.filter((y) => Math.abs(y) === limit).length).toBeGreaterThan(150);
  const part = new Float64Array(8);
  fillDiscreteGaussian(part, law, seededRandom(3), 2, 5);
  expect(Array.from(part)).toEqual([0, 0, wide[0], wide[1], wide[2], 0, 0, 0]);
  expect(() => fillDiscreteGaussian(part, law, seededRandom(3), 2, 9)).toThrow('"to" expected');
  expect(() => fillDiscreteGaussian(part, law, seededRandom(3), -1)).toThrow('"from" expected');
});

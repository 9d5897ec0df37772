import { describe, expect, test } from '@jest/globals';
import {
  CELL_AT_EDGE,
  CELL_BEYOND,
  CELL_REFUSED,
  type DiscreteGaussianLaw,
  discreteGaussianLaw,
  GAUSSIAN_CELLS,
} from '../../../src/random/gaussian-cells.ts';
import { exactExponential } from './discrete-law.ts';

const PLACES = 96;

const variances: [bigint, bigint][] = [
  [1n, 10_000n],
  [9n, 100n],
  [16n, 25n],
  [9n, 1n],
  [22n, 7n],
  [4096n, 1n],
  [4097n, 1n],
  [10_000n, 1n],
  [1n << 32n, 1n],
  [(1n << 40n) + 12_345n, 7n],
  [1n << 88n, 1n],
];

/** 2⁹⁶·A·exp(−y²/2σ²), to within A units. */
function curve({ variance, cells }: DiscreteGaussianLaw, y: number): bigint {
  const a = BigInt(y) ** 2n * variance.denominator;
  return BigInt(cells.height) * exactExponential(a, 2n * variance.numerator, PLACES);
}

describe.each(variances)('the table for σ² = %d/%d', (numerator, denominator) => {
  const law = discreteGaussianLaw({ numerator, denominator });
  const { width, height, codes, starts, edges } = law.cells;
  const columns = edges.length;
  const error = BigInt(height);

  /** Cells of a column that are marked as wholly under the curve. */
  const fullCells = (m: number): number => codes.subarray(starts[m], starts[m + 1]).filter((code) => code === m).length;

  test('has each column’s cells in one run, the full ones first, then the boundary ones', () => {
    let wrong = 0;
    for (let m = 0; m < columns; m++) {
      const full = fullCells(m);
      for (let cell = starts[m]; cell < starts[m + 1]; cell++) {
        if (codes[cell] !== (cell - starts[m] < full ? m : CELL_AT_EDGE | m)) wrong++;
      }
    }
    for (let cell = starts[columns]; cell < GAUSSIAN_CELLS - 1; cell++) if (codes[cell] !== CELL_REFUSED) wrong++;
    expect(wrong).toBe(0);
    expect(codes[GAUSSIAN_CELLS - 1]).toBe(CELL_BEYOND);
  });

  test('has full cells below the lowest and boundary cells up to the highest point of each column', () => {
    let wrong = 0;
    for (let m = 0; m < columns; m++) {
      const lowest = curve(law, (m + 1) * width - 1) - error;
      const highest = curve(law, m * width) + error;
      const full = BigInt(fullCells(m)) << BigInt(PLACES);
      const all = BigInt(starts[m + 1] - starts[m]) << BigInt(PLACES);
      // Where one number has the height A exactly there is no error.
      const exact = m === 0 && width === 1;
      if (!(full <= (exact ? error << BigInt(PLACES) : lowest))) wrong++;
      if (!(all >= (m === 0 ? error << BigInt(PLACES) : highest))) wrong++;
    }
    expect(wrong).toBe(0);
  });

  test('leaves to the blocks beyond no number that is likelier than a block allows', () => {
    // Block i, 64 columns wide: 2^(i+7)·f ≤ 1 where it begins; later blocks follow from the ratio, checked for a few.
    let wrong = 0;
    for (let i = 0; i < 6; i++) {
      const f = curve(law, (columns + 64 * i) * width) + error;
      if (!(f << BigInt(i + 7) <= 1n << BigInt(PLACES))) wrong++;
    }
    expect(wrong).toBe(0);
  });

  test('knows the curve at each column to 2⁻⁴⁶ and is high enough to waste little', () => {
    let worst = 0;
    for (let m = 0; m < columns; m++) {
      const exact = Number(curve(law, m * width)) / height / 2 ** PLACES;
      worst = Math.max(worst, Math.abs(edges[m] - exact));
    }
    expect(worst).toBeLessThan(2 ** -46);
    expect(GAUSSIAN_CELLS - starts[columns]).toBeLessThan(columns + 300);
  });
});

test('the control: a curve 1 % wider does not fit under the same cells', () => {
  const { cells } = discreteGaussianLaw({ numerator: 10_000n, denominator: 1n });
  const wider: DiscreteGaussianLaw = { variance: { numerator: 10_201n, denominator: 1n }, cells };
  let above = 0;
  for (let m = 1; m < cells.edges.length; m++) {
    const all = BigInt(cells.starts[m + 1] - cells.starts[m]) << BigInt(PLACES);
    if (all < curve(wider, m * cells.width)) above++;
  }
  expect(above).toBeGreaterThan(10);
});

test('what is not a positive rational up to 2⁸⁸ is refused', () => {
  expect(() => discreteGaussianLaw({ numerator: 0n, denominator: 1n })).toThrow(RangeError);
  expect(() => discreteGaussianLaw({ numerator: (1n << 88n) + 1n, denominator: 1n })).toThrow('"variance" expected');
  expect(() => discreteGaussianLaw({ numerator: 1n, denominator: 1n << 401n })).toThrow(RangeError);
  expect(() => discreteGaussianLaw({ numerator: 2 as unknown as bigint, denominator: 1n })).toThrow(TypeError);
});

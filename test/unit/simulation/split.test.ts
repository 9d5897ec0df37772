import { describe, expect, test } from '@jest/globals';
import { splitRows } from '../../../src/simulation/runner.ts';

describe('splitRows', () => {
  test('puts every row on exactly one side, five sixths in training by default', () => {
    const { train, test: rest } = splitRows(30_162, { seed: 1 });
    expect(train).toHaveLength(25_135);
    expect(rest).toHaveLength(5027);
    const seen = new Uint8Array(30_162);
    for (const row of [...train, ...rest]) seen[row]++;
    expect(seen.every((count) => count === 1)).toBe(true);
  });

  test('takes a fraction or a whole number of training rows', () => {
    expect(splitRows(30_162, { train: 25_000, seed: 1 }).test).toHaveLength(5162);
    expect(splitRows(100, { train: 0.25, seed: 1 }).train).toHaveLength(25);
    expect(splitRows(2, { train: 1, seed: 1 }).test).toHaveLength(1);
  });

  test('is the same for the same seed and another for another; a larger share begins with the smaller one', () => {
    const { train } = splitRows(1000, { seed: 'a' });
    expect(splitRows(1000, { seed: 'a' }).train).toEqual(train);
    expect(splitRows(1000, { seed: 'b' }).train).not.toEqual(train);
    expect(splitRows(1000, { train: 500, seed: 'a' }).train).toEqual(train.slice(0, 500));
  });

  test('takes each row with the share it was asked for', () => {
    // 4000 splits of 12 rows, 8 in training: each count is Binomial(4000, 2/3), sd 29.8. Five sd for 12 rows: a false
    // alarm has probability below 12 · 6e-7. Without shuffling, row 0 would be counted 4000 times, 45 sd away.
    const counts = new Float64Array(12);
    for (let seed = 0; seed < 4000; seed++) for (const row of splitRows(12, { train: 8, seed }).train) counts[row]++;
    expect(Math.max(...counts.map((count) => Math.abs(count - 8000 / 3)))).toBeLessThan(5 * 29.8);
  });

  test.each([0, 1.5, 10, 11, -3, Number.NaN])('refuses to train with %p of 10 rows', (train) => {
    expect(() => splitRows(10, { train, seed: 1 })).toThrow(
      new RangeError(
        `"train" expected a fraction or a whole number that leaves rows on both sides of 10, got ${train}`,
      ),
    );
  });

  test('refuses one row, and a share that is so small that it is none', () => {
    expect(() => splitRows(1, { seed: 1 })).toThrow(RangeError);
    expect(() => splitRows(10, { train: 0.01, seed: 1 })).toThrow(RangeError);
    expect(() => splitRows(10, { train: '5' as unknown as number, seed: 1 })).toThrow(TypeError);
  });
});

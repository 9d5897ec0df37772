import { describe, expect, test } from '@jest/globals';
import { validations } from '../evidence/generalized-linear/validations/index.ts';
import { expectExcessControls, failing, named, SEED, scaled, shifted, testClaims } from './claims.ts';
import { tampered } from './run.ts';

testClaims(validations);

const of = (name: string) => named(validations, name);

describe('controls: chunks that no theorem allows are refuted', () => {
  test('lemma 13: points s whose mean distance is 2 % off, for losses with a density and for those without', () => {
    const off = tampered(of('generalized-linear-lemma-13'), SEED, (chunk) => {
      const { sums, squares } = chunk as { sums: number[]; squares: number[] };
      return { sums: sums.map((sum) => 1.02 * sum), squares: squares.map((square) => 1.02 ** 2 * square) };
    });
    expect(failing(off)).toEqual([
      expect.stringContaining('mean over draws'),
      expect.stringContaining('in numbers'),
      expect.stringContaining('single kink'),
    ]);
  });

  test('theorem 14: a gradient with one s that is biased, one with many that is not, and a variance 15 % off', () => {
    const bias = of('generalized-linear-theorem-14-bias');
    const moved = tampered(bias, SEED, shifted(0.2));
    expect(failing(moved)).toContainEqual(expect.stringContaining('one s per gradient'));
    expect(failing(moved)).toContainEqual(expect.stringContaining('one smoothed step at E s'));
    // Were the printed form right, its mean would be that of one s.
    const right = new Map<string, readonly number[]>();
    tampered(bias, SEED, (chunk, setting) => {
      const { loss, decoding } = setting as { loss: string; decoding: string };
      if (decoding === 'shared') right.set(loss, (chunk as { sums: number[] }).sums);
      return chunk;
    });
    const unbiased = tampered(bias, SEED, (chunk, setting) => {
      const { loss } = setting as { loss: string };
      return { ...(chunk as { squared: number; squares: number }), sums: right.get(loss) ?? [] };
    });
    expect(failing(unbiased)).toEqual([
      expect.stringContaining('as printed, one s for each factor'),
      expect.stringContaining('one smoothed step at E s'),
    ]);
    expect(failing(tampered(bias, SEED, scaled(['squared'], 1.15)))).toEqual([
      expect.stringContaining('stated variance'),
    ]);
  });

  test('theorem 14: an exponent, and an excess risk, a fifth off', () => {
    expectExcessControls(of('generalized-linear-theorem-14-rate'));
  });
});

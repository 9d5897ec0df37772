import { describe, expect, test } from '@jest/globals';
import { validations } from '../../protocols/generalized-linear/validations/index.ts';
import { drawsBoth, failing, named, SEED, scaled, unmet } from './claims.ts';
import { tampered } from './run.ts';

// What a false alarm costs at other seeds stands beside every claim in its validation: 6e-7 for most of the random ones, 1e-4 at
// most for the slopes; here the seed is fixed.
test.each(validations.map((validation) => [validation.name, validation] as const))(
  '%s meets every claim, and draws what was measured beside what is claimed',
  (_, validation) => {
    expect(unmet(validation)).toEqual([]);
    expect(drawsBoth(validation)).toEqual([]);
  },
);

const of = (name: string) => named(validations, name);

describe('controls: parts that no theorem allows are refuted', () => {
  test('lemma 13: points s whose mean distance is 2 % off, for losses with a density and for those without', () => {
    const off = tampered(of('generalized-linear-lemma-13'), SEED, (part) => {
      const { sums, squares } = part as { sums: number[]; squares: number[] };
      return { sums: sums.map((sum) => 1.02 * sum), squares: squares.map((square) => 1.02 ** 2 * square) };
    });
    expect(failing(off)).toEqual([expect.stringContaining('mean over draws'), expect.stringContaining('single kink')]);
  });

  test('theorem 14: a gradient with one s that is biased, one with many that is not, and a variance 15 % off', () => {
    const bias = of('generalized-linear-theorem-14-bias');
    const moved = tampered(bias, SEED, (part, setting) => {
      const { reports } = setting as { reports: number };
      const { sums, ...rest } = part as { sums: number[] };
      return { ...rest, sums: sums.map((sum) => sum + 0.2 * reports) };
    });
    expect(failing(moved)).toContainEqual(expect.stringContaining('one s per gradient'));
    expect(failing(moved)).toContainEqual(expect.stringContaining('one smoothed step at E s'));
    // Were the printed form right, its mean would be that of one s.
    const right = new Map<string, readonly number[]>();
    tampered(bias, SEED, (part, setting) => {
      const { loss, decoding } = setting as { loss: string; decoding: string };
      if (decoding === 'shared') right.set(loss, (part as { sums: number[] }).sums);
      return part;
    });
    const unbiased = tampered(bias, SEED, (part, setting) => {
      const { loss } = setting as { loss: string };
      return { ...(part as { squared: number; squares: number }), sums: right.get(loss) ?? [] };
    });
    expect(failing(unbiased)).toEqual([
      expect.stringContaining('as printed, one s for each factor'),
      expect.stringContaining('one smoothed step at E s'),
    ]);
    expect(failing(tampered(bias, SEED, scaled(['squared'], 1.15)))).toEqual([
      expect.stringContaining('stated variance'),
    ]);
  });

  test('theorem 14: an excess risk that falls like 1/√n', () => {
    const slower = tampered(of('generalized-linear-theorem-14-rate'), SEED, (part, setting) => {
      const { players } = setting as { players: number };
      const { excess } = part as { excess: number[] };
      return { excess: excess.map((value) => value * (players / 1000) ** 0.5) };
    });
    expect(failing(slower)).toEqual([expect.stringContaining('in n')]);
  });
});

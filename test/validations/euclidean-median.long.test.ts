import { describe, expect, test } from '@jest/globals';
import { validations } from '../evidence/euclidean-median/validations/index.ts';
import { expectExcessControls, failing, named, SEED, scaled, shifted, testClaims } from './claims.ts';
import { tampered } from './run.ts';

testClaims(validations);

const of = (name: string) => named(validations, name);

describe('controls: chunks that no theorem allows are refuted', () => {
  test('lemma 16: a mean 3 % off, the printed constant, and a constant that grows like p^0.6', () => {
    const lemma = of('euclidean-median-lemma-16');
    const by = (factor: (dimension: number) => number) =>
      failing(
        tampered(lemma, SEED, (chunk, setting) => {
          const { dimension } = setting as { dimension: number };
          const { sum, squares } = chunk as { sum: number; squares: number };
          return { sum: sum * factor(dimension), squares: squares * factor(dimension) ** 2 };
        }),
      );
    expect(by(() => 0.97)).toContainEqual(expect.stringContaining('‖x‖ = C'));
    expect(by(() => 0.97)).toContainEqual(expect.stringContaining('times too large'));
    // Were the printed constant right, the mean would be smaller by p/(p − 1).
    expect(by((p) => (p - 1) / p)).toContainEqual(expect.stringContaining('refuted for p ≤ 20'));
    expect(by((p) => p ** -0.1)).toContainEqual(expect.stringContaining('in p'));
  });

  test('theorem 17: a biased gradient, a printed one that is the right one, a variance 15 % off', () => {
    const oracle = of('euclidean-median-theorem-17-oracle');
    const moved = tampered(oracle, SEED, shifted(0.3));
    expect(failing(moved)).toContainEqual(expect.stringContaining('one u per gradient'));
    expect(failing(moved)).toContainEqual(expect.stringContaining('the mean gradient is 0'));
    const right = new Map<number, readonly number[]>();
    tampered(oracle, SEED, (chunk, setting) => {
      const { kind, degree } = setting as { kind: string; degree: number };
      if (kind === 'directions') right.set(degree, (chunk as { sums: number[] }).sums);
      return chunk;
    });
    const unbiased = tampered(oracle, SEED, (chunk, setting) => {
      const { kind, degree } = setting as { kind: string; degree: number };
      return kind === 'printed'
        ? { ...(chunk as { squared: number; squares: number }), sums: right.get(degree) ?? [] }
        : chunk;
    });
    expect(failing(unbiased)).toEqual([
      expect.stringContaining('the mean gradient is 0'),
      expect.stringContaining('refuted'),
    ]);
    expect(failing(tampered(oracle, SEED, scaled(['squared'], 1.15)))).toContainEqual(
      expect.stringContaining('closed form'),
    );
    expect(failing(tampered(oracle, SEED, scaled(['squares'], 100)))).toContainEqual(
      expect.stringContaining('precision'),
    );
  });

  test('theorem 17: an exponent, and an excess risk, a fifth off', () => {
    expectExcessControls(of('euclidean-median-theorem-17-rate'));
  });

  test('table 1: collections that are far worse than the forecast, a printed algorithm that gets somewhere', () => {
    const table = of('euclidean-median-table-1');
    for (const factor of [4, 0.25]) {
      expect(failing(tampered(table, SEED, scaled(['excess'], factor)))).toContainEqual(
        expect.stringContaining('within a factor 2'),
      );
    }
    const better = tampered(table, SEED, (chunk, setting, cell) =>
      (setting as { variant: string }).variant === 'printed' ? scaled(['excess'], 0.5)(chunk, setting, cell) : chunk,
    );
    expect(failing(better)).toEqual([expect.stringContaining('as printed')]);
  });
});

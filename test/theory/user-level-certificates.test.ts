import { describe, expect, test } from '@jest/globals';
import { type UserLevelMeanRequest, userLevelMeanPlan } from '../../protocols/user-level-mean/index.ts';
import { theory } from '../../protocols/user-level-mean/theory.ts';
import { readAt } from '../../src/privacy/conversion.ts';

const { certificate, guarantee } = theory;

const base = { epsilon: 1, players: 20000, samples: 100 };
const delta = 1e-6;
const of = (request: object) => certificate(userLevelMeanPlan({ ...base, ...request } as UserLevelMeanRequest));
const within = (request: object): boolean => of(request).totals.some(({ withinClaim }) => withinClaim === true);

describe('one player over all rounds', () => {
  test.each([
    { variant: 'naive', delta },
    { variant: 'naive', delta, grade: 'deployment' },
    { variant: 'printed', delta },
    { variant: 'printed', delta, calibration: 'exact' },
    { variant: 'printed', delta: 1e-30, calibration: 'exact', dimension: 4 },
    { variant: 'printed', delta: 1e-300, calibration: 'exact', dimension: 4 },
    { variant: 'printed', delta, calibration: 'exact', dimension: 4, epsilon: 300 },
    { variant: 'twoRound', delta },
    { variant: 'twoRound', delta, grade: 'deployment' },
    { variant: 'twoRound', delta, samePlayers: true },
    { variant: 'twoRound', delta, samePlayers: true, share: 0.1 },
    { variant: 'twoRound', delta, samePlayers: true, grade: 'deployment' },
    { variant: 'twoRound' },
    { variant: 'twoRound', samePlayers: true, share: 0.3 },
    { variant: 'oneBit' },
    { variant: 'oneBit', grade: 'deployment' },
  ])('%p is within what it claims', (request) => {
    expect(within(request)).toBe(true);
  });

  test('printedNaive is not: its μ is twice that of naive, by a factor of a little less than 2', () => {
    expect(within({ variant: 'printedNaive', delta })).toBe(false);
    const [honest, printed] = ['naive', 'printedNaive'].map((variant) => {
      const { releases } = of({ variant, delta });
      return releases[0].sensitivity / releases[0].scale;
    });
    expect(printed / honest).toBeGreaterThan(1.5);
    expect(guarantee(userLevelMeanPlan({ variant: 'printedNaive', delta, ...base })).kind).toBe('gdp');
  });

  test.each([0.05, 0.5, 0.9])(
    'the same players with share %p: two releases that spend nearly all of the budget',
    (share) => {
      const { releases, totals } = of({ variant: 'twoRound', delta, samePlayers: true, share });
      expect(releases).toHaveLength(2);
      const least = Math.min(...totals.map((total) => readAt(total.guarantee, delta)?.epsilon ?? Infinity));
      expect(least).toBeLessThanOrEqual(1 + 1e-12);
      expect(least).toBeGreaterThan(0.95);
      // Of fresh players each sends one of the two, and totals are those of the weakest: the bin is pure, 1.232-Gaussian at best.
      const fresh = of({ variant: 'twoRound', delta });
      expect([fresh.releases.length, fresh.alternatives]).toEqual([2, true]);
      const gaussian = fresh.totals.find(({ accounting }) => accounting === 'gdp')?.guarantee;
      expect(gaussian).toEqual({ kind: 'gdp', mu: expect.closeTo(1.232035385, 6) });
    },
  );

  test('printed spends a fraction of its ε', () => {
    const { totals } = of({ variant: 'printed', delta });
    const least = Math.min(...totals.map((total) => readAt(total.guarantee, delta)?.epsilon ?? Infinity));
    // ε′ = .0647 for each of two releases.
    expect(least).toBeLessThan(0.15);
  });
});

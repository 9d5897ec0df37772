import { describe, expect, test } from '@jest/globals';
import { isVector, MAKERS, study, userLevelMean, userLevelMeanPlan } from '../../protocols/user-level-mean/index.ts';
import type { UserLevelMeanRequest } from '../../protocols/user-level-mean/parameters.ts';
import { meanErrors, repeatMean } from '../../protocols/user-level-mean/repeated-mean.ts';
import { normal } from '../../src/random/normal.ts';
import { seededRandom } from '../../src/random/seeded.ts';

const request = { epsilon: 2, delta: 1e-6, players: 20_000, samples: 100, dimension: 1 };

describe('the study of the user-level mean', () => {
  test('makes the plan of every maker from plain data, the pure ones without a δ', () => {
    for (const maker of MAKERS) {
      const plain = study.request({ ...request, maker });
      const { digest } = study.plan({ ...request, maker });
      expect(userLevelMeanPlan(plain as unknown as UserLevelMeanRequest).digest).toBe(digest);
      expect('delta' in plain).toBe(!study.pureMakers.includes(maker));
      expect(userLevelMean.theory.guarantee(study.plan({ ...request, maker })).kind === 'pure').toBe(
        study.pureMakers.includes(maker),
      );
    }
    expect(study.makers).toEqual([...MAKERS]);
    expect(study.kind).toBe('users');
    expect(() => study.plan({ ...request, maker: 'best' })).toThrow('"maker" expected one of oneBit, ');
  });

  test('compares makers that exist in the dimension, and says where samples lie', () => {
    for (const maker of study.vector.makers) {
      const plan = study.plan({ ...request, maker, dimension: 4, inBall: true });
      expect(isVector(plan) && plan.domain).toBe('ball');
    }
    for (const { makers, baselines } of [study.scalar, study.vector]) {
      expect(baselines.filter((maker) => !makers.includes(maker))).toEqual([]);
    }
    expect(() => study.plan({ ...request, maker: 'naive', dimension: 4 })).toThrow('"dimension" expected 1');
  });
});

describe('the forecast', () => {
  const spread = 0.3;
  const repetitions = 24;

  // Root mean squared errors of 24 runs: for normal errors in one dimension χ² with 24 degrees, off by a factor of 1.7 upwards with
  // probability 3e-6 and downwards with 1.2e-3; forecasts are leading terms.
  test.each([
    ['oneBit', 1],
    ['twoRound', 1],
    ['naive', 1],
    ['vector', 4],
    ['coordinates', 4],
  ] as const)('of %s is right for normal samples, and not for half as large ones (control)', (maker, dimension) => {
    const asked = { ...request, maker, dimension };
    const plan = study.plan(asked);
    // Local means of 100 normal samples, all of them handed over as one.
    const random = seededRandom(maker);
    const centre = 0.137;
    const means = Float64Array.from({ length: asked.players * dimension }, () => centre + 0.03 * normal(random));
    const population = {
      players: asked.players,
      datum: (index: number) => ({ samples: means.subarray(index * dimension, (index + 1) * dimension) }),
    };
    const estimates = repeatMean({ protocol: userLevelMean, plan }, population, { repetitions, seed: maker });
    const { error } = meanErrors(estimates, new Float64Array(dimension).fill(centre));
    const { error: expected } = study.forecast(asked, { spread });
    expect(error / expected).toBeGreaterThan(1 / 1.7);
    expect(error / expected).toBeLessThan(1.7);
    // Noise that hides the whole range does not know the spread.
    if (maker !== 'naive' && maker !== 'twoRound') {
      expect(error / study.forecast(asked, { spread: spread / 2 }).error).toBeGreaterThan(1.17);
    }
  });

  test('of the printed scheme has a floor that no number of players removes', () => {
    const few = study.forecast({ ...request, maker: 'printed' }, { spread });
    const many = study.forecast({ ...request, maker: 'printed', players: 2 ** 36 }, { spread });
    expect(few.floor).toBe(many.floor);
    expect(many.error / many.floor).toBeCloseTo(1, 2);
    expect(few.error).toBeGreaterThan(2 * few.floor);
  });

  test('refuses a spread that is none', () => {
    expect(() => study.forecast({ ...request, maker: 'oneBit' }, { spread: 0 })).toThrow('"spread" expected');
  });
});

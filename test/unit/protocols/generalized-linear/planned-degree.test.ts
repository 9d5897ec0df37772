import { describe, expect, test } from '@jest/globals';
import { isQuiet, plannedCollection, plannedDegree } from '../../../../protocols/generalized-linear/fit.ts';
import { studyOf } from '../../../../protocols/generalized-linear/protocol.ts';
import { hingeParameters } from '../../../../protocols/hinge/parameters.ts';
import { study as hingeStudy, plannedRequest } from '../../../../protocols/hinge/protocol.ts';
import { createLift } from '../../../../src/polynomial/lift.ts';
import { hingeLoss } from '../../../../src/risk/margin-loss.ts';
import { lossByName } from '../../../../src/risk/named-loss.ts';

const question = { players: 3e6, dimension: 14, epsilon: 1, radius: 1, loss: hingeLoss() };

describe('the degree to collect for', () => {
  test('is 3 for three million players with 14 features at ε = 1, and 1 for 25,000 with 10', () => {
    expect(plannedDegree(question)).toBe(3);
    expect(plannedDegree({ ...question, epsilon: 0.5 })).toBe(1);
    for (const epsilon of [1, 4]) {
      for (const radius of [1, 2, 4]) {
        expect(plannedDegree({ ...question, players: 25_000, dimension: 10, epsilon, radius })).toBe(1);
      }
    }
  });

  test('grows with players and ε, and falls with the dimension', () => {
    const degrees = [1e3, 1e5, 1e6, 1e7, 1e9].map((players) => plannedDegree({ ...question, players, dimension: 4 }));
    expect(degrees).toEqual([...degrees].sort());
    expect(degrees[0]).toBe(1);
    expect(degrees[4]).toBeGreaterThanOrEqual(5);
    const wide = [2, 5, 10, 20, 40].map((dimension) => plannedDegree({ ...question, players: 1e8, dimension }));
    expect(wide).toEqual([...wide].sort((a, b) => b - a));
    const loud = [0.1, 0.5, 1, 2, 8].map((epsilon) => plannedDegree({ ...question, epsilon }));
    expect(loud).toEqual([...loud].sort());
  });

  test('is higher where all records have norm 1, whose moments know of each other, and never lower', () => {
    const small = { ...question, players: 1e5, dimension: 3, radius: 2 };
    expect(plannedDegree(small)).toBe(2);
    expect(plannedDegree({ ...small, unitNorm: true })).toBe(3);
    for (const players of [1e3, 1e5, 1e7]) {
      for (const epsilon of [0.5, 1, 4]) {
        const one = { ...question, players, epsilon, dimension: 5 };
        expect(plannedDegree({ ...one, unitNorm: true })).toBeGreaterThanOrEqual(plannedDegree(one));
      }
    }
  });

  test('never asks for more numbers than a report may have', () => {
    expect(plannedDegree({ ...question, players: 1e12, dimension: 500 })).toBe(1);
    expect(plannedDegree({ ...question, players: 1e12, dimension: 30 })).toBe(2);
  });

  test('a straight slope needs one degree, and a planned request is one that devices take', () => {
    // A line leaves no error that a power more could lower.
    for (const players of [1e3, 1e6, 1e12]) {
      expect(plannedDegree({ ...question, players, dimension: 4, loss: lossByName('squared') })).toBe(1);
    }
    expect(plannedRequest({ ...question })).toEqual({
      variant: 'sampled',
      degree: 3,
      shares: [4, 1, 2, 2],
      dimension: 14,
      epsilon: 1,
    });
    expect(hingeParameters(plannedRequest(question)).degree).toBe(3);
    expect(plannedRequest({ ...question, players: 1000 })).toEqual({
      variant: 'direct',
      degree: 1,
      dimension: 14,
      epsilon: 1,
    });
  });

  test('reports of v itself are planned where they leave less noise: not for a small ε', () => {
    const planned = (epsilon: number, players: number) => {
      const { variant, degree, shares } = plannedCollection({ ...question, epsilon, players });
      return [variant, degree, ...(shares ?? [])];
    };
    expect([0.5, 1].map((epsilon) => planned(epsilon, 1000))).toEqual([
      ['lifted', 1],
      ['direct', 1],
    ]);
    // The first power has .76 of its least noise at ε = 1, and .92 at ε = 2: with four parts of five it has .8.
    expect([1, 2].map((epsilon) => planned(epsilon, 3e6))).toEqual([
      ['sampled', 3, 4, 1, 2, 2],
      ['direct', 3, 5, 2, 2],
    ]);
  });

  test('with many coordinates in a large ball the first two powers have sixteen parts, not with few or in a small one', () => {
    const planned = (dimension: number, radius: number, epsilon = 1, loss = question.loss) => {
      const { variant, shares } = plannedCollection({ players: 1e12, dimension, epsilon, radius, loss });
      return [variant, ...(shares ?? []).slice(0, 3)];
    };
    for (const loss of [question.loss, lossByName('logistic')]) {
      for (const [dimension, radius] of [
        [8, 2],
        [30, 2],
        [8, 16],
      ]) {
        expect(planned(dimension, radius, 1, loss).slice(0, 3)).toEqual(['direct', 16, 2]);
        // Where reports of v itself are too noisy for two powers, the sixteen are divided nearly as five are elsewhere.
        expect(planned(dimension, radius, 0.5, loss)).toEqual(['sampled', 13, 3, 2]);
      }
      expect(planned(7, 16, 1, loss)).toEqual(['sampled', 4, 1, 2]);
      expect(planned(8, 1.9, 1, loss)).toEqual(['sampled', 4, 1, 2]);
      expect(planned(7, 2, 2, loss).slice(0, 3)).toEqual(['direct', 5, 2]);
    }
  });

  test('a smooth loss plans what a loss of the same slope would for half of the players', () => {
    const smooth = { ...question, dimension: 4, epsilon: 4, unitNorm: true, loss: lossByName('logistic') };
    // A kink outside the ball changes nothing but this.
    const kinked = { ...smooth, loss: { ...smooth.loss, kinks: [50] } };
    const degrees = [1e5, 2e5, 4e5, 8e5, 1.6e6, 3.2e6].map((players) => [
      plannedDegree({ ...smooth, radius: 8, players: 2 * players }),
      plannedDegree({ ...kinked, radius: 8, players }),
    ]);
    for (const [one, other] of degrees) expect(one).toBe(other);
    // Control: for the same players they differ somewhere.
    expect(degrees.some(([one], at) => at > 0 && one !== degrees[at - 1][0])).toBe(true);
    // The players from whom on a degree is planned, to a thousandth: a price that is a tenth off fails.
    const needed = (asked: typeof smooth, degree: number): number => {
      let [low, high] = [1e3, 1e8];
      while (high > 1.001 * low) {
        const players = Math.sqrt(low * high);
        if (plannedDegree({ ...asked, radius: 8, players }) < degree) low = players;
        else high = players;
      }
      return high;
    };
    for (const degree of [2, 3]) {
      expect(Math.abs(needed(smooth, degree) / needed(kinked, degree) - 2)).toBeLessThan(0.01);
    }
  });

  test('the study of each loss plans for its own slope', () => {
    const asked = { players: 1e6, dimension: 4, epsilon: 4, radius: 4 };
    for (const name of ['hinge', 'logistic', 'squared', 'absolute']) {
      const plan = studyOf(name).plan?.(asked);
      expect(plan).toEqual(plannedCollection({ ...asked, loss: lossByName(name) }));
    }
    expect(studyOf('hinge').plan?.(asked)).toEqual(hingeStudy.plan?.(asked));
    expect(studyOf('hinge').plan?.(asked)).not.toEqual(studyOf('squared').plan?.(asked));
  });

  test('moments are quiet where their noise is that of a planned degree, whatever the shares, and loud below', () => {
    const lift = createLift(14, 4);
    const moments = (players: number, shares: readonly number[]) => {
      const noise = Float64Array.from(shares, (share) => (6.33 * 9) / share / players);
      return { lift, noise, values: new Float64Array(lift.size), players };
    };
    const asked = { loss: question.loss, radius: 1 };
    expect(isQuiet(moments(3e6, [4, 1, 2, 2]), asked)).toBe(true);
    expect(isQuiet(moments(3e6, [2.25, 2.25, 2.25, 2.25]), asked)).toBe(true);
    // A quarter of the players stayed away.
    expect(isQuiet(moments(2.25e6, [4, 1, 2, 2]), asked)).toBe(true);
    expect(isQuiet(moments(3e5, [4, 1, 2, 2]), asked)).toBe(false);
  });

  test('refuses what is no plan, by name', () => {
    for (const field of ['players', 'epsilon', 'radius'] as const) {
      for (const wrong of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
        expect(() => plannedDegree({ ...question, [field]: wrong })).toThrow(`"${field}"`);
      }
    }
    expect(() => plannedDegree({ ...question, dimension: 0 })).toThrow('"dimension"');
  });
});

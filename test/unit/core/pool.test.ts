import { describe, expect, test } from '@jest/globals';
import type { LiftedParameters } from '../../../protocols/generalized-linear/margin/parameters.ts';
import { type Level, poolLevels } from '../../../protocols/generalized-linear/margin/pool.ts';
import { type HingeParameters, hinge, lifted } from '../../../protocols/hinge/index.ts';
import type { ChannelTally } from '../../../src/core/channel.ts';
import { fillNormal } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { simulate } from '../../../src/simulation/runner.ts';

const MODEL = { degree: 0, dimension: 4 };

const made = new Map<string, LiftedParameters>();
/** The parameters of a request, made once. */
function parametersOf(epsilon: number, change: object): LiftedParameters {
  const key = JSON.stringify([epsilon, change]);
  const known = made.get(key) ?? lifted({ ...MODEL, epsilon, ...change });
  made.set(key, known);
  return known;
}

function level(epsilon: number, players: number, seed: string, change: object = {}): Level<LiftedParameters> {
  const parameters = parametersOf(epsilon, change);
  const datum = { features: [0.6, 0, -0.3, 0.2].slice(0, parameters.dimension), label: 1 };
  while (datum.features.length < parameters.dimension) datum.features.push(0);
  const tally = simulate(hinge, parameters as HingeParameters, { players, datum: () => datum }, { seed });
  return { parameters, tally };
}

describe('reports under budgets of the players own choice', () => {
  test('pool to the mean of all of them weighted by 1/variance (by hand)', () => {
    const levels = [level(0.5, 3, 'a'), level(2, 2, 'b')];
    const { parameters, tally } = poolLevels(levels);
    const [c, best] = levels.map((one) => one.parameters.mechanism.coordinateVariance);
    expect(parameters.epsilon).toBe(2);
    expect(tally.players).toBeCloseTo(2 + (3 * best) / c, 12);
    const sums = levels.map((one) => (one.tally as Extract<ChannelTally, { kind: 'moments' }>).sums);
    for (let i = 0; i < tally.sums.length; i++) {
      expect(tally.sums[i]).toBeCloseTo((best / c) * sums[0][i] + sums[1][i], 9);
    }
  });

  test('name the level of every player and the weakest of them', () => {
    const pool = poolLevels([level(2, 2, 'b'), level(0.5, 3, 'a'), level(1, 1, 'c')]);
    expect(pool.levels).toEqual([
      { players: 2, guarantee: { kind: 'pure', epsilon: 2 } },
      { players: 3, guarantee: { kind: 'pure', epsilon: 0.5 } },
      { players: 1, guarantee: { kind: 'pure', epsilon: 1 } },
    ]);
    expect(pool.guarantee).toEqual({ kind: 'pure', epsilon: 2 });
  });

  test('have the error that the effective number of players promises, and less than the same reports unweighted', () => {
    // 400 rounds of 4 coordinates: the mean of 1600 squared errors, each with variance 2 times its square, is within 4·√(2/1600)
    // = 14 % of its expectation but for 1 in 15,000.
    const rounds = 400;
    const truth = [0.6, 0, -0.3, 0.2].map((x) => x);
    let [weighted, plain, promised] = [0, 0, 0];
    for (let round = 0; round < rounds; round++) {
      const levels = [level(0.5, 60, `low ${round}`), level(4, 20, `high ${round}`)];
      const { parameters, tally } = poolLevels(levels);
      const { scales } = parameters;
      promised = parameters.mechanism.coordinateVariance / (scales[0] ** 2 * tally.players);
      const sums = levels.map((one) => (one.tally as Extract<ChannelTally, { kind: 'moments' }>).sums);
      for (let i = 0; i < 4; i++) {
        weighted += (tally.sums[i] / (tally.players * scales[0]) - truth[i]) ** 2 / (4 * rounds);
        plain += ((sums[0][i] + sums[1][i]) / (80 * scales[0]) - truth[i]) ** 2 / (4 * rounds);
      }
    }
    expect(Math.abs(weighted / promised - 1)).toBeLessThan(0.14);
    // The control: without weights the noise of the careful players drowns the others. (36.7·60 + .47·20)/80² against 1/(60/36.7 + 20/.47).
    expect(plain / promised).toBeGreaterThan(5);
  });

  test('are estimated like any tally', () => {
    const random = seededRandom('pooled model');
    const noise = new Float64Array(4);
    fillNormal(noise, random, 0, 4);
    const { parameters, tally } = poolLevels([level(4, 4000, 'x'), level(1, 4000, 'y')]);
    const { w, players } = hinge.server.estimate(parameters, tally, { degree: 0 });
    expect(players).toBe(tally.players);
    expect(w[0]).toBeGreaterThan(0.7);
  });

  test('may come from players of both grades', () => {
    const pool = poolLevels([level(1, 5, 'a'), level(1, 5, 'b', { grade: 'deployment' })]);
    expect(pool.tally.players).toBeGreaterThan(9);
    expect(pool.tally.players).toBeLessThan(10);
  });

  test('are refused when they are not of one kind', () => {
    expect(() => poolLevels([])).toThrow('"levels" expected at least one budget');
    const one = level(1, 2, 'a');
    expect(() => poolLevels([one, level(2, 2, 'b', { degree: 1 })])).toThrow('"levels[1].parameters.degree"');
    expect(() => poolLevels([one, level(2, 2, 'b', { dimension: 5 })])).toThrow('"levels[1].parameters.dimension"');
    expect(() =>
      poolLevels([level(1, 2, 'a', { degree: 1 }), level(1, 2, 'a', { degree: 1, shares: [1, 3] })]),
    ).toThrow('"levels[1].parameters.scales"');
    expect(() => poolLevels([{ parameters: level(2, 2, 'c').parameters, tally: one.tally }])).toThrow('digest');
    expect(() => poolLevels([level(1, 0, 'a')])).toThrow('"levels" expected at least one report');
  });
});

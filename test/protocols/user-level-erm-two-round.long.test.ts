import { describe, expect, test } from '@jest/globals';
import { requiredPlayers, requiredSamples } from '../../protocols/user-level-erm/descent.ts';
import { descent, userLevelErm, userLevelErmPlan } from '../../protocols/user-level-erm/index.ts';
import { LOSSES, type TwoRoundErmRequest } from '../../protocols/user-level-erm/objective.ts';
import type { UserLevelErmRequest } from '../../protocols/user-level-erm/parameters.ts';
import { auditing, theory } from '../../protocols/user-level-erm/protocol.ts';
import { certify, verifyCertificate } from '../../src/core/certify.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { conduct } from '../../src/simulation/runner.ts';
import { checkContract } from '../../src/testing/contract/laws.ts';
import { populationOf } from '../evidence/user-level-erm/validations/records.ts';
import { roundProtocol } from './round-protocol.ts';
import { drawRecords, ermCase, roundOf, smallRequest, smallTwoRoundRequest } from './user-level-erm-cases.ts';

const { abs, max } = Math;

test.each([...LOSSES])('%s: both rounds of a gradient keep the contract, in deployment too', (loss) => {
  // Many bins, of which hardly any is said again with other coins.
  const request = smallTwoRoundRequest(loss, { epsilon: 0.5, samples: 2000, dimension: 7 });
  const cases = [...[0, 1, 3].map((round) => ermCase(request, round)), ermCase({ ...request, grade: 'deployment' }, 3)];
  expect(checkContract(roundProtocol(userLevelErm, descent(request)), cases)).toEqual([]);
});

describe('the plan', () => {
  test('of signs is the default, with the same digest', () => {
    const plan = descent(smallRequest('logistic'));
    expect(descent(smallRequest('logistic', { gradients: 'signs' })).digest).toBe(plan.digest);
    expect(descent(smallTwoRoundRequest('logistic', { players: 3000, iterations: 6 })).digest).not.toBe(plan.digest);
  });

  test('has two rounds for each iteration, whose players are all of them', () => {
    const { rounds, shares, iterations, gradient } = descent(smallTwoRoundRequest('logistic'));
    expect([rounds, iterations, gradient.players]).toEqual([[2, 2, 2], 3, 1000]);
    expect(abs(shares.reduce((sum, share) => sum + share, 0) - 1)).toBeLessThan(1e-12);
  });

  test('takes as many iterations as its own noise leaves room for: fewer than signs, more with more players', () => {
    const asked = { ...smallTwoRoundRequest('logistic', { strongConvexity: 0.2, smoothness: 0.5 }) };
    const { iterations: _, ...open } = asked;
    const counts = [1e5, 1e6, 1e7].map((players) => descent({ ...open, players } as TwoRoundErmRequest).iterations);
    expect(counts[0]).toBeGreaterThan(2);
    expect(counts[1]).toBeGreaterThan(counts[0]);
    expect(counts[2]).toBeGreaterThan(counts[1]);
    const { gradients: __, spread: ___, ...signs } = { ...open, players: 1e6 };
    expect(descent(signs).iterations).toBeGreaterThan(counts[1]);
  });

  test('is made again from its request', () => {
    const plan = descent(smallTwoRoundRequest('huber', { seed: 'x', spread: 0.2 }));
    expect(userLevelErmPlan(JSON.parse(JSON.stringify(plan.request)) as UserLevelErmRequest)).toEqual(plan);
  });

  test.each([
    [{ spread: undefined }, /^"spread" expected/],
    [{ delta: 1e-6 }, /^"delta" expected nothing/],
    [{ samePlayers: true }, /^"samePlayers" expected nothing/],
    [{ predict: true }, /^"predict" expected nothing/],
    [{ players: 29 }, /^"players" expected at least 30, 10 for each gradient, got 29/],
    [{ gradients: 'three' }, /^"gradients" expected/],
  ])('refuses %j', (change, message) => {
    expect(() => descent({ ...smallTwoRoundRequest('squared'), ...change } as TwoRoundErmRequest)).toThrow(message);
  });

  test('asks for T times the players of one gradient, and says how many records would do', () => {
    const asked = { ...smallTwoRoundRequest('squared'), force: false };
    const { gradientBound } = descent(smallTwoRoundRequest('squared')).objective;
    const { epsilon, samples, dimension, strongConvexity, radius } = asked;
    const fields = { epsilon, samples, dimension, strongConvexity, radius, gradientBound, groups: 3 };
    const needed = requiredPlayers(fields);
    expect(() => descent({ ...asked, players: needed })).not.toThrow();
    expect(() => descent({ ...asked, players: needed - 1 })).toThrow(/^"players" expected at least \d+/);
    // By hand: B = 2 + 1, d = 3, ε = 2, τ₁R = .2: (27/.4)² = 4556.25 records for each of 3 gradients.
    expect(requiredSamples({ ...fields, players: 1300 })).toBe(11);
    expect(requiredPlayers({ ...fields, samples: 11 })).toBeLessThanOrEqual(1300);
    expect(requiredPlayers({ ...fields, samples: 10 })).toBeGreaterThan(1300);
    // 60·4/κ² = 413.8 players for each of 3 gradients, however many records they hold; 1241.3 in all.
    expect(requiredPlayers({ ...fields, samples: 1e9 })).toBe(1242);
    expect(requiredSamples({ ...fields, players: 100 })).toBe(Infinity);
  });
});

describe('privacy', () => {
  const plan = descent(smallTwoRoundRequest('logistic'));

  test('two releases, of which a player has one: pure ε, and whoever certifies it is believed', () => {
    const { releases, totals } = theory.certificate(plan);
    expect(releases).toHaveLength(2);
    for (const { count, guarantee } of releases) {
      expect([count, guarantee.kind]).toEqual([1, 'pure']);
      expect(guarantee.kind === 'pure' && guarantee.epsilon <= 2 && guarantee.epsilon > 2 - 1e-6).toBe(true);
    }
    expect(totals[0]).toMatchObject({ accounting: 'pure', withinClaim: true });
    const document = certify(userLevelErm, plan);
    expect(verifyCertificate(userLevelErm, JSON.parse(JSON.stringify(document))).verified).toBe(true);
    expect(userLevelErm.rounds.answers(plan)).toBe(1);
  });

  test('no answer of round 1 is more than e^ε times likelier under one datum than under another, and some is', () => {
    const round = roundOf(descent(smallTwoRoundRequest('logistic', { players: 60_000, samples: 50 })), 2);
    expect(round.asked.kind).toBe('coordinate');
    const random = seededRandom('answers');
    let worst = 0;
    for (const pair of auditing.pairs(round, seededRandom('pairs'))) {
      const ratio = auditing.logLikelihoodRatio!(round, pair)!;
      for (let i = 0; i < 200; i++) {
        worst = max(worst, abs(ratio(userLevelErm.player.randomize(round, pair.first, random))));
      }
    }
    expect(worst).toBeLessThanOrEqual(2 * (1 + 1e-12));
    expect(worst).toBeGreaterThan(2 * (1 - 1e-6));
  });
});

test('reports that travel say the same as those that do not, and iterates stay in the ball', () => {
  const plan = descent(smallTwoRoundRequest('squared', { grade: 'deployment' }));
  const { players } = plan;
  const records = drawRecords({ loss: 'squared', players, samples: 4, truth: [0.5, 0.3, 0.1], seed: 'travel' });
  const population = populationOf(records, players);
  const { estimate } = conduct(userLevelErm, plan, population, { seed: 1 });
  expect(conduct(userLevelErm, plan, population, { seed: 1, wire: true }).estimate).toEqual(estimate);
  expect([estimate.iterates.length, estimate.players]).toEqual([4, players]);
});

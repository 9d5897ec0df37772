import { describe, expect, test } from '@jest/globals';
import type { ErmPlan, ErmRound } from '../../protocols/user-level-erm/gradients.ts';
import { descent, userLevelErm } from '../../protocols/user-level-erm/index.ts';
import { audit } from '../../src/audit/audit.ts';
import { roundTarget, transcriptTarget } from '../../src/audit/transcript.ts';
import { twoLevels } from '../../src/mechanism/exact-coin.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { roundOf, smallRequest } from '../protocols/user-level-erm-cases.ts';

const EPSILON = 2;

/** All rounds of a small descent. */
function roundsOf(plan: ErmPlan): ErmRound[] {
  return plan.shares.map((_, round) => roundOf(plan, round));
}

// A finite channel is enumerated: what an audit says of it is exact, and cannot be a false alarm.
const enumerate = (seed: string) => ({ trials: 0, random: seededRandom(seed) });

describe('the audit of the toolkit', () => {
  const plan = descent(smallRequest('logistic', { epsilon: EPSILON, players: 1000 }));
  const rounds = roundsOf(plan);

  test('finds all of ε in each round, and no more', () => {
    for (const round of [rounds[0], rounds[plan.rounds[0]], rounds[rounds.length - 1]]) {
      const { verdict, lowerBound, method } = audit(roundTarget(userLevelErm, plan, round), enumerate('round'));
      expect([verdict, method]).toEqual(['consistent', 'enumeration']);
      expect(lowerBound).toBeGreaterThan(EPSILON * (1 - 1e-6));
    }
  });

  test('finds no more in the joint transcript of all rounds, where players are fresh', () => {
    const { verdict, lowerBound } = audit(transcriptTarget(userLevelErm, plan, rounds), enumerate('joint'));
    expect(verdict).toBe('consistent');
    expect(lowerBound).toBeGreaterThan(EPSILON * (1 - 1e-6));
  });

  test('finds all of ε in the joint transcript of the same players, whose bits add up', () => {
    const request = smallRequest('logistic', { epsilon: EPSILON, players: 4, dimension: 1, iterations: 2 });
    // Few players, so that there are three rounds only: 4³ outputs, which can be written out.
    const same = descent({ ...request, samePlayers: true });
    const { verdict, lowerBound, method } = audit(
      transcriptTarget(userLevelErm, same, roundsOf(same)),
      enumerate('same'),
    );
    expect(same.shares.length).toBe(3);
    expect([verdict, method]).toEqual(['consistent', 'enumeration']);
    expect(lowerBound).toBeGreaterThan(EPSILON * (1 - 1e-6));
  });

  test('control: a player whose coin spends a hundredth more is refuted', () => {
    const [round] = rounds;
    const loose = { ...round, asked: { ...round.asked, coin: twoLevels(1.01 * EPSILON, 1, 1) } };
    expect(audit(roundTarget(userLevelErm, plan, loose), enumerate('loose')).verdict).toBe('violation');
  });

  test('control: fresh players who answer in two rounds are refuted', () => {
    const twice = [rounds[0], { ...rounds[1], repeats: true as const }];
    expect(audit(transcriptTarget(userLevelErm, plan, twice), enumerate('twice')).verdict).toBe('violation');
  });
});

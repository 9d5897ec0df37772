import { expect, test } from '@jest/globals';
import { naive, twoRound, userLevelMean } from '../../../protocols/user-level-mean/index.ts';
import { conduct } from '../../../src/simulation/runner.ts';

const population = { players: 1000, datum: (i: number) => ({ samples: [Math.sin(i), 0.1] }) };
const request = { epsilon: 2, players: 1000, samples: 2 };

/** The population, and how often each of its players was asked. */
function counting() {
  const asked = new Map<number, number>();
  const datum = (i: number) => {
    asked.set(i, (asked.get(i) ?? 0) + 1);
    return population.datum(i);
  };
  return { asked, counted: { ...population, datum } };
}

test('nobody answers twice, and all of the shares answer', () => {
  const { asked, counted } = counting();
  const { finished, estimate } = conduct(userLevelMean, twoRound({ ...request, share: 0.3 }), counted, { seed: 1 });
  expect(finished.map(({ tally }) => tally.players)).toEqual([300, 700]);
  expect(asked.size).toBe(1000);
  expect(Math.max(...asked.values())).toBe(1);
  expect(estimate.players).toBe(1000);
});

test('in a round that repeats the same players answer again, with other coins', () => {
  const { asked, counted } = counting();
  const plan = twoRound({ ...request, samePlayers: true });
  const { finished } = conduct(userLevelMean, plan, counted, { seed: 1 });
  expect(finished.map(({ tally }) => tally.players)).toEqual([1000, 1000]);
  expect([...asked.values()].every((times) => times === 2)).toBe(true);
});

test('those who vanish are missing, and nothing else changes', () => {
  const vanishes = (player: number): boolean => player % 4 === 0;
  const { finished } = conduct(userLevelMean, naive({ ...request, delta: 1e-6 }), population, { seed: 1, vanishes });
  expect(finished[0].tally.players).toBe(750);
  const all = conduct(userLevelMean, naive({ ...request, delta: 1e-6 }), population, { seed: 1 });
  expect(all.finished[0].tally.players).toBe(1000);
});

test('too few players for all rounds are refused as such, with how many there have to be', () => {
  const plan = twoRound({ ...request, share: 0.3 });
  const few = (players: number) => () => conduct(userLevelMean, plan, { ...population, players }, { seed: 1 });
  expect(few(1)).toThrow(/^"players" expected at least 4, so that somebody answers in every round, got 1$/);
  expect(few(4)).not.toThrow();
});

test('a plan whose shares are more than all is refused', () => {
  const plan = { ...twoRound({ ...request, share: 0.3 }), share: 0.5 };
  const greedy = {
    ...userLevelMean,
    rounds: {
      ...userLevelMean.rounds,
      next: (...args: Parameters<typeof userLevelMean.rounds.next>) => {
        const round = userLevelMean.rounds.next(...args);
        return round === undefined ? undefined : { ...round, share: 0.9 };
      },
    },
  };
  expect(() => conduct(greedy, plan, population, { seed: 1 })).toThrow(/^"share" expected rounds whose shares add up/);
});

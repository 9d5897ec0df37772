import { describe, expect, test } from '@jest/globals';
import { descent, userLevelErm } from '../../../protocols/user-level-erm/index.ts';
import { oneBit, printed, twoRound, userLevelMean, vector } from '../../../protocols/user-level-mean/index.ts';
import { ReportError } from '../../../src/check/report-error.ts';
import { createCollector } from '../../../src/protocol/collector.ts';
import type { PublicParameters } from '../../../src/protocol/contract.ts';
import type { RoundParameters, RoundsProtocol } from '../../../src/protocol/rounds.ts';
import { createRoundsCollector, type RoundsCollectorOptions } from '../../../src/protocol/rounds-collector.ts';
import { seededRandom } from '../../../src/random/seeded.ts';

const random = seededRandom('rounds collector');
const datum = { samples: [0.25, -0.5] };
const request = { epsilon: 2, players: 1000, samples: 2 };

type Mean = typeof userLevelMean;
type MeanPlan = Parameters<Mean['rounds']['first']>[0];
type Options = RoundsCollectorOptions<ReturnType<Mean['server']['empty']>>;
type MeanCollector = ReturnType<typeof open>;

const fresh = oneBit(request);
const same = twoRound({ ...request, samePlayers: true });

function open(plan: MeanPlan = fresh, options: Options = {}) {
  return createRoundsCollector(userLevelMean, plan, options);
}

/** What an honest device answers, in the open round or another. */
function answer(to: MeanCollector, round = to.round): Uint8Array {
  if (round === undefined) throw new Error('no round is open');
  return userLevelMean.report.encode(round, userLevelMean.player.randomize(round, datum, random));
}

const outcomes = (to: MeanCollector, ids: readonly (string | number | undefined)[]): string[] =>
  ids.map((id) => to.receive(answer(to), id).outcome);

/** Ids from one to another. */
const span = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);

describe('the attack: the same ids in every round of a plan with fresh players', () => {
  const plan = vector({ epsilon: 1, players: 512, samples: 2, dimension: 2, shares: Array(8).fill(1 / 8) });
  const ids = span(0, 64);

  test('64 ids and 8 rounds are 64 reports', () => {
    const collector = open(plan);
    const datum = { samples: [[0.3, 0.1], [0.2, -0.1]] };
    let asked = 0;
    for (; collector.round !== undefined && asked < 100; asked++) {
      const round = collector.round;
      for (const id of ids) {
        const report = userLevelMean.player.randomize(round, datum, random);
        collector.receive(userLevelMean.report.encode(round, report), id);
      }
      // Somebody new in each round, so that it can be closed.
      collector.receive(userLevelMean.report.encode(round, userLevelMean.player.randomize(round, datum, random)), `new ${asked}`);
      collector.close();
    }
    expect(asked).toBe(8);
    expect(collector.counts.map(({ counted }) => counted)).toEqual([65, 1, 1, 1, 1, 1, 1, 1]);
    expect(collector.total).toEqual({ counted: 64 + 8, duplicate: 7 * 64, replay: 0, full: 0, refused: 0 });
    expect(collector.finished.reduce((sum, { tally }) => sum + tally.players, 0)).toBe(64 + 8);
  });

  test('which a collector for each round would count as 512', () => {
    const finished = [];
    const datum = { samples: [[0.3, 0.1], [0.2, -0.1]] };
    for (let round = userLevelMean.rounds.first(plan); ; ) {
      const { tally, receive } = createCollector(userLevelMean, round);
      for (const id of ids) {
        receive(userLevelMean.report.encode(round, userLevelMean.player.randomize(round, datum, random)), id);
      }
      finished.push({ round, tally });
      const next = userLevelMean.rounds.next(plan, finished);
      if (next === undefined) break;
      round = next;
    }
    expect(finished.reduce((sum, { tally }) => sum + tally.players, 0)).toBe(512);
  });
});

describe('how often a player answers', () => {
  test.each<[string, MeanPlan]>([
    ['by the same players in two rounds', same],
    ['by all of them, as printed', printed({ ...request, delta: 1e-6 })],
  ])('%s: once in each', (_, plan) => {
    const collector = open(plan);
    expect(userLevelMean.rounds.answers(plan)).toBe(2);
    expect(outcomes(collector, [1, '1', 2, 2])).toEqual(['counted', 'duplicate', 'counted', 'duplicate']);
    outcomes(collector, span(3, 400));
    collector.close();
    expect(outcomes(collector, [1, 1, 2])).toEqual(['counted', 'duplicate', 'counted']);
    collector.close();
    expect([collector.round, collector.finished.map(({ tally }) => tally.players)]).toEqual([undefined, [399, 2]]);
  });

  test('in a descent by the same players once in each round, by fresh ones once in all', () => {
    const asked = { loss: { kind: 'squared' }, dimension: 1, radius: 1, epsilon: 4, players: 4000, samples: 4 } as const;
    for (const samePlayers of [false, true]) {
      const plan = descent({ ...asked, iterations: 2, samePlayers, force: true, ...extra });
      const rounds = plan.shares.length;
      expect(rounds).toBeGreaterThan(1);
      expect(userLevelErm.rounds.answers(plan)).toBe(samePlayers ? rounds : 1);
    }
  });

  test('a protocol that opens more rounds than its players answer for is stopped', () => {
    const greedy = { ...userLevelMean, rounds: { ...userLevelMean.rounds, answers: () => 2 } };
    const collector = createRoundsCollector(greedy, fresh);
    for (const from of [0, 1000]) {
      outcomes(collector, span(from, from + 300));
      if (from === 0) collector.close();
    }
    expect(() => collector.close()).toThrow('"round" expected none: the plan answers for 2, got 2');
    expect([collector.round?.round, collector.finished.length]).toEqual([1, 1]);
  });
});

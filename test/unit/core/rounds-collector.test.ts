import { describe, expect, test } from '@jest/globals';
import { descent, userLevelErm } from '../../../protocols/user-level-erm/index.ts';
import { oneBit, printed, twoRound, userLevelMean, vector } from '../../../protocols/user-level-mean/index.ts';
import { ReportError } from '../../../src/check/refusal.ts';
import { createCollector } from '../../../src/core/collector.ts';
import { createRoundsCollector, type RoundsCollectorOptions } from '../../../src/core/rounds-collector.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { smallRequest } from '../../protocols/user-level-erm-cases.ts';

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
  const plan = vector({ epsilon: 1, players: 512, samples: 2, dimension: 2, rounds: 8, form: 'sign' });
  const ids = span(0, 64);
  const pair = { samples: [0.3, 0.1, 0.2, -0.1] };
  const reported = (round: ReturnType<Mean['rounds']['first']>): Uint8Array =>
    userLevelMean.report.encode(round, userLevelMean.player.randomize(round, pair, random));

  test('64 ids in 8 rounds are 64 reports', () => {
    const collector = open(plan);
    let asked = 0;
    for (let { round } = collector; round !== undefined; round = collector.round) {
      for (const id of ids) collector.receive(reported(round), id);
      // Somebody new, without whom a later round has no report and cannot be closed.
      collector.receive(reported(round), `new ${asked++}`);
      collector.close();
    }
    expect(asked).toBe(8);
    expect(collector.counts.map(({ counted }) => counted)).toEqual([64 + 1, 1, 1, 1, 1, 1, 1, 1]);
    expect(collector.total).toEqual({ counted: 64 + 8, duplicate: 7 * 64, replay: 0, full: 0, refused: 0 });
    expect(collector.finished.reduce((sum, { tally }) => sum + tally.players, 0)).toBe(64 + 8);
    expect(collector.estimate().players).toBe(64 + 8);
  });

  test('which a collector for each round by itself counts as 512', () => {
    const finished = [];
    let round: typeof collector.round = userLevelMean.rounds.first(plan);
    const collector = open(plan);
    for (; round !== undefined; round = userLevelMean.rounds.next(plan, finished)) {
      const { tally, receive } = createCollector(userLevelMean, round);
      for (const id of ids) receive(reported(round), id);
      finished.push({ round, tally });
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

  test('in a descent by the same players as often as it has rounds, by fresh ones once', () => {
    for (const samePlayers of [false, true]) {
      const plan = descent(smallRequest('logistic', { samePlayers }));
      expect(plan.shares.length).toBeGreaterThan(1);
      expect(userLevelErm.rounds.answers(plan)).toBe(samePlayers ? plan.shares.length : 1);
    }
  });

  test('a protocol that opens more rounds than its players answer for is stopped', () => {
    const greedy = { ...userLevelMean, rounds: { ...userLevelMean.rounds, answers: () => 2 } };
    const collector = createRoundsCollector(greedy, fresh);
    outcomes(collector, span(0, 300));
    collector.close();
    outcomes(collector, span(0, 300));
    expect(() => collector.close()).toThrow('"round" expected none: the plan answers for 2, got 2');
    expect([collector.round?.round, collector.finished.length]).toEqual([1, 1]);
  });
});

describe('a round', () => {
  test('is closed with a report in it, or stays as it is', () => {
    const collector = open();
    const { round } = collector;
    collector.receive(answer(collector).slice(1), 1);
    expect(() => collector.close()).toThrow(
      new RangeError('"round" expected at least 1 report before it is closed, got 0'),
    );
    expect([collector.round, collector.finished, collector.counts.length]).toEqual([round, [], 1]);
    expect(collector.receive(answer(collector), 1).outcome).toBe('counted');
    collector.close();
    expect([collector.round?.round, collector.finished.length]).toEqual([1, 1]);
    expect(collector.finished[0].round).toBe(round);
  });

  test('that the protocol cannot go on from stays open', () => {
    let needed = 2;
    const slow = {
      ...userLevelMean,
      rounds: {
        ...userLevelMean.rounds,
        next(...[plan, finished]: Parameters<Mean['rounds']['next']>) {
          if (finished[0].tally.players < needed) throw new RangeError(`"finished" expected ${needed} reports`);
          return userLevelMean.rounds.next(plan, finished);
        },
      },
    };
    const collector = createRoundsCollector(slow, fresh);
    outcomes(collector, [1]);
    const before = collector.save();
    expect(() => collector.close()).toThrow('"finished" expected 2 reports');
    expect(collector.save()).toEqual(before);
    expect(outcomes(collector, [1, 2])).toEqual(['duplicate', 'counted']);
    collector.close();
    expect(collector.round?.round).toBe(1);
    needed = 0;
  });

  test('that is over refuses what comes late, which where players are fresh was their one answer', () => {
    const collector = open();
    const [late, later] = [answer(collector), answer(collector)];
    outcomes(collector, span(0, 300));
    collector.close();
    const reason = '"report" expected one of a round that is open, got one of round 0';
    expect(collector.receive(late, 'a')).toEqual({ outcome: 'refused', reason });
    expect(outcomes(collector, ['a', 'b'])).toEqual(['duplicate', 'counted']);
    // Damaged bytes, and those of another plan, mark nobody.
    expect(collector.receive(late.slice(1), 'c').outcome).toBe('refused');
    expect(collector.receive(answer(open(oneBit({ ...request, epsilon: 1 }))), 'c').outcome).toBe('refused');
    expect(outcomes(collector, ['c'])).toEqual(['counted']);

    const again = open(same);
    const first = answer(again);
    outcomes(again, span(0, 300));
    again.close();
    expect(again.receive(first, 'a')).toEqual({ outcome: 'refused', reason });
    // Each round was paid for by itself.
    expect(outcomes(again, ['a'])).toEqual(['counted']);
    again.close();
    expect(again.receive(later, 'd').outcome).toBe('refused');
    expect(() => again.close()).toThrow('"round" expected one that is open, and the last is over');
    expect(again.counts[1]).toEqual({ counted: 1, duplicate: 0, replay: 0, full: 0, refused: 2 });
  });

  test('takes its share of the players there are; who finds it full has answered', () => {
    const collector = open(fresh, { maximumPlayers: 100 });
    const places = Math.round(100 * fresh.shares[0]);
    expect(places).toBeGreaterThan(1);
    const ends = outcomes(collector, span(0, places + 2));
    expect(ends).toEqual([...Array(places).fill('counted'), 'full', 'full']);
    expect(collector.receive(answer(collector).slice(1), 'x').outcome).toBe('refused');
    collector.close();
    expect(outcomes(collector, [places, 'x'])).toEqual(['duplicate', 'counted']);
    expect(() => open(fresh, { maximumPlayers: 0 })).toThrow('"maximumPlayers" expected a whole number >= 1, got 0');
  });

  test('counts the same bytes once where that is asked for', () => {
    const collector = open(vector({ ...request, dimension: 2, rounds: 3, form: 'sign' }), { refuseReplays: true });
    const { round } = collector;
    if (round === undefined) throw new Error('no round is open');
    const bytes = userLevelMean.report.encode(
      round,
      userLevelMean.player.randomize(round, { samples: [0.5, 0.5] }, random),
    );
    expect(collector.receive(bytes, 1).outcome).toBe('counted');
    expect(collector.receive(bytes, 2).outcome).toBe('replay');
    expect(collector.receive(bytes).outcome).toBe('replay');
  });

  test('is not estimated from before the last is over', () => {
    const collector = open(same);
    expect(() => collector.estimate()).toThrow('"round" expected the last to be over, got "round 0 open"');
    for (const _ of [1, 2]) {
      outcomes(collector, span(0, 200));
      collector.close();
    }
    expect(collector.estimate()).toEqual(userLevelMean.rounds.estimate(same, collector.finished));
  });

  test('is not opened for a plan of another protocol, nor for what is no id', () => {
    expect(() => createRoundsCollector({ ...userLevelMean, name: 'hinge' }, fresh)).toThrow(
      '"plan" expected a plan of hinge, got "user-level-mean"',
    );
    const collector = open();
    expect(() => collector.receive(answer(collector), 10n ** 100n)).toThrow(/^"playerId" expected/);
    expect(() => collector.receive(answer(collector), null as unknown as string)).toThrow(TypeError);
    expect(collector.total.counted).toBe(0);
  });
});

describe('a saved state', () => {
  /** Two rounds and a half, with a late report and one that is damaged. */
  function played(options: Options = {}): MeanCollector {
    const collector = open(fresh, options);
    const late = answer(collector);
    for (const from of [0, 300]) {
      outcomes(collector, span(from, from + 300));
      collector.close();
    }
    outcomes(collector, span(590, 610));
    collector.receive(late, 'late');
    collector.receive(late.slice(1), 'damaged');
    return collector;
  }

  test.each<[string, Options]>([
    ['with ids', {}],
    ['with replays', { refuseReplays: true }],
  ])('goes on as if nothing had happened, %s', (_, options) => {
    const collector = played(options);
    // A copy, as it would be read from a file.
    const again = open(fresh, { ...options, saved: structuredClone(collector.save()) });
    const { players, replays, ...rest } = collector.save();
    expect(again.save()).toMatchObject(rest);
    // A set is saved in no order.
    expect(again.save().players.length).toBe(players.length);
    expect(again.save().replays?.length).toBe(replays?.length);
    for (const one of [collector, again]) expect(one.round?.round).toBe(2);
    for (const id of [0, 299, 300, 609, 'late', 'damaged', 'new']) {
      const bytes = answer(collector);
      expect(again.receive(bytes, id)).toEqual(collector.receive(bytes, id));
    }
    // Bits repeat: where the same bytes count once, most of them do not count.
    if (!options.refuseReplays) expect(again.total.counted).toBe(300 + 300 + 10 + 2);
    expect(again.total).toEqual(collector.total);
    for (const one of [collector, again]) one.close();
    for (let i = 0; i < 100; i++) {
      const bytes = answer(collector);
      for (const one of [collector, again]) one.receive(bytes, `last ${i}`);
    }
    expect(again.counts).toEqual(collector.counts);
  });

  test('is a copy, of the end too, and names nobody', () => {
    const collector = open(same);
    const start = collector.save();
    const empty = structuredClone(start);
    for (const _ of [1, 2]) {
      for (let i = 0; i < 200; i++) collector.receive(answer(collector), `somebody ${i}`);
      collector.close();
    }
    expect(start).toEqual(empty);
    const end = collector.save();
    expect([end.over, end.players.length]).toEqual([true, 16]);
    const again = open(same, { saved: end });
    expect([again.round, again.estimate()]).toEqual([undefined, collector.estimate()]);
    expect(JSON.stringify(played().save())).not.toMatch(/late|damaged/);
  });

  test('that is damaged, of another plan, or half of another state is refused', () => {
    const saved = played().save();
    const [first, ...others] = saved.rounds;
    const { counts, tally } = first;
    const sums = tally.sums.slice();
    sums[0] += 1;
    const lies = [
      { ...saved, players: saved.players.slice(16) },
      { ...saved, players: open().save().players },
      { ...saved, rounds: others },
      { ...saved, rounds: [] },
      { ...saved, over: true },
      { ...saved, rounds: [{ ...first, counts: { ...counts, counted: 299 } }, ...others] },
      { ...saved, rounds: [{ ...first, tally: { ...tally, players: 299 } }, ...others] },
      { ...saved, rounds: [{ ...first, tally: { ...tally, sums } }, ...others] },
      { ...saved, rounds: [{ ...first, tally: { ...tally, sums: new Float32Array(tally.sums) } }, ...others] },
      { ...saved, version: 2 },
      { ...saved, schema: 'ldpkit-stream-state' },
      JSON.parse(JSON.stringify(saved)),
      {},
      null,
      'saved',
    ] as (typeof saved)[];
    for (const lie of lies) expect(() => open(fresh, { saved: lie })).toThrow(ReportError);
    expect(() => open(oneBit({ ...request, epsilon: 1 }), { saved })).toThrow(
      /^"saved" expected a state of the plan with digest /,
    );
    expect(() => open(fresh, { saved, refuseReplays: true })).toThrow(
      '"saved" expected a state that treats replays in the same way',
    );
    // As it is, it is believed.
    expect(open(fresh, { saved }).total.counted).toBe(610);
  });
});

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { gaussian, type HingeParameters, hinge, lifted } from '../../../protocols/hinge/index.ts';
import type { ChannelTally } from '../../../src/core/channel.ts';
import { type Collector, createCollector } from '../../../src/core/collector.ts';
import type { CollectorOptions, PlayerId } from '../../../src/core/door.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { tallyReports } from './tally-reports.ts';

const parameters = lifted({ epsilon: 1, degree: 0, dimension: 2 });

/** The bytes of some honest reports. */
const REPORTS: readonly Uint8Array[] = honestReports(parameters, 6);

function honestReports(made: HingeParameters, count: number): Uint8Array[] {
  const random = seededRandom('collector');
  const datum = { features: [0.6, 0.8], label: 1 };
  return Array.from({ length: count }, () => hinge.report.encode(made, hinge.player.randomize(made, datum, random)));
}

const collector = (options?: CollectorOptions): Collector<ChannelTally> => createCollector(hinge, parameters, options);

const outcomes = (to: Collector<ChannelTally>, deliveries: readonly (readonly [Uint8Array, PlayerId?])[]): string[] =>
  deliveries.map(([bytes, id]) => to.receive(bytes, id).outcome);

describe('a collector', () => {
  test('counts each player once, whatever else they send', () => {
    const one = collector();
    const [a, b, c] = REPORTS;
    expect(
      outcomes(one, [
        [a, 'ada'],
        [b, 'ada'],
        [a, 'ada'],
        [b, 'bob'],
        [c, 'ada'],
      ]),
    ).toEqual(['counted', 'duplicate', 'duplicate', 'counted', 'duplicate']);
    expect(one.tally).toEqual(tallyReports(hinge, parameters, [a, b]));
    expect(one.counts).toEqual({ counted: 2, duplicate: 3, replay: 0, full: 0, refused: 0 });
  });

  test('counts every report that comes without an id', () => {
    const one = collector();
    expect(outcomes(one, [[REPORTS[0]], [REPORTS[0]], [REPORTS[1]]])).toEqual(['counted', 'counted', 'counted']);
    expect(one.tally.players).toBe(3);
  });

  test('takes 7, 7n and the text 7 for one player, and 07 for another', () => {
    const one = collector();
    const ids = [7, 7n, '7', '07', 0, -0, 2n ** 200n, String(2n ** 200n)];
    expect(ids.map((id) => one.receive(REPORTS[0], id).outcome)).toEqual([
      'counted',
      'duplicate',
      'duplicate',
      'counted',
      'counted',
      'duplicate',
      'counted',
      'duplicate',
    ]);
  });

  test('takes texts that only their encoding would make one for several players', () => {
    const ids = ['\ud800', '\udfff', '\ufffd', 'é', 'e\u0301', 'E', 'e', 'e '];
    const one = collector();
    for (const id of ids) expect(one.receive(REPORTS[0], id).outcome).toBe('counted');
    for (const id of ids) expect(one.receive(REPORTS[0], id).outcome).toBe('duplicate');
  });

  test('lets a player whose report was refused send another, and says why it was', () => {
    const one = collector();
    const receipt = one.receive(REPORTS[0].slice(1), 'ada');
    expect(receipt).toEqual({ outcome: 'refused', reason: '"report" expected the magic bytes of a report' });
    expect(one.tally).toEqual(hinge.server.empty(parameters));
    expect(one.receive(REPORTS[0], 'ada').outcome).toBe('counted');
  });

  test('refuses what is no report at all', () => {
    const one = collector({ refuseReplays: true });
    for (const strange of [null, undefined, 7, 'LDPK', [...REPORTS[0]], new Proxy(REPORTS[0], {}), {}]) {
      expect(one.receive(strange as Uint8Array, 'ada').outcome).toBe('refused');
    }
    expect(one.counts.refused).toBe(7);
  });

  test('passes on what is not a refusal: a decoder that breaks is not a bad report', () => {
    const broken = {
      ...hinge,
      report: {
        decode: (): never => {
          throw new TypeError('broken');
        },
      },
    };
    expect(() => createCollector(broken, parameters).receive(REPORTS[0])).toThrow(new TypeError('broken'));
  });

  test('counts the same bytes once where replays are refused, whoever sends them', () => {
    const one = collector({ refuseReplays: true });
    const [a, b] = REPORTS;
    const shared = new Uint8Array(new SharedArrayBuffer(a.length));
    shared.set(a);
    expect(outcomes(one, [[a], [a], [a, 'ada'], [shared], [b, 'ada'], [b]])).toEqual([
      'counted',
      'replay',
      'replay',
      'replay',
      'counted',
      'replay',
    ]);
    expect(one.tally).toEqual(tallyReports(hinge, parameters, [a, b]));
  });

  test('stops at the number of players it was made for', () => {
    const one = collector({ maximumPlayers: 2 });
    const [a, b, c] = REPORTS;
    expect(outcomes(one, [[a, 1], [b, 1], [b, 2], [c, 3], [c, 2], [c]])).toEqual([
      'counted',
      'duplicate',
      'counted',
      'full',
      'duplicate',
      'full',
    ]);
    expect(one.tally.players).toBe(2);
  });

  test.each([[''], ['x'.repeat(257)], [-1], [1.5], [NaN], [2 ** 53], [-1n], [2n ** 256n], [10n ** 100n]])(
    'refuses the id %p as out of range, without naming it',
    (id) => {
      const one = collector();
      expect(() => one.receive(REPORTS[0], id)).toThrow(
        new RangeError(
          '"playerId" expected a text of 1 to 256 characters or a whole number from 0 to 2^256 - 1, from 2^53 on as a bigint',
        ),
      );
      expect(one.counts.counted).toBe(0);
    },
  );

  test.each([[null], [{}], [true], [Symbol('a')], [() => 'a']])('refuses the id %p as of a wrong kind', (id) => {
    expect(() => collector().receive(REPORTS[0], id as unknown as string)).toThrow(
      new TypeError('"playerId" expected a text or a whole number'),
    );
  });

  test.each([0, -1, 1.5, NaN])('refuses to be made for %p players', (maximumPlayers) => {
    expect(() => collector({ maximumPlayers })).toThrow(/^"maximumPlayers" expected a whole number >= 1/);
  });

  test('refuses parameters of another protocol', () => {
    expect(() => createCollector({ ...hinge, name: 'median' }, parameters)).toThrow(
      '"parameters" expected parameters of median, got "hinge"',
    );
  });

  test('gives out counts that nobody can change', () => {
    const one = collector();
    (one.counts as { counted: number }).counted = 5;
    expect(one.counts.counted).toBe(0);
  });
});

describe('merging collectors', () => {
  const [a, b, c] = REPORTS;

  test('adds tallies, players and counts, and leaves the other as it is', () => {
    const [left, right] = [collector(), collector()];
    outcomes(left, [
      [a, 'ada'],
      [a, 'ada'],
    ]);
    outcomes(right, [[b, 'bob'], [c], [b.slice(1)]]);
    const before = structuredClone(right.tally);
    left.merge(right);
    expect(left.tally).toEqual(tallyReports(hinge, parameters, [a, b, c]));
    expect(left.counts).toEqual({ counted: 3, duplicate: 1, replay: 0, full: 0, refused: 1 });
    expect(
      outcomes(left, [
        [c, 'bob'],
        [c, 'ada'],
        [c, 'cyd'],
      ]),
    ).toEqual(['duplicate', 'duplicate', 'counted']);
    expect(right.tally).toEqual(before);
    expect(right.receive(c, 'cyd').outcome).toBe('counted');
  });

  test('refuses players counted by both, saying how many, and changes nothing', () => {
    const [left, right] = [collector(), collector()];
    outcomes(left, [
      [a, 'ada'],
      [b, 'bob'],
      [c, 'cyd'],
    ]);
    outcomes(right, [
      [a, 'bob'],
      [b, 'cyd'],
      [c, 'dan'],
    ]);
    const before = structuredClone(left.tally);
    expect(() => left.merge(right)).toThrow(new RangeError('"other" expected no player who is counted here, got 2'));
    expect(left.tally).toEqual(before);
    expect([left.counts.counted, left.receive(a, 'dan').outcome]).toEqual([3, 'counted']);
  });

  test('refuses the same bytes counted by both where replays are refused', () => {
    const [left, right] = [collector({ refuseReplays: true }), collector({ refuseReplays: true })];
    outcomes(left, [[a], [b]]);
    outcomes(right, [[b], [c]]);
    expect(() => left.merge(right)).toThrow('"other" expected no report that is counted here, got 1');
    expect(() => left.merge(collector())).toThrow('"other" expected a collector that treats replays in the same way');
  });

  test('refuses itself, what is no collector, other parameters and too many players', () => {
    const one = collector({ maximumPlayers: 2 });
    outcomes(one, [[a], [b]]);
    expect(() => one.merge(one)).toThrow('"other" expected another collector than this one');
    // Without ids a second merge would count the same reports again: in either direction, and by way of a third collector.
    const [first, second, total] = [collector(), collector(), collector()];
    outcomes(second, [[REPORTS[0]]]);
    first.merge(second);
    total.merge(first);
    for (const [one, other] of [
      [first, second],
      [second, first],
      [total, second],
      [second, total],
    ]) {
      expect(() => one.merge(other)).toThrow('"other" expected a collector that was not merged with this one before');
    }
    expect([first, total].map(({ tally }) => tally.players)).toEqual([1, 1]);
    const third = collector();
    third.merge(second);
    expect(() => third.merge(first)).toThrow('"other" expected a collector that was not merged with this one before');
    expect(() => one.merge({ ...one })).toThrow(new TypeError('"other" expected a collector'));
    const other = gaussian({ epsilon: 1, delta: 1e-6, degree: 0, dimension: 2 });
    expect(() => one.merge(createCollector(hinge, other))).toThrow(
      `"other" expected a collector of hinge with digest ${parameters.digest}, got "${other.digest}"`,
    );
    const late = collector();
    outcomes(late, [[c]]);
    expect(() => one.merge(late)).toThrow('"other" expected at most 2 players together, got 3');
    expect(one.tally.players).toBe(2);
  });
});

test('whatever arrives in whatever order, at however many doors, the tally is that of the first valid report of each player', () => {
  const deliveries = fc.array(fc.record({ player: fc.nat(8), report: fc.nat(REPORTS.length - 1), damage: fc.nat(3) }), {
    maxLength: 30,
  });
  fc.assert(
    fc.property(deliveries, (all) => {
      const doors = [collector(), collector(), collector()];
      const accepted: Uint8Array[] = [];
      const known = new Set<number>();
      for (const { player, report, damage } of all) {
        // Every player has one door: that is what makes merging possible.
        const bytes = damage === 0 ? REPORTS[report].slice(0, -1) : REPORTS[report];
        doors[player % 3].receive(bytes, player);
        if (damage === 0 || known.has(player)) continue;
        known.add(player);
        accepted.push(bytes);
      }
      for (const other of doors.slice(1)) doors[0].merge(other);
      const expected = tallyReports(hinge, parameters, accepted);
      const [sums, wanted] = [doors[0].tally, expected].map((tally) => (tally.kind === 'moments' ? tally.sums : []));
      // Rounding of sums depends on the order; reports here have norms below 100.
      const gap = Math.max(0, ...Array.from(sums, (sum, i) => Math.abs(sum - wanted[i])));
      return doors[0].tally.players === known.size && gap < 1e-10;
    }),
    { numRuns: 300, seed: 20 },
  );
});

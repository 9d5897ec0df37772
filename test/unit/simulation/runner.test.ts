import { describe, expect, test } from '@jest/globals';
import { gaussian, hinge, lifted, printed } from '../../../protocols/hinge/index.ts';
import type { ChannelTally } from '../../../src/core/channel.ts';
import type { Protocol, PublicParameters } from '../../../src/core/contract.ts';
import { normal } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { BLOCK, simulate } from '../../../src/simulation/runner.ts';
import { planted, recordsOf } from '../../protocols/planted.ts';

const data = planted(3000, 2);
const population = { players: data.players, datum: recordsOf(data) };
const parameters = lifted({ epsilon: 1, degree: 1, dimension: 2 });

/** A protocol whose sum shows every rounding: the numbers are of very different sizes. */
const plain: PublicParameters = { protocol: 'plain', variant: 'plain', version: 1, digest: '0'.repeat(32) };
interface Sum {
  players: number;
  sum: number;
}
const summing = {
  name: 'plain',
  player: {
    randomize: (_: PublicParameters, datum: number, random: Parameters<typeof normal>[0]) => ({
      value: datum * normal(random),
    }),
    randomizeInto(_: PublicParameters, datum: number, random: Parameters<typeof normal>[0], report: { value: number }) {
      report.value = datum * normal(random);
    },
  },
  server: {
    empty: (): Sum => ({ players: 0, sum: 0 }),
    add(_: PublicParameters, tally: Sum, report: { value: number }) {
      tally.players++;
      tally.sum += report.value;
    },
    merge(_: PublicParameters, tally: Sum, other: Sum) {
      tally.players += other.players;
      tally.sum += other.sum;
    },
  },
} as unknown as Protocol<PublicParameters, number, { value: number }, Sum, unknown>;

describe('a simulation', () => {
  test('gives player i the coins of stream i, whoever simulates it', () => {
    const root = seededRandom('streams');
    const tally = hinge.server.empty(parameters);
    for (let i = 0; i < 100; i++) {
      hinge.server.add(parameters, tally, hinge.player.randomize(parameters, population.datum(i), root.stream(i)));
    }
    expect(simulate(hinge, parameters, population, { seed: 'streams', to: 100 })).toEqual(tally);
  });

  test('of one seed is one result, of another another', () => {
    const [a, b, c] = ['x', 'x', 'y'].map((seed) => simulate(hinge, parameters, population, { seed }));
    expect(a).toEqual(b);
    expect(a).not.toEqual(c);
  });

  test.each([
    ['gaussian', gaussian({ epsilon: 1, delta: 1e-6, degree: 1, dimension: 2 })],
    ['printed', printed({ epsilon: 1, delta: 1e-6, degree: 1, dimension: 2 })],
  ])('counts every player once (%s)', (_, made) => {
    const tally: ChannelTally = simulate(hinge, made, population, { seed: 1 });
    expect(tally.players).toBe(3000);
    expect(simulate(hinge, made, population, { seed: 1, from: 2990 }).players).toBe(10);
    expect(simulate(hinge, made, population, { seed: 1, from: 3000 })).toEqual(hinge.server.empty(made));
  });

  test('shared out at the borders of blocks gives the same bits, for every way to share', () => {
    const players = 3 * BLOCK + 1000;
    // Sizes from 1 to 1e12, so that another order of additions gives another sum.
    const numbers = { players, datum: (i: number) => 10 ** (i % 13) };
    const whole = simulate(summing, plain, numbers, { seed: 'blocks' });
    const cuts = Array.from({ length: 5 }, (_, i) => Math.min(i * BLOCK, players));
    const parts = cuts
      .slice(1)
      .map((to, i) => simulate(summing, plain, numbers, { seed: 'blocks', from: cuts[i], to }));
    const total = summing.server.empty(plain);
    for (const part of parts) summing.server.merge(plain, total, part);
    expect(total).toEqual(whole);
    // Control: a border elsewhere is another order of additions, and here it shows.
    const elsewhere = summing.server.empty(plain);
    for (const [from, to] of [
      [0, 1000],
      [1000, players],
    ]) {
      summing.server.merge(plain, elsewhere, simulate(summing, plain, numbers, { seed: 'blocks', from, to }));
    }
    expect(elsewhere.players).toBe(whole.players);
    expect(elsewhere.sum).not.toBe(whole.sum);
    expect(Math.abs(elsewhere.sum / whole.sum - 1)).toBeLessThan(1e-9);
  });

  test('that begins within a block ends its first block where all others do', () => {
    const players = 2 * BLOCK;
    const numbers = { players, datum: () => 1 };
    const progress: number[] = [];
    const onProgress = (done: number): void => void progress.push(done);
    simulate(summing, plain, numbers, { seed: 1, from: BLOCK - 10, to: BLOCK + 20, onProgress });
    expect(progress).toEqual([10, 30]);
  });

  test('says after every block how many players are done', () => {
    const progress: number[] = [];
    const numbers = { players: 2 * BLOCK + 5, datum: () => 1 };
    simulate(summing, plain, numbers, { seed: 1, onProgress: (done) => void progress.push(done) });
    expect(progress).toEqual([BLOCK, 2 * BLOCK, 2 * BLOCK + 5]);
  });

  test.each([
    ['from', { from: -1 }],
    ['from', { from: 3001 }],
    ['from', { from: 0.5 }],
    ['to', { to: 3001 }],
    ['to', { from: 10, to: 9 }],
    ['seed', { seed: NaN }],
  ])('refuses a wrong %s: %p', (field, options) => {
    expect(() => simulate(hinge, parameters, population, { seed: 1, ...options })).toThrow(`"${field}" expected `);
  });

  test('stops at a datum that the player refuses', () => {
    const datum = (i: number) => ({ features: [i < 7 ? 0 : 2, 0], label: 1 });
    expect(() => simulate(hinge, parameters, { players: 10, datum }, { seed: 1 })).toThrow('"features" expected ');
  });
});

import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { onlineSgd } from '../../../protocols/online-sgd/index.ts';
import { gaussian, gdp } from '../../../protocols/online-sgd/parameters.ts';
import { type DeployedRoundsPlayer, deployedSequentialPlayer as device } from '../../../src/core/device.ts';
import { createLedger, memoryStore } from '../../../src/core/ledger.ts';
import type { Random } from '../../../src/random/random.ts';

const { server, report } = onlineSgd;
const request = { model: { kind: 'huber', features: 2 }, epsilon: 2, delta: 1e-6 } as const;
const plan = gaussian({ ...request, grade: 'deployment' });
const other = gaussian({ ...request, epsilon: 4, grade: 'deployment' });
const datum = { features: [0.5, -0.25], response: 1 };
const first = server.step(plan, server.start(plan));

const withheld = new RangeError(
  '"datum" expected a datum that online-sgd takes under these parameters; the answer is spent, and the reason is withheld',
);
const answered = new RangeError('"report" expected to be asked for once: this player has answered');

/** A device that refuses what is outside the domain, with a ledger of its own. */
function deployedSequentialPlayer(protocol: typeof onlineSgd, agreed: typeof plan): DeployedRoundsPlayer {
  const ledger = createLedger({ cap: { allows: 'anything', covers: () => true }, store: memoryStore() });
  return device(protocol, agreed, { ledger, outside: 'refuse' });
}

afterEach(() => {
  jest.restoreAllMocks();
});

/** The protocol with something that looks at every call of the randomizer. */
function watched(look: (step: typeof first, random: Random, values: typeof datum) => void): typeof onlineSgd {
  const { player } = onlineSgd;
  return {
    ...onlineSgd,
    player: {
      ...player,
      randomize(step, given, random) {
        look(step, random, given as typeof datum);
        return player.randomize(step, given, random);
      },
    },
  };
}

test('players answer a stream, one step each, with whole numbers on the wire', () => {
  const state = server.start(plan);
  for (let i = 0; i < 5; i++) {
    const bytes = deployedSequentialPlayer(onlineSgd, plan).report(server.step(plan, state), datum);
    server.accept(plan, state, report.decode(plan, bytes));
  }
  expect([plan.precision, state.steps, state.players]).toEqual(['int32', 5, 5]);
});

describe('a deployed player of a stream', () => {
  test('answers once, also at a later step', () => {
    const player = deployedSequentialPlayer(onlineSgd, plan);
    player.report(first, datum);
    expect(() => player.report(first, datum)).toThrow(answered);
    expect(() => player.report({ ...first, index: 2 }, datum)).toThrow(answered);
  });

  test('answers once when a datum asks again while it is read', () => {
    const inner: unknown[] = [];
    const player = deployedSequentialPlayer(onlineSgd, plan);
    const greedy = {
      response: 1,
      get features(): number[] {
        if (inner.length < 3) {
          try {
            inner.push(player.report(first, datum));
          } catch (error) {
            inner.push(error);
          }
        }
        return datum.features;
      },
    };
    expect(player.report(first, greedy)).toBeInstanceOf(Uint8Array);
    expect(inner.length).toBeGreaterThan(0);
    expect(inner.every((found) => found instanceof RangeError && found.message === answered.message)).toBe(true);
  });

  test('refuses a step of another plan before it looks at the datum, and the answer is not spent', () => {
    let touched = 0;
    const curious = {
      response: 1,
      get features(): number[] {
        touched++;
        return datum.features;
      },
    };
    const player = deployedSequentialPlayer(onlineSgd, plan);
    const random = jest.spyOn(globalThis.crypto, 'getRandomValues');
    const bad = [
      server.step(other, server.start(other)),
      { ...first, index: 0 },
      { ...first, index: 1.5 },
      { ...first, iterate: Float64Array.of(0, Number.NaN, 0) },
    ];
    for (const step of bad) expect(() => player.report(step, curious)).toThrow(/^"step/);
    expect(() => player.report(null, curious)).toThrow(/^"step/);
    expect([touched, random.mock.calls.length]).toEqual([0, 0]);
    expect(player.report(first, curious)).toBeInstanceOf(Uint8Array);
    expect(touched).toBeGreaterThan(0);
  });

  test('plays its own plan, whatever a step says under the same digest', () => {
    const seen: (typeof first)[] = [];
    const silent = { ...first, plan: { ...plan, noise: { law: 'none' as const } } as unknown as typeof plan };
    deployedSequentialPlayer(
      watched((step) => seen.push(step)),
      plan,
    ).report(silent, datum);
    expect(seen.map((step) => step.plan.noise)).toEqual([plan.noise]);
    expect(seen[0].iterate).not.toBe(first.iterate);
    // A plan with other numbers under its digest is made again from its request as well.
    deployedSequentialPlayer(
      watched((step) => seen.push(step)),
      silent.plan,
    ).report(first, datum);
    expect(seen[1].plan.noise).toEqual(plan.noise);
  });

  test('says nothing of a bad datum, which spends the answer', () => {
    for (const features of [[0.987654], [0.987654, Number.NaN], []]) {
      const player = deployedSequentialPlayer(onlineSgd, plan);
      expect(() => player.report(first, { features, response: 1 })).toThrow(withheld);
      expect(() => player.report(first, datum)).toThrow(answered);
    }
  });

  test('takes its coins from Web Crypto, and they are gone once it has answered or refused', () => {
    const source = jest.spyOn(globalThis.crypto, 'getRandomValues');
    const seen: Random[] = [];
    const curious = watched((_, random) => seen.push(random));
    deployedSequentialPlayer(curious, plan).report(first, datum);
    expect(() => deployedSequentialPlayer(curious, plan).report(first, { features: [], response: 1 })).toThrow(
      withheld,
    );
    expect(source.mock.calls.length).toBeGreaterThanOrEqual(2);
    expect(seen.map(({ words, next }) => [words.every((word) => word === 0), next === words.length])).toEqual([
      [true, true],
      [true, true],
    ]);
  });

  test('refuses a plan of another grade or protocol', () => {
    const simulated = gdp({ model: request.model, mu: 1 });
    expect(() => deployedSequentialPlayer(onlineSgd, simulated)).toThrow(
      '"grade" expected deployment, got "simulation"',
    );
    expect(() => deployedSequentialPlayer(onlineSgd, { ...plan, digest: other.digest })).toThrow(
      '"digest" expected that of the request to online-sgd',
    );
  });

  test('cannot be changed', () => {
    const player = deployedSequentialPlayer(onlineSgd, plan);
    expect(() => Object.assign(player, { report: () => new Uint8Array(0) })).toThrow(TypeError);
  });
});

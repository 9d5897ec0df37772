import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { euclideanMedian, euclideanMedianParameters } from '../../../protocols/euclidean-median/index.ts';
import { generalizedLinear, generalizedLinearParameters } from '../../../protocols/generalized-linear/index.ts';
import { gaussian, hinge, lifted } from '../../../protocols/hinge/index.ts';
import { deployedPlayer } from '../../../src/protocol/deployment.ts';
import type { Random } from '../../../src/random/random.ts';
import { bits } from '../../../src/random/random.ts';
import { coin, coinParameters } from './coin.ts';

const parameters = coinParameters({ epsilon: 1, grade: 'deployment' });

afterEach(() => {
  jest.restoreAllMocks();
});

test('a deployed player gives the bytes of one report', () => {
  const bytes = deployedPlayer(coin, parameters).report(1);
  expect(bytes).toBeInstanceOf(Uint8Array);
  expect([0, 1]).toContain(coin.report.decode(parameters, bytes));
});

test('the law of its reports is that of the protocol, and another law would be noticed', () => {
  // 4000 answers, each 1 with probability p = e/(1 + e) = .7311: 5 standard deviations are .035; false alarm below 6e-7.
  let ones = 0;
  for (let i = 0; i < 4000; i++) ones += deployedPlayer(coin, parameters).report(1)[0];
  expect(Math.abs(ones / 4000 - 0.73106)).toBeLessThan(0.035);
  expect(Math.abs(ones / 4000 - Math.exp(1.5) / (1 + Math.exp(1.5)))).toBeGreaterThan(0.035);
});

describe('a protocol of this package', () => {
  const request = { epsilon: 2, delta: 1e-6, degree: 1, dimension: 2, grade: 'deployment' as const };
  const record = { features: [0.6, -0.3], label: 1 };

  test.each([
    ['hinge lifted', hinge, lifted(request), record],
    ['hinge gaussian', hinge, gaussian(request), record],
    [
      'generalized-linear lifted',
      generalizedLinear,
      generalizedLinearParameters({ maker: 'lifted', ...request }),
      record,
    ],
    [
      'euclidean-median gaussian',
      euclideanMedian,
      euclideanMedianParameters({ maker: 'gaussian', ...request }),
      { point: [0.6, -0.3] },
    ],
  ])(
    'is played on real data, and what it would say of a bad datum is not passed on: %s',
    (_, protocol, made, datum) => {
      const { name, report, server } = protocol as typeof hinge;
      const some = made as ReturnType<typeof lifted>;
      const player = deployedPlayer(protocol as typeof hinge, some);
      const bad = { features: [0.987654, 0.5], point: [0.987654, 0.5], label: 1 };
      expect(() => player.report(bad)).toThrow(
        `"datum" expected a datum that ${name} takes under these parameters; the reason is withheld`,
      );
      const bytes = player.report(datum as typeof record);
      const tally = server.empty(some);
      server.add(some, tally, report.decode(some, bytes));
      expect(server.estimate(some, tally).players).toBe(1);
      expect(() => player.report(datum as typeof record)).toThrow(/answered$/);
    },
  );
});

test('numbers that were changed behind a digest are not played: parameters are made again from their request', () => {
  const made = gaussian({ epsilon: 1, delta: 1e-6, degree: 1, dimension: 3, grade: 'deployment' });
  const changed = structuredClone({ ...made, noise: { ...made.noise, sigma: 1 } }) as typeof made;
  const datum = { features: [0.6, 0, 0.8], label: 1 };
  const { values } = hinge.report.decode(made, deployedPlayer(hinge, changed).report(datum));
  // With the noise that was asked for: σ is 2¹⁸ steps or so, and the record itself 2¹⁵. With σ = 1 the second entry were within 10 of 0
  // for sure; as it is, with probability 10⁻⁴.
  expect(Math.abs(values[1])).toBeGreaterThan(10);
  const other = lifted({ epsilon: 2, degree: 1, dimension: 3, grade: 'deployment' });
  const mixed = { ...lifted({ epsilon: 1, degree: 1, dimension: 3, grade: 'deployment' }), request: other.request };
  expect(() => deployedPlayer(hinge, mixed as typeof other)).toThrow(
    '"parameters.digest" expected that of their request',
  );
  const float = { ...lifted({ epsilon: 1, degree: 1, dimension: 3 }), grade: 'deployment' as const };
  expect(() => deployedPlayer(hinge, float)).toThrow('"parameters.digest" expected that of their request');
});

describe('a deployed player refuses', () => {
  test('parameters that are not of the grade deployment', () => {
    expect(() => deployedPlayer(coin, coinParameters({ epsilon: 1 }))).toThrow(
      new RangeError('"grade" expected deployment, got "simulation"'),
    );
    const { grade: _, ...ungraded } = parameters;
    expect(() => deployedPlayer(coin, ungraded)).toThrow('"grade" expected deployment, got "simulation"');
    const real = gaussian({ epsilon: 1, delta: 1e-6, degree: 1, dimension: 2 });
    expect(() => deployedPlayer(hinge, real)).toThrow('"grade" expected deployment, got "simulation"');
  });

  test('parameters of another protocol', () => {
    expect(() => deployedPlayer(coin, { ...parameters, protocol: 'hinge' })).toThrow(
      '"parameters" expected parameters of coin, got "hinge"',
    );
  });

  test('to answer twice', () => {
    const player = deployedPlayer(coin, parameters);
    player.report(1);
    const twice = new RangeError('"report" expected to be asked for once: this player has answered');
    expect(() => player.report(1)).toThrow(twice);
    expect(() => player.report(0)).toThrow(twice);
    // Nor is the question of whether a datum is good answered any more.
    expect(() => player.report(7)).toThrow(twice);
  });

  test('to answer twice by way of a datum that asks again while it is read', () => {
    const inner: unknown[] = [];
    const greedy: typeof coin = {
      ...coin,
      player: {
        ...coin.player,
        randomize(some, datum, random) {
          try {
            inner.push(player.report(datum));
          } catch (error) {
            inner.push(error);
          }
          return coin.player.randomize(some, datum, random);
        },
      },
    };
    const player = deployedPlayer(greedy, parameters);
    player.report(1);
    expect(inner).toEqual([expect.any(RangeError)]);
  });

  test('to be changed', () => {
    const player = deployedPlayer(coin, parameters);
    expect(() => Object.assign(player, { report: () => new Uint8Array(0) })).toThrow(TypeError);
  });
});

describe('what a deployed player throws', () => {
  test.each([7, -0.123456, Number.NaN, Number.POSITIVE_INFINITY])('contains nothing of the datum %s', (datum) => {
    let caught: unknown;
    try {
      deployedPlayer(coin, parameters).report(datum);
    } catch (error) {
      caught = error;
    }
    // The protocol itself would tell it.
    expect(() => coin.player.randomize(parameters, datum, spent())).toThrow(String(datum));
    expect(caught).toEqual(
      new RangeError('"datum" expected a datum that coin takes under these parameters; the reason is withheld'),
    );
    const { message, stack, cause } = caught as Error;
    expect([message.includes(String(datum)), cause]).toEqual([false, undefined]);
    expect(stack?.includes('expected a bit')).toBe(false);
  });

  test('spends nothing: a good datum may follow', () => {
    const player = deployedPlayer(coin, parameters);
    expect(() => player.report(7)).toThrow(RangeError);
    expect(player.report(1)).toHaveLength(1);
    expect(() => player.report(1)).toThrow(/answered$/);
  });

  test('is told apart from a machine without randomness', () => {
    const player = deployedPlayer(coin, parameters);
    jest.spyOn(globalThis.crypto, 'getRandomValues').mockImplementation(() => {
      throw new Error('no entropy');
    });
    expect(() => player.report(1)).toThrow('no entropy');
    jest.restoreAllMocks();
    expect(player.report(1)).toHaveLength(1);
  });
});

describe('the coins of a deployed player', () => {
  test('come from Web Crypto, fresh for every player', () => {
    const source = jest.spyOn(globalThis.crypto, 'getRandomValues');
    deployedPlayer(coin, parameters).report(1);
    deployedPlayer(coin, parameters).report(1);
    expect(source).toHaveBeenCalledTimes(2);
  });

  test('are gone once the report is made, and so are those of a refusal', () => {
    const seen: Random[] = [];
    const curious: typeof coin = {
      ...coin,
      player: {
        ...coin.player,
        randomize(some, datum, random) {
          // Without this the pool might be empty for another reason.
          if (bits(random) === 0 && bits(random) === 0) throw new Error('no coins at all');
          seen.push(random);
          return coin.player.randomize(some, datum, random);
        },
      },
    };
    deployedPlayer(curious, parameters).report(1);
    expect(() => deployedPlayer(curious, parameters).report(7)).toThrow(RangeError);
    expect(seen.map(({ words, next }) => [words.every((word) => word === 0), next === words.length])).toEqual([
      [true, true],
      [true, true],
    ]);
  });
});

function spent(): Random {
  return { words: new Uint32Array(64), next: 0, refill: () => undefined };
}

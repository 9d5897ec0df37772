import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { euclideanMedian, euclideanMedianParameters } from '../../../protocols/euclidean-median/index.ts';
import { generalizedLinear, generalizedLinearParameters } from '../../../protocols/generalized-linear/index.ts';
import { gaussian, hinge, lifted } from '../../../protocols/hinge/index.ts';
import type { PublicParameters } from '../../../src/core/contract.ts';
import { type DeployedPlayer, deployedPlayer as device, type Playable } from '../../../src/core/device.ts';
import { createLedger, guaranteeCap, type Ledger, memoryStore, pureCap } from '../../../src/core/ledger.ts';
import { bits, type Random } from '../../../src/random/random.ts';
import { coin, coinParameters } from './coin.ts';

const parameters = coinParameters({ epsilon: 1, grade: 'deployment' });

/** A ledger that allows whatever one transcript may tell. */
function freshLedger(): Ledger {
  return createLedger({ cap: { allows: 'anything', covers: () => true }, store: memoryStore() });
}

/** A device with a ledger of its own. */
function deployedPlayer<Parameters extends PublicParameters, Datum, Report>(
  protocol: Playable<Parameters, Datum, Report>,
  agreed: Parameters,
  outside: 'clip' | 'refuse' = 'refuse',
): DeployedPlayer {
  return device(protocol, agreed, { ledger: freshLedger(), outside });
}

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
      generalizedLinearParameters({ variant: 'lifted', ...request, delta: undefined } as never),
      record,
    ],
    [
      'euclidean-median gaussian',
      euclideanMedian,
      euclideanMedianParameters({ variant: 'gaussian', ...request }),
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
        `"datum" expected a datum that ${name} takes under these parameters; the answer is spent, and the reason is withheld`,
      );
      expect(() => player.report(datum as typeof record)).toThrow(/answered$/);
      const other = deployedPlayer(protocol as typeof hinge, some, 'clip');
      const bytes = other.report(bad);
      const tally = server.empty(some);
      server.add(some, tally, report.decode(some, bytes));
      expect(server.estimate(some, tally).players).toBe(1);
      expect(() => other.report(datum as typeof record)).toThrow(/answered$/);
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
  // The attack that was possible: the same without the request.
  const { request: _, ...silent } = changed;
  expect(() => deployedPlayer(hinge, silent as typeof made)).toThrow(
    new TypeError('"request" expected a request to make parameters of hinge from, got undefined'),
  );
  for (const request of [null, [], 'gaussian', 1, () => made.request]) {
    expect(() => deployedPlayer(hinge, { ...changed, request } as never)).toThrow(/^"request" expected a request/);
  }
  const other = lifted({ epsilon: 2, degree: 1, dimension: 3, grade: 'deployment' });
  const mixed = { ...lifted({ epsilon: 1, degree: 1, dimension: 3, grade: 'deployment' }), request: other.request };
  expect(() => deployedPlayer(hinge, mixed as typeof other)).toThrow('"digest" expected that of the request to hinge');
});

test('a request that says something else when it is read again is read once', () => {
  let reads = 0;
  const honest = lifted({ epsilon: 1, degree: 1, dimension: 3, grade: 'deployment' });
  const changing = {
    ...honest.request,
    get epsilon(): number {
      return ++reads > 1 ? 50 : 1;
    },
  };
  const bytes = deployedPlayer(hinge, { ...honest, request: changing }).report({ features: [0.6, 0, 0.8], label: 1 });
  expect([hinge.report.decode(honest, bytes).values.length, reads]).toEqual([honest.length, 1]);
});

describe('a deployed player refuses', () => {
  test('parameters that are not of the grade deployment', () => {
    expect(() => deployedPlayer(coin, coinParameters({ epsilon: 1 }))).toThrow(
      new RangeError('"grade" expected deployment, got "simulation"'),
    );
    const real = gaussian({ epsilon: 1, delta: 1e-6, degree: 1, dimension: 2 });
    expect(() => deployedPlayer(hinge, real)).toThrow('"grade" expected deployment, got "simulation"');
  });

  test('parameters of another protocol', () => {
    const other = lifted({ epsilon: 1, degree: 1, dimension: 3, grade: 'deployment' });
    expect(() => deployedPlayer(coin, other as never)).toThrow('"digest" expected that of the request to coin');
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

  test('no protocol, and requests that JSON cannot write, in words', () => {
    const untyped = deployedPlayer as (...values: unknown[]) => unknown;
    for (const nothing of [undefined, null, {}]) {
      expect(() => untyped(nothing)).toThrow(
        '"protocol" expected one that makes parameters from a request, got undefined',
      );
    }
    const circle: { self?: unknown } = {};
    circle.self = circle;
    for (const request of [{ epsilon: 1n }, circle]) {
      const opened = (): unknown => untyped(coin, { request, digest: '' }, { ledger: freshLedger() });
      expect(opened).toThrow('"request" expected a request to make parameters of coin from, got an object');
    }
  });

  test('a protocol that cannot make parameters, a request that is too long, and options of the wrong kind', () => {
    const { make: _, ...unmade } = coin;
    expect(() => deployedPlayer(unmade, parameters)).toThrow(/^"protocol" expected one that makes parameters/);
    const long = { ...parameters, request: { ...parameters.request, note: 'x'.repeat(2 ** 20) } };
    expect(() => deployedPlayer(coin, long)).toThrow(/^"request" expected at most 1048576 characters/);
    const wrong = (options: object) => () => device(coin, parameters, { ledger: freshLedger(), ...options } as never);
    expect(wrong({ ledger: undefined })).toThrow(/^"ledger" expected a ledger/);
    expect(wrong({ occasion: 7 })).toThrow(/^"occasion" expected a text/);
    expect(wrong({ outside: 'guess' })).toThrow(/^"outside" expected one of/);
    expect(wrong({ occassion: 'two' })).toThrow('"options" expected one of ledger, occasion, outside, got "occassion"');
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
      new RangeError(
        '"datum" expected a datum that coin takes under these parameters; the answer is spent, and the reason is withheld',
      ),
    );
    const { message, stack, cause } = caught as Error;
    expect([message.includes(String(datum)), cause]).toEqual([false, undefined]);
    expect(stack?.includes('expected a bit')).toBe(false);
  });

  test('spends the answer: that there was none told of the datum', () => {
    const player = deployedPlayer(coin, parameters);
    expect(() => player.report(7)).toThrow(RangeError);
    expect(() => player.report(1)).toThrow(/answered$/);
  });

  test('is distinguished from a machine without randomness', () => {
    const player = deployedPlayer(coin, parameters);
    jest.spyOn(globalThis.crypto, 'getRandomValues').mockImplementation(() => {
      throw new Error('no entropy');
    });
    expect(() => player.report(1)).toThrow('no entropy');
    jest.restoreAllMocks();
    // Nothing was told, and nothing was spent.
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

describe('by default a deployed player clips', () => {
  test('whatever it is given, and answers', () => {
    const thrower = {
      get features(): number[] {
        throw new Error('0.987654');
      },
    };
    const made = lifted({ epsilon: 1, degree: 1, dimension: 3, grade: 'deployment' });
    for (const datum of [null, undefined, 7, 'x', [], {}, { features: [9, NaN, 'x'], label: 1e9 }, thrower]) {
      const bytes = device(hinge, made, { ledger: freshLedger() }).report(datum);
      expect(hinge.report.decode(made, bytes).values).toHaveLength(made.length);
    }
  });

  test('in the direction of the datum', () => {
    const made = lifted({ epsilon: 8, degree: 0, dimension: 2, grade: 'deployment' });
    const tally = hinge.server.empty(made);
    for (let i = 0; i < 400; i++) {
      const bytes = device(hinge, made, { ledger: freshLedger() }).report({ features: [0, 1e9], label: 1 });
      hinge.server.add(made, tally, hinge.report.decode(made, bytes));
    }
    // 400 reports of (0, 1): a coordinate of the mean has a standard error of at most .05 at ε = 8, and w points along the mean: its
    // second entry is below .95 when the first is off by more than .31, six standard errors. False alarm below 4e-9.
    const { w } = hinge.server.estimate(made, tally, { degree: 0, radius: 1 });
    expect(w[1]).toBeGreaterThan(0.95);
  });
});

describe('a device and its ledger', () => {
  test('one data set answers once per plan, however often its device is started again', () => {
    const store = memoryStore();
    const started = () => device(coin, parameters, { ledger: createLedger({ cap: pureCap(5), store }) });
    started().report(1);
    for (let i = 0; i < 8; i++) expect(() => started().report(1)).toThrow(/answered$/);
  });

  test('another occasion is another answer, and is charged', () => {
    const ledger = createLedger({ cap: pureCap(2), store: memoryStore() });
    const on = (occasion: string) => device(coin, parameters, { ledger, occasion }).report(1);
    on('March');
    on('April');
    expect(() => on('April')).toThrow(/answered$/);
    expect(() => on('May')).toThrow(
      '"cap" expected to be kept: this answer and those before it would exceed pure epsilon of at most 2',
    );
    expect(ledger.entries().map(({ occasion }) => occasion)).toEqual(['March', 'April']);
  });

  test('parameters beyond the cap of the owner are refused, and nothing is written', () => {
    const ledger = createLedger({ cap: pureCap(1), store: memoryStore() });
    const greedy = coinParameters({ epsilon: 8, grade: 'deployment' });
    expect(() => device(coin, greedy, { ledger }).report(1)).toThrow(/^"cap" expected to be kept/);
    const made = gaussian({ epsilon: 1, delta: 1e-6, degree: 1, dimension: 2, grade: 'deployment' });
    expect(() => device(hinge, made, { ledger }).report({})).toThrow(/^"cap" expected to be kept/);
    expect(ledger.entries()).toEqual([]);
    expect(device(coin, parameters, { ledger }).report(1)).toHaveLength(1);
  });

  test('what is answered stands in the store before the datum is touched', () => {
    const store = memoryStore();
    const ledger = createLedger({ cap: guaranteeCap({ kind: 'pure', epsilon: 1 }), store });
    const seen: unknown[] = [];
    const clip = (): number => {
      seen.push(store.read());
      return 1;
    };
    device({ ...coin, player: { ...coin.player, clip } }, parameters, { ledger }).report(1);
    expect(seen).toEqual([expect.stringContaining(parameters.digest)]);
  });

  test('a store that cannot be written, or does not keep what it was given, stops the answer', () => {
    const full = (): void => {
      throw new Error('full');
    };
    for (const write of [() => undefined, full]) {
      const ledger = createLedger({ cap: pureCap(1), store: { read: () => null, write } });
      let touched = 0;
      const clip = (): number => ++touched;
      const watched = { ...coin, player: { ...coin.player, clip } };
      expect(() => device(watched, parameters, { ledger }).report(1)).toThrow(Error);
      expect(touched).toBe(0);
    }
  });
});

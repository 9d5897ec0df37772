import { describe, expect, jest, test } from '@jest/globals';
import { type OnlineSgdRequest, onlineSgd, onlineSgdPlan } from '../../../../protocols/online-sgd/index.ts';
import { gdp } from '../../../../protocols/online-sgd/parameters.ts';
import { isBlockPlan, simulateStream } from '../../../../protocols/online-sgd/simulate.ts';
import type { OnlineState } from '../../../../protocols/online-sgd/state.ts';
import { normal, type Random } from '../../../../src/random/random.ts';
import { seededRandom } from '../../../../src/random/seeded.ts';
import type { OnlineDatum } from '../../../../src/risk/regression/record.ts';
import { stepByStep } from '../../../../src/simulation/runner.ts';

const { server } = onlineSgd;
const HUBER = { kind: 'huber', features: 3 } as const;
const slow = stepByStep(onlineSgd);

/** Records that a model of two or three features takes. */
function people(features: number, response: (inner: number) => number): () => OnlineDatum {
  const random = seededRandom('people');
  return () => {
    const x = Array.from({ length: features }, () => normal(random));
    return { features: x, response: response(x[0] - (x[1] ?? 0) + 0.5 * normal(random)) };
  };
}

/** Where a stream of `count` players ends, and what stopped it. */
function end(
  simulate: typeof simulateStream,
  request: object,
  count: number,
  next: () => OnlineDatum,
  random: Random = seededRandom('coins'),
): readonly [state: OnlineState, refusal: string, players: number] {
  // A plan refuses the rates with which iterates run away: they are put into a finished one.
  const { rate, ...asked } = request as OnlineSgdRequest;
  const made = onlineSgdPlan(asked as OnlineSgdRequest);
  const plan = rate === undefined ? made : { ...made, rate };
  const state = server.start(plan);
  let refusal = 'none';
  try {
    simulate(plan, state, count, next, random);
  } catch (error) {
    refusal = String(error);
  }
  return [state, refusal, state.players];
}

/** Coins whose normals are all the same small number, but for the one of word `place`: 11.6. */
function withTail(place: number): Random {
  // Layer 0 at its outer edge; then the uniform numbers of the tail, 2·10⁻¹³ for the excess and 10⁻¹⁶ for the test of it.
  const tail = [0, 0x7fffffff, 0, 900 << 12, 0, 0];
  const words = new Uint32Array(64);
  let made = 0;
  return {
    words,
    next: words.length,
    refill() {
      const left = words.length - this.next;
      words.copyWithin(0, this.next);
      for (let i = left; i < words.length; i++, made++) {
        words[i] = made >= place && made < place + tail.length ? tail[made - place] : [128, 2 ** 20][made % 2];
      }
      this.next = 0;
    },
  };
}

const all = ['batch means', 'disjoint batch means', 'plug-in'] as const;

describe('a simulated stream', () => {
  // Fields of a request, and whether its steps are made in blocks. Reports of so large a μ are doubles, others single.
  const requests: readonly [object, boolean][] = [
    [{ variant: 'gdp', model: HUBER, mu: 1 }, true],
    [{ variant: 'gdp', model: HUBER, mu: 1e6 }, true],
    [{ variant: 'gdp', model: HUBER, mu: 1, decay: 1, inference: [] }, true],
    [{ variant: 'gdp', model: { ...HUBER, intercept: false, scale: 0.5 }, mu: 1, burnIn: 70, inference: all }, true],
    [{ variant: 'gdp', model: HUBER, budgets: { rule: 'list', mus: [1, 2, 0.5] }, burnIn: 200 }, true],
    [{ variant: 'gdp', model: HUBER, budgets: { rule: 'uniform', low: 1, high: 2 }, stale: 'accept late' }, true],
    [{ variant: 'laplace', model: HUBER, epsilon: 2 }, true],
    // Rows of one number, of an odd number, and of many.
    [{ variant: 'gdp', model: { kind: 'huber', features: 1, intercept: false }, mu: 1, inference: all }, true],
    [{ variant: 'gdp', model: { kind: 'huber', features: 2, threshold: 0.3, scale: 2 }, mu: 1, inference: all }, true],
    [{ variant: 'gdp', model: { kind: 'huber', features: 18 }, mu: 4, inference: all }, true],
    [{ variant: 'gdp', model: HUBER, mu: 1, average: { kind: 'suffix' } }, true],
    [{ variant: 'printedGaussian', model: HUBER, epsilon: 0.5, delta: 1e-6 }, true],
    [{ variant: 'nonPrivate', model: { kind: 'logistic', features: 2 }, inference: all }, true],
    [{ variant: 'gdp', model: { kind: 'quantile', features: 2, tau: 0.3, bandwidth: 0.2 }, mu: 2 }, true],
    [{ variant: 'gdp', model: { kind: 'expectile', features: 2, tau: 0.3 }, mu: 2 }, true],
    [{ variant: 'gdp', model: { ...HUBER, clip: 1 }, mu: 1 }, false],
    [{ variant: 'gdp', model: { kind: 'huber-scale', features: 2 }, mu: 1 }, false],
    [{ variant: 'gdp', model: HUBER, mu: 1, batch: 3 }, false],
    [{ variant: 'gdp', model: HUBER, mu: 1, hessianMu: 1 }, false],
    [{ variant: 'privUnit', model: HUBER, epsilon: 2 }, false],
    [{ variant: 'gaussian', model: HUBER, epsilon: 2, delta: 1e-6, grade: 'deployment' }, false],
  ];

  test.each(requests)('ends where players and server end: %j, blocks: %p', (request, blocks) => {
    const plan = onlineSgdPlan(request as OnlineSgdRequest);
    expect(isBlockPlan(plan)).toBe(blocks);
    const crowd = () =>
      people(plan.model.features, plan.model.responses === 'binary' ? (y) => (y > 0 ? 1 : 0) : (y) => y);
    for (const count of [0, 1, 256, 777]) {
      const fast = end(simulateStream, request, count, crowd());
      expect(fast).toEqual(end(slow, request, count, crowd()));
      expect(fast.slice(1)).toEqual(['none', count]);
    }
  });

  test('goes on from a stream that was restored', () => {
    const plan = onlineSgdPlan(requests[3][0] as OnlineSgdRequest);
    const [whole, cut] = [server.start(plan), server.start(plan)];
    const [random, again, next, once] = [seededRandom(1), seededRandom(1), people(3, Number), people(3, Number)];
    simulateStream(plan, whole, 300, next, random);
    simulateStream(plan, cut, 101, once, again);
    const restored = server.restore(plan, server.save(plan, cut));
    simulateStream(plan, restored, 199, once, again);
    expect(server.save(plan, restored)).toEqual(server.save(plan, whole));
  });

  test('may take its players from another simulation', () => {
    const plan = gdp({ model: HUBER, mu: 1 });
    const nested = (): (() => OnlineDatum) => {
      const next = people(3, Number);
      const inner = server.start(plan);
      const random = seededRandom('inner');
      return () => {
        simulateStream(plan, inner, 3, next, random);
        return { features: inner.iterate.slice(1), response: inner.iterate[0] };
      };
    };
    const request = { variant: 'gdp', model: HUBER, mu: 1 };
    const expected = end(slow, request, 150, nested());
    // Twice, so that nothing of the first run could serve the second.
    for (let time = 0; time < 2; time++) expect(end(simulateStream, request, 150, nested())).toEqual(expected);
  });

  test('is the same where there is no WebAssembly', async () => {
    const { WebAssembly: engine } = globalThis;
    try {
      Reflect.deleteProperty(globalThis, 'WebAssembly');
      await jest.isolateModulesAsync(async () => {
        const alone = await import('../../../../protocols/online-sgd/simulate.ts');
        const sums = await import('../../../../src/inference/block-sums.ts');
        expect(sums.blockSums(4)).toBeUndefined();
        for (const [request, blocks] of requests) {
          const { features, responses } = onlineSgdPlan(request as OnlineSgdRequest).model;
          const crowd = () => people(features, responses === 'binary' ? (y) => (y > 0 ? 1 : 0) : (y) => y);
          if (blocks) {
            expect(end(alone.simulateStream, request, 300, crowd())).toEqual(
              end(simulateStream, request, 300, crowd()),
            );
          }
        }
      });
    } finally {
      globalThis.WebAssembly = engine;
    }
  });

  test('depends on its coins', () => {
    const [one, two] = ['a', 'b'].map((seed) =>
      end(simulateStream, requests[0][0], 9, people(3, Number), seededRandom(seed)),
    );
    expect(one).not.toEqual(two);
  });
});

describe('what is refused is refused as one by one, and those before have been played', () => {
  const both = (request: object, count: number, crowd: () => () => OnlineDatum, coins?: () => Random) =>
    [simulateStream, slow].map((simulate) => end(simulate, request, count, crowd(), coins?.()));

  test.each([1, 2, 256, 257, 300])('a record outside the domain, of player %i', (place) => {
    for (const wrong of [{ features: [0, 1, NaN], response: 0 }, { features: [0, 1], response: 0 }, null, undefined]) {
      const crowd = () => {
        const next = people(3, Number);
        let at = 0;
        return () => (++at === place ? (wrong as OnlineDatum) : next());
      };
      const [fast, expected] = both({ variant: 'gdp', model: HUBER, mu: 1 }, 400, crowd);
      expect(fast).toEqual(expected);
      expect(fast[2]).toBe(place - 1);
      expect(fast[1]).toMatch(/^(Range|Type)Error: "(features|datum)" expected/);
    }
  });

  test('players that do not come', () => {
    const crowd = () => {
      const next = people(3, Number);
      let at = 0;
      return () => {
        if (at++ === 270) throw new Error('nobody left');
        return next();
      };
    };
    const [fast, expected] = both({ variant: 'gdp', model: HUBER, mu: 1 }, 300, crowd);
    expect(fast).toEqual(expected);
    expect(fast.slice(1)).toEqual(['Error: nobody left', 270]);
  });

  test.each([
    // After one step an iterate that no player answers, though it is finite.
    [1e101, 1, /^RangeError: "iterate" expected numbers at which the gradient is finite/],
    // No step at all.
    [1.7e308, 0, /^ReportError: "report" expected values after which the iterate is finite/],
  ])('an iterate that runs away, γ = %p', (rate, players, message) => {
    const request = { variant: 'nonPrivate', model: HUBER, rate };
    const crowd = () => () => ({ features: [0, 0, 0], response: 9 });
    const [fast, expected] = both(request, 5, crowd);
    expect(fast).toEqual(expected);
    expect(fast[2]).toBe(players);
    expect(fast[1]).toMatch(message);
  });

  test.each([
    [1, 0],
    [40, 1],
    [256, 2],
    [300, 0],
  ])(
    'a report beyond what players send, of player %i in coordinate %i: 11 standard deviations',
    (place, coordinate) => {
      const request = { variant: 'gdp', model: { kind: 'huber', features: 2 }, mu: 1 };
      const crowd = () => () => ({ features: [0.5, 0.5], response: 1 });
      // Three normals of two words each a player.
      const [fast, expected] = both(request, 400, crowd, () => withTail(6 * (place - 1) + 2 * coordinate));
      expect(fast).toEqual(expected);
      expect(fast[2]).toBe(place - 1);
      expect(fast[1]).toMatch(/^ReportError: "report" expected/);
    },
  );

  test('a state of another plan, and a count that is none', () => {
    const plan = gdp({ model: HUBER, mu: 1 });
    const state: OnlineState = server.start(gdp({ model: HUBER, mu: 2 }));
    const next = people(3, Number);
    expect(() => simulateStream(plan, state, 1, next, seededRandom(1))).toThrow(
      /^"state" expected a state of the plan/,
    );
    for (const count of [-1, 0.5, NaN]) {
      for (const simulate of [simulateStream, slow]) {
        expect(() => simulate(plan, server.start(plan), count, next, seededRandom(1))).toThrow(/^"count" expected/);
      }
    }
  });
});

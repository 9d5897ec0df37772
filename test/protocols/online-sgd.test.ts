import { describe, expect, test } from '@jest/globals';
import { type OnlineQuery, type OnlineSgdRequest, onlineSgd, onlineSgdPlan } from '../../protocols/online-sgd/index.ts';
import { gdp, VARIANTS } from '../../protocols/online-sgd/parameters.ts';
import { player } from '../../protocols/online-sgd/player.ts';
import { server } from '../../protocols/online-sgd/server.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import type { OnlineDatum } from '../../src/risk/regression/record.ts';
import {
  brokenLaws,
  brokenStreamLaws,
  HUBER,
  MODELS,
  onlineRequest as request,
  streamCase,
} from './online-sgd-cases.ts';
import { checkSequential } from './sequential/laws.ts';

const UNIFORM = { rule: 'uniform', low: 1, high: 2 } as const;

describe.each([...VARIANTS])('%s', (variant) => {
  // A third of the models, each model by two or three variants: all pairs are in contract-grids.long.test.ts.
  const some = MODELS.filter((_, i) => (i + VARIANTS.indexOf(variant)) % 3 === 0);
  const requests = some.map((model) => request(variant, model));

  test('keeps the laws of players, wires and claims', () => {
    expect(requests.flatMap(brokenLaws)).toEqual([]);
  });

  test('keeps the laws of streams', () => {
    expect(requests.flatMap(brokenStreamLaws)).toEqual([]);
  });

  test('keeps all of them in deployment, or says that it has no such form', () => {
    const asked = { ...request(variant), grade: 'deployment' as const };
    if (variant === 'privUnit' || variant === 'gaussian') {
      expect(brokenLaws(asked)).toEqual([]);
      expect(checkSequential(onlineSgd, [streamCase(asked)])).toEqual([]);
      // More coordinates than a report of seed and index has words.
      const wide = { ...asked, model: { kind: 'logistic' as const, features: 9 } };
      expect(checkSequential(onlineSgd, [streamCase(wide)])).toEqual([]);
    } else expect(() => onlineSgdPlan(asked)).toThrow(/^"grade" expected simulation \(variant \w+ has no/);
  });
});

test('keeps the laws of streams with batches, late reports, a burn-in, all inference, Hessians and budgets', () => {
  const all = ['batch means', 'disjoint batch means', 'plug-in'] as const;
  // Eleven batches in 40 steps.
  const many = { decay: 0.2, batchScale: 0.05, inference: all };
  const trials = [
    streamCase({ ...request('gdp'), batch: 3 }),
    streamCase({ ...request('gdp'), average: { kind: 'suffix', share: 0.3 } }, 'none'),
    streamCase({ ...request('gdp'), average: { kind: 'polynomial' }, burnIn: 5 }, 'none'),
    streamCase({ ...request('gdp'), stale: 'accept late' }),
    streamCase({ ...request('gdp'), stale: 'accept late', batch: 2, burnIn: 5 }),
    streamCase({ ...request('gdp'), ...many }, 'batch means'),
    streamCase({ ...request('gdp'), ...many }, 'disjoint batch means'),
    streamCase({ ...request('gdp'), hessianMu: 0.5 } as OnlineSgdRequest, 'plug-in'),
    streamCase({ ...request('gdp'), mu: undefined, budgets: { rule: 'list', mus: [1, 2] } } as OnlineSgdRequest),
    streamCase({ ...request('gdp'), mu: undefined, budgets: UNIFORM } as OnlineSgdRequest),
    streamCase({ ...request('gdp'), decay: 1 }, 'none'),
  ];
  // Another α of a plan without batch means is among the others of each.
  expect(checkSequential(onlineSgd, trials.slice(0, -1))).toEqual([]);
  expect(brokenLaws({ ...request('gdp'), hessianMu: 0.5 } as OnlineSgdRequest)).toEqual([]);
  expect(checkSequential(onlineSgd, trials.slice(-1))).toEqual([]);
});

test.each([
  [{ average: { kind: 'suffix' } }, { average: { kind: 'suffix', share: undefined } }],
  [{ model: HUBER }, { model: { ...HUBER, clip: undefined } }],
  [
    { mu: undefined, budgets: UNIFORM },
    { mu: undefined, budgets: { ...UNIFORM, seed: undefined } },
  ],
])('what is undefined is not given: a device makes the plan of %j from what it is sent', (change, written) => {
  const plans = [change, written].map((own) => onlineSgdPlan({ ...request('gdp'), ...own } as OnlineSgdRequest));
  expect(plans[1].digest).toBe(plans[0].digest);
  const sent = JSON.parse(JSON.stringify(plans[1].request)) as OnlineSgdRequest;
  expect(onlineSgdPlan(sent).digest).toBe(plans[1].digest);
});

describe('bad input', () => {
  const bad =
    (change: object): (() => unknown) =>
    () =>
      onlineSgdPlan({ ...request('gdp'), ...change });

  test.each([0, -1, 1.0001, NaN, '0.5', null])('refuses α = %p', (decay) => {
    expect(bad({ decay })).toThrow(/^"decay" expected a number in \(0, 1\], got /);
  });

  test.each([
    [{ mu: 0 }, /^"mu" expected a finite number > 0/],
    [{ mu: 1e300 }, /^"mu" expected a number from 1e-9 to 1e100, got 1e\+300/],
    [{ mu: undefined }, /^"mu" expected either one number or "budgets"/],
    [{ budgets: { rule: 'list', mus: [1] } }, /^"mu" expected either one number or "budgets"/],
    [{ mu: undefined, budgets: { rule: 'list', mus: [] } }, /^"budgets\.mus" expected at least one/],
    [{ mu: undefined, budgets: { rule: 'list', mus: [1, -2] } }, /^"budgets\.mus\[1\]" expected a finite number > 0/],
    [{ mu: undefined, budgets: { rule: 'uniform', low: 2, high: 1 } }, /^"budgets\.high" expected a number > 2/],
    [{ mu: undefined, budgets: { rule: 'dice' } }, /^"budgets\.rule" expected one of list, uniform/],
    [{ rate: 0 }, /^"rate" expected/],
    // The noise has a deviation of 2B₀/μ, some 3.8 at μ = 1.
    [{ mu: 1, rate: 1e100 }, /^"rate" expected a number <= 2\.\d+e\+99, .*, got 1e\+100/],
    [{ mu: 1e100, rate: 1.1e100 }, /^"rate" expected a number <= 1e\+100, /],
    [{ start: [1, 2] }, /^"start" expected 4 numbers, got 2/],
    // JSON makes an object of it.
    [{ start: new Float64Array(4) }, /^"start" expected 4 numbers, got/],
    [{ start: [1, 2, NaN, 0] }, /^"start\[2\]" expected a finite number/],
    // At 1e100 there is a gradient, beyond it no report is.
    [{ start: [0, -1.1e100, 0, 0] }, /^"start\[1\]" expected a number from -1e100 to 1e100/],
    [{ epsilon: 2 }, /^"request" expected no fields but .*, got "epsilon"/],
    [{ variant: 'privUnit', mu: undefined, epsilon: 2, hessianMu: 1 }, /^"request" expected .*, got "hessianMu"/],
    [{ model: { ...HUBER, tau: 0.3 } }, /^"request\.model" expected no fields but .*, got "tau"/],
    [{ model: { ...HUBER, loss: 'hinge' } }, /^"request\.model" expected no fields but .*, got "loss"/],
    [{ model: { kind: 'logistic', features: 3, scale: 2 } }, /^"request\.model" expected .*, got "scale"/],
    [{ average: { kind: 'suffix', power: 3 } }, /^"request\.average" expected no fields but kind, share, got "power"/],
    [{ burnIn: -1 }, /^"burnIn" expected/],
    [{ batch: 0 }, /^"batch" expected/],
    [{ stale: 'ignore' }, /^"stale" expected one of refuse, accept late/],
    [{ inference: ['bootstrap'] }, /^"inference\[0\]" expected one of/],
    [{ inference: new Array(1) }, /^"inference\[0\]" expected/],
    [{ decay: 1, inference: ['batch means'] }, /^"inference" expected no batch means/],
    [{ hessianMu: 0 }, /^"hessianMu" expected a finite number > 0/],
    [{ hessianMu: 1, model: { ...HUBER, clip: 1 } }, /^"hessianMu" expected nothing for a model/],
    [{ model: undefined }, /^"model" expected an object/],
    [{ model: { kind: 'probit', features: 1 } }, /^"model\.kind" expected one of/],
    [{ model: { kind: 'huber', features: 0 } }, /^"model\.features" expected/],
    [{ model: { kind: 'expectile', features: 1, tau: 1 } }, /^"model\.tau" expected a number strictly/],
    [{ model: { kind: 'quantile', features: 1, tau: 0.5 } }, /^"model\.bandwidth" expected/],
    [{ model: { kind: 'response', features: 1, loss: 'squared' } }, /^"model\.clip" expected a norm to clip to/],
    [{ model: { kind: 'multinomial', features: 1 } }, /^"model\.classes" expected/],
    [{ model: { kind: 'huber-scale', features: 1 }, start: [0, 0, 0] }, /^"start\[2\]" expected a scale/],
  ])('refuses %j by name', (change, message) => {
    expect(bad(change)).toThrow(message);
  });

  test.each([0, 1, -0.5, 1.5, NaN, '0.95'])('refuses the level %p', (level) => {
    const state = stream(50);
    expect(() => server.estimate(plan, state, { level } as OnlineQuery)).toThrow(/^"level" expected a number strictly/);
  });

  const plan = gdp({ mu: 1, model: HUBER });
  const datum: OnlineDatum = { features: [0.5, -1, 2], response: 1 };

  function stream(count: number): ReturnType<typeof server.start> {
    const state = server.start(plan);
    const random = seededRandom('bad input');
    for (let i = 0; i < count; i++)
      server.accept(plan, state, player.randomize(server.step(plan, state), datum, random));
    return state;
  }

  test('refuses an iterate of another dimension, and one at which the gradient is not finite', () => {
    const random = seededRandom(1);
    const step = { plan, index: 1, place: 1, iterate: new Float64Array(3) };
    expect(() => player.randomize(step, datum, random)).toThrow('"iterate" expected 4 numbers, got 3');
    const nowhere = { ...step, iterate: new Float64Array(4).fill(NaN) };
    expect(() => player.randomize(nowhere, datum, random)).toThrow(/^"iterate" expected numbers at which the gradient/);
  });

  test('refuses a report that is not finite and leaves the state as it was', () => {
    const state = stream(5);
    const before = server.save(plan, state);
    for (const value of [NaN, Infinity, -Infinity]) {
      const values = Float32Array.of(0, value, 0, 0);
      expect(() => server.accept(plan, state, { step: 6, values })).toThrow('"report" expected finite values only');
    }
    expect(() => server.accept(plan, state, { step: 6, values: new Float32Array(3) })).toThrow('expected 4 values');
    expect(server.save(plan, state)).toEqual(before);
  });

  test.each([1, 2, 3, 4, 5])(
    'a refused report with %i features leaves no trace in the reports after it',
    (features) => {
      const gdpPlan = gdp({ model: { kind: 'huber', features }, mu: 1, inference: [] });
      const record = { features: new Float64Array(features).fill(0.5), response: 1 };
      const saved = [false, true].map((offered) => {
        const state = server.start(gdpPlan);
        const random = seededRandom('offered');
        for (let i = 1; i <= 6; i++) {
          const report = player.randomize(server.step(gdpPlan, state), record, random);
          const { values } = report;
          for (let at = 0; offered && at < values.length; at++) {
            for (const value of [NaN, Infinity, 1e30]) {
              const wrong = Float32Array.from(values as Float32Array);
              wrong[at] = value;
              expect(() => server.accept(gdpPlan, state, { step: i, values: wrong })).toThrow(/^"report" expected/);
            }
          }
          server.accept(gdpPlan, state, report);
        }
        return server.toJson(gdpPlan, state);
      });
      expect(saved[1]).toEqual(saved[0]);
      // The control: a report that is taken leaves one.
      const state = server.start(gdpPlan);
      server.accept(gdpPlan, state, player.randomize(server.step(gdpPlan, state), record, seededRandom(1)));
      expect(server.toJson(gdpPlan, state)).not.toEqual(server.toJson(gdpPlan, server.start(gdpPlan)));
    },
  );

  test('a report whose values are the iterate itself counts like a copy of them', () => {
    const states = [true, false].map((same) => {
      const plan = gdp({ model: { kind: 'huber', features: 1 }, mu: 1e6, start: [0.5, 0.25], inference: ['plug-in'] });
      const state = server.start(plan);
      for (let i = 1; i <= 3; i++) {
        const { iterate } = server.step(plan, state);
        server.accept(plan, state, { step: i, values: same ? iterate : iterate.slice() });
      }
      return server.toJson(plan, state);
    });
    expect(states[0]).toEqual(states[1]);
  });

  test('a V that is singular is refused, and no interval is NaN', () => {
    expect(() => server.estimate(plan, stream(1))).toThrow(/^"steps" expected at least 2/);
    // A contrast of nothing has no variance.
    expect(() => server.estimate(plan, stream(50), { contrasts: [[0, 0, 0, 0]] })).toThrow(/not a singular matrix/);
    const still = onlineSgdPlan({ variant: 'nonPrivate', model: { kind: 'huber', features: 1 } });
    const state = server.start(still);
    const zero = { features: [0], response: 0 };
    for (let i = 0; i < 9; i++)
      server.accept(still, state, player.randomize(server.step(still, state), zero, seededRandom(1)));
    expect(() => server.estimate(still, state)).toThrow(/not a singular matrix, got 0/);
  });

  test('a method that the plan keeps nothing for is refused', () => {
    const lean = gdp({ mu: 1, model: HUBER, inference: [] });
    const state = server.start(lean);
    for (let i = 0; i < 9; i++)
      server.accept(lean, state, player.randomize(server.step(lean, state), datum, seededRandom(i)));
    for (const method of ['batch means', 'disjoint batch means', 'plug-in'] as const) {
      expect(() => server.estimate(lean, state, { method })).toThrow(/^"method" expected one that the plan keeps/);
    }
    expect(() => server.estimate(lean, state, { method: 'bootstrap' as 'none' })).toThrow(/^"method" expected one of/);
  });
});

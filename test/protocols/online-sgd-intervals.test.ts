import { describe, expect, test } from '@jest/globals';
import { checkMethod, type IntervalMethod, stepsNeeded } from '../../protocols/online-sgd/estimate.ts';
import { type OnlineSgdRequest, onlineSgdPlan, plugInCovariance } from '../../protocols/online-sgd/index.ts';
import { study } from '../../protocols/online-sgd/protocol.ts';
import { server } from '../../protocols/online-sgd/server.ts';
import { streamReplication } from '../../protocols/online-sgd/streams.ts';
import { asymptoticCovariance } from '../../protocols/online-sgd/theory.ts';
import { addToBatchMeans, batchSchedule, createBatchMeans, nextBatch } from '../../src/inference/batch-means.ts';
import { normal } from '../../src/random/random.ts';
import type { OnlineDatum } from '../../src/risk/regression/gradient.ts';
import { huberMoments } from '../evidence/online-sgd/reproductions/mallows-moments.ts';

const METHODS = ['random scaling', 'batch means', 'disjoint batch means', 'plug-in'] as const;
const KEPT = ['batch means', 'disjoint batch means', 'plug-in'] as const;

function streamOf(change: object, players: number, still: boolean = false) {
  const model = { kind: 'huber', features: 1 } as const;
  const plan = onlineSgdPlan({ variant: 'gdp', mu: 3, model, inference: KEPT, ...change } as OnlineSgdRequest);
  const datum = { features: new Float64Array(1), response: 0 };
  const population = {
    create: (): OnlineDatum => datum,
    draw(_: OnlineDatum, random: Parameters<typeof normal>[0]) {
      // A feature that is always 0 leaves the slope without curvature.
      datum.features[0] = still ? 0 : normal(random);
      datum.response = 0.5 * normal(random);
    },
  };
  return { plan, state: streamReplication(study.protocol, { plan, population, players, seed: 'intervals' }) };
}

describe('a plug-in', () => {
  test('says that it rests on data', () => {
    const { plan, state } = streamOf({ hessianMu: 3 }, 20_000);
    for (const hessian of ['released', 'regression'] as const) {
      const made = server.estimate(plan, state, { method: 'plug-in', hessian });
      expect([hessian, made.raisedHessian, made.raisedGradient]).toEqual([hessian, 0, 0]);
    }
    expect(server.estimate(plan, state)).not.toHaveProperty('raisedHessian');
    expect(server.estimate(plan, state, { method: 'none' })).not.toHaveProperty('raisedGradient');
  });

  test('that rests on its floor is refused unless the floor was asked for, and then says so', () => {
    // The exact mean Hessian of a slope without data is 0; its noise after 2000 players has deviation √2·B₁/(μ_A·√2000) = .02.
    const { plan, state } = streamOf({ hessianMu: 3 }, 2000, true);
    const query = { method: 'plug-in', hessian: 'released' } as const;
    const message = /^"hessianFloor" expected a number > 0, or more steps: 1 eigenvalue of the Hessian is below 0\.01$/;
    const raised = { ...query, hessianFloor: 0.2 };
    const made = server.estimate(plan, state, raised);
    expect(made.raisedHessian).toBe(1);
    expect(plugInCovariance(plan, state, raised).raisedHessian).toBe(1);
    // Lengths follow the constant: what is refused where nobody chose it.
    const length = ([low, high]: readonly [number, number]): number => high - low;
    const lower = server.estimate(plan, state, { ...raised, hessianFloor: 0.1 });
    expect(length(lower.intervals[1]) / length(made.intervals[1])).toBeGreaterThan(1.9);
    expect(server.estimate(plan, state, { ...query, hessianFloor: 0.01 }).raisedHessian).toBe(1);
    expect(() => server.estimate(plan, state, query)).toThrow(message);
    expect(() => plugInCovariance(plan, state, query)).toThrow(RangeError);
  });
});

describe('intervals without a theorem', () => {
  test.each<IntervalMethod>([...METHODS])('%s is refused at α = 1', (method) => {
    const { plan, state } = streamOf({ decay: 1, inference: ['plug-in'] }, 2000);
    const message = '"decay" expected below 1 for intervals; the estimate without intervals is method none, got 1';
    expect(() => server.estimate(plan, state, { method })).toThrow(new RangeError(message));
    expect(server.estimate(plan, state, { method: 'none' }).intervals).toEqual([]);
    const below = streamOf({ decay: 0.3 }, 2000);
    expect(server.estimate(below.plan, below.state, { method }).intervals).toHaveLength(2);
  });

  test.each([
    [0.51, 10_000, 9],
    [0.7, 10_000, 3],
    [0.9, 10_000, 1],
  ])('batch means at α = %p of %p steps are refused, their batches being %p', (decay, steps, batches) => {
    const { plan, state } = streamOf({ decay }, steps);
    for (const method of ['batch means', 'disjoint batch means'] as const) {
      expect(() => server.estimate(plan, state, { method })).toThrow(
        `"method" expected random scaling, or more steps: ${method} need at least 10 batches and have ${batches}, got`,
      );
    }
  });

  test('batch means are served from the first step of the tenth batch on', () => {
    // ⌊10^2.5⌋ = 316 at α = .2.
    for (const burnIn of [0, 100]) {
      const served = [315, 316].map((steps) => {
        const { plan, state } = streamOf({ decay: 0.2, burnIn }, steps + burnIn);
        try {
          return server.estimate(plan, state, { method: 'batch means' }).intervals.length;
        } catch (error) {
          return (error as Error).message.includes('have 9') ? 'refused' : error;
        }
      });
      expect([burnIn, ...served]).toEqual([burnIn, 'refused', 2]);
    }
  });
});

describe('checkMethod', () => {
  test('says before a stream what the estimate says after it', () => {
    const differing: unknown[] = [];
    const said = (ask: () => unknown): string => {
      try {
        ask();
        return 'served';
      } catch (error) {
        return (error as Error).message;
      }
    };
    const outcomes = new Set<string>();
    for (const request of [
      {},
      { decay: 0.2, burnIn: 100 },
      { decay: 0.9 },
      { decay: 1, inference: ['plug-in' as const] },
    ]) {
      for (const steps of [415, 416, 3000]) {
        const { plan, state } = streamOf(request, steps);
        for (const method of [...METHODS, 'none'] as const) {
          const before = said(() => checkMethod(plan, method, steps));
          const after = said(() => server.estimate(plan, state, { method }));
          outcomes.add(before);
          if (before !== after) differing.push({ request, steps, method, before, after });
        }
      }
    }
    expect(differing).toEqual([]);
    expect(outcomes.size).toBeGreaterThan(5);
  });

  test('without a number of steps leaves batches alone', () => {
    const { plan } = streamOf({ decay: 0.9 }, 1);
    expect(() => checkMethod(plan, 'batch means')).not.toThrow();
    expect(() => checkMethod(plan, 'batch means', 1000)).toThrow(RangeError);
  });
});

describe('what used to hang', () => {
  test('a small scale of batches has the batches of a search one by one', () => {
    const differing: unknown[] = [];
    for (const [exponent, scale] of [
      [0.2, 0.5],
      [0.51, 1],
      [0.51, 1e-6],
      [0.1, 1e-4],
      [0.9, 3],
      [1 / 3, 1],
      [0.5, 40],
    ]) {
      const schedule = batchSchedule(exponent, scale);
      for (const batch of [0, 1, 7, 30]) {
        for (const place of [0, 1, 2, 7, 8, 26, 27, 63, 64, 999, 1000, 12345]) {
          const startOf = (m: number): number => Math.floor(scale * m ** (2 / (1 - exponent)) * (1 + 1e-12));
          let m = batch + 1;
          while (startOf(m) <= place) m++;
          const start = Math.min(startOf(m), Number.MAX_SAFE_INTEGER);
          const found = nextBatch(schedule, batch, place);
          if (found.batch !== m || found.start !== start) differing.push([exponent, scale, batch, place, found]);
        }
      }
    }
    expect(differing).toEqual([]);
  });

  test('a scale of 1e-30 begins a batch at every step, and a scale beyond whole numbers is refused', () => {
    // One by one the first start would take 2·10⁷ powers, and every other one about as many.
    const state = createBatchMeans({ dimension: 1, schedule: batchSchedule(0.51, 1e-30), overlapping: true });
    for (let i = 0; i < 1000; i++) addToBatchMeans(state, Float64Array.of(i));
    expect([state.length, state.nextStart]).toEqual([1, 1001]);
    expect(() => batchSchedule(0.51, 1e-60)).toThrow(/^"scale" expected a number >= /);
    expect(() => batchSchedule(0.01, 1e-30)).toThrow(/^"scale" expected a number >= /);
  });

  test('a forecast in a thousand dimensions is one of two integrals, and agrees with the sandwich of moments found otherwise', () => {
    const setting = { players: 8000, spread: 0.7, level: 0.95 };
    for (const features of [1, 2, 5]) {
      const asked = { variant: 'gdp', mu: 1, features };
      const { error } = study.forecast(asked, setting);
      const { hessian, gradient } = huberMoments(features, setting.spread, 1.345);
      const size = features + 1;
      const diagonal = (entries: Float64Array): Float64Array =>
        Float64Array.from({ length: size * size }, (_, i) => (i % (size + 1) === 0 ? entries[i / (size + 1)] : 0));
      const plan = study.plan(asked);
      const covariance = asymptoticCovariance(plan, { hessian: diagonal(hessian), gradient: diagonal(gradient) });
      const mean = covariance.reduce((sum, entry, i) => sum + (i % (size + 1) === 0 ? entry / size : 0), 0);
      expect(error / Math.sqrt(mean / setting.players)).toBeCloseTo(1, 5);
    }
    // w = 2/(1 + ‖z‖²) is 2/p to within 1/√p, so that A is 2/p·P(|ε| < c) and S is 4/p²·E ψ²: the error without noise is that of
    // the Huber location, which for a normal residual is σ/√n to 3 % more.
    const { floor } = study.forecast({ variant: 'gdp', mu: 1, features: 1000 }, setting);
    expect(floor / (setting.spread / Math.sqrt(setting.players))).toBeGreaterThan(1);
    expect(floor / (setting.spread / Math.sqrt(setting.players))).toBeLessThan(1.03);
  });
});

describe('intervals after few steps', () => {
  /** Σγ·i^(−α) over the steps that count, one after the other. */
  function pieces({ rate, decay, burnIn }: { rate: number; decay: number; burnIn: number }, steps: number): number {
    let sum = 0;
    for (let i = burnIn + 1; i <= steps; i++) sum += rate * i ** -decay;
    return sum;
  }

  test.each([
    { rate: 0.5, decay: 0.51, burnIn: 0 },
    { rate: 0.1, decay: 0.51, burnIn: 0 },
    { rate: 0.5, decay: 0.75, burnIn: 100 },
  ])('are told apart where the step sizes add up to 10: %j', (setting) => {
    const needed = stepsNeeded(setting);
    // The integral is below the sum, by less than the first step size: 10 by the sum comes as much earlier.
    expect(pieces(setting, needed)).toBeGreaterThanOrEqual(10);
    expect(pieces(setting, needed)).toBeLessThan(10 + 2 * setting.rate);
    expect(pieces(setting, needed / 2)).toBeLessThan(9);
  });

  test('say how many are needed, and later ones do not', () => {
    const { plan, state } = streamOf({}, 3);
    const needed = stepsNeeded(plan);
    expect([needed, server.estimate(plan, state).stepsNeeded]).toEqual([128, 128]);
    expect(server.estimate(plan, state, { method: 'none' })).not.toHaveProperty('stepsNeeded');
    const later = (players: number): object => {
      const stream = streamOf({}, players);
      return server.estimate(stream.plan, stream.state);
    };
    expect(later(needed - 1)).toHaveProperty('stepsNeeded', needed);
    expect(later(needed)).not.toHaveProperty('stepsNeeded');
  });
});

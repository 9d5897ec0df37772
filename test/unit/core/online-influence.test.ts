import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { channelOf, type OnlineReport } from '../../../protocols/online-sgd/channel.ts';
import {
  type OnlinePlan,
  type OnlineSgdRequest,
  onlineSgd,
  onlineSgdPlan,
} from '../../../protocols/online-sgd/index.ts';
import { VARIANTS } from '../../../protocols/online-sgd/parameters.ts';
import { ReportError } from '../../../src/check/refusal.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import type { OnlineDatum } from '../../../src/risk/regression/record.ts';
import { upperGamma } from '../../statistics/incomplete-gamma.ts';

const { sqrt } = Math;
const onlineInfluence = (plan: OnlinePlan) => channelOf(plan).influence;
const { player, server, report: wire } = onlineSgd;

const model = { kind: 'huber', features: 3 } as const;
const budget = { epsilon: 2, delta: 1e-6, mu: 1.5 };
const datum: OnlineDatum = { features: [0.5, -1, 2], response: 1 };

const BUDGETS: { readonly [variant in (typeof VARIANTS)[number]]: readonly (keyof typeof budget)[] } = {
  privUnit: ['epsilon'],
  laplace: ['epsilon'],
  gaussian: ['epsilon', 'delta'],
  printedGaussian: ['epsilon', 'delta'],
  gdp: ['mu'],
  printedGdp: ['mu'],
  nonPrivate: [],
};

function planOf(variant: (typeof VARIANTS)[number], more: object = {}): OnlinePlan {
  const asked = Object.fromEntries(BUDGETS[variant].map((name) => [name, budget[name]]));
  return onlineSgdPlan({ variant, model, ...asked, ...more } as OnlineSgdRequest);
}

const gdp = (more: object): OnlinePlan => planOf('gdp', more);

const norm = (values: ArrayLike<number>, from: number = 0, to: number = values.length): number =>
  sqrt(Array.from(values).reduce((sum, value, i) => (i >= from && i < to ? sum + value * value : sum), 0));

/** The bytes of a saved state after an honest stream, and the stream. */
function streamOf(plan: OnlinePlan, count: number, seed: string = 'stream'): ReturnType<typeof server.start> {
  const state = server.start(plan);
  const random = seededRandom(seed);
  for (let i = 0; i < count; i++) {
    server.accept(plan, state, player.randomize(server.step(plan, state), datum, random));
  }
  return state;
}

/** Whether decoding and accepting a report refuse it; accepting has to leave the state as it was. */
function refusals(plan: OnlinePlan, values: OnlineReport['values']): { decoded: boolean; accepted: boolean } {
  const state = streamOf(plan, 4);
  const report = { step: state.steps + 1, values };
  const before = server.save(plan, state);
  const refuses = (action: () => unknown): boolean => {
    try {
      action();
      return false;
    } catch (error) {
      if (!(error instanceof ReportError)) throw error;
      return true;
    }
  };
  const decoded = refuses(() => wire.decode(plan, wire.encode(plan, report)));
  const accepted = refuses(() => server.accept(plan, state, report));
  if (accepted) expect(server.save(plan, state)).toEqual(before);
  return { decoded, accepted };
}

/** What one unit of a report is in units of the gradient. */
function unitOf({ model: { gradientBound }, noise }: OnlinePlan): number {
  if (noise.law === 'grid') return gradientBound * noise.mechanism.step;
  return noise.law === 'unit' ? gradientBound : 1;
}

const REFUSED = { decoded: true, accepted: true };
const TAKEN = { decoded: false, accepted: false };

describe('a report is taken up to its limit and refused beyond it, decoded or not', () => {
  const plans = [...VARIANTS.map((variant) => planOf(variant)), planOf('gaussian', { grade: 'deployment' })];

  test.each(plans.map((plan) => [plan.variant, plan.grade, plan] as const))('%s, %s', (_variant, _grade, plan) => {
    const honest = player.randomize(server.step(plan, server.start(plan)), datum, seededRandom('honest'));
    const limit = onlineInfluence(plan).reportNorm / unitOf(plan);
    // Single precision and whole numbers move a norm by less than 1e-5 of it.
    const scaled = (size: number): OnlineReport['values'] => {
      const factor = (size * limit) / norm(honest.values);
      return honest.values.map((value) => value * factor);
    };
    expect(refusals(plan, scaled(1 - 1e-5))).toEqual(TAKEN);
    expect(refusals(plan, scaled(1 + 1e-5))).toEqual(REFUSED);
    // The largest that the wire carries, in one coordinate only.
    const largest = honest.values.map((value, i) => (i > 0 ? value : plan.precision === 'int32' ? 2 ** 31 - 1 : 3e38));
    expect(refusals(plan, largest)).toEqual(REFUSED);
  });

  test('k-closest reports are words, of which there are no larger ones', () => {
    const plan = planOf('privUnit', { grade: 'deployment' });
    const honest = player.randomize(server.step(plan, server.start(plan)), datum, seededRandom('honest'));
    expect(refusals(plan, honest.values)).toEqual(TAKEN);
    expect(
      refusals(
        plan,
        honest.values.map((word, i) => (i < honest.values.length - 1 ? word : 2 ** 32 - 1)),
      ),
    ).toEqual(REFUSED);
    const { reportNorm, honestNorm, honestRefusal } = onlineInfluence(plan);
    expect(reportNorm / honestNorm).toBeCloseTo(1, 6);
    expect(honestRefusal).toBe(0);
  });
});

describe('limits', () => {
  test('are exceeded by honest noise once in 10¹² reports at most, and half as much far more often', () => {
    // The gradient aside, noise has to reach the limit less B₀: chi-square for normal, gamma for Laplace noise.
    const gaussian = planOf('gdp');
    const laplace = planOf('laplace');
    const { dimension, gradientBound } = gaussian.model;
    if (gaussian.noise.law !== 'gaussian' || laplace.noise.law !== 'laplace') throw new Error('another law');
    const far = (onlineInfluence(gaussian).reportNorm - gradientBound) / gaussian.noise.sigma;
    const wide = (onlineInfluence(laplace).reportNorm - gradientBound) / laplace.noise.scale;
    const normalTail = (x: number): number => upperGamma(dimension / 2, (x * x) / 2);
    expect([normalTail(far) <= 1e-12, upperGamma(dimension, wide) <= 1e-12]).toEqual([true, true]);
    expect([normalTail(far / 2) > 1e-6, upperGamma(dimension, wide / 2) > 1e-10]).toEqual([true, true]);
  });

  test('by hand: B₀ + σ·√(4 + 2√(4·27.63102) + 2·27.63102) for p = 4', () => {
    const { model: made } = planOf('gdp');
    const sigma = (2 * made.gradientBound) / 1.5;
    const expected = made.gradientBound + sigma * sqrt(4 + 21.0261 + 55.26204);
    expect(onlineInfluence(planOf('gdp')).reportNorm / expected).toBeCloseTo(1, 5);
  });

  test('are those of the smallest budget, since a report does not say whose it is', () => {
    const among = gdp({ mu: undefined, budgets: { rule: 'list', mus: [2, 0.5, 1] } });
    expect(onlineInfluence(among).reportNorm).toBe(onlineInfluence(gdp({ mu: 0.5 })).reportNorm);
    expect(onlineInfluence(among).reportNorm).toBeGreaterThan(onlineInfluence(gdp({ mu: 1 })).reportNorm);
  });

  test('stand beside an honest norm that is the root mean square of one', () => {
    const plan = gdp({ mu: 0.2 });
    const random = seededRandom('honest norm');
    const step = server.step(plan, server.start(plan));
    let square = 0;
    for (let i = 0; i < 2000; i++) square += norm(player.randomize(step, datum, random).values) ** 2 / 2000;
    // Chi-square with 8000 degrees of freedom: 5 standard deviations are 5·√(2/8000) = 0.079, and B₀² adds 1/400 at most.
    expect(Math.abs(square / onlineInfluence(plan).honestNorm ** 2 - 1)).toBeLessThan(0.082);
  });

  test('hold for the Hessian part on its own', () => {
    const plan = gdp({ hessianMu: 1 });
    const honest = player.randomize(server.step(plan, server.start(plan)), datum, seededRandom('honest'));
    expect(refusals(plan, honest.values)).toEqual(TAKEN);
    const { bound, mechanism } = plan.hessian as NonNullable<OnlinePlan['hessian']>;
    // Half of 10⁻¹² for each part: log(2·10¹²) = 28.32417, ten entries.
    const limit = bound + mechanism.sigma * sqrt(10 + 2 * sqrt(10 * 28.32417) + 2 * 28.32417);
    const factor = limit / norm(honest.values, plan.gradientLength);
    const scaled = (size: number): OnlineReport['values'] =>
      honest.values.map((value, i) => (i < plan.gradientLength ? value : value * size * factor));
    expect(refusals(plan, scaled(1 - 1e-5))).toEqual(TAKEN);
    expect(refusals(plan, scaled(1 + 1e-5))).toEqual(REFUSED);
  });
});

describe('a report that would leave the iterate infinite changes nothing', () => {
  test.each([1, 2])('in steps of %d', (batch) => {
    const more = { batch, mu: 1e-3, hessianMu: 1 };
    // No request has such a rate.
    const plan = { ...gdp(more), rate: 1e308 };
    const state = streamOf(plan, batch - 1);
    const before = server.save(plan, state);
    const report = player.randomize(server.step(plan, state), datum, seededRandom('last'));
    expect(() => server.accept(plan, state, report)).toThrow(
      new ReportError('"report" expected values after which the iterate is finite'),
    );
    expect(server.save(plan, state)).toEqual(before);
    // The control: at a usual rate the same report is taken.
    const usual = gdp({ ...more, rate: 1 });
    const other = streamOf(usual, batch - 1);
    expect(server.accept(usual, other, report)).toBe('in time');
    expect(other.steps).toBe(1);
  });
});

describe('released Hessians', () => {
  test('of the burn-in are left out, as gradients are', () => {
    const state = streamOf(gdp({ hessianMu: 1, burnIn: 3 }), 8);
    expect([state.hessians?.count, state.released?.steps]).toEqual([5, 5]);
    const none = streamOf(gdp({ hessianMu: 1 }), 8);
    expect([none.hessians?.count, none.released?.steps]).toEqual([8, 8]);
  });

  test('of late reports are left out, as gradients are', () => {
    const plan = gdp({ hessianMu: 1, stale: 'accept late' });
    const state = streamOf(plan, 5);
    const sum = state.hessians?.sum.slice();
    const report = player.randomize(server.step(plan, state), datum, seededRandom('late'));
    expect(server.accept(plan, state, { ...report, step: 2 })).toBe('late');
    expect([state.hessians?.count, state.released?.steps, state.steps]).toEqual([5, 5, 6]);
    expect(state.hessians?.sum).toEqual(sum);
  });
});

test('the page on security says what one report can do to a stream', () => {
  const ten = { model: { kind: 'huber', features: 9 } };
  const asked = { epsilon: 1, delta: 1e-6 };
  const norms = [
    { variant: 'privUnit', epsilon: 1, grade: 'deployment', ...ten },
    { variant: 'privUnit', epsilon: 1, ...ten },
    { variant: 'gdp', mu: 1, ...ten },
    { variant: 'gaussian', ...asked, grade: 'deployment', ...ten },
    { variant: 'laplace', epsilon: 1, ...ten },
  ].map((request) => {
    const plan = onlineSgdPlan(request as OnlineSgdRequest);
    const { reportNorm, honestNorm } = onlineInfluence(plan);
    const [most, usual] = [reportNorm, honestNorm].map((size) =>
      Number((size / plan.model.gradientBound).toPrecision(3)),
    );
    const grade = 'grade' in request ? ', deployment' : '';
    return `${most} for \`${request.variant}\`${grade} (honest: ${usual})`;
  });
  const page = readFileSync(join(__dirname, '../../../SECURITY.md'), 'utf8').replace(/\s+/g, ' ');
  expect(norms.filter((sentence) => !page.includes(sentence))).toEqual([]);
});

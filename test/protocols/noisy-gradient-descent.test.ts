import { describe, expect, test } from '@jest/globals';
import {
  type BoundedModelRequest,
  boundedModel,
  type CentralRecord,
  descend,
  descent,
  fitEllipsoid,
  fitIntervals,
} from '../../protocols/noisy-gradient-descent/index.ts';
import { meanScore } from '../../protocols/noisy-gradient-descent/model.ts';
import type { NoisyGradientDescentRequest } from '../../protocols/noisy-gradient-descent/parameters.ts';
import { certificate, guarantee, neighbourDistance, theory } from '../../protocols/noisy-gradient-descent/protocol.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { contraction, privacyErrorRate } from '../evidence/noisy-fit/rates.ts';
import { labelledRecords, linearRecords } from './noisy-records.ts';

const { abs, hypot, max, sqrt, SQRT2 } = Math;

const MODEL: BoundedModelRequest = { kind: 'huber', features: 3, scale: 2 };
const REQUEST: NoisyGradientDescentRequest = { mu: 1, records: 500, model: MODEL };

describe('the plan', () => {
  test('has the printed noise 2B√K/(nμ) where it is spent on steps alone', () => {
    const { noise, steps, sandwich } = descent({ ...REQUEST, regions: false });
    expect(noise / ((2 * SQRT2 * 1.345 * sqrt(steps)) / 500)).toBeCloseTo(1, 13);
    expect(sandwich).toBeUndefined();
  });

  test('shares out μ² as asked', () => {
    const { noise, sandwich, steps } = descent({
      ...REQUEST,
      split: { optimization: 0.4, hessian: 0.25, scores: 0.35 },
    });
    expect(noise).toBeCloseTo((2 * SQRT2 * 1.345 * sqrt(steps)) / (500 * sqrt(0.4)), 12);
    expect(sandwich?.hessian).toBeCloseTo(SQRT2 / (500 * sqrt(0.25)), 12);
    expect(sandwich?.scores).toBeCloseTo((SQRT2 * 2 * 1.345 ** 2) / (500 * sqrt(0.35)), 12);
  });

  test('takes K from the rule, η from B̄, and starts at 0', () => {
    const plan = descent(REQUEST);
    expect([plan.steps, plan.step, plan.strongConvexity, plan.hessianFloor]).toEqual([30, 1, 0.1, 0.05]);
    expect(Array.from(plan.start)).toEqual([0, 0, 0, 0]);
    expect(contraction(plan)).toBeCloseTo(0.9, 12);
    expect(privacyErrorRate(plan)).toBeCloseTo((sqrt(30) * 4) / 500, 12);
  });

  test('uses the smaller sensitivity of a joint scale, √(8c² + c⁴/4)', () => {
    const plan = descent({
      mu: 1,
      records: 5000,
      model: { kind: 'huber-scale', features: 3, leastScale: 0.5 },
      smoothness: 1,
    });
    expect(5000 * neighbourDistance(plan)).toBeCloseTo(sqrt(8 * 1.345 ** 2 + 1.345 ** 4 / 4), 12);
    expect(Array.from(plan.start)).toEqual([0, 0, 0, 0, 1]);
  });
});

describe('the certificate', () => {
  test.each([
    ['with regions', REQUEST],
    ['without', { ...REQUEST, regions: false }],
    ['with a printed matrix noise', { ...REQUEST, matrixCalibration: 'printed' as const }],
    ['for a small μ', { ...REQUEST, mu: 0.0317, force: true }],
  ])('adds up to μ and no more, %s', (name, request) => {
    const plan = descent(request);
    const { totals, releases, claimed } = certificate(plan);
    expect(claimed).toEqual(guarantee(plan));
    expect(releases.length).toBe(plan.sandwich === undefined ? 1 : 3);
    expect(releases[0].count).toBe(plan.steps);
    const total = totals.find(({ accounting }) => accounting === 'gdp');
    expect(total?.withinClaim).toBe(true);
    // The printed calibration halves what the matrices spend: μ²·(.5 + .5/2).
    const spent = name.includes('printed') ? sqrt(0.75) : 1;
    expect(total?.guarantee).toEqual({ kind: 'gdp', mu: expect.closeTo(plan.mu * spent, 12) });
  });

  test('control: noise that is 1 % less is not within the claim', () => {
    const plan = descent(REQUEST);
    const { totals } = certificate({ ...plan, noise: 0.99 * plan.noise });
    expect(totals.find(({ accounting }) => accounting === 'gdp')?.withinClaim).toBe(false);
  });

  test('is that of the theory', () => {
    const plan = descent(REQUEST);
    expect(theory.certificate(plan)).toEqual(certificate(plan));
    expect(theory.neighbourDistance(plan)).toBe((2 * SQRT2 * 1.345) / 500);
  });
});

describe('with next to no noise', () => {
  const MODELS: readonly [string, BoundedModelRequest, CentralRecord[], object][] = [
    ['huber', MODEL, linearRecords(300, 'exact'), {}],
    [
      'huber-scale',
      { kind: 'huber-scale', features: 3, leastScale: 0.5 },
      linearRecords(300, 'exact'),
      { smoothness: 1, strongConvexity: 0.02 },
    ],
    ['logistic', { kind: 'logistic', features: 3 }, labelledRecords(300, 'exact', [0, 1]), { strongConvexity: 0.01 }],
    [
      'logistic of a margin',
      { kind: 'margin', features: 3, loss: 'logistic' },
      labelledRecords(300, 'exact', [-1, 1]),
      { strongConvexity: 0.01 },
    ],
    ['expectile', { kind: 'expectile', features: 3, tau: 0.7, scale: 2 }, linearRecords(300, 'exact'), {}],
  ];

  test.each(MODELS)('the score of %s is 0 at the estimate', (_, model, records, extra) => {
    const plan = descent({ mu: 1e9, records: 300, model, steps: 800, ...extra });
    const { theta, iterates } = descend(plan, records, seededRandom('exact'));
    const score = new Float64Array(theta.length);
    meanScore(boundedModel(model), records, theta, score);
    expect(hypot(...score)).toBeLessThan(1e-6);
    expect(iterates.length).toBe(801);
    expect(iterates[800]).toEqual(theta);
  });

  test('the two logistic losses agree', () => {
    const estimateOf = (model: BoundedModelRequest, labels: readonly [number, number]) =>
      descend(
        descent({ mu: 1e9, records: 300, model, steps: 900, strongConvexity: 0.01 }),
        labelledRecords(300, 'exact', labels),
        seededRandom('agree'),
      ).theta;
    const bits = estimateOf({ kind: 'logistic', features: 3 }, [0, 1]);
    const signs = estimateOf({ kind: 'margin', features: 3, loss: 'logistic' }, [-1, 1]);
    expect(max(...bits.map((entry, i) => abs(entry - signs[i])))).toBeLessThan(1e-6);
  });
});

describe('a fit', () => {
  const plan = descent(REQUEST);
  const records = linearRecords(500, 'fit');

  test('is the same for the same coins, and another for others', () => {
    const fit = descend(plan, records, seededRandom('coins'));
    expect(descend(plan, records, seededRandom('coins'))).toEqual(fit);
    expect(descend(plan, records, seededRandom('others')).theta).not.toEqual(fit.theta);
  });

  test('has a covariance that is the sum of sampling and noise, and regions around its estimate', () => {
    const fit = descend(plan, records, seededRandom('region'));
    const { covariance, sampling, injected, raisedHessian } = fit.region!;
    expect(covariance).toEqual(sampling.map((entry, i) => entry + injected[i]));
    expect(raisedHessian).toBe(0);
    fitIntervals(fit, { level: 0.95 }).forEach(({ low, high }, j) => {
      expect((low + high) / 2).toBeCloseTo(fit.theta[j], 12);
      expect((high - low) / 2).toBeCloseTo(1.959963984540054 * sqrt(covariance[5 * j]), 12);
    });
    expect(fitEllipsoid(fit, { level: 0.95, contrasts: [[0, 1, 0, 0]] }).centre[0]).toBe(fit.theta[1]);
  });

  test('without regions has none', () => {
    const fit = descend(descent({ ...REQUEST, regions: false }), records, seededRandom('none'));
    expect(() => fitIntervals(fit, { level: 0.95 })).toThrow('"fit" expected one of a plan with regions');
  });

  test('keeps a joint scale above its lower bound, whatever the noise', () => {
    const model: BoundedModelRequest = { kind: 'huber-scale', features: 3, leastScale: 0.5 };
    const loud = descent({ mu: 0.01, records: 500, model, smoothness: 1, force: true, regions: false });
    const { iterates } = descend(loud, records, seededRandom('loud'));
    const least = iterates.reduce((a, theta) => Math.min(a, theta[4]), Infinity);
    expect(least).toBe(0.5);
  });

  test('has finite intervals at the least μ, where the released Hessian is noise: no step overshoots along it', () => {
    const least = descend(descent({ ...REQUEST, mu: 1e-9, force: true }), records, seededRandom('least'));
    for (const { low, high } of fitIntervals(least, { level: 0.95 })) expect(high - low).toBeLessThan(1e12);
    expect(least.region!.finished).toBe(false);
    expect(() => descent({ ...REQUEST, mu: 9e-10, force: true })).toThrow(RangeError);
  });

  test('is refused where the released Hessian is not positive definite after the floor', () => {
    const bare = descent({ mu: 0.05, records: 500, model: MODEL, hessianFloor: 0, force: true });
    expect(() => descend(bare, records, seededRandom('bare'))).toThrow(
      /"smallest eigenvalue of the Hessian" expected a number > 0 after the floor 0, got -/,
    );
  });
});

describe('bad input', () => {
  test.each<[string, object, RegExp]>([
    ['μ = 0', { mu: 0 }, /"mu" expected a finite number > 0, got 0/],
    ['μ < 0', { mu: -1 }, /"mu"/],
    ['a μ without computable noise', { mu: 1e-300 }, /"mu" expected a number from 1e-9 to 1e100, got 1e-300/],
    ['K = 0', { steps: 0 }, /"steps" expected a whole number from 1/],
    ['K < 0', { steps: -3 }, /"steps"/],
    [
      'K below the rule',
      { steps: 29 },
      /"steps" expected at least 30, what the theorem asks for, or force: true, got 29/,
    ],
    ['n below the condition', { records: 60 }, /"records" expected at least \d+, what the theorem asks for/],
    ['n below the condition of a radius', { radius: 0.5 }, /"records" expected at least \d+/],
    ['a step above 1/τ₂', { step: 1.01 }, /"step" expected a number <= 1, which is 1\/smoothness, got 1.01/],
    ['a step of 0', { step: 0 }, /"step"/],
    ['τ₁ above τ₂', { strongConvexity: 1.5 }, /"strongConvexity"/],
    ['a floor below 0', { hessianFloor: -1 }, /"hessianFloor"/],
    ['shares above 1', { split: { optimization: 0.5, hessian: 0.3, scores: 0.3 } }, /"split"/],
    ['a share of 0', { split: { optimization: 0.5, hessian: 0.5, scores: 0 } }, /"split.scores"/],
    ['a split without regions', { regions: false, split: { optimization: 1, hessian: 1, scores: 1 } }, /"split"/],
    ['a start of another length', { start: [0, 0] }, /"start" expected 4 numbers, got 2/],
    ['a start that is not finite', { start: [0, 0, 0, NaN] }, /"start\[3\]"/],
    [
      'an unbounded score',
      { model: { kind: 'response', features: 3, loss: 'squared' } },
      /finite bound B of its score/,
    ],
    ['an unknown calibration', { matrixCalibration: 'loose' }, /"matrixCalibration"/],
    ['a force in words', { steps: 29, force: 'no' }, /^"force" expected true or false, got "no"/],
    ['another grade', { grade: 'deployment' }, /^"grade" expected simulation \(variant descent has no deployment form/],
    ['a field of noisy Newton', { warmUp: 8 }, /^"request" expected no fields but .*, got "warmUp"/],
    ['a field of another loss', { model: { kind: 'huber', features: 3, tau: 0.3 } }, /^"request\.model" .*, got "tau"/],
    ['a name of a loss', { model: { kind: 'huber', features: 3, loss: 'logistic' } }, /"request\.model" .* got "loss"/],
  ])('%s is refused', (_, change, message) => {
    expect(() => descent({ ...REQUEST, ...change } as NoisyGradientDescentRequest)).toThrow(message);
  });

  test('force goes on where K and n are below the theorem', () => {
    expect(descent({ ...REQUEST, steps: 3, records: 20, force: true }).steps).toBe(3);
  });

  test('another number of records, and records outside the domain, are refused without their values', () => {
    const plan = descent(REQUEST);
    const records = linearRecords(500, 'bad');
    expect(() => descend(plan, records.slice(1), seededRandom('bad'))).toThrow(
      '"records" expected 500 of them, got 499',
    );
    expect(() => descend(plan, 'records' as never, seededRandom('bad'))).toThrow(TypeError);
    for (const record of [
      { features: [1, 2, NaN], response: 0.7391 },
      { features: [0.7391, 2], response: 0.7391 },
      { features: [0.7391, 2, 1], response: Infinity },
    ]) {
      const broken = [...records.slice(1), record];
      expect(() => descend(plan, broken, seededRandom('bad'))).toThrow(/^"(?:features|response)" expected(?!.*7391)/);
    }
  });
});

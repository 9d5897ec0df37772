// Ω = max_i E‖ω_i‖² of the noise B₀ω of each mechanism (non-asymptotic paper, Section 4.1), against simulation; and theorems 1
// and 2: what one report guarantees.

import { describe, expect, test } from '@jest/globals';
import type { OnlinePlan } from '../../protocols/online-sgd/index.ts';
import {
  gaussian,
  gdp,
  laplace,
  printedGaussian,
  printedGdp,
  privUnit,
} from '../../protocols/online-sgd/parameters.ts';
import { player } from '../../protocols/online-sgd/player.ts';
import { onlineAuditing } from '../../protocols/online-sgd/protocol.ts';
import { server } from '../../protocols/online-sgd/server.ts';
import { guarantee, neighbourDistance, noiseVariance } from '../../protocols/online-sgd/theory.ts';
import { addUnitReport } from '../../src/core/vector-channel.ts';
import { normal } from '../../src/random/random.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { fillGradient } from '../../src/risk/regression/gradient.ts';
import type { ModelRequest } from '../../src/risk/regression/model.ts';
import { omega } from '../evidence/online-sgd/bounds.ts';
import { records } from '../protocols/online-sgd-cases.ts';

const { abs, log, sqrt } = Math;
const model: ModelRequest = { kind: 'huber', features: 4 };
const P = 5;
const B = sqrt(2) * 1.345;

/** Mean and standard error of ‖g̃ − Ψ‖²/B₀² over reports of one record. */
function squaredNoise(plan: OnlinePlan, trials: number): { mean: number; error: number } {
  const random = seededRandom(`noise of ${plan.variant}`);
  const [datum] = records(plan, 1, 'noise');
  const step = server.step(plan, server.start(plan));
  const gradient = new Float64Array(P);
  fillGradient(plan.model, step.iterate, datum, gradient);
  const report = player.randomize(step, datum, random);
  const { noise } = plan;
  const scale = noise.law === 'unit' ? B : noise.law === 'grid' ? B * noise.mechanism.step : 1;
  const drawn = new Float64Array(P);
  let sum = 0;
  let squares = 0;
  for (let n = 0; n < trials; n++) {
    player.randomizeInto(step, datum, random, report);
    drawn.fill(0);
    if (noise.law === 'unit') addUnitReport(noise.mechanism, report.values, drawn);
    else drawn.set(report.values as Float64Array);
    let squared = 0;
    for (let i = 0; i < P; i++) squared += (scale * drawn[i] - gradient[i]) ** 2;
    squared /= B * B;
    sum += squared;
    squares += squared * squared;
  }
  const mean = sum / trials;
  return { mean, error: sqrt((squares / trials - mean * mean) / trials) };
}

describe('Ω', () => {
  // |z| > 5 has probability 6e-7 for each; the control would be off by more than 10 of these errors.
  test.each([
    ['laplace', laplace({ model, epsilon: 2 }), (8 * P * P) / 4],
    ['gdp', gdp({ model, mu: 2 }), (4 * P) / 4],
    ['privUnit', privUnit({ model, epsilon: 3 }), undefined],
    ['gaussian on a grid', gaussian({ model, epsilon: 2, delta: 1e-5, grade: 'deployment' }), undefined],
    ['printedGaussian', printedGaussian({ model, epsilon: 2, delta: 1e-5 }), (P * 8 * log(1.25e5)) / 2],
    ['printedGdp', printedGdp({ model, mu: 2 }), (P * 4) / 2],
  ])('of %s is what simulation gives', (_, plan, closed) => {
    const { mean, error } = squaredNoise(plan, plan.noise.law === 'grid' ? 20_000 : 60_000);
    expect(abs(mean - omega(plan))).toBeLessThan(5 * error);
    expect(abs(mean - 0.9 * omega(plan))).toBeGreaterThan(5 * error);
    if (closed !== undefined) expect(omega(plan)).toBeCloseTo(closed, 9);
  });

  test('of k-closest encoding is what simulation gives, over seeds', () => {
    const plan = privUnit({ model, epsilon: 3, grade: 'deployment' });
    // Of the whole completed vector, of which one coordinate is left out here: of p + 1 coordinates p.
    const { mean, error } = squaredNoise(plan, 4000);
    expect(abs(mean - omega(plan))).toBeLessThan(5 * error + 0.05 * omega(plan));
    expect(abs(mean - 0.8 * omega(plan))).toBeGreaterThan(5 * error + 0.05 * omega(plan));
  });

  test('of uniform budgets uses the smallest, and the variance of an average E[1/μ²] = 1/(low·high)', () => {
    const plan = gdp({ model, budgets: { rule: 'uniform', low: 1, high: 2 } });
    expect(omega(plan)).toBeCloseTo(4 * P, 9);
    expect(noiseVariance(plan)).toBeCloseTo((4 * B * B) / 2, 9);
    const random = seededRandom('uniform budgets');
    const [datum] = records(plan, 1, 'noise');
    const step = { ...server.step(plan, server.start(plan)), place: 0 };
    const gradient = new Float64Array(P);
    fillGradient(plan.model, step.iterate, datum, gradient);
    let sum = 0;
    const trials = 40_000;
    const report = player.randomize({ ...step, place: 1 }, datum, random);
    for (step.place = 1; step.place <= trials; step.place++) {
      player.randomizeInto(step, datum, random, report);
      for (let i = 0; i < P; i++) sum += (report.values[i] - gradient[i]) ** 2 / (P * trials);
    }
    // A square of a normal number times 1/μ² ∈ [¼, 1]: relative deviation below √2.5, 5 standard errors.
    expect(abs(sum / noiseVariance(plan) - 1)).toBeLessThan((5 * sqrt(2.5)) / sqrt(P * trials));
  });
});

describe('theorems 1 and 2: the guarantee of a report, the costliest of all players', () => {
  test('is the maximum of the budgets, and with a Hessian the root of the sum of squares', () => {
    expect(guarantee(gdp({ model, budgets: { rule: 'list', mus: [0.5, 2, 1] } }))).toEqual({ kind: 'gdp', mu: 2 });
    expect(guarantee(gdp({ model, budgets: { rule: 'uniform', low: 1, high: 2 } }))).toEqual({ kind: 'gdp', mu: 2 });
    const both = guarantee(gdp({ model, mu: 3, hessianMu: 4 }));
    expect(both.kind === 'gdp' ? both.mu : 0).toBeCloseTo(5, 12);
  });

  // How much of the bound these pairs reach. Less than all where its parts are added up (joint scale, classes), where the two ends of
  // a score have different sizes (expectile, quantile), and where both are reached for huge parameters only (logistic).
  const REACHED: { readonly [kind: string]: number } = {
    'huber-scale': 0.97,
    multinomial: 0.6,
    expectile: 0.6,
    quantile: 0.49,
    logistic: 0.6,
  };
  const kinds: readonly ModelRequest[] = [
    model,
    { ...model, kind: 'huber-scale' },
    { ...model, kind: 'logistic' },
    { ...model, kind: 'multinomial', classes: 3 },
    { ...model, kind: 'expectile', tau: 0.8 },
    { ...model, kind: 'quantile', tau: 0.2, bandwidth: 0.1 },
    { ...model, clip: 0.7 },
    { ...model, kind: 'response', loss: 'squared', clip: 2 },
  ];

  test.each(kinds)('rests on the bounds of the gradient, which are reached: %j', (asked) => {
    const plan = gdp({ model: asked, mu: 1 });
    const { dimension, gradientBound, sensitivity } = plan.model;
    const random = seededRandom('bounds');
    const theta = new Float64Array(dimension);
    const [first, second] = [new Float64Array(dimension), new Float64Array(dimension)];
    let [norm, distance] = [0, 0];
    const pairs = Array.from({ length: 300 }, (_, n) =>
      onlineAuditing.pairs({ plan, index: 1, place: 1, iterate: theta }, seededRandom(n)),
    ).flat();
    for (const [n, pair] of pairs.entries()) {
      // Close to 0, where the worst pairs have their scores at both ends, and far away.
      const spread = n % 3 === 0 ? 1e-9 : n % 3 === 1 ? 1 : 30;
      for (let i = 0; i < dimension; i++) theta[i] = spread * normal(random);
      if (asked.kind === 'huber-scale') theta[dimension - 1] = abs(theta[dimension - 1]) + 0.01;
      fillGradient(plan.model, theta, pair.first, first);
      fillGradient(plan.model, theta, pair.second, second);
      norm = Math.max(norm, Math.hypot(...first), Math.hypot(...second));
      distance = Math.max(distance, Math.hypot(...first.map((entry, i) => entry - second[i])));
    }
    expect(norm).toBeLessThanOrEqual(gradientBound * (1 + 1e-12));
    expect(distance).toBeLessThanOrEqual(sensitivity * (1 + 1e-12));
    expect(distance).toBeGreaterThan((REACHED[asked.kind] ?? 0.99) * sensitivity);
    expect(neighbourDistance(plan)).toBe(sensitivity);
  });

  test('with a Hessian two data are apart in both: √((2B₀)² + (√2·B₁)²), which for Huber is √(8·1.345² + 8)', () => {
    const alone = gdp({ model, mu: 3 });
    const both = gdp({ model, mu: 3, hessianMu: 4 });
    expect(neighbourDistance(alone)).toBeCloseTo(3.804234, 5);
    // ‖m‖² = w(x)‖x‖² ≤ 2 = B₁.
    expect(neighbourDistance(both)).toBeCloseTo(4.740485, 5);
    // In units of the gradient's bound where it is a direction that is randomized.
    expect(neighbourDistance(privUnit({ model, epsilon: 1 }))).toBeCloseTo(2, 12);
  });

  // Laplace noise is scaled for opposite gradients along a diagonal. None of these pairs has such: .89 of ε.
  test.each([
    ['laplace', laplace({ model, epsilon: 1.5 }), 0.85],
    ['privUnit', privUnit({ model, epsilon: 1.5 }), 0.999],
    ['privUnit, deployment', privUnit({ model, epsilon: 1.5, grade: 'deployment' }), 0.999],
  ])('%s: no report of any pair has a likelihood ratio above e^ε, and some come near it', (_, plan, reached) => {
    const epsilon = 1.5;
    const random = seededRandom('ratio');
    const step = server.step(plan, server.start(plan));
    let largest = 0;
    for (const pair of onlineAuditing.pairs(step, random)) {
      const ratio = onlineAuditing.logLikelihoodRatio?.(step, pair);
      const report = player.randomize(step, pair.first, random);
      for (let n = 0; n < 400; n++) {
        player.randomizeInto(step, n % 2 ? pair.first : pair.second, random, report);
        largest = Math.max(largest, abs(ratio?.(report) ?? Infinity));
      }
    }
    // In single precision a Laplace report is rounded.
    expect(largest).toBeLessThanOrEqual(epsilon * (1 + 1e-6));
    expect(largest).toBeGreaterThan(reached * epsilon);
  });

  test('gdp: the log ratio of the worst pair is normal with mean μ²/2 and variance μ²', () => {
    const plan = gdp({ model, mu: 1.5 });
    const random = seededRandom('normal ratio');
    const step = server.step(plan, server.start(plan));
    const [pair] = onlineAuditing.pairs(step, random);
    const ratio = onlineAuditing.logLikelihoodRatio?.(step, pair);
    const report = player.randomize(step, pair.first, random);
    const trials = 40_000;
    let [sum, squares] = [0, 0];
    for (let n = 0; n < trials; n++) {
      player.randomizeInto(step, pair.first, random, report);
      const value = ratio?.(report) ?? Number.NaN;
      sum += value / trials;
      squares += value ** 2 / trials;
    }
    const [mu, variance] = [1.5, squares - sum * sum];
    // 5 standard errors, false alarm 1e-6; were the sensitivity √2B₀ the mean would be .56 and not 1.125.
    expect(abs(sum - mu ** 2 / 2)).toBeLessThan((5 * mu) / sqrt(trials));
    expect(abs(variance / mu ** 2 - 1)).toBeLessThan(5 * sqrt(2 / trials));
  });
});

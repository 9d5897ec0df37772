// Theorem 14 of Wang, Smith, Xu 2020, as far as it holds: for every convex loss of the margin one report of each variant is a
// stochastic oracle with a stated mean and variance, within the budget, and the excess risk of what the toolkit recommends
// falls with n as it should. (The printed gradient is biased: test/errata/algorithm-2.long.test.ts. The degree claimed is not
// enough: test/errata/chebyshev-degree.test.ts.)
import { describe, expect, test } from '@jest/globals';
import {
  copies,
  generalizedLinear,
  generalizedLinearParameters,
  lifted,
  mixtureGradients,
  mixtureSlope,
  mixtureVariance,
  type ReportTally,
  smoothedStepCoefficients,
  sphericalLaplace,
} from '../../protocols/generalized-linear/index.ts';
import { deconvolutionOf, sphericalVariance } from '../../protocols/generalized-linear/margin/spherical.ts';
import { type GeneralizedLinearRequest, VARIANTS } from '../../protocols/generalized-linear/parameters.ts';
import { evaluatePolynomial } from '../../src/polynomial/fit.ts';
import { deconvolvedGradient } from '../../src/polynomial/spherical-deconvolution.ts';
import { normal } from '../../src/random/random.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { convexMixture } from '../../src/risk/convex-mixture.ts';
import { lossByName } from '../../src/risk/named-loss.ts';
import { simulate } from '../../src/simulation/runner.ts';
import { exactSlope } from '../../src/testing/claim.ts';
import { mixtureQuality } from './mixture-quality.ts';

const { hypot, sqrt } = Math;

interface Sample {
  /** ‖mean − m‖² over the stated variance of that mean. */
  readonly bias: number;
  /** Mean of ‖G − m‖², and its standard error. */
  readonly variance: number;
  readonly error: number;
}

/** Mean and variance of gradient estimates that are to have the mean m. */
function sample(reports: number, m: readonly number[], draw: (target: Float64Array) => void, stated: number): Sample {
  const estimate = new Float64Array(m.length);
  const mean = new Float64Array(m.length);
  let [sum, squares] = [0, 0];
  for (let i = 0; i < reports; i++) {
    draw(estimate);
    let squared = 0;
    for (let j = 0; j < m.length; j++) {
      mean[j] += estimate[j] / reports;
      squared += (estimate[j] - m[j]) ** 2;
    }
    sum += squared;
    squares += squared * squared;
  }
  const variance = sum / reports;
  const bias = hypot(...mean.map((entry, j) => entry - m[j])) / sqrt(stated / reports);
  return { bias, variance, error: sqrt((squares / reports - variance * variance) / reports) };
}

describe.each(['logistic', 'hinge', 'absolute', 'squared'])('algorithm 2 with one s per gradient, %s loss', (name) => {
  test('is unbiased for its polynomial and has the stated variance', () => {
    const loss = lossByName(name);
    const mixture = convexMixture(loss);
    const parameters = copies({ epsilon: 150, delta: 1e-3, degree: 3, dimension: 2 });
    const step = smoothedStepCoefficients(3, 0.2);
    const record = { features: [0.6, -0.5], label: -1 };
    const w = Float64Array.of(-0.7, 0.4);
    const slope = evaluatePolynomial(mixtureSlope(mixture, step, 'shared'), 0.62);
    const stated = mixtureVariance(parameters, mixture, 'shared', { coefficients: step, w, ...record });
    const random = seededRandom(`theorem 14 ${name}`);
    const tally = generalizedLinear.server.empty(parameters) as ReportTally;
    const report = generalizedLinear.player.randomize(parameters, record, random);
    generalizedLinear.server.add(parameters, tally, report);
    const gradients = mixtureGradients(parameters, mixture, step, 'shared', tally, random);
    const m = record.features.map((entry) => slope * record.label * entry);
    const measured = sample(
      40_000,
      m,
      (target) => {
        generalizedLinear.player.randomizeInto(parameters, record, random, report);
        tally.values.set(report.values);
        gradients.gradient(0, w, target);
      },
      stated,
    );
    // One χ²₁ at most beyond 25, and a nearly normal mean beyond 5: 6e-7 each, four losses.
    expect(measured.bias).toBeLessThan(5);
    expect(Math.abs(measured.variance - stated) / measured.error).toBeLessThan(5);
    expect(measured.error / stated).toBeLessThan(0.05);
    // Control: a variance that is 30 % off is rejected.
    expect((measured.variance - 1.3 * stated) / measured.error).toBeLessThan(-5);
  });

  test('has an inexactness that falls with the degree', () => {
    const loss = lossByName(name);
    const quality = (degree: number, beta: number) =>
      mixtureQuality(copies({ epsilon: 1, delta: 1e-6, degree, dimension: 2 }), loss, 'shared', {
        w: [0.5, 0],
        features: [1, 0],
        label: 1,
        beta,
        radius: 1,
      });
    // For the absolute loss the derivative jumps, and the error at the jump stays; its oracle is for the smoothed loss.
    const [coarse, fine] = [quality(1, 0.5), quality(15, 0.1)];
    if (loss.kinks.length === 0) expect(fine.inexactness).toBeLessThan((coarse.inexactness as number) + 1e-12);
    else expect(fine.inexactness as number).toBeLessThan(2);
    // The price: the noise of the high powers.
    expect(fine.deviation).toBeGreaterThan(1e6 * coarse.deviation);
  });
});

describe.each([
  [3, 'logistic'],
  [2, 'logistic'],
  [9, 'logistic'],
  [3, 'squared'],
  [3, 'exponential'],
] as const)('one spherical Laplace report of %i features, %s loss', (dimension, name) => {
  test('is decoded without bias for f′(t)·v itself and has the stated variance', () => {
    const loss = lossByName(name);
    const parameters = sphericalLaplace({ epsilon: 8, dimension });
    const deconvolution = deconvolutionOf(parameters, loss);
    const w = Float64Array.from({ length: dimension }, (_, j) => [0.8, -0.6][j] ?? 0);
    const features = Array.from({ length: dimension }, (_, j) => [0.5, 0.3, -0.4][j] ?? 0.1);
    const label = -1;
    const v = features.map((entry) => label * entry);
    const along = v.reduce((sum, entry, j) => sum + entry * w[j], 0);
    const squaredNorm = v.reduce((sum, entry) => sum + entry * entry, 0);
    const stated = sphericalVariance(parameters, loss, { weightNorm: 1, along, squaredNorm });
    const random = seededRandom(`spherical ${dimension} ${name}`);
    const report = generalizedLinear.player.randomize(parameters, { features, label }, random);
    const draw = (target: Float64Array): void => {
      generalizedLinear.player.randomizeInto(parameters, { features, label }, random, report);
      deconvolvedGradient(deconvolution, w, report.values, target);
    };
    const m = v.map((entry) => loss.derivative(along) * entry);
    const measured = sample(60_000, m, draw, stated);
    // As above: 4 standard errors is 6e-5 at most, five such tests.
    expect(measured.bias).toBeLessThan(4);
    // The exponential loss has no fourth moment here, so its sample variance says nothing of its own error.
    if (name !== 'exponential') expect(Math.abs(measured.variance - stated) / measured.error).toBeLessThan(5);
    // Control: what the same reports say without the correction is biased.
    const plain = sample(
      60_000,
      m,
      (target) => {
        generalizedLinear.player.randomizeInto(parameters, { features, label }, random, report);
        let u = 0;
        for (let j = 0; j < dimension; j++) u += report.values[j] * w[j];
        for (let j = 0; j < dimension; j++) target[j] = loss.derivative(u) * report.values[j];
      },
      stated,
    );
    expect(plain.bias).toBeGreaterThan(8);
  });
});

test('E‖g‖² of a spherical Laplace report is what was computed independently, for the logistic loss at ‖w‖ = 1, v = e₁/2', () => {
  const loss = lossByName('logistic');
  const secondMoment = (dimension: number, epsilon: number): number => {
    const at = { weightNorm: 1, along: 0.5, squaredNorm: 0.25 };
    return sphericalVariance(sphericalLaplace({ epsilon, dimension }), loss, at) + 0.25 * loss.derivative(0.5) ** 2;
  };
  // Computed independently with SciPy, to two digits.
  expect(Math.abs(secondMoment(3, 4) / 0.68 - 1)).toBeLessThan(0.05);
  expect(Math.abs(secondMoment(9, 4) / 7.5 - 1)).toBeLessThan(0.1);
  expect(Math.abs(secondMoment(3, 8) / 0.15 - 1)).toBeLessThan(0.1);
});

test('every variant but the printed one certifies the budget that was asked for', () => {
  const requests = VARIANTS.filter((variant) => variant !== 'printed').flatMap((variant) => {
    const delta = ['gaussian', 'copies'].includes(variant) ? 1e-6 : undefined;
    const degree = variant === 'sphericalLaplace' ? undefined : 2;
    return [0.1, 1, 4].map(
      (epsilon) => ({ variant, epsilon, delta, degree, dimension: 3 }) as GeneralizedLinearRequest,
    );
  });
  const broken = requests.filter(
    (request) =>
      !generalizedLinear.theory
        .certificate(generalizedLinearParameters(request))
        .totals.some(({ withinClaim }) => withinClaim === true),
  );
  expect(broken).toEqual([]);
});

test('the excess risk of lifted reports falls like 1/n under the squared loss', () => {
  // The reconstruction is unbiased and the minimiser inside the ball, so w is off by O(n^−½): by noise, and by a ridge that is
  // proportional to its standard deviation. A quadratic risk then has an excess of order 1/n.
  const parameters = lifted({ epsilon: 6, degree: 1, dimension: 3, shares: [1, 1] });
  const random = seededRandom('population');
  const population = Array.from({ length: 1000 }, (_, i) => {
    const label = i % 2 ? 1 : -1;
    const x = [0.5 * label + 0.3 * normal(random), 0.4 * normal(random), 0.4 * normal(random)];
    const norm = Math.max(1, 1.0001 * hypot(...x));
    return { features: Float64Array.from(x, (entry) => entry / norm), label };
  });
  const m = [0, 1, 2].map((j) => population.reduce((sum, { features, label }) => sum + label * features[j], 0) / 1000);
  const second = (j: number, k: number): number =>
    population.reduce((sum, { features }) => sum + features[j] * features[k], 0) / 1000;
  const matrix = [0, 1, 2].map((j) => [0, 1, 2].map((k) => second(j, k)));
  const risk = (w: ArrayLike<number>): number => {
    let value = 0.5;
    for (let j = 0; j < 3; j++) {
      value -= m[j] * w[j];
      for (let k = 0; k < 3; k++) value += 0.5 * w[j] * matrix[j][k] * w[k];
    }
    return value;
  };
  // The least risk by Gauss–Seidel sweeps.
  const best = [0, 0, 0];
  for (let sweep = 0; sweep < 500; sweep++) {
    for (let j = 0; j < 3; j++) {
      const others = [0, 1, 2].reduce((sum, k) => (k === j ? sum : sum + matrix[j][k] * best[k]), 0);
      best[j] = (m[j] - others) / matrix[j][j];
    }
  }
  const RUNS = 8;
  const sizes = [4000, 32_000, 256_000];
  const excess = sizes.map((players) => {
    let sum = 0;
    for (let run = 0; run < RUNS; run++) {
      const people = { players, datum: (i: number) => population[i % 1000] };
      const tally = simulate(generalizedLinear, parameters, people, { seed: `slope ${players} ${run}` });
      const { w } = generalizedLinear.server.estimate(parameters, tally, { loss: 'squared', radius: 5 });
      sum += (risk(w) - risk(best)) / RUNS;
    }
    return sum;
  });
  // Each mean of eight excesses (three squared normals or more each) has a relative deviation of .29; over a factor 64 in n
  // the slope then has one of .1, so that ±.4 is four of them. Slopes of −½ (a rate of noise itself) are rejected.
  const slope = exactSlope(sizes, excess);
  expect(slope).toBeGreaterThan(-1.4);
  expect(slope).toBeLessThan(-0.6);
});

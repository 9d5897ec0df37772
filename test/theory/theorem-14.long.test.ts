// Theorem 14 of Wang, Smith, Xu 2020, as far as it holds: for every convex loss of the margin one report of each variant is a
// stochastic oracle with a stated mean and variance, within the budget, and the excess risk of what the toolkit recommends
// falls with n as it should: the validations generalized-linear-theorem-14-bias (the printed gradient is biased) and -rate. (The degree
// claimed is not enough: test/errata/chebyshev-degree.test.ts.)
import { describe, expect, test } from '@jest/globals';
import {
  generalizedLinear,
  generalizedLinearParameters,
  sphericalLaplace,
} from '../../protocols/generalized-linear/index.ts';
import { deconvolutionOf, sphericalVariance } from '../../protocols/generalized-linear/margin/spherical.ts';
import { type GeneralizedLinearRequest, VARIANTS } from '../../protocols/generalized-linear/parameters.ts';
import { deconvolvedGradient } from '../../src/polynomial/spherical-deconvolution.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { lossByName } from '../../src/risk/named-loss.ts';
import { meanGradient } from '../evidence/generalized-linear/validations/mean-gradient.ts';
import { rate } from '../evidence/generalized-linear/validations/rate.ts';
import { expectExcessControls, failing, SEED } from '../validations/claims.ts';
import { runQuick } from '../validations/run.ts';

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

test('the gradient of algorithm 2 has the claimed mean and variance, and the excess risk falls like its closed form', () => {
  for (const validation of [meanGradient, rate]) expect(failing(runQuick(validation, SEED))).toEqual([]);
  // Controls: an exponent or an excess risk a fifth off.
  expectExcessControls(rate);
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
    // One χ²₁ at most beyond 16: 6e-5, five such tests. A variance beyond 5 standard errors: 6e-7.
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

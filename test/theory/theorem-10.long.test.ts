// Theorem 10 of Wang, Smith, Xu 2020: the gradient estimate of one report is a stochastic oracle of Definition 7 for the
// smoothed risk: unbiased for P(t)·v, of a stated variance, with inexactness 2R·sup|P − f′|. For the paper's estimator and for those of
// the toolkit both are measured by the validations hinge-theorem-10-moments and hinge-theorem-10-inexactness.
import { describe, expect, test } from '@jest/globals';
import { gradientVariance } from '../../protocols/generalized-linear/margin/channels.ts';
import type { CopiesParameters, GaussianParameters } from '../../protocols/generalized-linear/margin/parameters.ts';
import { hingeParameters } from '../../protocols/hinge/index.ts';
import { DEVIATIONS, exactSlope } from '../../src/testing/claim.ts';
import { inexactness } from '../evidence/hinge/validations/inexactness.ts';
import {
  gradientOf,
  gradientSums,
  type OneReportChunk,
  type OneReportSetting,
  oneReportResult,
  parametersOf,
  type ReportGradient,
  targetOf,
} from '../evidence/hinge/validations/one-report.ts';
import { oracleMoments } from '../evidence/hinge/validations/oracle-moments.ts';
import { failing, SEED } from '../validations/claims.ts';
import { runQuick, tampered } from '../validations/run.ts';

const { abs, sqrt } = Math;

const DEGREES = [0, 1, 2, 3];

test('gradient estimates are unbiased with the stated variance, and an oracle with the stated inexactness', () => {
  for (const validation of [oracleMoments, inexactness]) expect(failing(runQuick(validation, SEED))).toEqual([]);
});

test('control: a mean a fifth off, and a variance a quarter off, are rejected for every decoder and degree', () => {
  const missed: string[] = [];
  let cells = 0;
  tampered(oracleMoments, SEED, (chunk, setting, key) => {
    const [sums, of] = [chunk as unknown as OneReportChunk, setting as unknown as OneReportSetting];
    const { variance, stated } = oneReportResult(of, [sums]);
    const m = targetOf(of);
    for (const fifth of [-0.2, 0.2]) {
      const moved = { ...sums, bias: sums.bias.map((entry, i) => entry + fifth * of.reports * m[i]) };
      if (oneReportResult(of, [moved]).bias <= DEVIATIONS) missed.push(`${key}: mean`);
      const off = abs(variance.mean - (1 + 1.25 * fifth) * stated);
      if (off <= DEVIATIONS * variance.error) missed.push(`${key}: variance`);
    }
    cells++;
    return chunk;
  });
  expect(missed).toEqual([]);
  expect(cells).toBe(32);
});

describe('control: what a wrong decoder does', () => {
  const settingOf = (key: string): OneReportSetting =>
    oracleMoments.cells('quick').find((cell) => cell.key === key)!.setting;
  const biasOf = (setting: OneReportSetting, gradient: ReportGradient): number =>
    oneReportResult(setting, [gradientSums(setting, gradient, 0, 'wrong')]).bias;

  test.each([1, 2])('corrected with a σ² that is 25 % off, the estimate of degree %i is biased', (degree) => {
    // Degree 3 is left out: there the errors of these coefficients happen to cancel.
    const setting = settingOf(`gaussian-gaussian-${degree}`);
    const parameters = parametersOf(setting) as GaussianParameters;
    const wrong = { ...parameters, sigma: sqrt(1.25) * parameters.sigma };
    expect(biasOf(setting, gradientOf(setting, wrong))).toBeGreaterThan(5);
  });

  test.each([
    // Copies 2 and 3 are the two factors of the monomial of degree 2; copy 0 is that outside, copy 1 the factor of degree 1.
    ['one copy shared by two factors', 'printed-product-2', 2, 3],
    ['one copy shared by two factors', 'printed-product-3', 2, 3],
    ['one copy shared by two factors', 'copies-product-2', 2, 3],
    ['one copy shared by two factors', 'copies-product-3', 2, 3],
    ['copy 0 used for a factor as well', 'printed-product-1', 0, 1],
  ])('with %s the product estimate is biased: %s', (_, key, from, to) => {
    const setting = settingOf(key);
    const decode = gradientOf(setting);
    const stride = (parametersOf(setting) as CopiesParameters).dimension + 1;
    const shared: ReportGradient = (values, target) =>
      decode(values.slice().copyWithin(to * stride, from * stride, (from + 1) * stride), target);
    expect(biasOf(setting, shared)).toBeGreaterThan(5);
  });
});

describe('how the closed-form variance grows as ε falls', () => {
  const setting = (degree: number) => ({
    coefficients: [-0.8, 0.5, 0.4, -0.6].slice(0, degree + 1),
    w: [-0.7, 0.4],
    features: [0.6, -0.5],
    label: -1,
  });

  test('of the product estimate: as ε^{−4(d+1)}, the square of the theorem’s 1/ε^{2d+2}', () => {
    // Each of the d factors of the leading monomial has a noisy y and a noisy ⟨w, x⟩, and so has y₀x₀: 2(d + 1) normals of
    // deviation ∝ 1/ε, whose product has a variance ∝ ε^{−4(d+1)} once the noise is all there is.
    for (const degree of DEGREES) {
      const epsilons = [1e-4, 2e-4, 4e-4, 8e-4];
      const variances = epsilons.map((epsilon) =>
        gradientVariance(
          hingeParameters({ variant: 'printed', epsilon, delta: 1e-6, degree, dimension: 2 }),
          'product',
          setting(degree),
        ),
      );
      expect(abs(exactSlope(epsilons, variances) + 4 * (degree + 1))).toBeLessThan(1e-3);
    }
  });

  test('of one Gaussian copy: as σ^{2(d+1)}, half the exponent', () => {
    for (const degree of DEGREES) {
      const request = { variant: 'gaussian', epsilon: 40, delta: 1e-3, degree, dimension: 2 } as const;
      const parameters = hingeParameters(request) as GaussianParameters;
      const sigmas = [1e3, 2e3, 4e3];
      const variances = sigmas.map((sigma) => gradientVariance({ ...parameters, sigma }, 'gaussian', setting(degree)));
      expect(abs(exactSlope(sigmas, variances) - 2 * (degree + 1))).toBeLessThan(1e-3);
    }
  });

  test('of the lifted report: as ε^{−2}, whatever the degree', () => {
    for (const degree of DEGREES) {
      const epsilons = [1e-3, 2e-3, 4e-3];
      const variances = epsilons.map((epsilon) =>
        gradientVariance(
          hingeParameters({ variant: 'lifted', epsilon, degree, dimension: 2 }),
          'lifted',
          setting(degree),
        ),
      );
      expect(abs(exactSlope(epsilons, variances) + 2)).toBeLessThan(1e-2);
    }
  });

  test('and with p: in proportion, the theorem’s √p in the deviation', () => {
    const at = (dimension: number): number => {
      const padded = (entries: readonly number[]) =>
        Float64Array.from({ length: dimension }, (_, i) => entries[i] ?? 0);
      const { w, features, ...rest } = setting(2);
      const made = hingeParameters({ variant: 'printed', epsilon: 1, delta: 1e-6, degree: 2, dimension });
      return gradientVariance(made, 'product', { ...rest, w: padded(w), features: padded(features) });
    };
    expect(abs(at(2000) / at(1000) - 2)).toBeLessThan(0.01);
  });
});

test('a decoder that does not fit the variant, and a setting of another size, are refused', () => {
  const parameters = hingeParameters({ variant: 'gaussian', epsilon: 40, delta: 1e-3, degree: 1, dimension: 2 });
  const setting = { coefficients: [-0.5, 0.1], w: [-0.7, 0.4], features: [0.6, -0.5], label: -1 };
  expect(() => gradientVariance(parameters, 'lifted', setting)).toThrow(
    '"decoder" expected one that fits variant gaussian, got "lifted"',
  );
  expect(() => gradientVariance(parameters, 'gaussian', { ...setting, coefficients: [1, 1, 1] })).toThrow(
    '"coefficients.length" expected ',
  );
  expect(() => gradientVariance(parameters, 'gaussian', { ...setting, w: [1] })).toThrow('"w.length" expected ');
  expect(() => gradientVariance(parameters, 'gaussian', { ...setting, features: [1] })).toThrow('"features.length" ');
});

// Bounds, rates and noise of streams (non-asymptotic paper, theorems 3 to 6 and examples; inference paper, theorem 2) at points
// where every constant of them can be worked out by hand.

import { describe, expect, test } from '@jest/globals';
import { asymptoticCovariance } from '../../protocols/online-sgd/index.ts';
import {
  gaussian,
  gdp,
  laplace,
  nonPrivate,
  printedGaussian,
  printedGdp,
  privUnit,
} from '../../protocols/online-sgd/parameters.ts';
import { noiseVariance } from '../../protocols/online-sgd/theory.ts';
import { gdpDelta } from '../../src/privacy/gaussian.ts';
import type { ModelRequest } from '../../src/risk/regression/model.ts';
import {
  averageLossBound,
  averageRate,
  hessianSensitivity,
  lastIterateBound,
  lastIterateRate,
  lastLossBound,
  omega,
  powerIntegral,
  printedAverageLossBound,
  printedLaplaceRate,
  printedLastLossBound,
  rateExponents,
} from '../evidence/online-sgd/bounds.ts';

const { hypot, SQRT2, sqrt } = Math;

// B² = C₀²(1 + Ω) = 4·1.5 = 6.
const fields = { steps: 4, rate: 0.5, decay: 0.25, gradientBound: 2, omega: 0.5, start: 3 };

describe('theorem 3', () => {
  test('the leading term: 6·.5/(.4·4^¼) = 3/.565685', () => {
    expect(lastIterateRate(fields, 0.4)).toBeCloseTo(5.303301, 6);
  });

  test('two steps of the recursion: .6·3 + 6·.25 = 3.3, then .663642·3.3 + 6·.176777 = 3.250677', () => {
    expect(lastIterateBound({ ...fields, steps: 1 }, 0.4)).toBeCloseTo(3.3, 12);
    expect(lastIterateBound({ ...fields, steps: 2 }, 0.4)).toBeCloseTo(3.250677, 5);
  });

  test('a step that is too long keeps nothing of the start, and less than nothing is not kept', () => {
    expect(lastIterateBound({ ...fields, steps: 1 }, 10)).toBeCloseTo(1.5, 12);
  });
});

test('theorem 4, its two terms: (5 + 6/.4)/4 = 5', () => {
  expect(averageRate(fields, 0.4, 5)).toBeCloseTo(5, 12);
});

describe('table 1', () => {
  test.each([
    // α, α, min(1, 2α), the last loss, min(α, 1 − α).
    [1 / 3, 1 / 3, 2 / 3, 0, 1 / 3],
    [0.35, 0.35, 0.7, 0.025, 0.35],
    [0.4, 0.4, 0.8, 0.1, 0.4],
    [0.45, 0.45, 0.9, 0.175, 0.45],
    [1 / 2, 1 / 2, 1, 1 / 4, 1 / 2],
    [0.55, 0.55, 1, 0.275, 0.45],
    [0.6, 0.6, 1, 0.3, 0.4],
    [2 / 3, 2 / 3, 1, 1 / 3, 1 / 3],
    [0.75, 0.75, 1, 0.25, 0.25],
    [0.9, 0.9, 1, 0.1, 0.1],
  ])('α = %p', (decay, last, average, lastLoss, averageLoss) => {
    const found = rateExponents(decay);
    expect(found.last).toBe(last);
    expect(found.average).toBeCloseTo(average, 14);
    expect(found.lastLoss).toBeCloseTo(lastLoss, 14);
    expect(found.averageLoss).toBeCloseTo(averageLoss, 14);
  });

  test('says nothing of the last loss below ⅓, and nothing at all at 1; the integral of powers has no gap at 0', () => {
    expect(rateExponents(0.33).lastLoss).toBeUndefined();
    expect(() => rateExponents(1)).toThrow(/^"decay" expected a number strictly/);
    expect(powerIntegral(1e-12, 7)).toBeCloseTo(powerIntegral(0, 7), 9);
    expect(powerIntegral(0.5, 9)).toBeCloseTo(4, 12);
  });
});

describe('theorem 5', () => {
  // n = 15, α = ¾: the second half begins at 8; ψ_¼(16) = 4, ψ_¼(8) = 2.727171, ψ_{−½}(15) = 1.483602.
  const last = { ...fields, steps: 15, decay: 0.75 };

  test.each([
    // Small noise, a slow descent: 2D/Ση = 2·3.009314/.636414 with D = 3 + .015·.25·2.483602.
    ['the descent', { ...last, gradientBound: 0.1 }, 40, 9.457089],
    // D = 3 + .015·64·2.483602 = 5.384258, M·B² = .6 and η₈ = 8·8^(−¾) = 1.681793: √(.6·5.384258·1.681793) + .3·2.828427.
    ['the noise', { ...last, gradientBound: 0.1, rate: 8 }, 40, 3.179434],
    // D = 3 + 6·.25·2.483602 = 6.725403, and .7·D/2.
    ['smoothness alone', last, 0.7, 2.353891],
  ])('what holds, where it is %s that decides', (_, given, smoothness, expected) => {
    expect(lastLossBound(given, smoothness)).toBeCloseTo(expected, 5);
  });

  test.each([
    // n = 16, η = ¼, M = .7: √(.7·6) = 2.049390, H = (1 + 4·2.049390·.125)/.25 = 8.098780.
    // α = ¾: G = 3 + 6·ψ_{−½}(16)/16 = 3.5625; 2√G·H/ψ_¼(16), ψ = 4.
    [0.75, 7.643056],
    [0.6, 7.299296],
    // α = .4: J = 3.375; 2·J·H/(√.2·ψ_.1(16)), ψ = 3.195079.
    [0.4, 38.2584],
  ])('as printed at α = %p', (decay, expected) => {
    const found = printedLastLossBound({ ...fields, steps: 16, rate: 0.25, decay }, 0.7);
    expect(found).toBeCloseTo(expected, 4);
  });
});

describe('theorem 6', () => {
  test('what holds at n = 15, α = ¾: (8·6.725403/.5 + 6·.5·4)/30', () => {
    expect(averageLossBound({ ...fields, steps: 15, decay: 0.75 })).toBeCloseTo(3.986882, 5);
  });

  test('as printed at n = 16, α = ¾: ψ_{−½} = 1.5, ψ_¼ = 4: (3 + 1.5·1.5)/(1·16^¼) + 6·.5·4/32 = 2.625 + .375', () => {
    expect(printedAverageLossBound({ ...fields, steps: 16, decay: 0.75 })).toBeCloseTo(3, 12);
  });
});

describe('noise', () => {
  const model = { kind: 'huber', features: 3 } as const;
  // p = 4, B₀ = √2·1.345.
  const bound = SQRT2 * 1.345;

  test('Laplace: the ℓ₁ sensitivity is √p·2B₀, the scale that over ε, the variance twice its square', () => {
    const { noise } = laplace({ model, epsilon: 2 });
    if (noise.law !== 'laplace') throw new Error('Laplace noise is needed');
    expect(noise.absoluteSensitivity).toBeCloseTo(4 * bound, 12);
    expect(noise.scale).toBeCloseTo(2 * bound, 12);
    expect(noiseVariance(laplace({ model, epsilon: 2 }))).toBeCloseTo(8 * bound ** 2, 10);
    // Two gradients of norm B₀ that are opposite and have equal coordinates reach it: Σ|2B₀/√p| over p coordinates.
    const corner = Array.from({ length: 4 }, () => (2 * bound) / sqrt(4));
    expect(corner.reduce((sum, entry) => sum + entry, 0)).toBeCloseTo(noise.absoluteSensitivity, 12);
    expect(hypot(...corner)).toBeCloseTo(2 * bound, 12);
  });

  test('Gaussian: the least noise at (ε, δ) for 2B₀, and 2B₀/μ', () => {
    const { noise } = gaussian({ model, epsilon: 1, delta: 1e-5 });
    if (noise.law !== 'gaussian') throw new Error('Gaussian noise is needed');
    expect(gdpDelta((2 * bound) / noise.sigma, 1) / 1e-5).toBeCloseTo(1, 6);
    expect(noiseVariance(gdp({ model, mu: 0.5 }))).toBeCloseTo(16 * bound ** 2, 10);
    expect(omega(gdp({ model, mu: 0.5 }))).toBeCloseTo(64, 10);
  });

  test('as printed: B₀²·8·ln(1.25/δ)/ε, and B₀²·4/μ', () => {
    // ln(1.25·10⁵) = 11.736069.
    expect(noiseVariance(printedGaussian({ model, epsilon: 2, delta: 1e-5 })) / bound ** 2).toBeCloseTo(46.944276, 5);
    expect(noiseVariance(printedGdp({ model, mu: 2 })) / bound ** 2).toBeCloseTo(2, 12);
  });

  test('of a stream without privacy is 0', () => {
    expect(noiseVariance(nonPrivate({ model }))).toBe(0);
  });

  test('PrivUnit: B₀² times the variance of a coordinate of the mechanism, Ω is p times that', () => {
    const plan = privUnit({ model, epsilon: 3 });
    if (plan.noise.law !== 'unit') throw new Error('unit vectors are needed');
    const { coordinateVariance } = plan.noise.mechanism;
    expect(noiseVariance(plan) / bound ** 2).toBeCloseTo(coordinateVariance, 12);
    expect(omega(plan) / coordinateVariance).toBeCloseTo(4, 12);
  });

  test('the printed rate of Laplace, p³(ln p)²/ε²: 8·.480453/4 at p = 2, ε = 2', () => {
    expect(printedLaplaceRate(2, 2)).toBeCloseTo(0.960906, 6);
    expect(printedLaplaceRate(3, 1)).toBeCloseTo(27 * 1.098612289 ** 2, 6);
  });

  test('A⁻¹(S + vI)A⁻¹/b by hand, p = 2 and A = diag(2, ½)', () => {
    const plan = gdp({ model: { kind: 'huber', features: 1 }, mu: 2, batch: 5 });
    const hessian = Float64Array.of(2, 0, 0, 0.5);
    const gradient = Float64Array.of(3, 1, 1, 2);
    // v = (2·√2·1.345/2)² = 3.618050.
    const v = 3.61805;
    const found = asymptoticCovariance(plan, { hessian, gradient });
    const expected = [(3 + v) / 4 / 5, 1 / 5, 1 / 5, ((2 + v) * 4) / 5];
    found.forEach((entry, i) => {
      expect(entry).toBeCloseTo(expected[i], 8);
    });
  });
});

describe('models', () => {
  const of = (request: object) => gdp({ model: request as ModelRequest, mu: 1 }).model;
  // Mallows weights have ‖w(x)x‖ ≤ √2.
  test.each([
    // The larger of τ and 1 − τ times the threshold 1.345, or times 1 for quantiles.
    ['expectile, τ = .8', { kind: 'expectile', features: 2, tau: 0.8 }, 3, SQRT2 * 1.345 * 0.8],
    ['expectile, τ = .3', { kind: 'expectile', features: 2, tau: 0.3 }, 3, SQRT2 * 1.345 * 0.7],
    ['quantile, τ = .2', { kind: 'quantile', features: 2, tau: 0.2, bandwidth: 0.1 }, 3, SQRT2 * 0.8],
    ['logistic', { kind: 'logistic', features: 2 }, 3, SQRT2],
    ['Huber of another threshold', { kind: 'huber', features: 2, threshold: 0.9, intercept: false }, 2, SQRT2 * 0.9],
    // Two parameters for each class but the first; ‖π − e_y‖ is 1 at most with two classes, √2 with more.
    ['two classes', { kind: 'multinomial', features: 2, classes: 2 }, 3, SQRT2],
    ['four classes', { kind: 'multinomial', features: 2, classes: 4 }, 9, 2],
    ['clipped', { kind: 'multinomial', features: 2, classes: 4, clip: 0.6 }, 9, 0.6],
  ])('%s: dimension and the bound B₀ on a gradient, two of which are 2B₀ apart', (_, request, dimension, bound) => {
    const model = of(request);
    expect(model.dimension).toBe(dimension);
    expect(model.gradientBound).toBeCloseTo(bound, 12);
    expect(model.sensitivity).toBeCloseTo(2 * bound, 12);
  });

  test('with a joint scale: √(8c² + c⁴/4) apart, of norm √(2c² + max(κ, c² − κ)²/4), κ = E min(c², Z²)', () => {
    // κ by a sum over the normal density.
    let kappa = 0;
    for (let x = -12; x < 12; x += 1e-3) {
      kappa += (Math.min(1.345 ** 2, x * x) * Math.exp(-x * x * 0.5) * 1e-3) / sqrt(2 * Math.PI);
    }
    const model = of({ kind: 'huber-scale', features: 2 });
    expect(model.dimension).toBe(4);
    expect(model.sensitivity).toBeCloseTo(sqrt(8 * 1.345 ** 2 + 1.345 ** 4 / 4), 10);
    const end = Math.max(kappa, 1.345 ** 2 - kappa);
    expect(model.gradientBound).toBeCloseTo(sqrt(2 * 1.345 ** 2 + end ** 2 / 4), 5);
    expect(of({ kind: 'huber-scale', features: 2, clip: 0.6 }).sensitivity).toBeCloseTo(1.2, 12);
  });

  test('budgets of a list: the mean of 1/μ², and Ω of the smallest', () => {
    const plan = gdp({ model: { kind: 'huber', features: 3 }, budgets: { rule: 'list', mus: [0.5, 2] } });
    // (4 + ¼)/2 times (2B₀)².
    expect(noiseVariance(plan)).toBeCloseTo(2.125 * 8 * 1.345 ** 2, 10);
    expect(omega(plan)).toBeCloseTo(4 * 4 * 4, 10);
  });

  test('a Hessian m·mᵀ with ‖m‖² ≤ 3: √2·3 and as printed 6', () => {
    expect(hessianSensitivity(3)).toEqual({ exact: expect.closeTo(4.242641, 6), printed: 6 });
  });
});

test('the Hessian of a loss has the bound 2L with Mallows weights, and none with clipping', () => {
  const boundOf = (request: ModelRequest): number | undefined => {
    const { model } = gdp({ model: request, mu: 1 });
    return model.form === 'index' ? model.hessianBound : Number.NaN;
  };
  // w(x)·‖x‖² ≤ 2, and f″ ≤ 1 for Huber and ¼ for the logistic loss.
  expect(boundOf({ kind: 'huber', features: 3 })).toBeCloseTo(2, 14);
  expect(boundOf({ kind: 'logistic', features: 3 })).toBeCloseTo(0.5, 14);
  expect(boundOf({ kind: 'huber', features: 3, clip: 1 })).toBeUndefined();
});

// PIDP-SGD (Kang, Li, Liu, Wang): the noise scales of Theorem 5 and (2) from their parts, the exact δ of drawn records against an
// integral over every sequence of draws, and line 9 of Algorithm 1 on data whose contributions are known.

import { describe, expect, test } from '@jest/globals';
import { skipsNoise } from '../../protocols/influence-sgd/curator.ts';
import { laplacianSmoothing } from '../../protocols/influence-sgd/gradient-perturbation.ts';
import {
  gradientPerturbation,
  influence,
  logisticRegression,
  outputPerturbation,
  printed,
  printedSigma,
  recalibrated,
  remainderBound,
  splitBudget,
  train,
  unboundedDelta,
} from '../../protocols/influence-sgd/index.ts';
import { empiricalHessian } from '../../protocols/influence-sgd/model.ts';
import { type InfluenceParameters, momentsEpsilon, sampledRenyi } from '../../protocols/influence-sgd/parameters.ts';
import { exposedExample, skipProbability } from '../../protocols/influence-sgd/theory.ts';
import { symmetricEigen } from '../../src/optimize/ball.ts';
import { gdpDelta } from '../../src/privacy/gaussian.ts';
import { fillNormal } from '../../src/random/random.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import {
  drawnProbability,
  drawnRecordDelta,
  excessRiskBound,
  generalizationBound,
  populationRiskBound,
} from '../evidence/influence-sgd/bounds.ts';
import { perceptron } from '../evidence/influence-sgd/perceptron.ts';

const { abs, exp, expm1, log, log1p, max, PI, sqrt } = Math;

const REQUEST = {
  epsilon1: 0.75,
  delta1: 5e-6,
  epsilon2: 0.25,
  delta2: 5e-6,
  records: 1000,
  lipschitz: 3,
  smoothness: 0.5,
  hessianLipschitz: 0.2,
  curvature: 0.1,
  radius: 2,
  localRounds: 10,
  globalRounds: 2,
};

describe('noise scales', () => {
  test('of Theorem 5 by hand: T = 20, σ = 2√2·3·√(20·12.20607)/750 and σ_c = 2√2·3·2·√(ln(2.5/5·10⁻⁶))/(1000·.1·.25)', () => {
    const { sigma, contributionSigma, steps, remainder, threshold } = printed(REQUEST);
    expect(steps).toBe(20);
    expect(sigma).toBeCloseTo(0.1767698, 6);
    // ln(500,000) = 13.12236, its root 3.622480; 16.97056·3.622480/25.
    expect(contributionSigma).toBeCloseTo(2.459021, 5);
    // (2·.5·3 + .2·9/.1)/(.01·10⁶) = 21/10⁴, and 2·2·5·10⁻⁶·(1 + e^−.75).
    expect(remainder).toBeCloseTo(0.0021, 12);
    expect(threshold / 2.944733e-5).toBeCloseTo(1, 6);
  });

  test('(2) by hand, with another constant as well: it is in proportion to c, G, √T and 1/(nε)', () => {
    const given = { epsilon: 2, delta: 1e-4, records: 50, lipschitz: 1, steps: 9 };
    // √(9·9.210340) = 9.10456 over 100.
    expect(printedSigma({ ...given, noiseConstant: 1 })).toBeCloseTo(0.0910456, 6);
    expect(printedSigma(given)).toBeCloseTo(0.0910456 * 2.828427, 6);
  });

  test('recalibrated: 4G/(nζ) in each of T contributions is (ε₂, δ₂) by Gaussian composition, and T drawn gradients (ε₁, δ₁)', () => {
    const { sigma, contributionSigma, steps } = recalibrated(REQUEST);
    const sensitivity = (4 * 3) / (1000 * 0.1);
    // T releases of μ each are √T·μ; the exact curve takes up the whole δ₂.
    expect(gdpDelta((sqrt(20) * sensitivity) / contributionSigma, 0.25) / 5e-6).toBeCloseTo(1, 6);
    expect(steps).toBe(20);
    const spent = momentsEpsilon({ records: 1000, batch: 1, steps: 20, lipschitz: 3, sigma, delta: 5e-6 });
    expect(spent).toBeLessThanOrEqual(0.75);
    expect(spent).toBeGreaterThan(0.749);
  });

  test('a record that is hardly ever drawn: the divergence is the integral of (r² − 1)(1 − 1/r) over r > 1, r = 1 + q(e^(μx − μ²/2) − 1)', () => {
    for (const [rate, mu] of [
      [1e-14, 4.5],
      [1e-3, 2],
      [0.4, 0.8],
    ]) {
      let sum = 0;
      for (let x = mu / 2; x < 2 * mu + 12; x += 1e-3) {
        const loss = log1p(rate * expm1(mu * (x - mu / 2)));
        sum += (-expm1(2 * loss) * expm1(-loss) * exp(-x * x * 0.5) * 1e-3) / sqrt(2 * PI);
      }
      expect(sampledRenyi(2, rate, 1 / mu) / log1p(sum)).toBeCloseTo(1, 5);
    }
  });

  test('gradients taken in turn: E passes of sensitivity 2G/b are √E·2G/(bσ)-Gaussian', () => {
    const descent = { epsilon: 1.5, delta: 1e-5, records: 103, lipschitz: 3, steps: 60, step: 0.1, batch: 10 };
    const { sigma } = gradientPerturbation({ ...descent, accountant: 'gdp' });
    // Ten whole batches a pass, six passes.
    expect(gdpDelta((sqrt(6) * 2 * 3) / (10 * sigma), 1.5) / 1e-5).toBeCloseTo(1, 6);
    // A step more begins a seventh.
    const more = gradientPerturbation({ ...descent, steps: 61, accountant: 'gdp' }).sigma;
    expect(more / sigma).toBeCloseTo(sqrt(7 / 6), 12);
  });

  test('the split of the experiments is ¾ and ¼ of ε, and halves of δ', () => {
    expect(splitBudget({ epsilon: 2, delta: 1e-5 })).toEqual({
      epsilon1: 1.5,
      delta1: 5e-6,
      epsilon2: 0.5,
      delta2: 5e-6,
    });
  });
});

/**
 * δ(ε) of T steps on drawn records: ∫ max(0, p − e^ε·q), p the mixture over all 2^T sequences of whether the record was drawn, by a
 * sum over a grid. Errors of the rule are far below 1e-9 for smooth parts, and below the square of the spacing at the kink.
 */
function integratedDelta(given: {
  epsilon: number;
  sigma: number;
  lipschitz: number;
  records: number;
  steps: number;
}): number {
  const { epsilon, sigma, lipschitz, records, steps } = given;
  const deviation = sigma * sqrt(steps);
  const density = (x: number): number => exp(-0.5 * (x / deviation) ** 2) / (deviation * sqrt(2 * PI));
  const spacing = deviation / 2000;
  let delta = 0;
  for (let x = -10 * deviation; x < 10 * deviation + steps * lipschitz; x += spacing) {
    let mixture = 0;
    for (let draws = 0; draws < 2 ** steps; draws++) {
      let [chance, drawn] = [1, 0];
      for (let t = 0; t < steps; t++) {
        const yes = (draws >> t) % 2 === 1;
        chance *= yes ? 1 / records : 1 - 1 / records;
        if (yes) drawn++;
      }
      mixture += chance * density(x - drawn * lipschitz);
    }
    delta += max(0, mixture - exp(epsilon) * density(x)) * spacing;
  }
  return delta;
}

describe('the exact δ of noisy steps on drawn records', () => {
  test.each([
    { epsilon: 0, sigma: 1, lipschitz: 1, records: 2, steps: 1 },
    { epsilon: 0.5, sigma: 0.7, lipschitz: 1, records: 4, steps: 3 },
    { epsilon: 1, sigma: 2, lipschitz: 3, records: 3, steps: 4 },
    { epsilon: 0.2, sigma: 3, lipschitz: 1, records: 2, steps: 5 },
  ])('is the integral over all sequences of draws: %j', (given) => {
    const exact = integratedDelta(given);
    expect(abs(drawnRecordDelta(given) / exact - 1)).toBeLessThan(1e-5);
    // The control: a fifth more noise is another number.
    expect(abs(drawnRecordDelta({ ...given, sigma: 1.2 * given.sigma }) / exact - 1)).toBeGreaterThan(0.02);
  });

  test('in one step is that of a Gaussian release at log(1 + n(e^ε − 1)), a share 1/n of it', () => {
    const given = { epsilon: 0.3, sigma: 0.8, lipschitz: 2, records: 5, steps: 1 };
    const amplified = gdpDelta(2 / 0.8, log(1 + 5 * (exp(0.3) - 1))) / 5;
    expect(drawnRecordDelta(given) / amplified).toBeCloseTo(1, 9);
  });

  test('the record is drawn with probability 1 − (1 − 1/n)^T: 271/1000 of three draws from ten', () => {
    expect(drawnProbability({ records: 10, steps: 3 })).toBeCloseTo(0.271, 14);
  });
});

describe('Algorithm 1, lines 9 and 10', () => {
  // Four equal records x = 1 with label −1, at θ = 0: every gradient is ½, H = ¼ + 1, and a contribution ½/(4·1.25) = .1. With
  // E = .03 line 9 has 2(.1 + .03) = .26 without noise.
  const n = 4;
  const model = logisticRegression({ dimension: 1, ridge: 1, radius: 1 });
  const records = {
    records: n,
    dimension: 1,
    features: new Float64Array(n).fill(1),
    labels: new Int8Array(n).fill(-1),
  };
  const made = printed({ ...REQUEST, records: n, ...model.constants, radius: 1, localRounds: 5, globalRounds: 1 });
  /** Steps without noise where the decision lets contributions below a limit pass: 2rδ₁(1 + e^−ε₁) is it. */
  function skippedAt(limit: number, changes: Partial<InfluenceParameters> = {}): number {
    const radius = limit / (2 * made.delta1 * (1 + exp(-made.epsilon1)));
    const parameters = { ...made, radius, threshold: limit, remainder: 0.03, contributionSigma: 1e-9, ...changes };
    const { skipped, noised } = train(parameters, model, records, seededRandom('line 9'));
    expect(skipped + noised).toBe(parameters.steps);
    return skipped;
  }

  test('twice the contribution and E is compared, not the contribution, and not twice it without twice E', () => {
    expect(skippedAt(0.2599)).toBe(0);
    expect(skippedAt(0.2601)).toBe(5);
    // E and the contribution move it by their doubles.
    expect(skippedAt(0.2799, { remainder: 0.04 })).toBe(0);
    expect(skippedAt(0.2801, { remainder: 0.04 })).toBe(5);
  });

  test('the noise on it has the deviation σ_c: a step passes with the probability that is stated', () => {
    // |.26 + .1N| ≤ .3: Φ(.4) − Φ(−5.6) = .655422.
    const limit = { threshold: 0.3, contributionSigma: 0.1 };
    expect(skipProbability(Float64Array.of(0.13), limit)).toBeCloseTo(0.655422, 5);
    expect(skipProbability(Float64Array.of(-0.13, 0.13), limit)).toBeCloseTo(0.655422 ** 2, 5);
    const steps = 20_000;
    const skipped = skippedAt(0.3, { contributionSigma: 0.1, localRounds: steps, steps });
    // 5 standard errors, false alarm 6e-7. With a fifth more or less noise it is .630 or .691.
    expect(abs(skipped / steps - 0.655422)).toBeLessThan((5 * sqrt(0.655422 * (1 - 0.655422))) / sqrt(steps));
  });

  test('a gradient that is not let pass has noise of deviation σ, and one that is has none', () => {
    const steps = 4000;
    const moves = (limit: number): number[] => {
      const radius = limit / (2 * made.delta1 * (1 + exp(-made.epsilon1)));
      // Steps so small that θ stays where it is: each moves it by −α(½ + σN).
      const step = 1e-9;
      const parameters = { ...made, radius, threshold: limit, remainder: 0.03, contributionSigma: 1e-9, step };
      const found: number[] = [];
      let before = 0;
      const onStep = (_: number, __: boolean, theta: Float64Array): void => {
        found.push((before - theta[0]) / step);
        before = theta[0];
      };
      train({ ...parameters, sigma: 2, localRounds: steps, steps }, model, records, seededRandom('line 11'), {
        onStep,
      });
      return found;
    };
    expect(moves(0.27).every((move) => abs(move - 0.5) < 1e-3)).toBe(true);
    const noised = moves(0.25);
    const mean = noised.reduce((sum, move) => sum + move, 0) / steps;
    const variance = noised.reduce((sum, move) => sum + (move - mean) ** 2, 0) / steps;
    // 5 standard errors each: .158 for the mean, 11 % of the variance, false alarm 1e-6.
    expect(abs(mean - 0.5)).toBeLessThan((5 * 2) / sqrt(steps));
    expect(abs(variance / 4 - 1)).toBeLessThan(5 * sqrt(2 / steps));
  });

  test('line 10 word by word lets pass what lies below 2rδ₁(1 + e^−ε₁), on either side', () => {
    const numbers = { epsilon1: 0.8, delta1: 0.01, radius: 3 };
    // .06·(1 + .449329) = .0869597.
    expect(skipsNoise(Float64Array.of(0.0869, -0.0869), numbers)).toBe(true);
    expect(skipsNoise(Float64Array.of(0.0871, 0), numbers)).toBe(false);
    expect(skipsNoise(Float64Array.of(0, -0.0871), numbers)).toBe(false);
  });

  test('δ that no ε helps: the record is drawn and no step has noise, summed over what is drawn', () => {
    // Two steps; the record passes with its probability a, the others with b: (a/n + (1 − 1/n)b)² − ((1 − 1/n)b)².
    const parameters = { records: 3, steps: 2, threshold: 0.3, contributionSigma: 0.1, remainder: 0.05 };
    const a = skipProbability(Float64Array.of(0.13), parameters);
    const b = skipProbability(Float64Array.of(0.05), parameters);
    const drawnOnce = 2 * (a / 3) * ((2 / 3) * b);
    const drawnTwice = (a / 3) ** 2;
    expect(unboundedDelta(parameters, Float64Array.of(0.13))).toBeCloseTo(drawnOnce + drawnTwice, 14);
  });

  test('E of Theorem 4 by hand: (2LG + CG²/ζ)/(ζn)² = (2·2·3 + 5·9/.5)/(.5·10)² = 4.08', () => {
    const given = { records: 10, lipschitz: 3, smoothness: 2, hessianLipschitz: 5, curvature: 0.5 };
    expect(remainderBound(given)).toBeCloseTo(4.08, 12);
  });
});

describe('the example on which Algorithm 1 shows its records', () => {
  const budget = { epsilon1: 0.8, delta1: 1e-4, epsilon2: 0.2, delta2: 1e-4 };

  test.each(['printed', 'recalibrated'] as const)(
    '%s: 7σ_c and twice the largest contribution and E pass the decision',
    (variant) => {
      const request = { variant, budget, records: 50, dimension: 4, steps: 6 };
      const { parameters, model, data } = exposedExample(request);
      // G = 1 and H ⪰ ζ = 1: a contribution is 1/n at most.
      expect([parameters.curvature, parameters.steps, model.ridge]).toEqual([1, 6, 0]);
      const largestTolerance = 7 * parameters.contributionSigma + 2 * (1 / 50 + parameters.remainder);
      expect(parameters.threshold / largestTolerance).toBeCloseTo(1, 12);
      expect((2 * parameters.radius * 1e-4 * (1 + exp(-0.8))) / largestTolerance).toBeCloseTo(1, 12);
      // The control has a threshold that nothing passes.
      const none = exposedExample({ ...request, decision: 'none' }).parameters;
      expect(none.threshold / largestTolerance).toBeCloseTo(1e-9, 15);
      // Records are coordinate axes, and zeros where one was left out.
      const { features, labels } = data([true, false, true, true]);
      expect([
        Array.from(features).reduce((sum, entry) => sum + entry, 0),
        features[0],
        features[5],
        features[10],
        features[15],
      ]).toEqual([3, 1, 0, 1, 1]);
      expect([...labels].every((label) => label === 1)).toBe(true);
    },
  );
});

describe('constants of models', () => {
  test('the largest |tanh″| is 4/(3√3), and the largest |tanh‴| is 2: the constants of a perceptron are made of them', () => {
    let [second, third] = [0, 0];
    for (let x = -4; x <= 4; x += 1e-4) {
      const t = Math.tanh(x);
      second = max(second, abs(2 * t * (1 - t * t)));
      third = max(third, abs((1 - t * t) * (6 * t * t - 2)));
    }
    expect([second, third]).toEqual([expect.closeTo(4 / (3 * sqrt(3)), 7), expect.closeTo(2, 7)]);
    // r = 2, h = 3, λ = .1: ‖∇s‖² ≤ 4 + 3 + 1, ‖∇²s‖ ≤ 2·.769800 + 1 and ‖∇³s‖ ≤ 2·2 + 3·.769800.
    const { constants, gradientBound } = perceptron({ dimension: 2, hidden: 3, ridge: 0.1, radius: 2 });
    const [bend, twist] = [2.5396007, 6.3094011];
    expect(gradientBound).toBeCloseTo(sqrt(8), 12);
    expect(constants.lipschitz).toBeCloseTo(sqrt(8) + 0.2, 12);
    expect(constants.smoothness).toBeCloseTo(2 + bend + 0.1, 6);
    // f‴ ≤ 1/(6√3), and 3·f″·‖∇s‖·‖∇²s‖ with f″ ≤ ¼.
    expect(constants.hessianLipschitz).toBeCloseTo(8 ** 1.5 / (6 * sqrt(3)) + 0.75 * sqrt(8) * bend + twist, 5);
    expect(constants.curvature).toBeCloseTo(0.1 - bend, 6);
  });

  test('the logistic loss: slopes of at most 1, ¼ and 1/(6√3) beside λr and λ', () => {
    const { constants } = logisticRegression({ dimension: 2, ridge: 0.3, radius: 2 });
    let [first, second, third] = [0, 0, 0];
    for (let x = -30; x <= 30; x += 1e-3) {
      const p = 1 / (1 + exp(-x));
      first = max(first, 1 - p);
      second = max(second, p * (1 - p));
      third = max(third, abs(p * (1 - p) * (1 - 2 * p)));
    }
    expect(constants.lipschitz).toBeCloseTo(first + 0.6, 6);
    expect(constants.smoothness).toBeCloseTo(second + 0.3, 6);
    expect(constants.hessianLipschitz).toBeCloseTo(third, 6);
    expect(third).toBeCloseTo(1 / (6 * sqrt(3)), 6);
  });

  const models = [
    ['logistic', logisticRegression({ dimension: 3, ridge: 0.2, radius: 2 })],
    ['perceptron', perceptron({ dimension: 3, hidden: 2, ridge: 0.2, radius: 2 })],
  ] as const;

  test.each(models)('derivatives of %s are differences of what is below them', (_, model) => {
    const random = seededRandom('differences');
    const m = model.parameters;
    const data = {
      records: 2,
      dimension: 3,
      features: Float64Array.of(0.5, -0.3, 0.6, -0.2, 0.7, 0.1),
      labels: Int8Array.of(1, -1),
    };
    const theta = new Float64Array(m);
    fillNormal(theta, random);
    const vector = new Float64Array(m);
    fillNormal(vector, random);
    const gradientAt = (index: number, point: Float64Array, weight = 1): Float64Array => {
      const target = new Float64Array(m);
      model.addGradient(point, data, index, weight, target);
      return target;
    };
    const h = 1e-5;
    for (const index of [0, 1]) {
      const hessian = new Float64Array(m * m);
      model.addHessian(theta, data, index, 0.7, hessian);
      const product = new Float64Array(m);
      model.addHessianProduct(theta, data, index, vector, 0.7, product);
      const gradient = gradientAt(index, theta, 0.7);
      for (let j = 0; j < m; j++) {
        const [left, right] = [-h, h].map((step) => theta.map((entry, i) => (i === j ? entry + step : entry)));
        const slope = (model.loss(right, data, index) - model.loss(left, data, index)) / (2 * h);
        expect(abs(0.7 * slope - gradient[j])).toBeLessThan(1e-8);
        const [low, high] = [gradientAt(index, left), gradientAt(index, right)];
        for (let i = 0; i < m; i++) {
          expect(abs((0.7 * (high[i] - low[i])) / (2 * h) - hessian[i * m + j])).toBeLessThan(1e-8);
        }
        const along = vector.reduce((sum, entry, i) => sum + entry * hessian[j * m + i], 0);
        expect(abs(along - product[j])).toBeLessThan(1e-12);
      }
    }
  });
});

describe('bounds on risks', () => {
  test('theorem 1: (1 − μ/L)^T·gap + (k/n)·mσ²/(2μ): (.8)²·3 + .4·5·.09/(2·.4)', () => {
    const given = { gap: 3, pl: 0.4, smoothness: 2, dimension: 5, sigma: 0.3, steps: 2 };
    expect(excessRiskBound({ ...given, noisedShare: 0.4 })).toBeCloseTo(1.92 + 0.225, 12);
    expect(excessRiskBound(given)).toBeCloseTo(1.92 + 0.5625, 12);
  });

  test('theorem 2 is the least over τ of what is printed, on a grid; theorem 3 that and the excess', () => {
    const given = { excessRisk: 0.02, leastRisk: 0.3, records: 50, lipschitz: 1.5, smoothness: 2, pl: 0.4 };
    let least = Infinity;
    for (let tau = 0.01; tau < 20; tau += 1e-3) {
      const slope = (8 * 0.02) / 0.4 + (16 * 1.5 ** 2) / (50 ** 2 * 0.4 ** 2);
      least = Math.min(least, slope * (tau + 2) + (2 * (0.02 + 0.3)) / tau);
    }
    expect(generalizationBound(given)).toBeCloseTo(least, 6);
    expect(populationRiskBound(given)).toBeCloseTo(least + 0.02, 6);
  });
});

describe('the methods that it is compared with', () => {
  test('output perturbation: replacing a record moves the last iterate by 2Gkα, or 2G/(λn) with regularisation', () => {
    const base = { epsilon: 1, delta: 1e-5, records: 200, passes: 3, radius: 2, step: 0.05 };
    const plain = outputPerturbation({ ...base, model: logisticRegression({ dimension: 2, ridge: 0, radius: 2 }) });
    expect(plain.sensitivity).toBeCloseTo(2 * 3 * 0.05, 12);
    expect(gdpDelta(plain.sensitivity / plain.sigma, 1) / 1e-5).toBeCloseTo(1, 6);
    const curved = outputPerturbation({ ...base, model: logisticRegression({ dimension: 2, ridge: 0.1, radius: 2 }) });
    expect(curved.sensitivity).toBeCloseTo(2 / (0.1 * 200), 12);
  });

  test('with another bound on gradients, G = 1.5, and steps of 1/√n where none are asked for', () => {
    const base = { epsilon: 1, delta: 1e-5, records: 400, passes: 3, radius: 2 };
    const steep = (ridge: number): ReturnType<typeof outputPerturbation> =>
      outputPerturbation({
        ...base,
        model: { ...logisticRegression({ dimension: 2, ridge, radius: 2 }), gradientBound: 1.5 },
      });
    expect(steep(0).step).toBeCloseTo(1 / 20, 14);
    expect(steep(0).sensitivity).toBeCloseTo((2 * 1.5 * 3) / 20, 12);
    expect(steep(0.1).sensitivity).toBeCloseTo((2 * 1.5) / (0.1 * 400), 12);
  });

  test('Laplacian smoothing undoes v − s·(second differences of v around the circle)', () => {
    const v = Float64Array.of(1, -2, 4, 0.5, 3);
    const s = 0.7;
    const rough = v.map((x, i) => x - s * (v[(i + 1) % 5] - 2 * x + v[(i + 4) % 5]));
    laplacianSmoothing(5, s)(rough);
    rough.forEach((entry, i) => {
      expect(entry).toBeCloseTo(v[i], 12);
    });
  });
});

describe('influence by a Hessian solve', () => {
  // Records x = e_1 and e_2 in turn with label −1 at θ = 0: H = diag(⅛, ⅛) + λ, gradients ½·e_i, and c = ½/(n·H).
  const n = 6;
  const records = {
    records: n,
    dimension: 2,
    features: Float64Array.from({ length: 2 * n }, (_, i) => (i % 4 === 0 || i % 4 === 3 ? 1 : 0)),
    labels: new Int8Array(n).fill(-1),
  };
  const contribution = (ridge: number, change: Partial<InfluenceParameters>): number[] => {
    const model = logisticRegression({ dimension: 2, ridge, radius: 1 });
    const settings = { ...model.constants, curvature: 0.1, method: 'explicit', repair: 'refuse', ...change } as const;
    const target = new Float64Array(2);
    influence(settings, model, records, new Float64Array(2), seededRandom('solve'))(1, target);
    return [...target];
  };

  test.each(['explicit', 'conjugate-gradient'] as const)(
    '%s: H⁻¹∇ℓ/n, with ζ on the diagonal where it is added',
    (method) => {
      const plain = contribution(0.25, { method });
      expect(plain[0]).toBeCloseTo(0, 12);
      expect(plain[1]).toBeCloseTo(0.5 / (n * 0.375), 10);
      const added = contribution(0.25, { method, repair: 'add', curvature: 0.6 });
      expect(added[1]).toBeCloseTo(0.5 / (n * 0.975), 10);
    },
  );

  test('lissa, from drawn records: the same within 5 %', () => {
    const found = contribution(0.25, { method: 'lissa', curvature: 0.25, smoothness: 1.25 });
    expect(abs(found[1] / (0.5 / (n * 0.375)) - 1)).toBeLessThan(0.05);
    const added = contribution(0.25, { method: 'lissa', repair: 'add', curvature: 0.6, smoothness: 1.25 });
    expect(abs(added[1] / (0.5 / (n * 0.975)) - 1)).toBeLessThan(0.05);
  });

  test('eigenvalues that are raised are ζ, and those below it are refused where nothing is repaired', () => {
    expect(contribution(0, { repair: 'raise', curvature: 0.4 })[1]).toBeCloseTo(0.5 / (n * 0.4), 10);
    expect(contribution(0, { curvature: 0.124 })[1]).toBeCloseTo(0.5 / (n * 0.125), 10);
    expect(() => contribution(0, { curvature: 0.126 })).toThrow(RangeError);
  });

  test('a loss that is not convex is refused where ζ on the diagonal is not enough, and not where it is', () => {
    // A hidden unit whose bend outweighs its slope: the least eigenvalue of the Hessian is below 0 at this point.
    const bent = perceptron({ dimension: 2, hidden: 1, ridge: 0.001, radius: 5 });
    const theta = Float64Array.from({ length: bent.parameters }, (_, j) => [1.5, 1.5, 0.8, 3, 0][j]);
    const least = symmetricEigen(empiricalHessian(bent, theta, records), bent.parameters).values[0];
    expect(least).toBeLessThan(-0.01);
    const solve = (curvature: number, repair: 'add' | 'raise'): void => {
      const settings = { ...bent.constants, curvature, method: 'explicit', repair } as const;
      influence(settings, bent, records, theta, seededRandom('bent'))(0, new Float64Array(bent.parameters));
    };
    // λ_min + ζ has to be ζ at least, so that no ζ is enough here; raised eigenvalues always are.
    for (const curvature of [0.1, 3]) {
      expect(() => solve(curvature, 'add')).toThrow(/eigenvalue/);
      expect(() => solve(curvature, 'raise')).not.toThrow();
    }
    // With more regularisation the same point has a positive definite Hessian, though the loss is not convex everywhere.
    const flat = perceptron({ dimension: 2, hidden: 1, ridge: 0.01 - least, radius: 5 });
    expect(flat.constants.curvature).toBeLessThan(0);
    const settings = { ...flat.constants, curvature: 0.1, method: 'explicit', repair: 'add' } as const;
    expect(() => influence(settings, flat, records, theta, seededRandom('flat'))).not.toThrow();
  });
});

import { describe, expect, test } from '@jest/globals';
import { fitMoments, fitOf } from '../../../../protocols/generalized-linear/fit.ts';
import { lifted } from '../../../../protocols/generalized-linear/index.ts';
import type { LiftedParameters } from '../../../../protocols/generalized-linear/margin/parameters.ts';
import { marginLossOf } from '../../../../protocols/generalized-linear/margin/query.ts';
import type { MarginLoss } from '../../../../src/risk/margin-loss.ts';
import { leastRisk, meanRisk, noisyMomentsOf, twoClasses } from '../../optimize/two-classes.ts';

const parameters = lifted({ epsilon: 1, degree: 1, dimension: 4 });
/** Reports of three powers. */
const cubic = lifted({ epsilon: 1, degree: 2, dimension: 4 });
const RADIUS = 4;
/** Collections of a setting. */
const RUNS = 6;
const SETTINGS = [
  { separation: 0.9, spread: 0.4, positive: 0.2, wrong: 0.1 },
  { separation: 0.5, spread: 0.5, positive: 0.5, wrong: 0.1 },
  { separation: 0.3, spread: 0.3, positive: 0.05, wrong: 0 },
];

const geometricMean = (ratios: readonly number[]): number =>
  ratios.reduce((product, ratio) => product * ratio, 1) ** (1 / ratios.length);

interface Collections {
  /** Variance of the noise on every entry of the moments. */
  readonly variance: number;
  readonly runs: number;
  readonly seed: string;
  readonly intercept: number | undefined;
}

/** Mean excess of the model where the fit is left open, in units of that of the polynomial alone, for each setting. */
function excessRatios(made: LiftedParameters, loss: MarginLoss, { variance, runs, seed, intercept }: Collections) {
  const { degree } = made;
  const fit = fitOf(made, {}, loss, RADIUS);
  return SETTINGS.map((setting) => {
    const vectors = twoClasses(setting);
    const best = leastRisk(vectors, RADIUS, loss);
    let [open, alone] = [0, 0];
    for (let run = 0; run < runs; run++) {
      const moments = noisyMomentsOf(vectors, degree + 1, variance, `${seed} ${run}`);
      const query = { loss, radius: RADIUS, intercept, fit, seed: `${run}` };
      open += meanRisk(vectors, fitMoments(made, moments, query).w, loss) - best;
      alone += meanRisk(vectors, fitMoments(made, moments, { ...query, degree }).w, loss) - best;
    }
    return open / alone;
  });
}

// Noise alone spreads a law of classes over far more than the ball, and e^−t over more than a number can say.
test('the exponential loss is minimised from moments of noise alone, and in any ball', () => {
  const loss = marginLossOf('exponential');
  const moments = noisyMomentsOf(twoClasses(SETTINGS[0]), 2, 1e8, 'loud');
  for (const radius of [1, 16, 100]) {
    const query = { loss, radius, intercept: 0, fit: fitOf(parameters, {}, loss, radius), seed: 'loud' };
    const { w, riskAt } = fitMoments(parameters, moments, query);
    expect(Math.hypot(...w)).toBeLessThanOrEqual(radius * (1 + 1e-9));
    expect(Number.isFinite(riskAt(w))).toBe(true);
  }
});

describe.each(['logistic', 'squared'])('the server of the %s loss', (name) => {
  const loss = marginLossOf(name);
  const fit = fitOf(parameters, {}, loss, RADIUS);

  // The seeds are fixed: there is no false alarm. Over twelve collections the ratios of the mean excess are .48 and .50 where one in twenty is positive, and
  // .91 to 1.17 in the two other settings, whose classes are far apart; over these six the first are at most .67.
  test('finds a better model than the polynomial alone, which is the control, where a class is rare, and elsewhere one nearly as good', () => {
    const ratios = excessRatios(parameters, loss, { variance: 3e-4, runs: RUNS, seed: 'smooth', intercept: 0 });
    expect(ratios[2]).toBeLessThan(0.75);
    expect(ratios[2]).toBeGreaterThan(0);
    expect(Math.max(...ratios)).toBeLessThan(1.3);
    expect(geometricMean(ratios)).toBeLessThan(0.95);
  });

  test('keeps a line in the place of a slope that is one, and says its risk without bias', () => {
    const vectors = twoClasses(SETTINGS[0]);
    const moments = noisyMomentsOf(vectors, 2, 1e-10, 'line');
    const { w, bias, coefficients, riskAt } = fitMoments(parameters, moments, {
      loss,
      radius: 1,
      intercept: 0,
      fit: fitOf(parameters, {}, loss, 1),
    });
    expect(coefficients).toHaveLength(2);
    expect(Math.abs(riskAt(w) - meanRisk(vectors, w, loss))).toBeLessThan(name === 'squared' ? 1e-4 : 0.01);
    if (name === 'squared') expect(bias).toBeLessThan(1e-12);
  });

  test('fits the polynomial alone where a degree is named, and with two powers where no coordinate is known to be constant', () => {
    const moments = noisyMomentsOf(twoClasses(SETTINGS[0]), 2, 3e-4, 'named');
    const query = { loss, radius: RADIUS, intercept: 0, fit };
    const one = fitMoments(parameters, moments, { ...query, degree: 1 }).w;
    expect(fitMoments(parameters, moments, { ...query, degree: 1, seed: 'other' }).w).toEqual(one);
    expect(fitMoments(parameters, moments, { ...query, intercept: undefined }).w).toEqual(one);
    const open = fitMoments(parameters, moments, query).w;
    expect(fitMoments(parameters, moments, query).w).toEqual(open);
    expect(Math.hypot(...open.map((entry, j) => entry - one[j]))).toBeGreaterThan(0.02);
  });
});

// Three powers, with a known constant coordinate and without one. The control is the polynomial alone, which is fitted to margins anywhere.
// The seeds are fixed: there is no false alarm.
describe.each(['logistic', 'exponential', 'squared-hinge'])('three powers under the %s loss', (name) => {
  const loss = marginLossOf(name);

  test.each([0, undefined])('find a better model than the polynomial alone, intercept %s', (intercept) => {
    const ratios = excessRatios(cubic, loss, { variance: 3e-6, runs: 3, seed: 'three', intercept });
    // Their mean is .13 and .28 for the logistic loss, below .2 for others; only in the first setting is the logistic one not below 1, with 1.47 and 1.03.
    expect(Math.max(...ratios)).toBeLessThan(1.6);
    expect(geometricMean(ratios)).toBeLessThan(0.4);
  });
});

test('a slope that is a line stays one with three powers and little noise, and the risk is said without bias', () => {
  const loss = marginLossOf('squared');
  const vectors = twoClasses(SETTINGS[0]);
  const moments = noisyMomentsOf(vectors, 3, 1e-10, 'line');
  for (const intercept of [0, undefined]) {
    const query = { loss, radius: 1, intercept, unitNorm: true, fit: fitOf(cubic, {}, loss, 1), seed: 'line' };
    const { w, bias, coefficients, riskAt } = fitMoments(cubic, moments, query);
    expect(coefficients).toHaveLength(2);
    expect(bias).toBeLessThan(1e-12);
    expect(Math.abs(riskAt(w) - meanRisk(vectors, w, loss))).toBeLessThan(1e-4);
  }
});

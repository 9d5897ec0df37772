import { describe, expect, test } from '@jest/globals';
import { boundedModel, meanScore } from '../../protocols/noisy-gradient-descent/model.ts';
import { fitRegression, type RegressionFit } from '../../protocols/online-sgd/regression-fit.ts';
import { solveLeastSquares } from '../../src/numeric/matrix.ts';
import { type ModelRequest, onlineModel } from '../../src/risk/regression/model.ts';
import { huberScaleConstant, smoothedQuantileLoss } from '../../src/risk/response-loss.ts';
import { fixture, largestDifference, type Records, records } from './fixture.ts';

interface Fit {
  readonly theta: number[];
  readonly errors: number[];
}

const figures = fixture<{
  leastSquares: { near: Fit; far: Fit; farUnweighted: number[] };
  huber: { near: number[]; far: number[]; farRisk: number };
  jointHuber: { statsmodels: number[]; sklearn: number[]; root: { theta: number[]; kappa: number } };
  expectiles: { plain: Record<string, number[]>; robust: number[] };
  quantiles: { leastRisk: Record<string, number>; convolved: [number, number][] };
}>('fits');

// Near the origin all Mallows weights are 1, so that those who know of no weights fit the same model.
const near = records(1, 0.5);
const far = records(2, 4);

function fitOf(request: Omit<ModelRequest, 'features'>, { features, responses }: Records): RegressionFit {
  const model = onlineModel({ ...request, features: 3 });
  if (model.form !== 'index') throw new Error('a model of one inner product');
  const datum = (i: number) => ({ features: features[i], response: responses[i] });
  return fitRegression(model, { players: 300, datum });
}

// Both sides go on until rounding stops them, at gradients below 1e-13, and curvatures are at least .04: minimisers agree to 1e-11.
// Every comparison has a control: another model of the same records is further away than 1e-3.
const SOLVED = 1e-11;

describe('least squares by statsmodels', () => {
  const squared = { kind: 'huber', threshold: 1e6 } as const;

  test('without weights: coefficients and standard errors HC0', () => {
    const { theta, standardErrors } = fitOf(squared, near);
    expect(largestDifference(theta, figures.leastSquares.near.theta)).toBeLessThan(SOLVED);
    expect(largestDifference(standardErrors, figures.leastSquares.near.errors)).toBeLessThan(SOLVED);
    const design = { rows: 300, columns: 4, entries: Float64Array.from(near.features.flatMap((x) => [1, ...x])) };
    const direct = solveLeastSquares(design, near.responses);
    expect(largestDifference(direct, figures.leastSquares.near.theta)).toBeLessThan(SOLVED);
    expect(largestDifference(fitOf({ kind: 'huber' }, near).theta, figures.leastSquares.near.theta)).toBeGreaterThan(
      1e-3,
    );
  });

  test('with Mallows weights, as weighted least squares; without them it is another fit', () => {
    const { theta, standardErrors } = fitOf(squared, far);
    expect(largestDifference(theta, figures.leastSquares.far.theta)).toBeLessThan(SOLVED);
    expect(largestDifference(standardErrors, figures.leastSquares.far.errors)).toBeLessThan(SOLVED);
    expect(largestDifference(theta, figures.leastSquares.farUnweighted)).toBeGreaterThan(1e-3);
  });
});

describe('Huber regression', () => {
  test('with a known scale by the reweighting of statsmodels', () => {
    // The reweighting stops at steps of 1e-15, at a rate of convergence of a fifth or so.
    expect(largestDifference(fitOf({ kind: 'huber' }, near).theta, figures.huber.near)).toBeLessThan(SOLVED);
    const control = fitOf({ kind: 'huber', threshold: 1.2 }, near).theta;
    expect(largestDifference(control, figures.huber.near)).toBeGreaterThan(1e-3);
  });

  test('with Mallows weights by a trust region of SciPy', () => {
    const { theta, risk } = fitOf({ kind: 'huber' }, far);
    expect(largestDifference(theta, figures.huber.far)).toBeLessThan(SOLVED);
    expect(Math.abs(risk - figures.huber.farRisk)).toBeLessThan(1e-14);
    expect(largestDifference(fitOf({ kind: 'huber', threshold: 2 }, far).theta, figures.huber.far)).toBeGreaterThan(
      1e-3,
    );
  });

  const joint = boundedModel({ kind: 'huber-scale', features: 3, leastScale: 0.1 });
  const scoreAt = (theta: number[], { features, responses }: Records): Float64Array => {
    const score = new Float64Array(5);
    const rows = features.map((x, i) => ({ features: x, response: responses[i] }));
    meanScore(joint, rows, Float64Array.from(theta), score);
    return score;
  };
  const kappa = huberScaleConstant(1.345);

  test('with a joint scale: the score vanishes at the root that SciPy finds', () => {
    expect(Math.abs(kappa - figures.jointHuber.root.kappa)).toBeLessThan(1e-13);
    expect(largestDifference(scoreAt(figures.jointHuber.root.theta, far), new Float64Array(5))).toBeLessThan(1e-12);
    const moved = figures.jointHuber.root.theta.map((entry, i) => (i === 4 ? 1.05 * entry : entry));
    expect(largestDifference(scoreAt(moved, far), new Float64Array(5))).toBeGreaterThan(1e-3);
  });

  test("with a joint scale: Huber's proposal 2 by statsmodels, which divides by n − p", () => {
    // Its scale makes the mean of ψ² equal κ(n − p)/n, so that ours is left with ½κp/n; it iterates to 1e-8 or better.
    const score = scoreAt(figures.jointHuber.statsmodels, near);
    expect(largestDifference(score, [0, 0, 0, 0, (0.5 * kappa * 4) / 300])).toBeLessThan(1e-8);
    expect(largestDifference(score, new Float64Array(5))).toBeGreaterThan(1e-3);
  });

  test('with a joint scale: scikit-learn, whose scale has 1 in the place of κ and is not consistent', () => {
    // Its solver stops at gradients of about 1e-6.
    const score = scoreAt(figures.jointHuber.sklearn, near);
    expect(largestDifference(score, [0, 0, 0, 0, 0.5 * (kappa - 1)])).toBeLessThan(1e-5);
    expect(figures.jointHuber.sklearn[4]).toBeLessThan(0.75 * figures.jointHuber.statsmodels[4]);
  });
});

describe('expectiles', () => {
  test.each([0.25, 0.8])('%p by iterated weighted least squares of statsmodels', (tau) => {
    const { theta } = fitOf({ kind: 'expectile', tau, threshold: 1e6 }, near);
    expect(largestDifference(theta, figures.expectiles.plain[tau])).toBeLessThan(SOLVED);
    const control = fitOf({ kind: 'expectile', tau: tau + 0.02, threshold: 1e6 }, near).theta;
    expect(largestDifference(control, figures.expectiles.plain[tau])).toBeGreaterThan(1e-3);
  });

  test("robust ones by Newton's method in NumPy", () => {
    const { theta } = fitOf({ kind: 'expectile', tau: 0.25 }, near);
    expect(largestDifference(theta, figures.expectiles.robust)).toBeLessThan(SOLVED);
    expect(largestDifference(theta, figures.expectiles.plain[0.25])).toBeGreaterThan(1e-3);
  });
});

describe('quantile regression', () => {
  test('the smoothed check loss is the convolution that SciPy integrates', () => {
    const { value } = smoothedQuantileLoss({ tau: 0.3, bandwidth: 0.25 });
    const { value: other } = smoothedQuantileLoss({ tau: 0.3, bandwidth: 0.24 });
    let worst = 0;
    let control = 0;
    for (const [r, expected] of figures.quantiles.convolved) {
      worst = Math.max(worst, Math.abs(value(0, r) - expected));
      control = Math.max(control, Math.abs(other(0, r) - expected));
    }
    expect(worst).toBeLessThan(1e-12);
    expect(control).toBeGreaterThan(1e-3);
  });

  // The smoothed loss lies above the check loss by at most h·log 2, so its minimiser has at most that much more risk than the
  // least: the linear programme of SciPy's HiGHS.
  test.each([0.3, 0.5])('at τ = %p the least risk is that of a linear programme', (tau) => {
    const excess = (fitted: number): number => {
      const { theta } = fitOf({ kind: 'quantile', tau: fitted, bandwidth: 0.005 }, near);
      const risk = near.features.reduce((sum, x, i) => {
        const residual = near.responses[i] - x.reduce((inner, entry, j) => inner + entry * theta[j + 1], theta[0]);
        return sum + (residual < 0 ? tau - 1 : tau) * residual;
      }, 0);
      return risk / 300 - figures.quantiles.leastRisk[tau];
    };
    const found = excess(tau);
    expect(found).toBeGreaterThan(-1e-12);
    expect(found).toBeLessThan(0.005 * Math.LN2);
    expect(excess(tau + 0.1)).toBeGreaterThan(0.005 * Math.LN2);
  });
});

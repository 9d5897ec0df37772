// docs/errata.md, slides, linear regression. Printed: mean of σρ_c((y − xᵀβ)/σ)·w(x) plus ½κnσ, with w(x) = min(1, 1/‖x‖). What
// holds: ½κσ, under the same weight as the rest, and w(x) = min(1, 2/‖x‖²). With the factor n the best σ is 0 from n = 3 on; without
// it, but outside the weight, σ̂ is too small; and the printed weight bounds the score but no factor of the Hessian.
import { describe, expect, test } from '@jest/globals';
import { boundedModel } from '../../protocols/noisy-gradient-descent/model.ts';
import { normal } from '../../src/random/random.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { HUBER_THRESHOLD, huberScaleConstant, huberScore, mallowsWeight } from '../../src/risk/response-loss.ts';

const { abs, max, min, sqrt } = Math;
const C = HUBER_THRESHOLD;
const KAPPA = huberScaleConstant(C);

const printedWeight = (squaredNorm: number): number => min(1, 1 / sqrt(squaredNorm));

/** sup of ‖a‖² = w(x)·‖x‖²/σ of the Hessian a·aᵀ at σ = 1, and of the score c·w(x)·‖x‖, over ‖x‖ up to a size. */
function suprema(
  weight: (squaredNorm: number) => number,
  size: number,
): { readonly factor: number; readonly score: number } {
  let factor = 0;
  let score = 0;
  for (let k = 0; k <= 4000; k++) {
    const norm = size * 10 ** (-k / 500);
    factor = max(factor, weight(norm * norm) * norm * norm);
    score = max(score, C * weight(norm * norm) * norm);
  }
  return { factor, score };
}

describe('the weight', () => {
  test('as printed it bounds the score, by c, but the factor of the Hessian grows like ‖x‖', () => {
    for (const size of [1e2, 1e4, 1e6]) {
      const { factor, score } = suprema(printedWeight, size);
      expect(score).toBeCloseTo(C, 12);
      expect(factor / size).toBeCloseTo(1, 12);
    }
  });

  test('min(1, 2/‖x‖²) bounds both: √2·c and 2, which are B and B̄ of the model', () => {
    const { factor, score } = suprema(mallowsWeight, 1e6);
    const { scoreBound, hessianBound } = boundedModel({ kind: 'huber', features: 3 });
    expect(factor).toBeCloseTo(hessianBound, 12);
    expect(score).toBeLessThanOrEqual(scoreBound);
    expect(score).toBeGreaterThan(0.99 * scoreBound);
  });
});

describe('the term of the scale', () => {
  // x = (1, z) with three standard normal features, residuals standard normal.
  const random = seededRandom('slides regression');
  const records = Array.from({ length: 20_000 }, () => {
    let squaredNorm = 1;
    for (let j = 0; j < 3; j++) squaredNorm += normal(random) ** 2;
    return { weight: mallowsWeight(squaredNorm), residual: normal(random) };
  });

  /** The derivative of the objective in σ at β = the truth; the scale's term has the factor `times`, or the weight of its record. */
  const slope = (sigma: number, times: number | 'weight'): number => {
    let sum = 0;
    for (const { weight, residual } of records) {
      const score = huberScore(residual / sigma, C);
      sum += 0.5 * ((times === 'weight' ? weight : times) * KAPPA - weight * score * score);
    }
    return sum / records.length;
  };

  /** Where the slope is 0: it grows with σ. */
  const root = (times: number | 'weight'): number => {
    let low = 1e-6;
    let high = 10;
    for (let k = 0; k < 60; k++) {
      const middle = (low + high) / 2;
      if (slope(middle, times) < 0) low = middle;
      else high = middle;
    }
    return low;
  };

  test('as printed, with the factor n, it grows in σ everywhere from n = 3 on: the best scale is 0', () => {
    // The mean of ψ²·w is at most c² = 1.81, and κ·3 is above it.
    expect(2 * KAPPA).toBeLessThan(C * C);
    expect(3 * KAPPA).toBeGreaterThan(C * C);
    for (const sigma of [1e-6, 1e-3, 1, 10]) expect(slope(sigma, 3)).toBeGreaterThan(0);
  });

  test('without n but outside the weight σ̂ is .548 σ; under the weight it is σ', () => {
    // .548 solves E w·E ψ(Z/s)² = κ with E w = .6253 for three features. 20 000 records: errors of .003 and .01.
    expect(abs(root('weight') - 1)).toBeLessThan(0.05);
    expect(abs(root(1) - 0.548)).toBeLessThan(0.02);
  });
});

import { checkPositive } from '../check/number.ts';
import type { ResponseLoss } from './response-loss.ts';

const { abs, exp, log1p, max } = Math;

/**
 * The logistic loss log(1 + e^t) − y·t of t = ⟨w, x⟩ for a response y ∈ {0, 1}: 1-Lipschitz and ¼-smooth. For y ∈ {−1, 1} it is
 * not a likelihood; the loss of a margin, `logisticLoss`, is what those labels need.
 *
 * @theorem online-inference Example 2
 */
export function binaryLogisticLoss(): ResponseLoss {
  return {
    name: 'logistic, response 0 or 1',
    value: (inner, y) => max(0, inner) + log1p(exp(-abs(inner))) - y * inner,
    derivative: (inner, y) => sigmoid(inner) - y,
    secondDerivative(inner) {
      const share = sigmoid(-abs(inner));
      return share * (1 - share);
    },
    constantsOn(radius = 1) {
      checkPositive('radius', radius);
      return { lipschitz: 1, smoothness: 0.25 };
    },
    kinked: false,
  };
}

/** 1/(1 + e^(−t)), without overflow. */
export function sigmoid(t: number): number {
  const e = exp(-abs(t));
  return t > 0 ? 1 / (1 + e) : e / (1 + e);
}

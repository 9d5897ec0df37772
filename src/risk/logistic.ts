import { checkPositive } from '../check/number.ts';
import { sigmoid } from '../numeric/sigmoid.ts';
import { checkDerivativeOrder, type DerivativeFiller } from '../polynomial/chebyshev.ts';
import type { MarginLoss } from './margin-loss.ts';
import type { ResponseLoss } from './response-loss.ts';

const { abs, exp, log1p, max } = Math;

/**
 * The logistic loss f(t) = log(1 + e^(−t)): 1-Lipschitz, ¼-smooth, without overflow or lost digits at any t.
 *
 * On [−R, R] it is 1/(1 + e^(−R))-Lipschitz: .731 for R = 1.
 *
 * @example
 * ```ts
 * import { logisticLoss } from 'ldpkit/optimize';
 * console.log(logisticLoss().value(0).toFixed(4)); // 0.6931
 * ```
 */
export function logisticLoss(): MarginLoss {
  return {
    name: 'logistic',
    value: (t) => (t > 0 ? log1p(exp(-t)) : log1p(exp(t)) - t),
    derivative: logisticSlope,
    secondDerivative: logisticCurvature,
    lipschitz: 1,
    smoothness: 0.25,
    kinks: [],
    analyticDerivatives: logisticDerivatives,
  };
}

function logisticSlope(t: number): number {
  return -sigmoid(-t);
}

function logisticCurvature(t: number): number {
  const e = exp(-abs(t));
  return e / ((1 + e) * (1 + e));
}

/**
 * All derivatives of the logistic loss: with y = tanh(t/2), f⁽ⁿ⁾ = 4f″·R_n(y), R_2 = ¼ and
 * R_{n+1} = −y·R_n + ½(1 − y²)·R_n′, polynomials computed once.
 *
 * In y far fewer digits cancel than in powers of the sigmoid: a factor 2ⁿ relative to the largest value of f⁽ⁿ⁾, not
 * 4.5ⁿ. The tails, where the factor 4f″ = 1 − y² is separate, are equally accurate up to n = 8.
 */
function logisticDerivatives(order: number): DerivativeFiller {
  checkDerivativeOrder(order);
  // R_n has degree n − 2 and the parity of n: every second coefficient is 0 and is not stored.
  const polynomials: Float64Array[] = [];
  let dense = Float64Array.of(0.25);
  for (let n = 2; n <= order; n++) {
    polynomials.push(dense.filter((_, power) => power % 2 === n % 2));
    const next = new Float64Array(dense.length + 1);
    for (let power = 0; power < dense.length; power++) {
      next[power + 1] -= dense[power] * (1 + power / 2);
      if (power > 0) next[power - 1] += (dense[power] * power) / 2;
    }
    dense = next;
  }
  return (t, target) => {
    const e = exp(-abs(t));
    target[0] = t > 0 ? log1p(e) : log1p(e) - t;
    if (order >= 1) target[1] = logisticSlope(t);
    const y = (t > 0 ? 1 - e : e - 1) / (1 + e);
    const squared = y * y;
    const envelope = (4 * e) / ((1 + e) * (1 + e));
    for (let n = 2; n <= order; n++) {
      const polynomial = polynomials[n - 2];
      let sum = 0;
      for (let i = polynomial.length - 1; i >= 0; i--) sum = sum * squared + polynomial[i];
      target[n] = envelope * (n % 2 === 0 ? sum : y * sum);
    }
  };
}

/**
 * The logistic loss log(1 + e^t) − y·t of t = ⟨w, x⟩ for a response y ∈ {0, 1}: 1-Lipschitz and ¼-smooth. For y ∈ {−1, 1} it is
 * not a likelihood; those labels need the loss of a margin, `logisticLoss`.
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

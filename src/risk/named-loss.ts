import { checkFinite, checkWord } from '../check/refusal.ts';
import { checkDerivativeOrder, type DerivativeFiller } from '../polynomial/spherical-deconvolution.ts';
import { hingeLoss, huberHingeLoss, type MarginLoss, squaredHingeLoss, squaredMarginLoss } from './margin-loss.ts';
import { absoluteResponseLoss, everywhere, type ResponseLoss, sigmoid, squaredLoss } from './response-loss.ts';

const { abs, exp, log1p, max } = Math;

/** One of `LOSS_NAMES`. */
export type LossName =
  | 'hinge'
  | 'hinge-1'
  | 'logistic'
  | 'squared-hinge'
  | 'huber-hinge'
  | 'exponential'
  | 'absolute'
  | 'squared';

const LOSSES: Readonly<Record<LossName, () => MarginLoss>> = {
  hinge: hingeLoss,
  'hinge-1': () => hingeLoss({ margin: 1 }),
  logistic: logisticLoss,
  'squared-hinge': squaredHingeLoss,
  'huber-hinge': huberHingeLoss,
  exponential: exponentialLoss,
  absolute: absoluteLoss,
  squared: squaredMarginLoss,
};

/** Losses of a margin by the names a command line takes, each with its default parameters; `hinge-1` has margin 1. */
export const LOSS_NAMES: readonly LossName[] = Object.keys(LOSSES) as LossName[];

/** Losses of an inner product and a response by name. */
export const RESPONSE_LOSS_NAMES = ['squared', 'absolute'] as const;

/** One of {@link RESPONSE_LOSS_NAMES}. */
export type ResponseLossName = (typeof RESPONSE_LOSS_NAMES)[number];

/**
 * The loss of a margin of this name.
 * @throws TypeError for anything that is not a string, RangeError for an unknown name, naming the known ones.
 * @theorem noninteractive Assumption 1
 *
 * @example
 * ```ts
 * import { lossByName } from 'ldpkit/optimize';
 * const loss = lossByName('logistic');
 * console.log(loss.value(0).toFixed(4), loss.derivative(0)); // 0.6931 -0.5
 * ```
 */
export function lossByName(name: string): MarginLoss {
  return LOSSES[checkWord('loss', name, LOSS_NAMES)]();
}

/** The loss of an inner product and a response of this name; an unknown name is refused with the known ones. */
export function responseLossByName(name: string): ResponseLoss {
  const known: ResponseLossName = checkWord('loss', name, RESPONSE_LOSS_NAMES);
  return known === 'squared' ? squaredLoss() : absoluteResponseLoss();
}

/**
 * The absolute loss f(t) = |t − s|, 1-Lipschitz, of which lemma 13 makes every other loss. At the kink the derivative is
 * 1, its value from the right.
 * Source: Wang, Smith, Xu 2020, section 4.2.
 */
export function absoluteLoss(options: { readonly centre?: number } = {}): MarginLoss {
  const centre = checkFinite('centre', options.centre ?? 0);
  return {
    name: centre === 0 ? 'absolute' : `absolute (centre ${centre})`,
    value: (t) => abs(t - centre),
    derivative: (t) => (t < centre ? -1 : 1),
    secondDerivative: () => 0,
    lipschitz: 1,
    smoothness: Infinity,
    kinks: [centre],
    smoothnessOn: () => 0,
  };
}

/** The exponential loss f(t) = e^(−t) of boosting, e^R-Lipschitz and e^R-smooth on [−R, R]; Infinity below −709. */
export function exponentialLoss(): MarginLoss {
  return {
    name: 'exponential',
    value: (t) => exp(-t),
    derivative: (t) => -exp(-t),
    secondDerivative: (t) => exp(-t),
    lipschitz: Infinity,
    smoothness: Infinity,
    kinks: [],
    smoothnessOn: (radius) => exp(radius),
    analyticDerivatives(order) {
      checkDerivativeOrder(order);
      return (t, target) => {
        const value = exp(-t);
        for (let n = 0; n <= order; n++) target[n] = n % 2 === 0 ? value : -value;
      };
    },
    growthRate: 1,
  };
}

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
    derivative: (t) => -sigmoid(-t),
    secondDerivative(t) {
      const e = exp(-abs(t));
      return e / ((1 + e) * (1 + e));
    },
    lipschitz: 1,
    smoothness: 0.25,
    kinks: [],
    analyticDerivatives: logisticDerivatives,
  };
}

/**
 * All derivatives of the logistic loss: with y = tanh(t/2), f⁽ⁿ⁾ = 4f″·R_n(y), R_2 = ¼ and R_{n+1} = −y·R_n + ½(1 −
 * y²)·R_n′, polynomials computed once. In y far fewer digits cancel than in powers of the sigmoid: a factor 2ⁿ relative
 * to the largest value of f⁽ⁿ⁾, not 4.5ⁿ. The tails, where the factor 4f″ = 1 − y² is separate, are equally accurate up
 * to n = 8.
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
    if (order >= 1) target[1] = -sigmoid(-t);
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
    constantsOn: everywhere({ lipschitz: 1, smoothness: 0.25 }),
    kinked: false,
  };
}

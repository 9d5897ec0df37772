import { checkFinite, checkWord } from '../check/number.ts';
import { checkDerivativeOrder } from '../polynomial/chebyshev.ts';
import { hingeLoss, huberHingeLoss, squaredHingeLoss, squaredMarginLoss } from './hinge.ts';
import { logisticLoss } from './logistic.ts';
import type { MarginLoss } from './margin-loss.ts';
import { absoluteResponseLoss, type ResponseLoss, squaredLoss } from './response-loss.ts';

const { abs, exp } = Math;

/** Losses of a margin by the names a command line takes, each with its default parameters; `hinge-1` has margin 1. */
export const LOSS_NAMES = [
  'hinge',
  'hinge-1',
  'logistic',
  'squared-hinge',
  'huber-hinge',
  'exponential',
  'absolute',
  'squared',
] as const;

/** Losses of an inner product and a response by name. */
export const RESPONSE_LOSS_NAMES = ['squared', 'absolute'] as const;

/** One of {@link LOSS_NAMES}. */
export type LossName = (typeof LOSS_NAMES)[number];

/** One of {@link RESPONSE_LOSS_NAMES}. */
export type ResponseLossName = (typeof RESPONSE_LOSS_NAMES)[number];

/**
 * The loss of a margin of this name.
 *
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
  const known: LossName = checkWord('loss', name, LOSS_NAMES);
  switch (known) {
    case 'hinge':
      return hingeLoss();
    case 'hinge-1':
      return hingeLoss({ margin: 1 });
    case 'logistic':
      return logisticLoss();
    case 'squared-hinge':
      return squaredHingeLoss();
    case 'huber-hinge':
      return huberHingeLoss();
    case 'exponential':
      return exponentialLoss();
    case 'absolute':
      return absoluteLoss();
    case 'squared':
      return squaredMarginLoss();
  }
}

/**
 * The loss of an inner product and a response of this name.
 *
 * @throws TypeError for anything that is not a string, RangeError for an unknown name, naming the known ones.
 */
export function responseLossByName(name: string): ResponseLoss {
  const known: ResponseLossName = checkWord('loss', name, RESPONSE_LOSS_NAMES);
  return known === 'squared' ? squaredLoss() : absoluteResponseLoss();
}

/** Parameters of {@link absoluteLoss}. */
interface AbsoluteLossOptions {
  /** s, where the loss is 0; 0 by default. */
  readonly centre?: number;
}

/**
 * The absolute loss f(t) = |t − s|, 1-Lipschitz. Lemma 13 writes every other loss as a mixture of it. At the kink the
 * derivative is 1, its value from the right.
 *
 * Source: Wang, Smith, Xu 2020, section 4.2.
 *
 * @throws TypeError or RangeError for a centre that is not a finite number.
 */
export function absoluteLoss(options: AbsoluteLossOptions = {}): MarginLoss {
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

/**
 * The exponential loss f(t) = e^(−t) of boosting. On [−R, R] it is e^R-Lipschitz and e^R-smooth, on the whole line
 * neither. Below −709 its value exceeds the largest double, and the result is Infinity.
 */
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

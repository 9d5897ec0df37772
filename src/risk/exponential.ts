import { checkDerivativeOrder } from '../polynomial/derivatives.ts';
import type { MarginLoss } from './margin-loss.ts';

const { exp } = Math;

/**
 * The exponential loss f(t) = e^(−t) of boosting. On [−R, R] it is e^R-Lipschitz and e^R-smooth, on the line neither;
 * below −709 its value is beyond the largest double and comes out as Infinity.
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

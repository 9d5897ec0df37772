import { expectileLoss } from '../expectile.ts';
import { huberLoss } from '../huber.ts';
import { binaryLogisticLoss } from '../logistic.ts';
import type { MarginLoss } from '../margin-loss.ts';
import { type LossName, lossByName, type ResponseLossName, responseLossByName } from '../named-loss.ts';
import type { ResponseLoss } from '../response-loss.ts';
import { smoothedQuantileLoss } from '../smoothed-quantile.ts';

/** Which responses a model takes: any number, 0 or 1, −1 or 1, or the number of a class. */
export type ResponseKind = 'number' | 'binary' | 'sign' | 'class';

/** A loss of an inner product and a response, as plain data. */
export type LossDescription =
  | { readonly kind: 'huber'; readonly threshold: number; readonly scale: number }
  | { readonly kind: 'expectile'; readonly threshold: number; readonly scale: number; readonly tau: number }
  | { readonly kind: 'quantile'; readonly tau: number; readonly bandwidth: number }
  | { readonly kind: 'logistic' }
  | { readonly kind: 'margin'; readonly name: LossName }
  | { readonly kind: 'response'; readonly name: ResponseLossName };

/** A loss with the bounds that noise is calibrated to. */
export interface BoundedLoss {
  readonly loss: LossDescription;
  /** sup |f′| over all responses and inner products. */
  readonly lipschitz: number;
  /** sup f″. */
  readonly smoothness: number;
  readonly responses: ResponseKind;
}

/** A description with its bounds; the slope is for whoever knows it. */
export function boundedLoss(loss: LossDescription, lipschitz: number, responses: ResponseKind): BoundedLoss {
  const { smoothness } = responseLossOf(loss).constantsOn();
  // Of a margin the interval is the whole line.
  const everywhere = loss.kind === 'margin' ? lossByName(loss.name).smoothness : smoothness;
  return { loss, lipschitz, smoothness: everywhere, responses };
}

/**
 * The loss of a description, as a function of inner product and response.
 *
 * @throws TypeError or RangeError for parameters out of range.
 */
export function responseLossOf(loss: LossDescription): ResponseLoss {
  switch (loss.kind) {
    case 'huber':
      return huberLoss(loss);
    case 'expectile':
      return expectileLoss(loss);
    case 'quantile':
      return smoothedQuantileLoss(loss);
    case 'logistic':
      return binaryLogisticLoss();
    case 'margin':
      return ofMargin(lossByName(loss.name));
    case 'response':
      return responseLossByName(loss.name);
  }
}

/** A loss of a margin as one of an inner product and a response −1 or 1. */
function ofMargin(loss: MarginLoss): ResponseLoss {
  return {
    name: loss.name,
    value: (inner, y) => loss.value(y * inner),
    derivative: (inner, y) => y * loss.derivative(y * inner),
    secondDerivative: (inner, y) => loss.secondDerivative(y * inner),
    constantsOn: (radius = 1) => ({
      lipschitz: loss.lipschitz,
      smoothness: loss.smoothnessOn?.(radius) ?? loss.smoothness,
    }),
    kinked: loss.kinks.length > 0,
  };
}

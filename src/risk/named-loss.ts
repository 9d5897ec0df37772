import { checkWord } from '../check/number.ts';
import { absoluteLoss } from './absolute.ts';
import { exponentialLoss } from './exponential.ts';
import { hingeLoss } from './hinge.ts';
import { logisticLoss } from './logistic.ts';
import type { MarginLoss } from './margin-loss.ts';
import type { ResponseLoss } from './response-loss.ts';
import { absoluteResponseLoss, squaredLoss } from './response-loss.ts';
import { huberHingeLoss, squaredHingeLoss, squaredMarginLoss } from './squared-hinge.ts';

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

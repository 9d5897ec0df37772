import { checkFinite } from '../check/number.ts';
import type { MarginLoss } from './margin-loss.ts';

const { abs } = Math;

/** Parameters of {@link absoluteLoss}. */
export interface AbsoluteLossOptions {
  /** s, where the loss is 0; 0 by default. */
  readonly centre?: number;
}

/**
 * The absolute loss f(t) = |t − s|, 1-Lipschitz: what Lemma 13 mixes every other loss from. At the kink the derivative is
 * 1, its value from the right.
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

import type { StreamStudy, StreamStudyRequest } from '../../../protocols/online-sgd/stream-study.ts';
import { checkOpenUnit, checkPositive, checkWord } from '../../check/number.ts';
import type { Grade } from '../../core/grade.ts';
import { readNumber } from './number-option.ts';

/** Options about the budget of a player of a stream, as they were typed. */
export interface StreamBudgetOptions {
  readonly mu?: string;
  readonly epsilon?: string;
  readonly delta?: string;
}

/** What a stream is asked for besides its budget. */
export interface StreamAsked {
  readonly variant: string;
  readonly features: number;
  readonly grade?: Grade;
}

/**
 * The request of a variant with its budget: μ for one of Gaussian differential privacy, else ε, each 1 unless typed, and δ where the
 * guarantee has one.
 *
 * @throws RangeError naming the option, or for an unknown variant.
 */
export function streamRequest(
  study: StreamStudy,
  asked: StreamAsked,
  options: StreamBudgetOptions,
): StreamStudyRequest {
  const variant = checkWord('variant', asked.variant, study.variants);
  const { mu = '1', epsilon = '1', delta = '1e-6' } = options;
  if (study.budget(variant) === 'mu') return { ...asked, mu: checkPositive('mu', readNumber('mu', mu)) };
  const pure = { ...asked, epsilon: checkPositive('epsilon', readNumber('epsilon', epsilon)) };
  if (study.pureVariants.includes(variant)) return pure;
  return { ...pure, delta: checkOpenUnit('delta', readNumber('delta', delta)) };
}

import { checkWord, RefusedValue } from '../../../check/refusal.ts';
import type { Grade } from '../../../core/digest.ts';
import type { ModelStudy, ModelStudyNumbers, ModelStudyRequest } from '../../../simulation/model-study.ts';

/** The typed part of a request; it has one of the two budgets. */
interface TypedRequest {
  readonly mu?: number;
  readonly epsilon?: number;
  readonly delta?: number;
  readonly players?: number | undefined;
  readonly samples?: number | undefined;
  readonly dimension?: number | undefined;
  readonly grade?: Grade;
  readonly radius?: number | undefined;
  readonly waves?: number | undefined;
}

/**
 * The request for a study of a fitted model from the typed options; the study's own numbers replace missing ones.
 * @throws RangeError for an unknown variant, and for a grade that does not exist.
 */
export function modelRequest(
  study: ModelStudy,
  variant: string,
  typed: TypedRequest,
  otherwise: ModelStudyNumbers,
): ModelStudyRequest {
  const { mu = 1, epsilon = 1, delta = 1e-6, grade = 'simulation' } = typed;
  if (study.setting === 'central' && grade === 'deployment') {
    const { name } = study.protocol;
    throw new RefusedValue('grade', `simulation: ${name} has a curator, and nothing that is sent`, grade);
  }
  const { players = otherwise.players, samples = otherwise.samples, dimension = otherwise.dimension } = typed;
  const numbers = { epsilon, delta, mu, players, samples, dimension };
  const { radius, waves } = typed;
  return {
    variant: checkWord('variant', variant, study.variants),
    ...numbers,
    ...(radius === undefined ? {} : { radius }),
    ...(waves === undefined ? {} : { waves }),
    ...(grade === 'simulation' ? {} : { grade }),
  };
}

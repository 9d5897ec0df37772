import { checkWord, refusal } from '../../../check/number.ts';
import type { Grade } from '../../../core/grade.ts';
import type { ModelStudy, ModelStudyNumbers, ModelStudyRequest } from '../../../simulation/model-study.ts';

/** What was typed of a request; of two budgets one is there. */
interface Typed {
  readonly mu?: number;
  readonly epsilon?: number;
  readonly delta?: number;
  readonly players?: number | undefined;
  readonly samples?: number | undefined;
  readonly dimension?: number | undefined;
  readonly grade?: Grade;
}

/**
 * What a study of a fitted model is asked for by options: its own numbers for what was not typed.
 *
 * @throws RangeError for an unknown variant, and a grade that is not there.
 */
export function modelRequest(
  study: ModelStudy,
  variant: string,
  typed: Typed,
  otherwise: ModelStudyNumbers,
): ModelStudyRequest {
  const { mu = 1, epsilon = 1, delta = 1e-6, grade = 'simulation' } = typed;
  if (study.setting === 'central' && grade === 'deployment') {
    const { name } = study.protocol;
    throw new RangeError(refusal('grade', `simulation: ${name} has a curator, and nothing that is sent`, grade));
  }
  const { players = otherwise.players, samples = otherwise.samples, dimension = otherwise.dimension } = typed;
  const numbers = { epsilon, delta, mu, players, samples, dimension };
  return {
    variant: checkWord('variant', variant, study.variants),
    ...numbers,
    ...(grade === 'simulation' ? {} : { grade }),
  };
}

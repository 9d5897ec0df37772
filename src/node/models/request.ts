import { checkInteger, checkOpenUnit, checkPositive, checkWord, refusal } from '../../check/number.ts';
import type { ModelStudy, ModelStudyNumbers, ModelStudyRequest } from '../../simulation/model-study.ts';
import { readGrade, readNumber } from '../commands/number-option.ts';

/** Options of the plan of a fitted model, as they were typed. */
export interface ModelOptions {
  readonly mu?: string;
  readonly epsilon?: string;
  readonly delta?: string;
  readonly players?: string;
  readonly samples?: string;
  readonly dimension?: string;
  readonly grade?: string;
}

/**
 * What a study of a fitted model is asked for by options: a budget of 1, and its own numbers for what was not typed.
 *
 * @throws RangeError naming the option: also for μ where the budget is in ε, for samples where a curator holds the records, and for
 * a grade that is not there.
 */
export function modelRequest(
  study: ModelStudy,
  variant: string,
  options: ModelOptions,
  otherwise: ModelStudyNumbers,
): ModelStudyRequest {
  const { name } = study.protocol;
  if (options.mu !== undefined && study.budget !== 'mu') {
    throw new RangeError(refusal('mu', `none: the budget of ${name} is in ε`, options.mu));
  }
  if (options.samples !== undefined && study.setting === 'central') {
    throw new RangeError(refusal('samples', `none: in ${name} a curator holds single records`, options.samples));
  }
  const grade = readGrade(options.grade);
  if (study.setting === 'central' && grade === 'deployment') {
    throw new RangeError(refusal('grade', `simulation: ${name} has a curator, and nothing that is sent`, grade));
  }
  const whole = (option: 'players' | 'samples' | 'dimension'): number => {
    const text = options[option];
    return text === undefined ? otherwise[option] : checkInteger(option, readNumber(option, text), 1);
  };
  return {
    variant: checkWord('variant', variant, study.variants),
    epsilon: checkPositive('epsilon', readNumber('epsilon', options.epsilon ?? '1')),
    delta: checkOpenUnit('delta', readNumber('delta', options.delta ?? '1e-6')),
    mu: checkPositive('mu', readNumber('mu', options.mu ?? '1')),
    players: whole('players'),
    samples: whole('samples'),
    dimension: whole('dimension'),
    ...(options.grade === undefined ? {} : { grade }),
  };
}

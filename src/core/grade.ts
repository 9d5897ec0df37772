import { checkWord, refusal } from '../check/number.ts';
import { RefusedValue } from '../check/refusal.ts';

/**
 * What a player's noise is made of. `simulation`: floating-point samplers, whose law is that of real numbers only up to
 * rounding; fast, for studies. `deployment`: the report's law is a finite or integer channel drawn exactly, so that the
 * guarantee holds for the program and not only for the formula.
 */
export type Grade = 'simulation' | 'deployment';

/** A variant does not have the requested grade. */
export class GradeError extends RefusedValue {}

/**
 * The requested grade; `simulation` when none is given.
 *
 * @throws TypeError or RangeError for anything else, and GradeError for `deployment` from a variant that has no such
 * form.
 */
export function checkGrade(grade: Grade | undefined, variant: string, deployable: boolean): Grade {
  if (grade === undefined) return 'simulation';
  checkWord('grade', grade, ['simulation', 'deployment']);
  if (grade === 'deployment' && !deployable) {
    throw new GradeError(refusal('grade', `simulation (variant ${variant} has no deployment form)`, grade));
  }
  return grade;
}

import type { PlainRequest } from '../../../core/contract.ts';
import type { Grade } from '../../../core/grade.ts';

/** The fields of a request that every survey has. */
export function budgetOf(epsilon: number, grade: Grade, variant: string | undefined): PlainRequest {
  return { epsilon, ...(grade === 'deployment' ? { grade } : {}), ...(variant === undefined ? {} : { variant }) };
}

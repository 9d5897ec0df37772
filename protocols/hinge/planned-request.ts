import { hingeLoss } from '../../src/risk/hinge.ts';
import { type DegreeQuestion, plannedCollection } from '../generalized-linear/margin/fit-moments.ts';
import type { HingeRequest } from './parameters.ts';

/**
 * The request of a collection whose variant, degree and shares are chosen from what is public before it: the number of
 * players, p, ε and R. `run` uses it where neither variant nor degree is named.
 *
 * Guarantee: as for the variant, pure ε.
 *
 * @throws TypeError or RangeError naming the field.
 */
export function plannedRequest(question: Omit<DegreeQuestion, 'loss'>): HingeRequest {
  const { dimension, epsilon } = question;
  return { ...plannedCollection({ ...question, loss: hingeLoss() }), dimension, epsilon };
}

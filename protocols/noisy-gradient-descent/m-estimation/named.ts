import type { PlainRequest, PublicParameters } from '../../../src/core/contract.ts';
import { digestOf, type Json } from '../../../src/core/digest.ts';
import type { ModelStudyRequest } from '../../../src/simulation/model-study.ts';
import type { BoundedModel } from './model.ts';

/** The version of the laws of both noisy algorithms. */
const VERSION = 1;

/** What the two plans share, as far as a digest is concerned; all the rest of a plan are numbers. */
interface AnyPlan {
  readonly protocol: string;
  readonly variant: string;
  readonly model: BoundedModel;
  readonly start: Float64Array;
}

/**
 * A plan with what certificates bind it to: a version, and the digest of all its numbers and of the model asked for.
 *
 * @throws RangeError for a model with a number that JSON cannot carry.
 */
export function named<Plan extends AnyPlan>(plan: Plan, request: PlainRequest): Plan & PublicParameters {
  const { model: _, start, ...numbers } = plan;
  const bound = { ...numbers, version: VERSION, model: request.model, start: Array.from(start) };
  return { ...plan, version: VERSION, digest: digestOf(bound as unknown as Json), request };
}

/**
 * What a study asks both algorithms for: Huber regression with Mallows weights and an intercept, also where a theorem asks for more
 * records than there are, since the guarantee holds all the same.
 */
export function huberRequest({ variant, mu, players, dimension }: ModelStudyRequest): PlainRequest {
  return { variant, mu, records: players, model: { kind: 'huber', features: dimension }, force: true };
}

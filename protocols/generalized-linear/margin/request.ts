import type { Budget } from '../../../src/check/budget.ts';
import type { Grade } from '../../../src/core/grade.ts';

/**
 * What a record is used for. `classification`: the signed record v = y·x; `regression`: the pair z = (x, y)/√2, from which
 * both E[yx] and E[xxᵀ] can be read.
 */
export type MarginTask = 'classification' | 'regression';

/** What every variant is asked for. */
export interface MarginModelRequest {
  /** ε > 0 of the player's one report. */
  readonly epsilon: number;
  /** d ≥ 0: the highest degree of the polynomial in the place of f′ that a tally of these reports can serve. */
  readonly degree: number;
  /** p ≥ 1, the number of features. */
  readonly dimension: number;
  /** What the noise is made of (default: `simulation`); variants `lifted` and `gaussian` have a `deployment` form. */
  readonly grade?: Grade;
}

/** What the variants with Gaussian noise are asked for. */
export interface MarginGaussianRequest extends MarginModelRequest, Budget {}

/** What the variant of lifted parameters is asked for. */
export interface MarginLiftedRequest extends MarginModelRequest {
  /**
   * Shares a_1², …, a_{d+1}² of the report's unit norm given to the powers 1 … d + 1 of v; positive, normalised to sum 1.
   * Default: each power gets half of the share of the power before.
   */
  readonly shares?: readonly number[];
}

/** Everything a variant is told, as plain data that a device can be sent: see `marginParameters`. */
export type MarginRequest =
  | ({ readonly variant: 'printed' | 'copies' | 'gaussian' } & MarginGaussianRequest)
  | ({ readonly variant: 'lifted' } & MarginLiftedRequest);

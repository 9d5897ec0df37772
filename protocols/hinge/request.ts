import type { Budget } from '../../src/check/budget.ts';

/** What every maker is asked for. */
export interface ModelRequest {
  /** ε > 0 of the player's one report. */
  readonly epsilon: number;
  /** d ≥ 0: the highest degree of the polynomial in the place of f′ that a tally of these reports can serve. */
  readonly degree: number;
  /** p ≥ 1, the number of features. */
  readonly dimension: number;
}

/** What the makers with Gaussian noise are asked for. */
export interface GaussianRequest extends ModelRequest, Budget {}

/** What the maker of lifted parameters is asked for. */
export interface LiftedRequest extends ModelRequest {
  /**
   * Shares a_1², …, a_{d+1}² of the report's unit norm given to the powers 1 … d + 1 of v; positive, normalised to sum 1.
   * Default: each power gets half of the share of the power before.
   */
  readonly shares?: readonly number[];
}

/** Everything a maker is told, as plain data that a device can be sent: see `hingeParameters`. */
export type HingeRequest =
  | ({ readonly maker: 'printed' | 'copies' | 'gaussian' } & GaussianRequest)
  | ({ readonly maker: 'lifted' } & LiftedRequest);

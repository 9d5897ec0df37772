import type { Budget } from '../../src/check/budget.ts';
import type { Grade } from '../../src/core/grade.ts';

/** What every variant is asked for. */
export interface ModelRequest {
  /** ε > 0 of the player's one report. */
  readonly epsilon: number;
  /** k: the highest degree of the polynomial Q(r) ≈ 1/(2√r) that a tally can serve; for copies, of that in ⟨u, w − x⟩/2. */
  readonly degree: number;
  /** p ≥ 1. */
  readonly dimension: number;
  /** What the noise is made of (default: `simulation`); variants `lifted` and `gaussian` have a `deployment` form. */
  readonly grade?: Grade;
}

/** What the variants with Gaussian noise are asked for. */
export interface GaussianRequest extends ModelRequest, Budget {}

/** What the variant of lifted parameters is asked for. */
export interface LiftedRequest extends ModelRequest {
  /**
   * Shares of the report's squared unit norm given to the features ‖x‖^{2a}·sym^b(x), ordered by a + b and then by a (for
   * k = 1: x, ‖x‖², sym²(x), x‖x‖², ‖x‖⁴); positive, normalised to sum 1. Default: see `defaultScales`.
   */
  readonly shares?: readonly number[];
}

/** Everything a variant is told, as plain data that a device can be sent: see `euclideanMedianParameters`. */
export type EuclideanMedianRequest =
  | ({ readonly variant: 'printed' | 'copies' | 'gaussian' } & GaussianRequest)
  | ({ readonly variant: 'lifted' } & LiftedRequest);

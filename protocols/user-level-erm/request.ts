import type { Grade } from '../../src/core/grade.ts';

/**
 * Losses whose gradient is bounded and Lipschitz. Of a margin, for labels: `logistic`, `squared-hinge`, `huber-hinge`. Of a
 * response: `squared` for features in a ball and responses in [−1, 1], `huber` with Mallows weights for any numbers.
 */
export type ErmLoss = 'logistic' | 'squared-hinge' | 'huber-hinge' | 'squared' | 'huber';

/** What a plan is asked for, as plain data. */
export interface ErmRequest {
  /** ε > 0 of one player's transcript over all rounds. */
  readonly epsilon: number;
  /** δ of one player's transcript; only where the same players answer in all rounds, which is then accounted for as Gaussian. */
  readonly delta?: number;
  /** n, the number of players that are expected: rounds are designed for it, and it is held against the theorem's condition. */
  readonly players: number;
  /** m, the nominal number of records a player holds. The guarantee does not depend on it. */
  readonly samples: number;
  /** d ≥ 1, the number of features. */
  readonly dimension: number;
  /** The loss of a record. */
  readonly loss: ErmLoss;
  /** F: ‖x‖₂ ≤ F; 1 by default. `huber` takes any features and has none. */
  readonly featureBound?: number;
  /** c of `huber`; 1.345 by default. */
  readonly threshold?: number;
  /** σ of `huber`; 1 by default. */
  readonly scale?: number;
  /** R: the model is sought in the ball of this radius. */
  readonly radius: number;
  /** τ₁ > 0, public: the risk is τ₁-strongly convex where the iterates go. */
  readonly strongConvexity: number;
  /** τ₂ ≥ τ₁, public: the risk is τ₂-smooth; by default what holds for all records. */
  readonly smoothness?: number;
  /** η; ½·min(1/τ₂, 1) by default, at most 1/τ₂. */
  readonly step?: number;
  /** T ≥ 1; by default what brings the start as near as the noise lets it, O(log n). */
  readonly iterations?: number;
  /** s where it is public: standard deviation of a coordinate of a record's gradient, in the mean over coordinates. */
  readonly spread?: number;
  /** Whether the same players answer in all rounds, with the budget split; they do not by default. */
  readonly samePlayers?: boolean;
  /** Whether a gradient is looked for around what the one before it predicts; it is by default. */
  readonly predict?: boolean;
  /** Public seed of the rotation; any text. */
  readonly seed?: string;
  /** What the noise is made of (default: `simulation`). Reports are finite, so that both grades have the same law. */
  readonly grade?: Grade;
  /** Makes a plan although there are fewer players than the theorem asks for. */
  readonly force?: boolean;
  /** How a gradient is found; by signs unless asked for otherwise. */
  readonly gradients?: 'signs';
}

/**
 * What a plan is asked for whose gradients are each a mean of two rounds, as the slides have it. Players are fresh, and nothing is
 * predicted from one gradient for the next.
 */
export interface TwoRoundErmRequest extends Omit<ErmRequest, 'gradients' | 'delta' | 'samePlayers' | 'predict'> {
  readonly gradients: 'two-round';
  /** s, which has to be stated: bins are laid out for it before anybody answers. */
  readonly spread: number;
}

/** Everything the variant is told, as plain data that a device can be sent: see `userLevelErmPlan`. */
export type UserLevelErmRequest = { readonly variant: 'descent' } & (ErmRequest | TwoRoundErmRequest);

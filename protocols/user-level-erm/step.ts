import { euclideanDistance, projectBall } from '../../src/optimize/projection.ts';
import type { DescentPlan, UserLevelErmPlan } from './parameters.ts';
import type { DescentRound, FinishedErm } from './round.ts';

/** A step, and what it says of the gradient after it. */
export interface Step {
  readonly theta: Float64Array;
  /** The gradient expected at the new θ, and its error in ℓ₂. */
  readonly gradient: Float64Array;
  readonly gradientError: number;
  /** Standard deviation of a coordinate of a local gradient, in the mean over coordinates. */
  readonly deviation: number;
}

/** How gradients are found: what a descent by signs and one by two rounds each do in their own way. */
export interface Way<Plan extends UserLevelErmPlan, Round extends DescentRound> {
  /** The round after those that are over, which are checked; undefined after the last. */
  readonly after: (plan: Plan, finished: readonly FinishedErm<Round>[]) => Round | undefined;
  /** The digest that the plan gives to the round with the same question. */
  readonly digest: (plan: Plan, round: Round) => string;
  /**
   * Refuses reports that do not tell where a gradient is.
   *
   * @throws RangeError.
   */
  readonly check: (plan: Plan, finished: readonly FinishedErm<Round>[]) => void;
  /** The step of the last iteration, all of whose rounds are over. */
  readonly step: (plan: Plan, finished: readonly FinishedErm<Round>[]) => Step;
  /** The round of this number and θ, both checked; of the rest of what was received public numbers are taken, and checked. */
  readonly remake: (plan: Plan, place: Pick<DescentRound, 'round' | 'theta'>, received: unknown) => Round;
}

/**
 * θ′ = Π(θ − ηĝ), and where the gradient is at θ′: with curvatures between τ₁ and τ₂ it is ĝ + ½(τ₁ + τ₂)(θ′ − θ), off by at
 * most ½(τ₂ − τ₁)‖θ′ − θ‖ besides the error of ĝ. The two are added by the triangle inequality, since they need not be
 * independent.
 */
export function stepBy(
  { step, strongConvexity, smoothness, objective }: DescentPlan,
  theta: Float64Array,
  found: { readonly gradient: Float64Array; readonly error: number },
): Omit<Step, 'deviation'> {
  const moved = projectBall(
    theta.map((coordinate, i) => coordinate - step * found.gradient[i]),
    objective.radius,
  );
  const curvature = 0.5 * (strongConvexity + smoothness);
  const gradient = found.gradient.map((g, i) => g + curvature * (moved[i] - theta[i]));
  const doubt = 0.5 * (smoothness - strongConvexity) * euclideanDistance(moved, theta);
  return { theta: moved, gradient, gradientError: found.error + doubt };
}

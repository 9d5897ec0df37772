import type { PublicParameters } from '../../src/core/contract.ts';
import { digestOf, type Grade, type Json } from '../../src/core/digest.ts';
import type { RoundParameters } from '../../src/core/rounds.ts';
import { euclideanDistance, euclideanNorm, projectBall } from '../../src/numeric/matrix.ts';
import type { Release } from '../../src/privacy/totals.ts';
import { type Course, type Over, receivedNumbers, reportsOf } from '../user-level-mean/course.ts';
import { rememberedRequest } from '../user-level-mean/shape.ts';
import type { VectorRound } from '../user-level-mean/variants.ts';
import { type CheckedFields, checkIterate, type ErmRequest, type Objective } from './objective.ts';

const { sqrt } = Math;

/** The protocol's name and the version of its wire format and of the laws of its variants. */
export const FAMILY = { protocol: 'user-level-erm', version: 1 } as const;

/** The fields of every plan of noisy gradient descent: T iterations, each of one round or several. */
export interface DescentPlan
  extends PublicParameters,
    CheckedFields,
    Required<Pick<ErmRequest, 'smoothness' | 'strongConvexity' | 'step' | 'iterations' | 'samePlayers' | 'predict'>>,
    Pick<ErmRequest, 'delta'> {
  readonly variant: 'descent';
  readonly grade: Grade;
  /** The objective whose gradient players compute. */
  readonly objective: Objective;
  /** How many rounds each iteration has. */
  readonly rounds: readonly number[];
  /** Share of the players in each round, over all iterations. */
  readonly shares: readonly number[];
}

/** The fields of every round of a descent. */
export interface DescentRound extends RoundParameters {
  readonly variant: 'descent';
  /** t, from 0. */
  readonly iteration: number;
  /** Which round of the iteration, from 0. */
  readonly place: number;
  /** θ_t, where gradients are taken. */
  readonly theta: Float64Array;
  /** The objective of these gradients. */
  readonly objective: Objective;
  /** The question about a local gradient, the same as about a local mean. */
  readonly asked: VectorRound;
}

/** A finished round. */
export type FinishedErm<Round extends DescentRound = DescentRound> = Over<Round>;

/** The result of a descent. */
export interface ErmEstimate {
  /** Number of reports, over all rounds. */
  readonly players: number;
  /** θ_T. */
  readonly theta: Float64Array;
  /** θ_0 … θ_T. */
  readonly iterates: readonly Float64Array[];
  /** The gradient at θ_T, as predicted from the rounds before. */
  readonly gradient: Float64Array;
  /** Its standard error in ℓ₂, √E‖ĝ − g‖², including that of the prediction. */
  readonly gradientError: number;
  /** How far θ_T may be from the minimiser of a τ₁-strongly convex risk: (‖ĝ‖ + its error)/τ₁. */
  readonly distance: number;
  /**
   * Standard deviation of a coordinate of a player's gradient, averaged over coordinates, estimated from the rounds
   * that located a gradient.
   */
  readonly deviation: number;
}

/** A step, and what is known about the gradient after it. */
export interface Step {
  readonly theta: Float64Array;
  /** The gradient expected at the new θ, and its error in ℓ₂. */
  readonly gradient: Float64Array;
  readonly gradientError: number;
  /** Standard deviation of a coordinate of a local gradient, averaged over coordinates. */
  readonly deviation: number;
}

/** How gradients are estimated: everything in which a descent by signs differs from one with two-round gradients. */
export interface Gradients<Request, Plan extends DescentPlan, Round extends DescentRound> {
  /**
   * The requested plan.
   *
   * @throws TypeError or RangeError naming the field.
   */
  make(request: Request): Plan;
  /** The round after the finished rounds, which are checked; undefined after the last round. */
  after(plan: Plan, finished: readonly FinishedErm<Round>[]): Round | undefined;
  /**
   * Refuses reports that do not locate a gradient.
   *
   * @throws RangeError.
   */
  check?(plan: Plan, finished: readonly FinishedErm<Round>[]): void;
  /** The step of the last iteration, after all its rounds are finished. */
  step(plan: Plan, finished: readonly FinishedErm<Round>[]): Step;
  /** The round with this number and θ, both checked; the other public numbers come from `received`, and are checked. */
  remake(plan: Plan, place: Pick<DescentRound, 'round' | 'theta'>, received: unknown): Round;
  /** Every release of a plan; if players are fresh, a player sends one of them. */
  releases(plan: Plan): readonly Release[];
  /** The number of gradients that share the players without helping each other. */
  groups(plan: Plan): number;
  /**
   * √E‖ĝ − g‖² of one iteration by its own players; s is the standard deviation of a coordinate of a record's gradient.
   */
  gradientError(plan: Plan, spread: number): number;
  /** √E‖θ_T − θ̂‖² that remains because of this noise, if the curvature is τ₁ in every direction. */
  noise(plan: Plan, spread: number): number;
}

/** The course of a descent whose gradients are estimated in this way. */
export function courseBy<Plan extends DescentPlan, Round extends DescentRound>(
  gradients: Gradients<never, Plan, Round>,
): Course<Plan, Round, ErmEstimate> {
  return {
    rounds: ({ shares }) => shares.length,
    answers: ({ samePlayers, shares }) => (samePlayers ? shares.length : 1),
    after: gradients.after,
    remake(plan, round, received) {
      const theta = receivedNumbers(received, 'theta', plan.dimension);
      checkIterate(plan.objective, theta);
      return gradients.remake(plan, { round, theta }, received);
    },
    check: (plan, finished) => gradients.check?.(plan, finished),
    finish(plan, finished) {
      const { theta, gradient, gradientError, deviation } = gradients.step(plan, finished);
      const iterates = finished.filter(({ round }) => round.place === 0).map(({ round }) => round.theta);
      const distance = (euclideanNorm(gradient) + gradientError) / plan.strongConvexity;
      const found = { theta, iterates: [...iterates, theta], gradient, gradientError, distance, deviation };
      return { players: reportsOf(finished), ...found };
    },
  };
}

/**
 * θ′ = Π(θ − ηĝ), and the predicted gradient at θ′. With curvatures between τ₁ and τ₂ it is ĝ + ½(τ₁ + τ₂)(θ′ − θ),
 * with an error of at most ½(τ₂ − τ₁)‖θ′ − θ‖ besides the error of ĝ. The two errors are added by the triangle
 * inequality, because they need not be independent.
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

/**
 * The question about a local gradient, bound to the other fields of the round. Rounds are made so; in one that was changed
 * afterwards, the round decides which reports are its own.
 */
export function askedOf(round: DescentRound): VectorRound {
  const { protocol, version, digest, asked } = round;
  if (asked.digest === digest && asked.protocol === protocol && asked.version === version) return asked;
  return { ...asked, protocol, version, digest };
}

/**
 * 1 − ητ₁: one step with the exact gradient multiplies the distance to the minimiser by at most this factor.
 *
 * @theorem slides Theorem, user-level LDP ERM
 */
export function contraction({ step, strongConvexity }: DescentPlan): number {
  return 1 - step * strongConvexity;
}

/**
 * The remaining effect of gradient errors that are independent from one step to the next:
 * e·√(η(1 − (1 − ητ₁)^2T)/(τ₁(2 − ητ₁))) for root mean square error e.
 */
export function freshNoise(plan: DescentPlan, gradientError: number): number {
  const { step, strongConvexity, iterations } = plan;
  const kept = contraction(plan) ** (2 * iterations);
  return gradientError * sqrt((step * (1 - kept)) / (strongConvexity * (2 - step * strongConvexity)));
}

/** The fields common to plans of both kinds of gradients, bound by a digest of the checked request. */
export function commonFields<Made extends { readonly [name: string]: Json }>(
  request: object,
  grade: Grade,
  objective: Objective,
  gradient: string,
  made: Made,
): Made &
  Required<Pick<DescentPlan, 'protocol' | 'version' | 'variant' | 'digest' | 'request' | 'grade' | 'objective'>> {
  const names = { ...FAMILY, variant: 'descent' } as const;
  const digest = digestOf({ ...names, grade, gradient, ...made, objective: { ...objective } });
  return { ...names, digest, request: rememberedRequest(request, 'descent'), grade, objective, ...made };
}

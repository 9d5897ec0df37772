import type { PlainRequest, PublicParameters } from '../../src/core/contract.ts';
import { digestOf, type Json } from '../../src/core/digest.ts';
import type { Grade } from '../../src/core/grade.ts';
import type { RoundParameters } from '../../src/core/rounds.ts';
import { euclideanDistance, euclideanNorm, projectBall } from '../../src/optimize/projection.ts';
import type { Release } from '../../src/privacy/totals.ts';
import type { VectorRound } from '../user-level-mean/channels.ts';
import { type Course, type Over, receivedNumbers, reportsOf } from '../user-level-mean/course.ts';
import { checkIterate, type Objective } from './objective.ts';

const { sqrt } = Math;

/** The protocol's name and the version of its wire format and of the laws of its variants. */
export const FAMILY = { protocol: 'user-level-erm', version: 1 } as const;

/** What every plan of noisy gradient descent has: T iterations, each of one round or several. */
export interface DescentPlan extends PublicParameters {
  readonly variant: 'descent';
  /** What the noise is made of. */
  readonly grade: Grade;
  /** ε of one player's transcript. */
  readonly epsilon: number;
  /** δ of one player's transcript; absent where it is pure. */
  readonly delta?: number;
  /** n that rounds are designed for. */
  readonly players: number;
  /** m that rounds are designed for. */
  readonly samples: number;
  /** d. */
  readonly dimension: number;
  /** What players compute the gradient of. */
  readonly objective: Objective;
  /** τ₁. */
  readonly strongConvexity: number;
  /** τ₂. */
  readonly smoothness: number;
  /** η. */
  readonly step: number;
  /** T. */
  readonly iterations: number;
  /** How many rounds each iteration has. */
  readonly rounds: readonly number[];
  /** Share of the players in each round, over all iterations. */
  readonly shares: readonly number[];
  /** Whether the same players answer in all rounds. */
  readonly samePlayers: boolean;
  /** Whether a gradient is looked for around what the one before it predicts. */
  readonly predict: boolean;
}

/** What every round of a descent has. */
export interface DescentRound extends RoundParameters {
  readonly variant: 'descent';
  /** t, from 0. */
  readonly iteration: number;
  /** Which round of the iteration, from 0. */
  readonly place: number;
  /** θ_t, where gradients are taken. */
  readonly theta: Float64Array;
  /** What they are the gradients of. */
  readonly objective: Objective;
  /** What is asked of a local gradient, as of a local mean. */
  readonly asked: VectorRound;
}

/** A round that is over. */
export type FinishedErm<Round extends DescentRound = DescentRound> = Over<Round>;

/** What a descent comes to. */
export interface ErmEstimate {
  /** Number of reports, over all rounds. */
  readonly players: number;
  /** θ_T. */
  readonly theta: Float64Array;
  /** θ_0 … θ_T. */
  readonly iterates: readonly Float64Array[];
  /** The gradient at θ_T, as the rounds before predict it. */
  readonly gradient: Float64Array;
  /** Its standard error in ℓ₂, √E‖ĝ − g‖², that of the prediction included. */
  readonly gradientError: number;
  /** How far θ_T may be from the minimiser of a τ₁-strongly convex risk: (‖ĝ‖ + its error)/τ₁. */
  readonly distance: number;
  /** Standard deviation of a coordinate of a player's gradient, in the mean over coordinates, as the rounds that located one tell it. */
  readonly deviation: number;
}

/** A step, and what it says of the gradient after it. */
export interface Step {
  readonly theta: Float64Array;
  /** The gradient expected at the new θ, and its error in ℓ₂. */
  readonly gradient: Float64Array;
  readonly gradientError: number;
  /** Standard deviation of a coordinate of a local gradient, in the mean over coordinates. */
  readonly deviation: number;
}

/** How gradients are found: all that a descent by signs and one by two rounds each do in their own way. */
export interface Gradients<Request, Plan extends DescentPlan, Round extends DescentRound> {
  /**
   * The plan that a request asks for.
   *
   * @throws TypeError or RangeError naming the field.
   */
  make(request: Request): Plan;
  /** The round after those that are over, which are checked; undefined after the last. */
  after(plan: Plan, finished: readonly FinishedErm<Round>[]): Round | undefined;
  /**
   * Refuses reports that do not tell where a gradient is.
   *
   * @throws RangeError.
   */
  check?(plan: Plan, finished: readonly FinishedErm<Round>[]): void;
  /** The step of the last iteration, all of whose rounds are over. */
  step(plan: Plan, finished: readonly FinishedErm<Round>[]): Step;
  /** The round of this number and θ, both checked; of the rest of what was received public numbers are taken, and checked. */
  remake(plan: Plan, place: Pick<DescentRound, 'round' | 'theta'>, received: unknown): Round;
  /** Every release of a plan; where players are fresh a player sends one of them. */
  releases(plan: Plan): readonly Release[];
  /** For how many gradients the players are shared out, none of which helps another. */
  groups(plan: Plan): number;
  /** √E‖ĝ − g‖² of one iteration by its own players, s the standard deviation of a coordinate of a record's gradient. */
  gradientError(plan: Plan, spread: number): number;
  /** √E‖θ_T − θ̂‖² that this noise leaves, where the curvature is τ₁ in every direction. */
  noise(plan: Plan, spread: number): number;
}

/** The course of a descent whose gradients are found in this way. */
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

/** What is asked of a local gradient, bound to what the round says it is. */
export function askedOf(round: DescentRound): VectorRound {
  const { protocol, version, digest, asked } = round;
  if (asked.digest === digest && asked.protocol === protocol && asked.version === version) return asked;
  return { ...asked, protocol, version, digest };
}

/**
 * 1 − ητ₁: how much nearer one step with the exact gradient comes to the minimiser at least.
 *
 * @theorem slides Theorem, user-level LDP ERM
 */
export function contraction({ step, strongConvexity }: DescentPlan): number {
  return 1 - step * strongConvexity;
}

/**
 * What errors of gradients leave that are independent from one step to the next: e·√(η(1 − (1 − ητ₁)^2T)/(τ₁(2 − ητ₁))) of their
 * root mean square e.
 */
export function freshNoise(plan: DescentPlan, gradientError: number): number {
  const { step, strongConvexity, iterations } = plan;
  const kept = contraction(plan) ** (2 * iterations);
  return gradientError * sqrt((step * (1 - kept)) / (strongConvexity * (2 - step * strongConvexity)));
}

/** What plans of every kind of gradients have, bound by a digest of what was made of the request. */
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
  return { ...names, digest, request: plain(request), grade, objective, ...made };
}

function plain(request: object): PlainRequest {
  const entries = Object.entries({ ...request, variant: 'descent' }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as PlainRequest;
}

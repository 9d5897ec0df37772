import { RefusedValue } from '../../src/check/refusal.ts';
import type { PublicParameters } from '../../src/core/contract.ts';
import type { RoundParameters } from '../../src/core/interactive.ts';
import { digestOf, type Grade, type Json } from '../../src/core/request.ts';
import { twoLevels } from '../../src/mechanism/exact-coin.ts';
import { euclideanDistance, euclideanNorm, projectBall } from '../../src/numeric/matrix.ts';
import { pureWithinGdp } from '../../src/privacy/conversion.ts';
import { gdpMu } from '../../src/privacy/gaussian.ts';
import type { Release } from '../../src/privacy/totals.ts';
import { type Course, type Over, receivedNumbers, reportsOf } from '../user-level-mean/course.ts';
import type { VectorRound } from '../user-level-mean/parameters.ts';
import { expectedTwoRoundError, type TwoRoundVectorPlan } from '../user-level-mean/vector/two-round.ts';
import { signShares, type VectorPlan } from '../user-level-mean/vector/vector.ts';
import {
  type CheckedFields,
  type CheckedRequest,
  checkIterate,
  type ErmRequest,
  MOST_ITERATIONS,
  type Objective,
} from './objective.ts';

const { ceil, floor, log, log1p, max, min, PI, sqrt } = Math;

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
  readonly objective: Objective;
  /** How many rounds each iteration has. */
  readonly rounds: readonly number[];
  /** Share of the players in each round, over all iterations. */
  readonly shares: readonly number[];
}

export interface DescentRound extends RoundParameters {
  readonly variant: 'descent';
  /** t, from 0. */
  readonly iteration: number;
  /** Which round of the iteration, from 0. */
  readonly place: number;
  /** θ_t, where gradients are taken. */
  readonly theta: Float64Array;
  readonly objective: Objective;
  /** The question about a local gradient, the same as about a local mean. */
  readonly asked: VectorRound;
}

export type FinishedErm<Round extends DescentRound = DescentRound> = Over<Round>;

/** The result of a descent. */
export interface ErmEstimate {
  /** Number of reports, over all rounds. */
  readonly players: number;
  /** θ_T; the iterates are θ_0 … θ_T. */
  readonly theta: Float64Array;
  readonly iterates: readonly Float64Array[];
  /** The gradient at θ_T, as predicted from the rounds before. */
  readonly gradient: Float64Array;
  /** Its standard error in ℓ₂, √E‖ĝ − g‖², including that of the prediction. */
  readonly gradientError: number;
  /** How far θ_T may be from the minimiser of a τ₁-strongly convex risk: (‖ĝ‖ + its error)/τ₁. */
  readonly distance: number;
  /**
   * Whether the descent was seen to have come to an end, where gradients are predicted: then signs of all rounds share their noise, steps go to where
   * it leaves no gradient, and one that is left is the way still to go. If not, take more iterations or a smaller τ₁. Absent for gradients
   * that are found anew, each with noise of its own, from which no way is seen.
   */
  readonly finished?: boolean;
  /** Deviation of a coordinate of a player's gradient, averaged, by the rounds that located a gradient. */
  readonly deviation: number;
}

/** A step, the gradient expected at the new θ, and the deviation of a coordinate of local gradients. */
export type Step = Pick<ErmEstimate, 'theta' | 'gradient' | 'gradientError' | 'deviation'>;

/** How gradients are estimated: everything in which a descent by signs differs from one with two-round gradients. */
export interface Gradients<Request, Plan extends DescentPlan, Round extends DescentRound> {
  /** @throws TypeError or RangeError naming the field. */
  make(request: Request): Omit<Plan, 'request'>;
  after(plan: Plan, finished: readonly FinishedErm<Round>[]): Round | undefined;
  /** @throws RangeError for reports that do not locate a gradient. */
  check?(plan: Plan, finished: readonly FinishedErm<Round>[]): void;
  /** The step of the last iteration, after all its rounds are finished. */
  step(plan: Plan, finished: readonly FinishedErm<Round>[]): Step;
  /** The round with this number and θ, both checked; the other public numbers come from `received`, and are checked. */
  remake(plan: Plan, place: Pick<DescentRound, 'round' | 'theta'>, received: unknown): Round;
  /** Every release of a plan; if players are fresh, a player sends one of them. */
  releases(plan: Plan): readonly Release[];
  /** The number of gradients that share the players without helping each other. */
  groups(plan: Plan): number;
  /** √E‖ĝ − g‖² of one iteration by its own players; s is the deviation of a coordinate of a record's gradient. */
  gradientError(plan: Plan, spread: number): number;
  /** √E‖θ_T − θ̂‖² that remains because of this noise, if the curvature is τ₁ in every direction. */
  noise(plan: Plan, spread: number): number;
}

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
      const ended = plan.predict ? { finished: isFinished(plan, theta, gradient, gradientError) } : {};
      const found = { theta, iterates: [...iterates, theta], gradient, gradientError, distance, deviation, ...ended };
      return { players: reportsOf(finished), ...found };
    },
  };
}

/** The way, in standard errors of θ_T by noise, at which a descent has not ended: it adds a quarter, √(1 + .75²), to the error. */
const WAY = 0.75;

/**
 * Whether the gradient that a step still sees, (θ − Π(θ − ηĝ))/η, is short beside its error. Both are a way over the same curvature, whatever
 * that is; at the edge of the ball a gradient across it stays, and is no way.
 */
function isFinished(plan: DescentPlan, theta: Float64Array, gradient: Float64Array, gradientError: number): boolean {
  return euclideanDistance(moved(plan, theta, gradient), theta) <= WAY * plan.step * gradientError;
}

/** Π(θ − ηĝ). */
function moved({ step, objective }: DescentPlan, theta: Float64Array, gradient: Float64Array): Float64Array {
  const next = theta.map((coordinate, i) => coordinate - step * gradient[i]);
  return projectBall(next, objective.radius);
}

/**
 * θ′ = Π(θ − ηĝ), and the predicted gradient at θ′. With curvatures between τ₁ and τ₂ it is ĝ + ½(τ₁ + τ₂)(θ′ − θ),
 * with an error of at most ½(τ₂ − τ₁)‖θ′ − θ‖ besides the error of ĝ. The two errors are added by the triangle
 * inequality, because they need not be independent.
 */
export function stepBy(
  plan: DescentPlan,
  theta: Float64Array,
  found: { readonly gradient: Float64Array; readonly error: number },
): Omit<Step, 'deviation'> {
  const { strongConvexity, smoothness } = plan;
  const next = moved(plan, theta, found.gradient);
  const curvature = 0.5 * (strongConvexity + smoothness);
  const gradient = found.gradient.map((g, i) => g + curvature * (next[i] - theta[i]));
  const doubt = 0.5 * (smoothness - strongConvexity) * euclideanDistance(next, theta);
  return { theta: next, gradient, gradientError: found.error + doubt };
}

/** The question about a local gradient with the fields of its round, which decides which reports are its own. */
export function askedOf(round: DescentRound): VectorRound {
  const { protocol, version, digest, asked } = round;
  if (asked.digest === digest && asked.protocol === protocol && asked.version === version) return asked;
  return { ...asked, protocol, version, digest };
}

/**
 * 1 − ητ₁: one step with the exact gradient multiplies the distance to the minimiser by at most this factor.
 * @theorem slides Theorem, user-level LDP ERM
 */
export function contraction({ step, strongConvexity }: DescentPlan): number {
  return 1 - step * strongConvexity;
}

/** What stays of independent gradient errors e: e·√(η(1 − (1 − ητ₁)^2T)/(τ₁(2 − ητ₁))). */
export function freshNoise(plan: DescentPlan, gradientError: number): number {
  const { step, strongConvexity, iterations } = plan;
  const kept = contraction(plan) ** (2 * iterations);
  return gradientError * sqrt((step * (1 - kept)) / (strongConvexity * (2 - step * strongConvexity)));
}

/** The fields common to plans of both kinds of gradients, bound by a digest of the checked request. */
export function commonFields<Made extends { readonly [name: string]: Json }>(
  grade: Grade,
  objective: Objective,
  gradient: string,
  made: Made,
): Made & Required<Pick<DescentPlan, 'protocol' | 'version' | 'variant' | 'digest' | 'grade' | 'objective'>> {
  const names = { ...FAMILY, variant: 'descent' } as const;
  const digest = digestOf({ ...names, grade, gradient, ...made, objective: { ...objective } });
  return { ...names, digest, grade, objective, ...made };
}

const LOCATING_ROUNDS = 8;

/** The smallest and the largest share of the players who locate the first gradient. */
const LEAST_PILOT = 0.1;
const MOST_PILOT = 0.5;

/** With so many bits for each coordinate, players locate it to within its deviation, nearly always. */
const PILOT_BITS = 60;

/** The numbers from which the number of iterations is computed, if each gradient has two rounds. */
type TwoRoundScheduleFields = Pick<ErmRequest, 'epsilon' | 'players' | 'radius' | 'strongConvexity' | 'iterations'> &
  Required<Pick<ErmRequest, 'step'>>;

type ScheduleFields = TwoRoundScheduleFields &
  Pick<ErmRequest, 'delta'> &
  Required<Pick<ErmRequest, 'samePlayers' | 'predict'>>;

/** The number of rounds of each iteration, the plan of one mean of gradients, and each round's share of the players. */
interface Schedule<Gradient = VectorPlan> {
  readonly rounds: readonly number[];
  readonly gradient: Gradient;
  readonly shares: readonly number[];
}

/**
 * The rounds of a descent. Unless T was requested, it is the number of contractions by 1 − ητ₁ that bring a start at
 * distance R to the distance kept up by the noise of one gradient from all reports, and two more; O(log n).
 * @throws RangeError for so few players that a round would be empty.
 */
export function scheduleOf(fields: ScheduleFields, gradientAt: (epsilon: number) => VectorPlan): Schedule {
  const { samePlayers, players, iterations } = fields;
  let gradient = gradientAt(fields.epsilon);
  let rounds = roundsOf(fields, gradient, iterations ?? defaultIterations(fields, gradient, players));
  // With the same players, more bits leave less budget for each, and with less budget fewer iterations are useful.
  for (let look = 0; samePlayers && look < 3; look++) {
    const bits = sum(rounds);
    gradient = gradientAt(bitBudget(fields, bits));
    if (look === 2) break;
    rounds = roundsOf(fields, gradient, iterations ?? defaultIterations(fields, gradient, players * bits));
  }
  const shares = samePlayers ? new Array<number>(sum(rounds)).fill(1) : freshShares(rounds, gradient);
  const least = min(...shares);
  if (players * least < 1) {
    const expected = `at least ${ceil(1 / least)}, one in each of ${shares.length} rounds`;
    throw new RefusedValue('players', expected, players);
  }
  return { rounds, gradient, shares };
}

/** The least number of players of an iteration: the smallest share of a round, a tenth, then has one player. */
const LEAST_PLAYERS = 10;

/**
 * The same with two rounds per gradient, by n/T players. Unless T was requested, it is the least T that suffices for the
 * contractions that the noise of a gradient by n/T players allows. More iterations mean more noise in each.
 */
export function twoRoundScheduleOf(
  fields: TwoRoundScheduleFields,
  gradientBy: (players: number) => TwoRoundVectorPlan,
): Schedule<TwoRoundVectorPlan> {
  const { players, iterations } = fields;
  const most = floor(players / LEAST_PLAYERS);
  if ((iterations ?? 1) > most) {
    const expected = `at least ${LEAST_PLAYERS * (iterations ?? 1)}, ${LEAST_PLAYERS} for each gradient`;
    throw new RefusedValue('players', expected, players);
  }
  const gradientOf = (count: number): TwoRoundVectorPlan => gradientBy(floor(players / count));
  let [low, high] = iterations === undefined ? [1, min(most, MOST_ITERATIONS)] : [iterations, iterations];
  while (low < high) {
    const middle = (low + high) >> 1;
    const gradient = gradientOf(middle);
    const { model, samples, size, dimension } = gradient;
    const spread = model.deviation * sqrt((samples * size) / dimension);
    if (iterationsAt(fields, sqrt(expectedTwoRoundError(gradient, spread))) <= middle) high = middle;
    else low = middle + 1;
  }
  const gradient = gradientOf(low);
  const shares = Array.from({ length: 2 * low }, (_, round) => gradient.shares[round & 1] / low);
  return { rounds: new Array<number>(low).fill(2), gradient, shares };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

function defaultIterations(fields: ScheduleFields, gradient: VectorPlan, reports: number): number {
  const { size, model } = gradient;
  // √E‖ĝ − g‖² of all n signs, near their thresholds: D²·(π/2)·τ²/(nκ²), τ the deviation of a rotated coordinate.
  const noise = (size * model.deviation * sqrt(PI / 2)) / (model.contrast * sqrt(reports));
  return iterationsAt(fields, noise);
}

/** The number of contractions from a start at distance R to what this noise of a gradient keeps up, and two more. */
function iterationsAt({ radius, strongConvexity, step }: TwoRoundScheduleFields, noise: number): number {
  const kept = noise / strongConvexity;
  const rate = -log1p(-min(0.5, step * strongConvexity));
  return min(MOST_ITERATIONS, 2 + ceil(max(0, log(radius / kept)) / rate));
}

function roundsOf(fields: ScheduleFields, { size }: VectorPlan, iterations: number): number[] {
  const { players, samePlayers, predict } = fields;
  const each = samePlayers ? players : predict ? players * MOST_PILOT : players / iterations;
  // At least two players for each coordinate and round.
  const located = max(1, min(LOCATING_ROUNDS, floor(each / (2 * size))));
  return Array.from({ length: iterations }, (_, i) => (i === 0 || !predict ? located : 1));
}

/** The first iteration gets enough players to locate its gradient; others, or all without predictions, are equal. */
function freshShares(rounds: readonly number[], { players, size, model }: VectorPlan): number[] {
  const bits = (players * model.contrast ** 2) / size;
  const even = 1 / rounds.length;
  const predicted = rounds.length > 1 && rounds[1] < rounds[0];
  const first = predicted ? max(even, min(MOST_PILOT, max(LEAST_PILOT, PILOT_BITS / bits))) : even;
  return rounds.flatMap((count, iteration) => {
    const share = iteration === 0 ? first : (1 - first) / (rounds.length - 1);
    return signShares(count, bits * share).map((part) => part * share);
  });
}

/** ε of each of K bits: the larger of ε/K and, with a δ, the ε that has μ/√K, μ the largest within (ε, δ). */
function bitBudget({ epsilon, delta }: ScheduleFields, count: number): number {
  // On the safe side of rounding: K times this is at most ε.
  const basic = (epsilon / count) * (1 - 2 ** -50);
  if (delta === undefined) return basic;
  return max(pureWithinGdp(gdpMu({ epsilon, delta }) / sqrt(count)), basic);
}

/** The numbers in the condition on the number of players. */
export interface ConditionFields
  extends Pick<ErmRequest, 'epsilon' | 'samples' | 'dimension' | 'strongConvexity' | 'radius'> {
  /** B. */
  readonly gradientBound: number;
  /** The number of gradients that share the players but do not help each other: T for two rounds each; 1 by default. */
  readonly groups?: number;
}

/** Signs for each coordinate, in units of 1/κ², to locate the first gradient, by at most half of the players. */
const BITS = 60;

/**
 * The least number of players for a descent, the larger of two: the theorem's condition √(mn) ≥ Bd²/(ε·τ₁R), and the
 * number to locate the first gradient, n ≥ 60·D/κ², where D is the least power of two ≥ d.
 *
 * Law: the theorem says √(mn) = Ω̃(Bd²/ε) and leaves the constant open. Here it is 1/(τ₁R): a gradient has an error of
 * r = Bd²/(ε√(mn)), up to logarithms, so θ has an error of r/τ₁. An error larger than the ball would say nothing.
 *
 * Source: slides of Avella Medina (2023), guarantees for user-level LDP ERM.
 * @theorem slides Guarantees for user-level LDP ERM, conditions
 */
export function requiredPlayers(fields: ConditionFields): number {
  const { records, locating } = needsOf(fields);
  return ceil(max(records / fields.samples, locating));
}

/**
 * The least number m of records that each of n players has to hold for a descent: (Bd²/(ε·τ₁R))²/n. With two rounds per
 * gradient, each gradient has only the n/T players of its own iteration. Infinity if n is too small to locate a
 * gradient, which no m can compensate.
 *
 * Source: as for `requiredPlayers`; the same condition, solved for m.
 * @theorem slides Guarantees for user-level LDP ERM, conditions
 */
export function requiredSamples(fields: Omit<ConditionFields, 'samples'> & Pick<ErmRequest, 'players'>): number {
  const { records, locating } = needsOf(fields);
  return fields.players < locating ? Infinity : max(1, ceil(records / fields.players));
}

function needsOf(fields: Omit<ConditionFields, 'samples'>): { readonly records: number; readonly locating: number } {
  const { epsilon, dimension, gradientBound, strongConvexity, radius, groups = 1 } = fields;
  const ratio = (gradientBound * dimension * dimension) / (epsilon * strongConvexity * radius);
  let size = 1;
  while (size < dimension) size *= 2;
  const { contrast } = twoLevels(epsilon, 1, 1);
  return { records: groups * ratio * ratio, locating: (groups * BITS * size) / (contrast * contrast) };
}

/** How many players more than n the condition requires; 0 if n is enough. */
export function shortfallOf(fields: ConditionFields & Pick<ErmRequest, 'players'>): number {
  return max(0, requiredPlayers(fields) - fields.players);
}

/** @throws RangeError with the number of missing players, unless the condition is waived. */
export function refuseShortfall({ force, ...fields }: ConditionFields & CheckedRequest['condition']): void {
  const shortfall = force ? 0 : shortfallOf(fields);
  if (shortfall === 0) return;
  const expected = `at least ${fields.players + shortfall}, which √(mn) ≥ Bd²/(ε·τ₁R) and the rounds ask for (${shortfall} more; "force" plans without them)`;
  throw new RefusedValue('players', expected, fields.players);
}

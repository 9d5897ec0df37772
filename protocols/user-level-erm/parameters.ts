import { checkInteger, checkOpenUnit, checkPositive, checkWord, refusal } from '../../src/check/number.ts';
import type { PublicParameters } from '../../src/core/contract.ts';
import { digestOf, type Json } from '../../src/core/digest.ts';
import { checkGrade, type Grade } from '../../src/core/grade.ts';
import { type VectorPlan, vector } from '../user-level-mean/vector/plan.ts';
import { type TwoRoundVectorPlan, twoRoundVector } from '../user-level-mean/vector/two-round.ts';
import { shortfallOf } from './condition.ts';
import { type Objective, objectiveOf } from './objective.ts';
import type { ErmRequest, TwoRoundErmRequest, UserLevelErmRequest } from './request.ts';
import { MOST_ITERATIONS, scheduleOf, twoRoundScheduleOf } from './schedule.ts';

export type { ErmLoss, ErmRequest, TwoRoundErmRequest, UserLevelErmRequest } from './request.ts';

const { min } = Math;

// The protocol's name and the version of its wire format and of the laws of its variants.
const PROTOCOL = 'user-level-erm';
const VERSION = 1;
const FAMILY = { protocol: PROTOCOL, version: VERSION };

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

/** A plan whose rounds ask for signs. */
export interface ErmPlan extends DescentPlan {
  readonly gradients: 'signs';
  /** The plan of the mean of gradients: its coin, its rotation, and what is public before anybody answers. */
  readonly gradient: VectorPlan;
}

/** A plan whose gradients are each a mean of two rounds. */
export interface TwoRoundErmPlan extends DescentPlan {
  readonly gradients: 'two-round';
  /** The plan of the mean of gradients, by the players of one iteration. */
  readonly gradient: TwoRoundVectorPlan;
}

/** Every plan of this protocol. */
export type UserLevelErmPlan = ErmPlan | TwoRoundErmPlan;

/**
 * Noisy gradient descent θ ← Π(θ − ηĝ) on the mean of the players' risks; ĝ is the user-level mean of the players' gradients, by
 * signs of rotated coordinates, one bit each. The first gradient is located in several rounds. Every later one is looked for
 * around ĝ + ½(τ₁ + τ₂)(θ′ − θ), which is off by at most ½(τ₂ − τ₁)‖θ′ − θ‖ more than ĝ was, so that one round is enough and what
 * earlier rounds said is not lost.
 *
 * With `gradients: 'two-round'` every iteration is a mean of two rounds by players of its own, as the slides have it: where the
 * rotated gradient is, then the residual from there. T is the least that its own noise asks for, with n/T players a gradient.
 *
 * Guarantee: pure ε for one player, who answers once. With `samePlayers` a player answers in every round: pure ε with ε/K for each
 * of K bits or, with a δ, (ε, δ) by composition of Gaussian DP.
 *
 * Source: slides of Avella Medina (2023), user-level LDP ERM.
 *
 * @throws TypeError or RangeError naming the field; RangeError naming how many players are missing where there are fewer than
 * the theorem's condition √(mn) ≥ Bd²/(ε·τ₁R) asks for, unless forced.
 * @theorem slides User-level LDP ERM
 * @theorem slides Guarantees for user-level LDP ERM, conditions
 */
export function descent(request: ErmRequest): ErmPlan;
export function descent(request: TwoRoundErmRequest): TwoRoundErmPlan;
export function descent(request: ErmRequest | TwoRoundErmRequest): UserLevelErmPlan;
export function descent(request: ErmRequest | TwoRoundErmRequest): UserLevelErmPlan {
  const gradients = checkWord('gradients', request.gradients ?? 'signs', ['signs', 'two-round']);
  return gradients === 'signs' ? signDescent(request as ErmRequest) : twoRoundDescent(request as TwoRoundErmRequest);
}

function signDescent(request: ErmRequest): ErmPlan {
  const samePlayers = flag('samePlayers', request.samePlayers, false);
  const predict = flag('predict', request.predict, true);
  const { fields, grade, objective, shape, asked, condition } = checked(request);
  const { players } = fields;
  const delta = deltaOf(request.delta, samePlayers);
  if (!condition.force) refuseShortfall(players, shortfallOf({ ...condition, players }));

  const { gradientBound } = objective;
  const spent = delta === undefined ? {} : { delta };
  const { rounds, shares, gradient } = scheduleOf(
    {
      ...fields,
      ...spent,
      ...asked,
      radius: objective.radius,
      strongConvexity: shape.strongConvexity,
      step: shape.step,
      samePlayers,
      predict,
    },
    (bit) => vector(FAMILY, { ...meanRequest(request, gradientBound), ...fields, grade, epsilon: bit, form: 'sign' }),
  );

  const made = { ...fields, ...spent, ...shape, iterations: rounds.length, rounds, shares, samePlayers, predict };
  return { ...common(request, grade, objective, gradient.digest, made), gradients: 'signs', gradient };
}

function twoRoundDescent(request: TwoRoundErmRequest): TwoRoundErmPlan {
  for (const name of ['delta', 'samePlayers', 'predict'] as const) {
    const given = (request as { readonly [field in typeof name]?: unknown })[name];
    if (given !== undefined && given !== false) {
      throw new RangeError(refusal(name, 'nothing for gradients of two rounds', given));
    }
  }
  // From bins for the largest s that may be, a gradient is found no nearer than a part of one, for every n.
  checkPositive('spread', request.spread);
  const { fields, grade, objective, shape, asked, condition } = checked(request);
  const { gradientBound, radius } = objective;
  const { rounds, shares, gradient } = twoRoundScheduleOf({ ...fields, ...asked, ...shape, radius }, (players) =>
    twoRoundVector(FAMILY, { ...meanRequest(request, gradientBound), ...fields, grade, players, form: 'unit' }),
  );
  const iterations = rounds.length;
  const { players } = fields;
  if (!condition.force) refuseShortfall(players, shortfallOf({ ...condition, groups: iterations, players }));
  const made = { ...fields, ...shape, iterations, rounds, shares, samePlayers: false, predict: false };
  const named = { ...made, gradients: 'two-round' } as const;
  return { ...common(request, grade, objective, gradient.digest, named), ...named, gradient };
}

/** What every request has, checked. */
function checked(request: ErmRequest | TwoRoundErmRequest) {
  const grade = checkGrade(request.grade, 'descent', true);
  const players = checkInteger('players', request.players, 1, 2 ** 40);
  const samples = checkInteger('samples', request.samples, 1, 2 ** 40);
  const dimension = checkInteger('dimension', request.dimension, 1, 2 ** 20);
  const force = flag('force', request.force, false);
  const objective = objectiveOf(request, dimension);
  const shape = stepOf(request, objective);
  const epsilon = checkPositive('epsilon', request.epsilon);
  if (epsilon > 500 || epsilon < 1e-6) throw new RangeError(refusal('epsilon', 'a number from 1e-6 to 500', epsilon));
  const asked =
    request.iterations === undefined
      ? {}
      : { iterations: checkInteger('iterations', request.iterations, 1, MOST_ITERATIONS) };
  const { gradientBound, radius } = objective;
  const { strongConvexity } = shape;
  const condition = { epsilon, samples, dimension, gradientBound, strongConvexity, radius, force };
  return { fields: { epsilon, players, samples, dimension }, grade, objective, shape, asked, condition };
}

/** What plans of every kind of gradients have, bound by a digest of what was made of the request. */
function common<Made extends { readonly [name: string]: Json }>(
  request: ErmRequest | TwoRoundErmRequest,
  grade: Grade,
  objective: Objective,
  gradient: string,
  made: Made,
) {
  const names = { protocol: PROTOCOL, version: VERSION, variant: 'descent' } as const;
  const digest = digestOf({ ...names, grade, gradient, ...made, objective: { ...objective } });
  return { ...names, digest, request: plain(request), grade, objective, ...made };
}

/**
 * A plan from plain data: what a device is sent to make the same plan, with the same digest, as the server.
 *
 * @throws TypeError or RangeError naming the field.
 */
export function userLevelErmPlan(request: UserLevelErmRequest): UserLevelErmPlan {
  checkWord('variant', request.variant, VARIANTS);
  return descent(request);
}

/** The variants of this protocol. */
export const VARIANTS = ['descent'] as const;

function flag(name: string, value: unknown, otherwise: boolean): boolean {
  if (value === undefined) return otherwise;
  if (typeof value !== 'boolean') throw new TypeError(refusal(name, 'true or false', value));
  return value;
}

function deltaOf(delta: number | undefined, samePlayers: boolean): number | undefined {
  if (delta === undefined) return undefined;
  if (!samePlayers) throw new RangeError(refusal('delta', 'nothing where players are fresh: one bit is pure', delta));
  return checkOpenUnit('delta', delta);
}

/** τ₁, τ₂ and η ≤ ½·min(1/τ₂, 1), the theorem's rule, unless another one was asked for. */
function stepOf(
  request: ErmRequest | TwoRoundErmRequest,
  objective: Objective,
): Pick<ErmPlan, 'strongConvexity' | 'smoothness' | 'step'> {
  const smoothness = checkPositive('smoothness', request.smoothness ?? objective.smoothness);
  const strongConvexity = checkPositive('strongConvexity', request.strongConvexity);
  if (strongConvexity > smoothness) {
    throw new RangeError(refusal('strongConvexity', `at most the smoothness ${smoothness}`, strongConvexity));
  }
  const step = checkPositive('step', request.step ?? 0.5 * min(1 / smoothness, 1));
  if (step > 1 / smoothness) throw new RangeError(refusal('step', `at most 1/τ₂ = ${1 / smoothness}`, step));
  return { strongConvexity, smoothness, step };
}

function refuseShortfall(players: number, shortfall: number): void {
  if (shortfall === 0) return;
  const expected = `at least ${players + shortfall}, which √(mn) ≥ Bd²/(ε·τ₁R) and the rounds ask for (${shortfall} more; "force" plans without them)`;
  throw new RangeError(refusal('players', expected, players));
}

/** What a plan of a mean of gradients is asked for besides its players: samples in a ball. */
function meanRequest({ spread, seed }: ErmRequest | TwoRoundErmRequest, gradientBound: number) {
  return {
    // The mean of gradients of the largest norm is above it by rounding.
    bound: gradientBound * (1 + 1e-9),
    domain: 'ball',
    ...(spread === undefined ? {} : { spread }),
    ...(seed === undefined ? {} : { seed }),
  } as const;
}

function plain(request: ErmRequest | TwoRoundErmRequest): { readonly [name: string]: Json } {
  const entries = Object.entries({ ...request, variant: 'descent' }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { readonly [name: string]: Json };
}

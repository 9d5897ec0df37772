import { checkInteger, checkPositive, checkRange, RefusedValue } from '../../src/check/refusal.ts';
import type { LogRatio } from '../../src/core/channel.ts';
import type { PlainRequest, PublicParameters } from '../../src/core/contract.ts';
import type { ReportParameters, Values } from '../../src/core/frame.ts';
import type { RoundParameters } from '../../src/core/interactive.ts';
import { checkGrade, digestOf, type Grade, type Json } from '../../src/core/request.ts';
import { approximate, type Guarantee, pure } from '../../src/privacy/guarantee.ts';

const { min } = Math;

/** Where a sample of several dimensions lies: every coordinate within ±B, or its ℓ₂ norm at most B. */
export type SampleDomain = 'box' | 'ball';

/** One player's private data: all its samples. Any two sets of samples of one player are neighbours. */
export interface UserDatum {
  /**
   * The samples one after the other, m × d row-major, every coordinate in [−B, B]. m is the player's own number of
   * samples, at least 1. It need not be the plan's nominal number, and every sample counts. Nobody learns m. The
   * estimate is of the mean of the players' local means, so a player with few samples has the same weight as one with
   * many.
   */
  readonly samples: ArrayLike<number>;
}

/** The protocol to which plans belong: reports of one protocol are refused by another. */
export type UserLevelFamily = Pick<PublicParameters, 'protocol' | 'version'>;

/** The fields of a request for any plan of a private mean. */
export interface UserLevelRequest {
  /** ε > 0 of one player's transcript over all rounds. */
  readonly epsilon: number;
  /** n, the expected number of players: designs are chosen for it, and estimates hold for any number. */
  readonly players: number;
  /** m, the nominal number of samples of a player: designs are chosen for it; the guarantee does not depend on it. */
  readonly samples: number;
  /** B: every coordinate of a sample lies in [−B, B]; 1 by default. */
  readonly bound?: number;
  /** d from 1 to 2²⁰, the coordinates of a sample; 1 by default. */
  readonly dimension?: number;
  /** The kind of noise (default: `simulation`). */
  readonly grade?: Grade;
}

/** The fields of every plan of a private mean. */
export interface UserLevelPlan extends PublicParameters, Required<Omit<UserLevelRequest, 'grade'>> {
  readonly grade: Grade;
}

/** The fields of every round of a private mean; the number of entries of a report, and their precision. */
export interface UserLevelRound extends RoundParameters, ReportParameters, Pick<UserLevelPlan, 'bound' | 'dimension'> {
  readonly grade: Grade;
}

/** The further field of plans and rounds in several dimensions. */
export interface OfVectors {
  readonly domain: SampleDomain;
}

/** A round in several dimensions. */
export interface RoundOfVectors extends UserLevelRound, OfVectors {}

/** What every round takes from its plan, and its place; `repeats`: players of earlier rounds answer again. */
export function roundFields(
  plan: UserLevelPlan,
  round: number,
  share: number,
  repeats: boolean = false,
): Omit<UserLevelRound, 'digest' | 'length' | 'precision'> {
  const { protocol, variant, version, grade, bound, dimension } = plan;
  const again = repeats ? { repeats: true as const } : {};
  return { protocol, variant, version, grade, bound, dimension, round, share, ...again };
}

/** What a server keeps of a round, which its digest names: a few sums, for any number of players. */
export interface MeanTally {
  readonly digest: string;
  players: number;
  /** Counts of outputs, or sums of noisy values: see `RoundChannel` of the round. */
  readonly sums: Float64Array;
}

/** The estimate of the mean from all rounds. */
export interface MeanEstimate {
  /** Number of reports, over all rounds. */
  readonly players: number;
  /** The point of the domain of the samples that is nearest to what the rounds found, d numbers. */
  readonly mean: Float64Array;
  /** What the rounds found; with few players it may lie outside. For averages over many collections. */
  readonly unprojected: Float64Array;
  /** Standard errors of the latter, d numbers: privacy noise and sampling together. */
  readonly standardError: Float64Array;
  /** Standard deviation of one player's local mean, if the rounds or the plan give it: d numbers, or one for all. */
  readonly deviation?: Float64Array;
}

/** What the rounds find, before it is moved to the domain of the samples. */
export type FoundMean = Omit<MeanEstimate, 'unprojected'>;

/**
 * The reports of one round, bound to its public parameters: what a server and an audit know of them. One object serves
 * both, so that they cannot diverge. The draw itself is in `player.ts`: a server has no access to coins.
 */
export interface RoundChannel {
  readonly sums: number;
  /** Refuses, by a ReportError, what no player of the round can have sent, or sends only once in 10¹² reports. */
  check(values: Values): void;
  add(sums: Float64Array, values: Values): void;
  /** A report as the numbers that an audit uses. */
  view(values: Values): ArrayLike<number>;
  /**
   * The probabilities of all reports of a player with this image, in the order of the reports' numbers; undefined if
   * they are not finitely many, or too many.
   *
   * Shape: the local mean, or the coordinates of it that the round asks about; rotated if the round has a rotation. Of a
   * round of residuals the residual in the unit ball.
   */
  probabilities(image: ArrayLike<number>): Float64Array | undefined;
  /** log P(report | first)/P(report | second) of two such vectors. */
  logRatio(first: ArrayLike<number>, second: ArrayLike<number>): LogRatio;
}

/** Whether a plan or a round is one of several dimensions: only those have a domain of vectors. */
export function isVector<Parameters extends object>(
  parameters: Parameters,
): parameters is Extract<Parameters, { readonly domain: unknown }> {
  return 'domain' in parameters;
}

/** A plan in several dimensions draws a sign for each coordinate: a million take no time, a billion fill the memory. */
const MAXIMUM_DIMENSION = 2 ** 20;

/** The checked fields that every plan shares, before the digest. */
export type PlanFields = Omit<UserLevelPlan, 'digest' | 'request'>;

/** ε of one player's transcript, from 1e-6 to 500. */
export function checkEpsilon(given: unknown): number {
  const epsilon = checkPositive('epsilon', given);
  if (epsilon > 500 || epsilon < 1e-6) throw new RefusedValue('epsilon', 'a number from 1e-6 to 500', epsilon);
  return epsilon;
}

/** s > 0 of samples within ±B: at most B, and not lost in the rounding of a sample. */
export function checkSpread(given: unknown, bound: number): number {
  return checkRange('spread', checkPositive('spread', given), 1e-15 * bound, bound);
}

/** Refuses a share of the budget that leaves next to nothing for a round. */
export function checkBudgets(share: number | undefined, epsilons: readonly number[]): void {
  if (min(...epsilons) >= 1e-9) return;
  throw new RefusedValue('share', 'one that leaves each round an ε of 1e-9 or more', share);
}

/** The fields of a request that every variant shares, checked. */
export function planFields(
  { protocol, version }: UserLevelFamily,
  variant: string,
  request: UserLevelRequest,
  deployable: boolean,
): PlanFields {
  const grade = checkGrade(request.grade, variant, deployable);
  const epsilon = checkEpsilon(request.epsilon);
  const bound = checkRange('bound', checkPositive('bound', request.bound ?? 1), 1e-100, 1e100);
  return {
    protocol,
    version,
    variant,
    grade,
    epsilon,
    bound,
    players: checkInteger('players', request.players, 1, 2 ** 40),
    samples: checkInteger('samples', request.samples, 1, 2 ** 40),
    dimension: checkInteger('dimension', request.dimension ?? 1, 1, MAXIMUM_DIMENSION),
  };
}

/** The same fields for a variant in one dimension. */
export function scalarFields(
  family: UserLevelFamily,
  variant: string,
  request: UserLevelRequest,
  deployable: boolean,
): PlanFields {
  const fields = planFields(family, variant, request, deployable);
  if (fields.dimension === 1) return fields;
  const expected = `1 for variant ${variant} (vector and coordinates take more)`;
  throw new RefusedValue('dimension', expected, fields.dimension);
}

/** What a plan claims: (ε, δ), or pure ε if it has no δ. */
export function guaranteeOf({ epsilon, delta }: { readonly epsilon: number; readonly delta?: number }): Guarantee {
  return delta === undefined ? pure(epsilon) : approximate({ epsilon, delta });
}

/** Refuses fewer players than groups, if every round needs at least one player. */
export function checkGroups(players: number, shares: readonly number[]): void {
  const needed = Math.ceil(1 / min(...shares) - 1e-9);
  if (players < needed) {
    throw new RefusedValue('players', `at least ${needed}, so that each of ${shares.length} rounds has one`, players);
  }
}

/** A request as a plan remembers it, so that it can be certified: with its variant, without fields left undefined. */
export function rememberedRequest(request: object, variant: string): PlainRequest {
  const entries = Object.entries({ ...request, variant }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as PlainRequest;
}

/** The digest of a plan: of every requested field, in the units of the request. */
export function planDigest(fields: PlanFields, rest: { readonly [name: string]: Json }): string {
  const { protocol, version, variant, grade, epsilon, players, samples, bound, dimension } = fields;
  return digestOf({ protocol, version, variant, grade, epsilon, players, samples, bound, dimension, ...rest });
}

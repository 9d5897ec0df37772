import { digestOf } from '../../src/core/digest.ts';
import type { FinishedRound, RoundParameters } from '../../src/core/rounds.ts';
import type { LocationModel } from '../user-level-mean/vector/location.ts';
import type { Located, SignRound, VectorRound, VectorTally } from '../user-level-mean/vector/round.ts';
import { twoRoundVectorRound } from '../user-level-mean/vector/two-round.ts';
import type { Objective } from './objective.ts';
import type { DescentPlan, ErmPlan, TwoRoundErmPlan } from './parameters.ts';

export type { SampleDomain } from '../user-level-mean/vector/model.ts';
export type { Rotation } from '../user-level-mean/vector/rotation.ts';
export type { LocationModel, SignRound, VectorTally };

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
}

/** A round whose players are asked for one sign of the gradient at θ each. */
export interface ErmRound extends DescentRound {
  /** Where the rotated gradient is expected: D numbers. */
  readonly centre: Float64Array;
  /** How far from there, and how local gradients vary. */
  readonly model: LocationModel;
  /** What is asked: thresholds for the rotated coordinates of a local gradient. */
  readonly signs: SignRound;
}

/** A round of a gradient that has two: where it is, or the residual from there. */
export interface TwoRoundErmRound extends DescentRound {
  /** What is asked, of a local gradient as of a local mean. */
  readonly mean: VectorRound;
}

/** Every round of this protocol. */
export type UserLevelErmRound = ErmRound | TwoRoundErmRound;

/** What a server keeps of a round: for each threshold, how many signs were reported below and above it; of two rounds their sums. */
export type ErmTally = VectorTally;

/** A round that is over. */
export type FinishedErm<Round = UserLevelErmRound> = FinishedRound<Round, ErmTally>;

/** Where a round stands and what is known before it. */
export type RoundState = Pick<ErmRound, 'round' | 'iteration' | 'place' | 'theta' | 'centre' | 'model'>;

/** What binds a round to its plan, to θ and to its thresholds, these not relative to the centre. */
export function roundDigest(plan: DescentPlan, round: number, theta: Float64Array, thresholds: Float64Array): string {
  return digestOf({ plan: plan.digest, round, theta: Array.from(theta), thresholds: Array.from(thresholds) });
}

/**
 * The round that asks at thresholds relative to the centre.
 *
 * @theorem slides User-level LDP ERM
 */
export function ermRound(plan: ErmPlan, state: RoundState, thresholds: Float64Array): ErmRound {
  const { protocol, version, grade, objective, gradient, shares, samePlayers, dimension } = plan;
  const { round, theta, centre } = state;
  const absolute = thresholds.map((threshold, q) => threshold + centre[q >> 1]);
  const digest = roundDigest(plan, round, theta, absolute);
  const share = shares[round];
  const { bound, size, coin, rotation, domain } = gradient;
  const signs: SignRound = {
    protocol,
    variant: 'vector',
    version,
    digest,
    grade,
    round,
    share,
    bound,
    dimension,
    domain,
    kind: 'sign',
    length: 1,
    precision: 'uint32',
    size,
    answers: 'one',
    ...(rotation === undefined ? {} : { rotation }),
    thresholds: absolute,
    coin,
  };
  const again = samePlayers && round > 0 ? { repeats: true as const } : {};
  return { protocol, variant: 'descent', version, digest, grade, share, objective, signs, ...state, ...again };
}

/**
 * The round of a gradient that has two, by its number and θ; the second is made from what the first has found.
 *
 * @theorem slides User-level LDP ERM
 */
export function twoRoundErmRound(
  plan: TwoRoundErmPlan,
  { round, theta }: Pick<DescentRound, 'round' | 'theta'>,
  located?: Located,
): TwoRoundErmRound {
  const { protocol, version, grade, objective, gradient } = plan;
  const place = round % 2;
  const asked = twoRoundVectorRound(gradient, place, located);
  const digest = digestOf({ plan: plan.digest, round, theta: Array.from(theta), asked: asked.digest });
  const share = plan.shares[round];
  const mean = { ...asked, digest, round, share };
  const common = { protocol, variant: 'descent', version, digest, grade, round, share, objective } as const;
  return { ...common, iteration: (round - place) / 2, place, theta, mean };
}

/** What is asked of a local gradient, bound to what the round says it is. */
export function askedOf(round: UserLevelErmRound): VectorRound {
  const { protocol, version, digest } = round;
  const asked = 'signs' in round ? round.signs : round.mean;
  if (asked.digest === digest && asked.protocol === protocol && asked.version === version) return asked;
  return { ...asked, protocol, version, digest };
}

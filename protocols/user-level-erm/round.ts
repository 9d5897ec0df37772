import { digestOf } from '../../src/protocol/digest.ts';
import type { FinishedRound, RoundParameters } from '../../src/protocol/rounds.ts';
import type { LocationModel } from '../../src/protocol/user-level/vector/location.ts';
import type { SignRound, VectorTally } from '../../src/protocol/user-level/vector/round.ts';
import type { Objective } from './objective.ts';
import type { ErmPlan } from './parameters.ts';

export type { SampleDomain } from '../../src/protocol/user-level/vector/model.ts';
export type { Rotation } from '../../src/protocol/user-level/vector/rotation.ts';
export type { LocationModel, SignRound, VectorTally };

/** One round of a descent: players are asked for one sign of the gradient at θ each. */
export interface ErmRound extends RoundParameters {
  readonly maker: 'descent';
  /** t, from 0. */
  readonly iteration: number;
  /** Which round of the iteration, from 0. */
  readonly place: number;
  /** θ_t, where gradients are taken. */
  readonly theta: Float64Array;
  /** What they are the gradients of. */
  readonly objective: Objective;
  /** Where the rotated gradient is expected: D numbers. */
  readonly centre: Float64Array;
  /** How far from there, and how local gradients vary. */
  readonly model: LocationModel;
  /** What is asked: thresholds for the rotated coordinates of a local gradient. */
  readonly signs: SignRound;
}

/** What a server keeps of a round: for each threshold, how many signs were reported below and above it. */
export type ErmTally = VectorTally;

/** A round that is over. */
export type FinishedErm = FinishedRound<ErmRound, ErmTally>;

/** Where a round stands and what is known before it. */
export type RoundState = Pick<ErmRound, 'round' | 'iteration' | 'place' | 'theta' | 'centre' | 'model'>;

/** What binds a round to its plan, to θ and to its thresholds, these not relative to the centre. */
export function roundDigest(plan: ErmPlan, round: number, theta: Float64Array, thresholds: Float64Array): string {
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
    maker: 'vector',
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
  return { protocol, maker: 'descent', version, digest, grade, share, objective, signs, ...state, ...again };
}

/** The round of signs inside, bound to what the round says it is. */
export function signsOf({ signs, protocol, version, digest }: ErmRound): SignRound {
  if (signs.digest === digest && signs.protocol === protocol && signs.version === version) return signs;
  return { ...signs, protocol, version, digest };
}

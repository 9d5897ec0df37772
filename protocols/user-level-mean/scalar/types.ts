import type { PublicParameters } from '../../../src/core/contract.ts';
import type { Values } from '../../../src/core/frame.ts';
import type { Grade } from '../../../src/core/grade.ts';
import type { RoundParameters } from '../../../src/core/rounds.ts';

/** One player's private data: all its samples. Any two sets of samples of one player are neighbours. */
export interface UserDatum {
  /**
   * The samples one after the other, m × d row-major, every coordinate in [−B, B]. m is what the player holds, at least 1: it
   * need not be the plan's nominal number, and every sample counts. Nobody is told m, but the estimate is of the mean of the
   * players' local means, so that a player with few samples weighs as much as one with many.
   */
  readonly samples: ArrayLike<number>;
}

/** Whose plans they are: reports of one protocol are refused by another. */
export interface UserLevelFamily {
  /** The protocol's folder name. */
  readonly protocol: string;
  /** Version of its wire format and of the laws of its variants. */
  readonly version: number;
}

/** What every plan of a private mean is asked for. */
export interface UserLevelRequest {
  /** ε > 0 of one player's transcript over all rounds. */
  readonly epsilon: number;
  /** n, the number of players that are expected: designs are chosen for it, and estimates hold for any number. */
  readonly players: number;
  /** m, the nominal number of samples a player holds: designs are chosen for it, the guarantee does not depend on it. */
  readonly samples: number;
  /** B: every coordinate of a sample lies in [−B, B]; 1 by default. */
  readonly bound?: number;
  /** d from 1 to 2²⁰, the coordinates of a sample; 1 by default. */
  readonly dimension?: number;
  /** What the noise is made of (default: `simulation`). */
  readonly grade?: Grade;
}

/** What every plan of a private mean carries. */
export interface UserLevelPlan extends PublicParameters {
  /** What the noise is made of. */
  readonly grade: Grade;
  /** ε of one player's transcript. */
  readonly epsilon: number;
  /** n that designs are chosen for. */
  readonly players: number;
  /** m that designs are chosen for. */
  readonly samples: number;
  /** B. */
  readonly bound: number;
  /** d. */
  readonly dimension: number;
}

/** What every round of a private mean carries besides its place and its share of the players. */
export interface UserLevelRound extends RoundParameters {
  /** What the noise is made of. */
  readonly grade: Grade;
  /** B. */
  readonly bound: number;
  /** d. */
  readonly dimension: number;
}

/** One player's report: numbers in the precision of the wire, so that encoding loses nothing. */
export interface UserLevelReport {
  readonly values: Values;
}

/** What the rounds say about the mean. */
export interface MeanEstimate {
  /** Number of reports, over all rounds. */
  readonly players: number;
  /** The mean, d numbers. */
  readonly mean: Float64Array;
  /** Its standard errors, d numbers: of privacy noise and of sampling together. */
  readonly standardError: Float64Array;
  /** Standard deviation of one player's local mean, where the rounds or the plan tell it: d numbers or, for all, one. */
  readonly deviation?: Float64Array;
}

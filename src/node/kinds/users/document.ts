import type { MeanErrors } from '../../../../protocols/user-level-mean/repeated-mean.ts';
import type { Guarantee } from '../../../privacy/guarantee.ts';
import type { Uncertainty } from '../../../simulation/uncertainty.ts';
import type { EpsilonHead } from '../document.ts';

/** An estimate as plain data, in the unit of the question. */
interface MeanRecord {
  /** One number, or one for each hour. */
  readonly mean: readonly number[];
  /** The standard errors that the estimate itself states. */
  readonly standardError: readonly number[];
}

/** All runs of one variant at one ε. */
export interface UserRunRecord {
  readonly variant: string;
  readonly epsilon: number;
  /** The guarantee for one player. */
  readonly guarantee: Guarantee;
  /** Of the first repetition. */
  readonly estimate: MeanRecord;
  /** What the noise of the reports and the choice of players leave open about it, from the reports alone. */
  readonly uncertainty: Uncertainty;
  /** The mean of every repetition; in one dimension only. */
  readonly means?: readonly number[];
  /** Over all repetitions. */
  readonly metrics: MeanErrors;
  /** Wall-clock time of one repetition: all reports of all rounds, tallies and estimate. */
  readonly seconds: number;
  readonly reportsPerSecond: number;
}

/** The error of an answer without the players, or of a worse protocol. */
export interface UserBaseline {
  /** Root mean squared error. */
  readonly error: number;
  /** The answer that needs no player. */
  readonly description?: string;
}

/**
 * What `ldpkit run` of a user-level protocol reports: the headline run (first variant, ε closest to 1), then every run.
 * All errors are in the `unit`; `truth`, `metrics` and `baselines` are computed from the samples without privacy.
 */
export interface UserRunDocument extends EpsilonHead {
  readonly delta: number;
  /** `delay`, `hours`, or `mean` of a file. */
  readonly question: string;
  /** A player and a sample, as words. */
  readonly player: string;
  readonly sample: string;
  /** Names of the coordinates. */
  readonly names: readonly string[];
  /** Unit of the truth, the estimates and the errors. */
  readonly unit: string;
  /** What was public beforehand. */
  readonly agreed: string;
  /** Samples of all players. */
  readonly records: number;
  /** The largest number of samples of one player that count. */
  readonly cap: number;
  /** Samples beyond the cap. */
  readonly leftOut: number;
  readonly dimension: number;
  /** m, the number of samples of a player for which plans were made. */
  readonly samples: number;
  readonly estimate: MeanRecord;
  readonly uncertainty: Uncertainty;
  readonly metrics: MeanErrors;
  readonly truth: {
    /** The mean over players of their local means: what is estimated. */
    readonly mean: readonly number[];
    /** The mean over samples: not what is estimated. */
    readonly recordMean: readonly number[];
  };
  /** At the ε of the headline run. */
  readonly baselines: { readonly [name: string]: UserBaseline };
  /** Of one repetition of the headline run. */
  readonly seconds: number;
  readonly runs: readonly UserRunRecord[];
}

import type { Json } from '../../../core/digest.ts';
import type { Guarantee } from '../../../privacy/guarantee.ts';
import type { Uncertainty } from '../../../simulation/uncertainty.ts';
import type { EpsilonHead } from '../document.ts';

/** How good one model is on the evaluated records. */
export interface Metrics {
  /** Mean loss. */
  readonly risk: number;
  /** Share of records whose side the model finds. */
  readonly accuracy: number;
  /** Area under the ROC curve; null where all labels are the same. */
  readonly auc: number | null;
}

/** The same for a model that is compared with the non-private optimum. */
export interface PrivateMetrics extends Metrics {
  /** Risk minus that of the non-private optimum on the same records; it may be negative on held-out records. */
  readonly excessRisk: number;
}

/** A private estimate as plain data. */
interface EstimateRecord {
  /** The model, one number for each feature. */
  readonly w: readonly number[];
  /** Degree of the polynomial used. */
  readonly degree: number;
  /** The risk at w as the server reconstructs it from the reports alone. */
  readonly risk: number;
  /** Its standard error at a w fixed in advance. */
  readonly standardError: number;
  /** Other results of the protocol, such as its coefficients. */
  readonly [detail: string]: Json;
}

/** One run: one variant, one ε, one set of coins. */
export interface RunRecord {
  readonly variant: string;
  readonly epsilon: number;
  /** From 1. */
  readonly repetition: number;
  /** The guarantee for one player. */
  readonly guarantee: Guarantee;
  /** Degree of the polynomial used. */
  readonly degree: number;
  readonly estimate: EstimateRecord;
  /** What the noise of the reports leaves open about the estimate, from the reports alone. */
  readonly uncertainty: Uncertainty;
  readonly metrics: PrivateMetrics;
  /** A model for comparison from the same tally: the model of degree 0. */
  readonly baselines: { readonly meanOnly: PrivateMetrics };
  /** Wall-clock time to make all reports, or to draw what they add up to, tally and estimate. */
  readonly seconds: number;
  /** How the tally came about: from reports, or drawn by the law of the sum of all reports, without making them. */
  readonly law: 'reports' | 'sum';
  /** How many reports were made. */
  readonly reports: number;
  /** A bound on the distance in total variation between the law of this tally and that of a tally of reports. */
  readonly distance: number;
  /** Null where the tally was drawn. */
  readonly reportsPerSecond: number | null;
}

/** Which records the models are measured on. */
export interface EvaluatedOn {
  /** How many. */
  readonly records: number;
  /** Whether these records differ from those of the players. */
  readonly heldOut: boolean;
  /** The same in words. */
  readonly description: string;
}

/** How many players a variant needs for a gradient as exact as that of the protocol's best variant. */
export interface NeededPlayers {
  readonly variant: string;
  /** Variance of one report's gradient estimate. */
  readonly variance: number;
  /** That variance divided by the variance of the best variant. */
  readonly ratio: number;
  /** The ratio times the number of players. */
  readonly players: number;
}

/**
 * What `ldpkit run` reports: the headline run (first variant, ε closest to 1, first repetition), then every run.
 *
 * `baselines`, `metrics` and the number of records come from the records without privacy; only estimates are private.
 */
export interface RunDocument extends EpsilonHead {
  readonly dimension: number;
  readonly degree: number;
  readonly estimate: EstimateRecord;
  readonly uncertainty: Uncertainty;
  readonly metrics: PrivateMetrics;
  readonly baselines: {
    readonly nonPrivate: Metrics;
    readonly constant: Metrics;
    readonly meanOnly: PrivateMetrics;
  };
  readonly seconds: number;
  /** The degree for which the reports were collected; `degree` is the one that the estimate used. */
  readonly collectedDegree: number;
  readonly delta: number;
  readonly radius: number | 'automatic';
  /** How many players hold each record. */
  readonly copies: number;
  /** Wall-clock time for the moments of the data, which serve all runs without reports; null where there are none. */
  readonly momentsSeconds: number | null;
  /** The loss whose mean is the risk. */
  readonly loss: string;
  /** A name for each coordinate of a record and of w. */
  readonly features: readonly string[];
  readonly evaluatedOn: EvaluatedOn;
  readonly runs: readonly RunRecord[];
  /** All variants of the protocol, at the ε of the headline run and the collected degree. */
  readonly playersForSameVariance: readonly NeededPlayers[];
}

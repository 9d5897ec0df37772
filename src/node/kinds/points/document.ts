import type { Uncertainty } from '../../../inference/model-interval.ts';
import type { EpsilonHead } from '../run.ts';

/** One run of a protocol on points: distances, in the document's unit, from the median of the points before moving. */
export interface PointRun {
  readonly variant: string;
  readonly epsilon: number;
  /** The share of players that were moved. */
  readonly moved: number;
  /** From 0. */
  readonly repetition: number;
  /** Of the private median, and of the private mean from the same reports. */
  readonly median: number;
  readonly mean: number;
  /** Of the non-private median (by Weiszfeld) and mean of the points as moved, and of the middle of the bounds. */
  readonly weiszfeld: number;
  readonly plainMean: number;
  readonly centre: number;
  /** The private median: latitude and longitude, or the coordinates of the file. */
  readonly place: readonly number[];
  readonly degree: number;
  readonly risk: number;
  readonly standardError: number;
  /** What the noise of the reports leaves open, in the unit of the protocol, from the reports alone. */
  readonly uncertainty: Uncertainty;
}

/**
 * What `ldpkit run` of a protocol on points reports: the headline run (first variant, ε closest to 1, first share and
 * repetition), then every run. `metrics` and `baselines` are computed from the points without privacy; only estimates
 * are private.
 */
export interface PointRunDocument extends EpsilonHead {
  readonly dimension: number;
  /** Names of the coordinates of a place. */
  readonly names: readonly string[];
  /** The unit of distances. */
  readonly unit: string;
  /** How many such units are 1 in the protocol. */
  readonly scale: number;
  /** The degree of the polynomials that are collected. */
  readonly degree: number;
  readonly delta: number;
  readonly radius: number;
  /** Who the players are, in words. */
  readonly who: string;
  /** What was public beforehand. */
  readonly agreed: string;
  readonly estimate: Pick<PointRun, 'place' | 'degree' | 'risk' | 'standardError' | 'uncertainty'>;
  readonly metrics: { readonly distance: number };
  readonly baselines: {
    /** The median of the points before moving, and its distance from the median of the points as moved. */
    readonly nonPrivate: { readonly place: readonly number[]; readonly distance: number };
    readonly mean: { readonly distance: number };
    readonly plainMean: { readonly distance: number };
    readonly centre: { readonly distance: number };
  };
  readonly runs: readonly PointRun[];
}

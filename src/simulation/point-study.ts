import type { Protocol, PublicParameters } from '../core/contract.ts';
import type { Forecast } from './forecast.ts';
import type { StudyQuery, StudyRequest } from './study.ts';
import type { Uncertainty } from './uncertainty.ts';

/** What a player with a point holds. */
export interface PointRecord {
  /** x: p numbers in the unit ball. */
  readonly point: ArrayLike<number>;
}

/** The fields of every estimate of a place among points. */
export interface PointEstimate {
  /** Number of reports. */
  readonly players: number;
  /** The place. */
  readonly w: Float64Array;
  /** The private mean from the same reports, the baseline. */
  readonly mean: Float64Array;
  /** Degree of the polynomial used. */
  readonly degree: number;
  /** The reconstructed risk at w. */
  readonly risk: number;
  /** Its standard error at a w fixed in advance. */
  readonly standardError: number;
}

/** What forecasts for points assume before collecting. */
export interface PointForecastSetting {
  /** p. */
  readonly dimension: number;
  /** R > 0. */
  readonly radius: number;
}

/** What to expect of the reports of a number of players. */
export type PointForecaster = (request: StudyRequest, players: number) => Forecast;

/** What a protocol for a place among private points offers to its users. See `Study` for labelled records. */
export interface PointStudy<
  Parameters extends PublicParameters = PublicParameters,
  Report = unknown,
  Tally = unknown,
  Estimate extends PointEstimate = PointEstimate,
  Query = unknown,
> {
  /** The kind of this study; it differs from that of a study on labelled records. */
  readonly kind: 'points';
  /** The protocol. */
  readonly protocol: Protocol<Parameters, PointRecord, Report, Tally, Estimate, Query>;
  /** What it does, in one line. */
  readonly summary: string;
  /** Its variants, in the order of tables; the first is the one that is shown first. */
  readonly variants: readonly string[];
  /** Variants whose guarantee is pure, so that they do not use δ. */
  readonly pureVariants: readonly string[];
  /**
   * The requested parameters.
   *
   * @throws TypeError or RangeError naming the field.
   */
  parameters(request: StudyRequest): Parameters;
  /** The points that forecasts assume, in one line. */
  readonly assumption: string;
  /**
   * Forecasts before collecting, without data, for requests of one dimension.
   *
   * @throws TypeError or RangeError naming the field.
   */
  forecaster(setting: PointForecastSetting): PointForecaster;
  /** What the noise of the reports leaves open about an estimate from this tally. */
  uncertainty(parameters: Parameters, tally: Tally, estimate: Estimate): Uncertainty;
  /** The protocol's own form of a query. */
  query(query: Omit<StudyQuery, 'radius'> & { readonly radius: number }): Query;
}

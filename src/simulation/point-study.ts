import type { Protocol, PublicParameters } from '../core/contract.ts';
import type { Forecast } from './forecast.ts';
import type { StudyQuery, StudyRequest } from './study.ts';

/** What a player with a point holds. */
export interface PointRecord {
  /** x: p numbers in the unit ball. */
  readonly point: ArrayLike<number>;
}

/** What every estimate of a place among points has. */
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

/** What to expect of the reports of so many players. */
export type PointForecaster = (request: StudyRequest, players: number) => Forecast;

/** What a protocol for a place among private points offers to those who try it. See `Study` for labelled records. */
export interface PointStudy<
  Parameters extends PublicParameters = PublicParameters,
  Report = unknown,
  Tally = unknown,
  Estimate extends PointEstimate = PointEstimate,
  Query = unknown,
> {
  /** What tells this kind of study from one on labelled records. */
  readonly kind: 'points';
  /** The protocol. */
  readonly protocol: Protocol<Parameters, PointRecord, Report, Tally, Estimate, Query>;
  /** One line on what it does. */
  readonly summary: string;
  /** Its variants, best first. */
  readonly variants: readonly string[];
  /** Variants whose guarantee is pure, so that they do not use δ. */
  readonly pureVariants: readonly string[];
  /**
   * The parameters asked for.
   *
   * @throws TypeError or RangeError naming the field.
   */
  parameters(request: StudyRequest): Parameters;
  /** One line on the points that forecasts assume. */
  readonly assumption: string;
  /**
   * Forecasts before collecting, without data, for requests of one dimension.
   *
   * @throws TypeError or RangeError naming the field.
   */
  forecaster(setting: PointForecastSetting): PointForecaster;
  /** The protocol's own form of a query. */
  query(query: Omit<StudyQuery, 'radius'> & { readonly radius: number }): Query;
}

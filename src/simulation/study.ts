import { checkPositive } from '../check/refusal.ts';
import type { PlainRequest, Protocol, PublicParameters } from '../core/contract.ts';
import type { Grade, Json } from '../core/request.ts';
import type { Uncertainty } from '../inference/model-interval.ts';
import type { MarginLoss } from '../risk/margin-loss.ts';
import type { Baseline, ConstantBaseline } from './metrics.ts';
import type { Dataset, LabelledRecord, Population } from './runner.ts';
import type { SumLaw } from './sum-law.ts';

/** What a study requests from a variant: plain data, so worker threads make the same parameters. */
export interface StudyRequest {
  /** Name of the variant. */
  readonly variant: string;
  /** ε > 0 of one player's transcript. */
  readonly epsilon: number;
  /** δ of one player's transcript; variants with a pure guarantee do not use it. */
  readonly delta: number;
  /** Highest degree of the polynomial. */
  readonly degree: number;
  readonly dimension: number;
  /** What the noise is made of; a simulation by default. */
  readonly grade?: Grade;
  /** The shares of the powers, where the variant has them; by default those of the variant. */
  readonly shares?: readonly number[];
}

/** What is public before a collection, and decides how it is planned. */
export interface PlanQuestion {
  /** n, the number of players expected. */
  readonly players: number;
  /** p. */
  readonly dimension: number;
  /** ε of one player's transcript. */
  readonly epsilon: number;
  /** R: the constraint is ‖w‖ ≤ R. */
  readonly radius: number;
  /** Whether every record has norm 1. Default false. */
  readonly unitNorm?: boolean | undefined;
}

/** The query of a study to a tally after collection. */
export interface StudyQuery {
  /** R > 0; `automatic`: the server picks it from the tally, where the study has an `automaticRadius`. */
  readonly radius: number | 'automatic';
  /** Degree used, up to the parameters'; by default the protocol chooses. */
  readonly degree?: number | 'automatic';
  readonly variant?: string;
  /** Which server finds the model, where the variant's tally leaves a choice. */
  readonly server?: string | undefined;
  /** How the reports are decoded, where the variant leaves a choice. */
  readonly decoder?: string | undefined;
  /** The place of a coordinate that is nearly the same positive number for every record, if there is one. */
  readonly intercept?: number | undefined;
  /** Whether every record has norm 1. */
  readonly unitNorm?: boolean | undefined;
}

/** The model and the record of {@link Study.gradientVariance}: w at 60° to x = v = e₁; in one dimension w = ½. */
export function varianceSetting(dimension: number): { readonly w: Float64Array; readonly features: Float64Array } {
  const features = new Float64Array(dimension);
  features[0] = 1;
  const w = Float64Array.from(features, (_, i) => (i === 0 ? 0.5 : i === 1 ? Math.sqrt(0.75) : 0));
  return { w, features };
}

/** What is the same for all forecasts of a designer before collecting. */
export interface ForecastSetting extends Omit<PlanQuestion, 'players' | 'epsilon'>, Pick<StudyQuery, 'intercept'> {
  /** P(right label) − P(wrong label) of the reference population, in (0, 1]. */
  readonly signal: number;
  readonly loss: string;
  /** Public records like those of the players, in the place of the reference population. */
  readonly records?: Dataset | undefined;
  /** A declared law of margins, in the place of the reference population where no records are given. */
  readonly declared?: MarginLaw | undefined;
}

/** The fields of every estimate of a linear model. */
export interface LinearEstimate {
  readonly players: number;
  readonly w: Float64Array;
  readonly radius: number;
  readonly degree: number;
  /** The reconstructed risk at w. */
  readonly risk: number;
  /** Its standard error at a w fixed in advance: the privacy noise, given the data. */
  readonly standardError: number;
}

/** What studies of every kind say of their protocol. */
export interface Tried {
  /** What it does, in one line. */
  readonly summary: string;
  /** Its variants, in the order of tables; the first is the one that is shown first, and the default. */
  readonly variants: readonly string[];
  /**
   * Refuses a query that no tally of these parameters can answer, before there is any; what depends on the reports is left to the
   * estimate. Absent where only an estimate tells.
   * @throws TypeError or RangeError naming the field of the query.
   */
  checkQuery?(parameters: never, query: never): void;
}

/**
 * What a protocol for linear models offers to its users on labelled records. The simulator, the command line and the
 * report page know a protocol only by this interface.
 */
export interface Study<
  Parameters extends PublicParameters = PublicParameters,
  Report = unknown,
  Tally = unknown,
  Estimate extends LinearEstimate = LinearEstimate,
  Query = unknown,
> extends Tried {
  readonly kind: 'records';
  readonly protocol: Protocol<Parameters, LabelledRecord, Report, Tally, Estimate, Query>;
  /** The law of the sum of all reports, for simulations without reports; absent where no variant has one. */
  readonly sums?: SumLaw<Parameters, LabelledRecord, Tally>;
  readonly loss: MarginLoss;
  /** The non-private optimum of that risk over ‖w‖ ≤ R on the records (those of `rows`, by default all). */
  optimum(records: Dataset, radius: number, rows?: Uint32Array): Baseline;
  /** The best score in [−R, R] that is the same for every record. */
  bestConstant(records: Dataset, radius: number, rows?: Uint32Array): ConstantBaseline;
  /**
   * The requested parameters.
   * @throws TypeError or RangeError naming the field.
   */
  parameters(request: StudyRequest): Parameters;
  /**
   * Variant, degree and shares for a number of players, where the caller leaves them open; absent where the first
   * variant at degree 1 is the default.
   * @throws TypeError or RangeError naming the field.
   */
  plan?(question: PlanQuestion): Pick<StudyRequest, 'variant' | 'degree' | 'shares'>;
  /**
   * The protocol's own form of a query.
   * @throws TypeError or RangeError naming the field, also for a server or a decoder that the variant does not have.
   */
  query(query: StudyQuery): Query;
  /** Variance of one report's gradient estimate at ‖w‖ = ‖v‖ = 1, ⟨w, v⟩ = ½, with one polynomial for every variant. */
  gradientVariance(request: StudyRequest): number;
  /** Names of the losses for which a forecast can be requested; the default is first. */
  readonly losses: readonly string[];
  /**
   * Forecasts before collecting, without data of the players, for requests of one dimension: see `createForecaster`.
   * @throws TypeError or RangeError naming the field.
   */
  forecaster(setting: ForecastSetting): StudyForecaster;
  /** The largest radius that the server may choose by itself; absent where it chooses none. */
  readonly automaticRadius?: number;
  /**
   * The same protocol tried under another loss, by name; absent where there is only one.
   * @throws RangeError for an unknown name.
   */
  withLoss?(name: string): Study;
  /** What the noise of the reports leaves open about an estimate that this query found in this tally. */
  uncertainty(parameters: Parameters, tally: Tally, estimate: Estimate, query: StudyQuery): Uncertainty;
  /** Further fields of an estimate as plain data, for the JSON document (coefficients, ridge …). */
  details(estimate: Estimate): { readonly [key: string]: Json };
}

/**
 * What a designer declares of records before there are any: the law of the margin y⟨u, x⟩ along the best direction u, for records of
 * length 1 with their right labels, and the share of labels that are then turned round.
 */
export interface MarginLaw {
  /** The margin: a normal law held to [−1, 1], or a uniform one within it. */
  readonly margin:
    | { readonly law: 'normal'; readonly mean: number; readonly deviation: number }
    | { readonly law: 'uniform'; readonly low: number; readonly high: number };
  /** Share of wrong labels, in [0, ½). */
  readonly labelNoise: number;
}

/** What a player with a point holds. */
export interface PointRecord {
  /** x: p numbers in the unit ball. */
  readonly point: ArrayLike<number>;
}

/** The fields of every estimate of a place among points. */
export interface PointEstimate extends Omit<LinearEstimate, 'radius'> {
  readonly mean: Float64Array;
}

/** What to expect of the reports of a number of players. */
export type StudyForecaster = (request: StudyRequest, players: number) => Forecast;

/** What a protocol for a place among private points offers to its users. See `Study` for labelled records. */
export interface PointStudy<
  Parameters extends PublicParameters = PublicParameters,
  Report = unknown,
  Tally = unknown,
  Estimate extends PointEstimate = PointEstimate,
  Query = unknown,
> extends Tried,
    Pick<Study<Parameters>, 'parameters'> {
  readonly kind: 'points';
  readonly protocol: Protocol<Parameters, PointRecord, Report, Tally, Estimate, Query>;
  /** The points that forecasts assume, in one line. */
  readonly assumption: string;
  /**
   * Forecasts before collecting, without data, for requests of one dimension.
   * @throws TypeError or RangeError naming the field.
   */
  forecaster(setting: Pick<PlanQuestion, 'dimension' | 'radius'>): StudyForecaster;
  /** What the noise of the reports leaves open about an estimate from this tally. */
  uncertainty(parameters: Parameters, tally: Tally, estimate: Estimate): Uncertainty;
  /** The protocol's own form of a query. */
  query(query: Omit<StudyQuery, 'radius'> & { readonly radius: number }): Query;
}

/** What is public about the columns that a survey asks for. */
export interface SurveyQuestion {
  /** Names of the categories, of the bins, or of the coordinates. */
  readonly names: readonly string[];
  /** The edges of the bins, where a number has bins. */
  readonly edges?: readonly number[];
  /** The bounds of each coordinate, where there are coordinates. */
  readonly bounds?: readonly (readonly [lower: number, upper: number])[];
}

/** One estimated number, with the interval that the estimate states. */
export interface SurveyQuantity {
  /** What it is of, in words; quantities of one group are shown together, and have one unit. */
  readonly group: string;
  readonly name: string;
  readonly value: number;
  readonly lower: number;
  readonly upper: number;
}

/**
 * What a one-shot protocol that estimates a few numbers, each with an interval, offers to the command line: enough for
 * `run`, `certify`, `audit` and `forecast` from its folder alone.
 */
export interface SurveyStudy<
  Parameters extends PublicParameters = PublicParameters,
  Datum = unknown,
  Report = unknown,
  Tally = unknown,
  Estimate = unknown,
  Query extends { readonly confidence?: number } = { readonly confidence?: number },
> extends Tried {
  readonly kind: 'survey';
  /** The protocol. Its requests have `epsilon`, `grade` and, where one is named, `variant`. */
  readonly protocol: Protocol<Parameters, Datum, Report, Tally, Estimate, Query> & {
    /** Parameters from plain data. */
    make(request: PlainRequest): Parameters;
  };
  /** The form of the schemas of its records: a column of categories, or columns of bounded numbers. */
  readonly form: 'categories' | 'numbers';
  /** The records of a run without a file: a schema of this form for the columns of the flights. */
  readonly flights: object;
  /** What the protocol is asked for about these columns, besides ε, grade and variant. */
  request(question: SurveyQuestion): PlainRequest;
  /** The datum of a player: of its category or its bin's number, or of its coordinates. The array is overwritten. */
  datum(cells: ArrayLike<number>): Datum;
  /** The numbers of an estimate. */
  quantities(question: SurveyQuestion, estimate: Estimate): readonly SurveyQuantity[];
  /** The same numbers of all players in the clear, in the same order. */
  truth(question: SurveyQuestion, players: Population<ArrayLike<number>>): readonly number[];
}

/** What to expect from a variant's reports, before any are collected. */
export interface Forecast {
  /** sup |P − f′| on [−R, R] of the polynomial the server would use: systematic, the same for every n. */
  readonly bias: number;
  /** Standard deviation of the gradient at ‖w‖ = R, all coordinates together, in the mean over all players. */
  readonly noise: number;
  /** Expected excess risk of the model on the reference population. */
  readonly excessRisk: number;
  /** Its standard deviation from one collection to the next. */
  readonly deviation: number;
  /** Excess risk that no number of players removes: that of the same variant without noise. */
  readonly floor: number;
  readonly degree: number;
}

/** With so many players every noise is negligible next to the floor. */
const MOST_PLAYERS = 1e30;

/**
 * The least number of players for which a forecast excess risk is at most `target`, to about 10 %; Infinity when no
 * number of players reaches it. The excess risk must fall with the number of players.
 * @throws TypeError or RangeError unless the target is a finite number > 0.
 *
 * @example
 * ```ts
 * import { playersUntil } from 'ldpkit/simulate';
 * console.log(Math.round(playersUntil(0.01, (players) => 1 / Math.sqrt(players)) / 100) * 100); // 10000
 * ```
 */
export function playersUntil(target: number, excessRisk: (players: number) => number): number {
  checkPositive('target', target);
  if (!(excessRisk(MOST_PLAYERS) <= target)) return Infinity;
  // First a bracket in large steps, since an evaluation is expensive, then halving.
  let high = 4;
  let low = 0;
  for (let leap = 1; excessRisk(10 ** high) > target; leap *= 2) {
    low = high;
    high += leap;
  }
  // Downwards as well, to the first number that is not enough.
  for (let leap = 1; low === 0 && high > 0; leap *= 2) {
    const fewer = Math.max(0, high - leap);
    low = fewer;
    if (excessRisk(10 ** fewer) > target) break;
    [low, high] = [0, fewer];
  }
  while (high - low > 0.04) {
    const middle = (low + high) / 2;
    if (excessRisk(10 ** middle) <= target) high = middle;
    else low = middle;
  }
  return 10 ** high;
}

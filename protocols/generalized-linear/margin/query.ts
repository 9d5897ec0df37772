import {
  checkInteger,
  checkNonNegative,
  checkPositive,
  checkWord,
  RefusedKind,
  RefusedValue,
} from '../../../src/check/refusal.ts';
import type { Channel, ChannelTally } from '../../../src/core/channel.ts';
import { type Json, namesOf } from '../../../src/core/request.ts';
import type { CorrectedMoments, CorrectedRisk, CorrectedRiskQuery } from '../../../src/optimize/corrected-risk.ts';
import { continued, type MarginLoss } from '../../../src/risk/margin-loss.ts';
import { lossByName, responseLossByName } from '../../../src/risk/named-loss.ts';
import type { ResponseLoss } from '../../../src/risk/response-loss.ts';
import type { LinearEstimate } from '../../../src/simulation/study.ts';
import type { MarginRequest } from './parameters.ts';

/**
 * How noisy copies are decoded. `product`: the paper's estimator, one copy for each factor. `averaged`: the copies are
 * averaged first and corrected by Hermite polynomials. Of all unbiased estimators this has the least variance (the
 * average is a complete sufficient statistic). `signs`: the same where every label is known to be −1 or 1, so that even
 * powers of it need no report.
 */
export type CopiesDecoder = 'product' | 'averaged' | 'signs';

/**
 * How a server finds the model. `newton`: all reports at once, from the moments in the tally. The others take one
 * stochastic step per report. `sigm` (the stochastic intermediate gradient method) and `average` (averaged projected
 * gradient steps) make one pass without replacement. `sigm-with-replacement` follows algorithms 1 and 2 as printed.
 */
export type MarginServer = 'sigm' | 'sigm-with-replacement' | 'average' | 'newton';

/** How stochastic steps are taken; what a query leaves open is chosen by forecast, see `planWalk`. */
export interface WalkPlan {
  /** Degree of the polynomial in the place of f′. */
  readonly degree: number;
  /** Width β of the smoothed loss whose derivative is expanded in Chebyshev polynomials. */
  readonly beta: number;
  /** The share of the reports, in [0, 1), used to find the start of the steps; with 0 they start at the origin. */
  readonly start: number;
  /** D > 0, the distance from the start to the minimiser that the steps assume. */
  readonly distance: number;
}

/** A query to a tally after collection. Every field has a default. */
export interface MarginQuery
  extends Partial<Pick<CorrectedRiskQuery, 'radius' | 'degree' | 'coefficients' | 'ridge' | 'semidefinite'>> {
  /**
   * The place, from 0, of a coordinate of x that is nearly the same positive number for every record. The server then
   * sees how the margins of the two classes differ, which matters most where one class is rare. Up to 128 coordinates.
   * Default: none is known.
   */
  readonly intercept?: number | undefined;
  /**
   * Whether every record has norm 1, as after `normalize: 'unit'` of a schema. Each moment then tells of those of lower powers too, and the
   * server of `direct`, `lifted` or `sampled` reports finds its model from moments with less noise. Wrong where some records are shorter. Default false.
   */
  readonly unitNorm?: boolean | undefined;
  /** For noisy copies. Default: `product` for `printed`, `averaged` for `copies`. */
  readonly decoder?: CopiesDecoder;
  /**
   * Default: `newton`; for the product decoder `sigm`, or `sigm-with-replacement` (algorithm 1) for `printed`. Only
   * noisy copies have servers other than `newton`.
   */
  readonly server?: MarginServer;
  /** β of a {@link WalkPlan}. Default 0.1 for `printed`, by forecast for `copies`. */
  readonly beta?: number;
  /** The share of a {@link WalkPlan}. Default 0 for `printed` and for the product decoder, by forecast otherwise. */
  readonly start?: number;
  /** D of a {@link WalkPlan}. Default R for `printed`, by forecast for `copies`. */
  readonly distance?: number;
  /**
   * Seed of the server's own coins, for the order of reports and for thinnings of the moments; public. Default: the
   * parameters' digest.
   */
  readonly seed?: string;
}

/** The names of all fields of a request for any variant with degrees. */
export const MARGIN_REQUEST: readonly string[] = namesOf<MarginRequest>({
  variant: true,
  epsilon: true,
  delta: true,
  degree: true,
  dimension: true,
  shares: true,
  grade: true,
});

/** The names of all fields of a query. */
export const MARGIN_QUERY: readonly string[] = namesOf<MarginQuery>({
  radius: true,
  degree: true,
  coefficients: true,
  ridge: true,
  semidefinite: true,
  intercept: true,
  unitNorm: true,
  decoder: true,
  server: true,
  beta: true,
  start: true,
  distance: true,
  seed: true,
});

/** What the reports say: a model, and the risk as a function of the model. */
export interface MarginEstimate extends LinearEstimate, CorrectedRisk {
  /** Which server found it. */
  readonly server: MarginServer;
  /** How it took its steps; absent for `newton`. */
  readonly plan?: WalkPlan;
}

/** Names of the servers. */
export const SERVERS: readonly MarginServer[] = ['sigm', 'average', 'newton', 'sigm-with-replacement'];

/** Names of the decoders of noisy copies. */
export const DECODERS: readonly CopiesDecoder[] = ['product', 'averaged', 'signs'];

/** The decoder and the server that a query of noisy copies requests; the default of each depends on the other. */
export interface Serving {
  readonly decoder: CopiesDecoder;
  readonly server: MarginServer;
}

/** The default decoding and steps for noisy copies of one variant. */
export interface CopiesForm {
  /** The decoder, all at once or step by step. */
  readonly decoder: CopiesDecoder;
  /** The server that steps report by report. */
  readonly walk: MarginServer;
  /** Whether the β_i of SIGM grow: they need not where the number of reports is known. */
  readonly growth: 'growing' | 'constant';
  /** Whether the factors of a gradient of algorithm 2 share one s. */
  readonly mixture: 'shared' | 'independent';
  /** Whether a walk is planned by forecast, or as the paper prints it. */
  readonly planned: boolean;
}

/** Noisy copies by variant. */
export const COPIES_FORMS: { readonly [variant in 'printed' | 'copies']: CopiesForm } = {
  printed: {
    decoder: 'product',
    walk: 'sigm-with-replacement',
    growth: 'growing',
    mixture: 'independent',
    planned: false,
  },
  copies: { decoder: 'averaged', walk: 'sigm', growth: 'constant', mixture: 'shared', planned: true },
};

/** The decoder and server of a query of noisy copies. Products of copies with all reports at once are refused. */
export function servingOf(variant: 'printed' | 'copies', query: Pick<MarginQuery, 'decoder' | 'server'>): Serving {
  const { decoder: usual, walk } = COPIES_FORMS[variant];
  const decoder = checkWord('decoder', query.decoder ?? (query.server === 'newton' ? 'averaged' : usual), DECODERS);
  const server = checkWord('server', query.server ?? (decoder === 'product' ? walk : 'newton'), SERVERS);
  if (decoder === 'product' && server === 'newton') {
    throw new RefusedValue('server', 'one that steps report by report for the product decoder', server);
  }
  return { decoder, server };
}

/** Refuses what no steps report by report can take. */
export function checkWalk(
  { degree: highest }: { readonly degree: number },
  { degree, beta, start, distance }: Pick<MarginQuery, 'degree' | 'beta' | 'start' | 'distance'>,
  { decoder }: Serving,
): void {
  if (start !== undefined) {
    checkNonNegative('start', start);
    if (!(start < 1)) throw new RefusedValue('start', 'a share in [0, 1)', start);
    if (start > 0 && decoder === 'product') throw new RefusedValue('start', '0 for the product decoder', start);
  }
  if (degree !== undefined && degree !== 'automatic') checkInteger('degree', degree, 0, highest);
  if (beta !== undefined) checkPositive('beta', beta);
  if (distance !== undefined) checkPositive('distance', distance);
}

/** What an estimate says besides its model and risk, as plain data: who made it, and how. */
export function estimateDetails(estimate: MarginEstimate): { readonly [key: string]: Json } {
  const { coefficients, ridge, bias, server, plan, pooled } = estimate;
  return {
    ...{ coefficients: Array.from(coefficients), ridge, bias, server },
    ...(pooled === undefined ? {} : { pooled }),
    ...(plan === undefined ? {} : { plan: { ...plan } }),
  };
}

/** How a report is decoded: `product`, `averaged`, `signs` for noisy copies, others for the variant of that name. */
export type Decoder = CopiesDecoder | 'gaussian' | 'direct' | 'lifted' | 'sampled';

/** What the variance of one report's gradient estimate depends on: record and point, by their inner products. */
export interface GradientPoint {
  /** c_0 … c_d of the polynomial in the place of f′. */
  readonly coefficients: ArrayLike<number>;
  /** ⟨w, x⟩. */
  readonly inner: number;
  /** ‖w‖. */
  readonly norm: number;
  /** ‖x‖. */
  readonly recordNorm: number;
  /** y. */
  readonly label: number;
  /** Length of the mean gradient, with the sign of its slope. */
  readonly mean: number;
}

/** A mechanism on a signed record, with the decoder and server that a query of its reports means. */
export interface MarginChannel extends Channel {
  /** The decoder and the server that a query requests. Absent where there is only one of each. */
  serving?(query: Pick<MarginQuery, 'decoder' | 'server'>): Serving;
}

/** How a tally becomes moments. */
export interface MomentsOptions {
  /** How noisy copies are decoded; see `MarginQuery`. Default `averaged`. */
  readonly decoder?: CopiesDecoder;
  /** For noisy copies: moments up to this degree + 1. Default: the degree of the parameters. */
  readonly degree?: number;
  /** For noisy copies: the reports to use, by their place in the tally. Default: all. */
  readonly rows?: Uint32Array;
}

/** What the deviation of a reconstructed risk is computed from. */
export interface DeviationSetting {
  readonly moments: CorrectedMoments;
  /** c_0 … c_d of the polynomial in the place of f′. */
  readonly coefficients: ArrayLike<number>;
  /** The model. */
  readonly w: ArrayLike<number>;
  readonly tally: ChannelTally;
  readonly decoder: CopiesDecoder;
}

/** A mechanism on a signed record whose reports give estimates of its moments T_1, T_2, … . */
export interface MomentChannel extends MarginChannel {
  /** The moments in a tally. */
  decode(tally: ChannelTally, options: MomentsOptions): CorrectedMoments;
  /** Whether the noise of all entries of the moments is independent and, summed over many reports, normal. */
  readonly normalNoise?: true;
  /** Variance of one coordinate of T_j in one report. */
  coordinateNoise(j: number, decoder: CopiesDecoder): number;
  /**
   * Standard deviation of the privacy noise in the reconstructed risk Σ c_k/(k + 1)·⟨sym^{k+1}(w), T_{k+1}⟩ at a w fixed
   * in advance, given the records, for labels ±1.
   *
   * Law: exact for `lifted`; for `sampled` at least the standard deviation, because it includes a bound on what depends on
   * who reports which power. The Gaussian variants need the moments E t^m of the margins, which are taken from the tally
   * itself. A tally of `gaussian` reports has those up to the parameters' degree + 1: enough up to degree 1. Beyond that,
   * even powers get their least value, (E t²)^{m/2}, and odd powers get 0. Moments lost in noise are kept within what
   * ‖v‖ ≤ 1 allows; the deviation is then right to about 4 % (measured, 200 players).
   */
  riskDeviation(setting: DeviationSetting): number;
  /** The decoder that a forecast assumes, given how noisy copies are decoded. */
  decoderOf(copies: CopiesDecoder): Decoder;
  /** E‖G − E G‖² of the gradient estimate from one report; undefined where the decoder does not fit. */
  variance(decoder: Decoder, at: GradientPoint): number | undefined;
}

/** The loss where a query names none. */
export const DEFAULT_LOSS = 'logistic';

/** The loss of a regression where a query names none. */
const DEFAULT_RESPONSE_LOSS = 'squared';

/** A loss as a query may give it: by name, or as the functions themselves. */
export type QueryLoss = string | MarginLoss | ResponseLoss;

/** The loss of the margin that a query means; what is none is refused. */
export function marginLossOf(loss: QueryLoss = DEFAULT_LOSS): MarginLoss {
  if (typeof loss === 'string') return lossByName(loss);
  const known = isLoss(loss) && 'kinks' in loss && Array.isArray(loss.kinks);
  if (!known) throw new RefusedKind('loss', 'a name or a loss of the margin', loss);
  return continued(loss as MarginLoss);
}

/** Inner products and responses at which a loss is checked to depend on the residual alone. */
const PROBES = [-1.7, -1, -0.6, -0.1, 0, 0.35, 0.8, 1, 1.4];

/**
 * The loss ρ of the residual r = y − ⟨w, x⟩ that the query of a regression means, as a loss of r: ρ(r) = ℓ(0, r). A loss that
 * depends on more than the residual is refused.
 */
export function residualLossOf(loss: QueryLoss = DEFAULT_RESPONSE_LOSS): MarginLoss {
  const named = typeof loss === 'string' ? responseLossByName(loss) : loss;
  const known = isLoss(named) && 'kinked' in named;
  if (!known) throw new RefusedKind('loss', 'a name or a loss of inner product and response', loss);
  const response = named as ResponseLoss;
  for (const inner of PROBES) {
    for (const y of PROBES) {
      const [there, here] = [response.value(inner, y), response.value(0, y - inner)];
      if (!(Math.abs(there - here) <= 1e-9 * (1 + Math.abs(here)))) {
        throw new RefusedValue('loss', 'one of the residual y − ⟨w, x⟩ alone', response.name);
      }
    }
  }
  const { lipschitz, smoothness } = response.constantsOn(2);
  return {
    name: response.name,
    value: (r) => response.value(0, r),
    derivative: (r) => -response.derivative(0, r),
    secondDerivative: (r) => response.secondDerivative(0, r),
    lipschitz,
    smoothness,
    kinks: response.kinked ? [0] : [],
  };
}

function isLoss(loss: unknown): loss is object {
  if (loss === null || typeof loss !== 'object') return false;
  const { value, derivative } = loss as { readonly value?: unknown; readonly derivative?: unknown };
  return typeof value === 'function' && typeof derivative === 'function';
}

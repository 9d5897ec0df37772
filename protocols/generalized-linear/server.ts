import { checkPositive, checkWord, refusal } from '../../src/check/number.ts';
import { RefusedValue } from '../../src/check/refusal.ts';
import { type ChannelTally, checkFilled, type ReportTally, reportTally } from '../../src/core/channel.ts';
import type { Server } from '../../src/core/contract.ts';
import type { ValuesReport } from '../../src/core/frame.ts';
import type { CorrectedRisk, CorrectedRiskQuery } from '../../src/optimize/corrected-risk.ts';
import { minimizeCorrectedRegression, straightSlope } from '../../src/optimize/corrected-risk.ts';
import type { MarginLoss } from '../../src/risk/margin-loss.ts';
import { minimizeByMixture } from './algorithm-2.ts';
import { chooseRadius, fitMoments, fitOf, marginLossOf, type QueryLoss, residualLossOf } from './fit.ts';
import { channelOf, marginTallying } from './margin/channels.ts';
import type { ChannelParameters, CopiesParameters, MarginParameters, VectorParameters } from './margin/parameters.ts';
import {
  DECODERS,
  type DeviationSetting,
  type MarginEstimate,
  type MarginQuery,
  type MomentChannel,
  SERVERS,
  type Serving,
  servingOf,
} from './margin/query.ts';
import { estimateSpherical } from './margin/spherical.ts';

/** A query to a tally after collection; it names the loss too. */
export interface GeneralizedLinearQuery extends Omit<MarginQuery, 'radius'> {
  /** The loss, by name or as functions. Default `logistic`, for a regression `squared`. */
  readonly loss?: QueryLoss;
  /** R > 0: the constraint is ‖w‖ ≤ R. Default 1. `automatic`: chosen from the tally, see `chooseRadius`. */
  readonly radius?: number | 'automatic';
  /** For `sphericalLaplace`: answer even where lifted reports are forecast to be better. Default false. */
  readonly force?: boolean;
}

/** The server of the generalized-linear protocol. */
export const server: Server<ChannelParameters, ValuesReport, ChannelTally, MarginEstimate, GeneralizedLinearQuery> = {
  ...marginTallying,
  estimate,
};

/**
 * The model that minimises the reconstructed risk of the requested loss over ‖w‖ ≤ R, and that risk.
 *
 * @throws TypeError or RangeError naming the field; RangeError for a tally without reports.
 */
export function estimate(
  parameters: ChannelParameters,
  tally: ChannelTally,
  query: GeneralizedLinearQuery = {},
): MarginEstimate {
  const { loss: wanted, radius: asked = 1, force = false, ...rest } = query;
  if (asked !== 'automatic') checkPositive('radius', asked);
  if (!hasMoments(parameters)) {
    for (const name of ['decoder', 'coefficients'] as const) {
      if (rest[name] !== undefined)
        throw new RefusedValue(refusal(name, 'none for variant sphericalLaplace', rest[name]));
    }
    servedBy(parameters, rest);
    if (asked === 'automatic')
      throw new RefusedValue(refusal('radius', 'a number for variant sphericalLaplace', asked));
    const { degree = 'automatic', ridge = 'automatic' } = rest;
    return estimateSpherical(parameters, tally, { loss: marginLossOf(wanted), radius: asked, degree, ridge, force });
  }
  const residual = isRegression(parameters);
  const loss = residual ? residualLossOf(wanted) : marginLossOf(wanted);
  const at = (radius: number): MarginEstimate => {
    if (residual) return estimateRegression(parameters, tally, { ...rest, radius }, loss);
    const fit = fitOf(parameters, rest, loss, radius);
    return estimateMargin(parameters, tally, { ...rest, ...fit, radius }, loss, (made, reports, question) =>
      minimizeByMixture(made, reports, question, loss),
    );
  };
  if (asked !== 'automatic') return at(asked);
  if (servedBy(parameters, rest).server !== 'newton') {
    throw new RefusedValue(refusal('radius', 'a number where the server steps report by report', asked));
  }
  if (tally.players < 1) return at(1);
  return chooseRadius(parameters, tally, loss, at, rest.decoder);
}

/** Whether reports give moments of the records: all do except those with spherical Laplace noise, decoded exactly. */
export const hasMoments = (parameters: ChannelParameters): parameters is MarginParameters => 'degree' in parameters;

const isRegression = (parameters: MarginParameters): parameters is VectorParameters =>
  'task' in parameters && parameters.task === 'regression';

/** A protocol's own method to step through the reports of noisy copies one by one. */
type ReportWalk = (parameters: CopiesParameters, tally: ReportTally, query: MarginQuery) => MarginEstimate;

/**
 * The model that minimises the reconstructed risk E f(y⟨w, x⟩) over ‖w‖ ≤ R, and that risk. Each protocol decides how
 * the polynomial is fitted, and has its own walk over noisy copies.
 *
 * @throws TypeError or RangeError naming the field; RangeError for a tally without reports.
 */
export function estimateMargin(
  parameters: MarginParameters,
  tally: ChannelTally,
  query: MarginQuery & Pick<CorrectedRiskQuery, 'leastSpread' | 'noiseFactors'>,
  loss: MarginLoss,
  walk: ReportWalk,
): MarginEstimate {
  checkFilled(tally, parameters);
  checkPositive('radius', query.radius ?? 1);
  const channel = channelOf(parameters);
  const { decoder, server } = servedBy(parameters, query);
  // Only noisy copies have another server.
  if (server !== 'newton') return walk(parameters as CopiesParameters, reportTally(tally), query);
  const moments = channel.decode(tally, { decoder });
  const found = fitMoments(parameters, moments, { ...query, loss });
  const { coefficients, w } = found;
  return estimateOf(found, channel, { moments, coefficients, w, tally, decoder });
}

/** What was found from moments as an estimate, with the deviation of its risk. */
function estimateOf(found: CorrectedRisk, channel: MomentChannel, setting: DeviationSetting): MarginEstimate {
  const { players } = setting.moments;
  const standardError = channel.riskDeviation(setting);
  return { ...found, players, server: 'newton', risk: found.riskAt(found.w), standardError };
}

/**
 * The model that minimises the reconstructed risk E ρ(y − ⟨w, x⟩) over ‖w‖ ≤ R, and that risk, from reports of
 * (x, y)/√2. `coefficients` and `bias` are those of the polynomial in the place of ρ′; `ridge` applies to E zzᵀ,
 * z = (x, y)/√2: it is half of the same ridge on E xxᵀ.
 *
 * Law: where ρ′ is a straight line, as in least squares, ρ′ itself is used and the reconstruction is unbiased.
 *
 * @throws TypeError or RangeError naming the field; RangeError for a tally without reports.
 */
function estimateRegression(
  parameters: VectorParameters,
  tally: ChannelTally,
  query: MarginQuery,
  residualLoss: MarginLoss,
): MarginEstimate {
  checkFilled(tally, parameters);
  const channel = channelOf(parameters);
  const { decoder } = servedBy(parameters, query);
  const radius = checkPositive('radius', query.radius ?? 1);
  const moments = channel.decode(tally, {});
  const automatic = query.degree === undefined || query.degree === 'automatic';
  const line = automatic && query.coefficients === undefined ? straightSlope(residualLoss, 1 + radius) : undefined;
  const asked = { ...query, ...(line === undefined ? {} : { coefficients: line }), loss: residualLoss };
  const found = minimizeCorrectedRegression(moments, asked);
  // In the margin ⟨ŵ, z⟩ = r/√2 the coefficient of power k is √2^(k + 1) times that of the residual.
  const coefficients = found.coefficients.map((c, k) => c * Math.SQRT2 ** (k + 1));
  const w = Float64Array.of(...found.w.map((entry) => -entry), 1);
  return estimateOf(found, channel, { moments, coefficients, w, tally, decoder });
}

/**
 * The decoder and the server that a query requests. Mechanisms other than noisy copies have one decoder, for all
 * reports at once.
 *
 * @throws TypeError or RangeError naming the field.
 */
function servedBy(parameters: ChannelParameters, query: Pick<MarginQuery, 'decoder' | 'server'>): Serving {
  return channelOf(parameters).serving?.(query) ?? onlyServing(parameters.variant, query);
}

/**
 * The serving of all mechanisms except noisy copies: one decoder, for all reports at once.
 *
 * @throws RangeError naming the field, when the query names a decoder, or a server that needs the reports of noisy
 * copies.
 */
function onlyServing(variant: string, query: Pick<MarginQuery, 'decoder' | 'server'>): Serving {
  if (query.decoder !== undefined) {
    throw new RefusedValue(refusal('decoder', `none for variant ${variant}, which has one only`, query.decoder));
  }
  if (query.server !== undefined && query.server !== 'newton') {
    throw new RefusedValue(
      refusal('server', `newton or none for variant ${variant}: others are for noisy copies`, query.server),
    );
  }
  return { decoder: 'averaged', server: 'newton' };
}

/**
 * The part of a query that says how a study decodes: the labels of its records are −1 or 1, and averaged copies can use
 * this.
 *
 * @throws TypeError or RangeError naming the field, before there is a tally.
 */
export function studyServing(
  variant: string | undefined,
  asked: { readonly server?: string | undefined; readonly decoder?: string | undefined },
): Pick<MarginQuery, 'decoder' | 'server'> {
  const query = {
    ...(asked.server === undefined ? {} : { server: checkWord('server', asked.server, SERVERS) }),
    ...(asked.decoder === undefined ? {} : { decoder: checkWord('decoder', asked.decoder, DECODERS) }),
  };
  if (variant !== 'copies' && variant !== 'printed') {
    if (variant !== undefined) onlyServing(variant, query);
    return query;
  }
  return variant === 'copies' && query.decoder === undefined
    ? servingOf(variant, { ...query, decoder: 'signs' })
    : servingOf(variant, query);
}

import { checkWord, refusal } from '../../src/check/number.ts';
import type { Server } from '../../src/core/contract.ts';
import { checkDecoder, minimizeByDirections } from './algorithm-3.ts';
import { estimateFromMoments } from './estimate.ts';
import { averagedMoments, gaussianMoments, liftedMoments } from './moments.ts';
import type { EuclideanMedianParameters } from './parameters.ts';
import type { EuclideanMedianEstimate, EuclideanMedianQuery } from './query.ts';
import type { EuclideanMedianReport } from './report.ts';
import { add, checkTally, type EuclideanMedianTally, empty, merge } from './tally.ts';

export type { EuclideanMedianEstimate, EuclideanMedianQuery } from './query.ts';
export type { EuclideanMedianTally, MomentTally, ReportTally } from './tally.ts';

/**
 * The Euclidean median of the players' points, ‖w‖ ≤ R, and the risk E ½‖w − x‖.
 *
 * @throws TypeError or RangeError naming the field; RangeError for a tally without reports.
 */
export function estimate(
  parameters: EuclideanMedianParameters,
  tally: EuclideanMedianTally,
  query: EuclideanMedianQuery = {},
): EuclideanMedianEstimate {
  if (tally.players < 1) throw new RangeError(refusal('tally.players', 'at least one report', tally.players));
  checkTally('tally', tally, parameters);
  if (!('copies' in parameters)) {
    checkDecoder(parameters.variant, query.decoder);
    if (tally.kind !== 'moments') throw new TypeError(refusal('tally', 'a tally of moments', tally.kind));
    const lifted = parameters.variant === 'lifted';
    const moments = lifted ? liftedMoments(parameters, tally) : gaussianMoments(parameters, tally);
    return estimateFromMoments(moments, query);
  }
  if (tally.kind !== 'reports') throw new TypeError(refusal('tally', 'a tally of reports', tally.kind));
  const usual = parameters.variant === 'printed' ? 'product' : 'averaged';
  const decoder = checkWord('decoder', query.decoder ?? usual, ['product', 'averaged']);
  const moments = averagedMoments(parameters, tally);
  if (decoder === 'averaged') return estimateFromMoments(moments, query);
  const { coefficients: _, ...rest } = query;
  return minimizeByDirections(parameters, tally, query, estimateFromMoments(moments, rest));
}

/** The server of the Euclidean median protocol. */
export const server: Server<
  EuclideanMedianParameters,
  EuclideanMedianReport,
  EuclideanMedianTally,
  EuclideanMedianEstimate,
  EuclideanMedianQuery
> = { empty, add, merge, estimate };

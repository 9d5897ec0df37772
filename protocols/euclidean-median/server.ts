import { checkWord, refusal } from '../../src/check/number.ts';
import { RefusedValue } from '../../src/check/refusal.ts';
import { type ChannelTally, checkFilled, reportTally } from '../../src/core/channel.ts';
import type { Server } from '../../src/core/contract.ts';
import type { ValuesReport } from '../../src/core/frame.ts';
import { minimizeByDirections } from './algorithm-3.ts';
import { channelOf, tallying } from './channels.ts';
import { type EuclideanMedianEstimate, type EuclideanMedianQuery, estimateFromMoments } from './estimate.ts';
import type { CopiesParameters, EuclideanMedianParameters } from './parameters.ts';

/** The server of the Euclidean median protocol. */
export const server: Server<
  EuclideanMedianParameters,
  ValuesReport,
  ChannelTally,
  EuclideanMedianEstimate,
  EuclideanMedianQuery
> = { ...tallying, estimate };

/**
 * The Euclidean median of the players' points, ‖w‖ ≤ R, and the risk E ½‖w − x‖.
 *
 * @throws TypeError or RangeError naming the field; RangeError for a tally without reports.
 */
export function estimate(
  parameters: EuclideanMedianParameters,
  tally: ChannelTally,
  query: EuclideanMedianQuery = {},
): EuclideanMedianEstimate {
  checkFilled(tally, parameters);
  const { decoder: usual, decode } = channelOf(parameters);
  if (usual === undefined) {
    if (query.decoder !== undefined) {
      const expected = `none for variant ${parameters.variant}, which has one only`;
      throw new RefusedValue(refusal('decoder', expected, query.decoder));
    }
    return estimateFromMoments(decode(tally), query);
  }
  const decoder = checkWord('decoder', query.decoder ?? usual, ['product', 'averaged']);
  if (decoder === 'averaged') return estimateFromMoments(decode(tally), query);
  const { coefficients: _, ...rest } = query;
  const averaged = estimateFromMoments(decode(tally), rest);
  // Only noisy copies are decoded by products.
  return minimizeByDirections(parameters as CopiesParameters, reportTally(tally), query, averaged);
}

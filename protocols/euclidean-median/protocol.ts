import type { ChannelTally } from '../../src/core/channel.ts';
import type { Protocol } from '../../src/core/contract.ts';
import type { ValuesReport } from '../../src/core/frame.ts';
import { auditing } from './auditing.ts';
import { channelClaims, report } from './channels.ts';
import type { EuclideanMedianEstimate, EuclideanMedianQuery } from './estimate.ts';
import { forecastMedian } from './forecast.ts';
import {
  type EuclideanMedianDatum,
  type EuclideanMedianParameters,
  type EuclideanMedianRequest,
  euclideanMedianParameters,
} from './parameters.ts';
import { player } from './player.ts';
import { server } from './server.ts';

/**
 * The Euclidean median of private points of the unit ball from one report per player.
 *
 * Source: Wang, Smith, Xu 2020, section 4.3.
 * @theorem noninteractive Theorem 17
 */
export const euclideanMedian: Protocol<
  EuclideanMedianParameters,
  EuclideanMedianDatum,
  ValuesReport,
  ChannelTally,
  EuclideanMedianEstimate,
  EuclideanMedianQuery
> = {
  name: 'euclidean-median',
  player,
  report,
  server,
  theory: {
    ...channelClaims,
    forecast(parameters, { players }) {
      const { excessRisk, floor } = forecastMedian(parameters, { players });
      return {
        what: 'excess mean distance of the median in the unit ball',
        assumption: 'four fifths of the points uniform in a ball of radius 1/4 around 0.7e1, a fifth at -e1',
        error: excessRisk,
        floor,
      };
    },
  },
  auditing,
  // The variants check every field, whatever its type.
  make: (request) => euclideanMedianParameters(request as unknown as EuclideanMedianRequest),
};

import type { Protocol } from '../../src/core/contract.ts';
import { auditing } from './auditing.ts';
import {
  type EuclideanMedianParameters,
  type EuclideanMedianRequest,
  euclideanMedianParameters,
} from './parameters.ts';
import { type EuclideanMedianDatum, player } from './player.ts';
import { type EuclideanMedianReport, report } from './report.ts';
import {
  type EuclideanMedianEstimate,
  type EuclideanMedianQuery,
  type EuclideanMedianTally,
  server,
} from './server.ts';
import { theory } from './theory.ts';

/**
 * The Euclidean median of private points of the unit ball from one report per player.
 *
 * Source: Wang, Smith, Xu 2020, section 4.3.
 */
export const euclideanMedian: Protocol<
  EuclideanMedianParameters,
  EuclideanMedianDatum,
  EuclideanMedianReport,
  EuclideanMedianTally,
  EuclideanMedianEstimate,
  EuclideanMedianQuery
> = {
  name: 'euclidean-median',
  player,
  report,
  server,
  theory,
  auditing,
  // The variants check every field, of whatever kind.
  make: (request) => euclideanMedianParameters(request as unknown as EuclideanMedianRequest),
};

import { type Auditing, type AuditPair, auditVectors } from '../../src/core/auditing.ts';
import type { ChannelTally } from '../../src/core/channel.ts';
import { channelAuditing } from '../../src/core/channel-auditing.ts';
import type { Protocol } from '../../src/core/contract.ts';
import type { ValuesReport } from '../../src/core/frame.ts';
import { fillLift } from '../../src/polynomial/lift.ts';
import type { Random } from '../../src/random/random.ts';
import { fillFeatures } from './blocks.ts';
import type { EuclideanMedianEstimate, EuclideanMedianQuery } from './estimate.ts';
import { forecastMedian } from './forecast.ts';
import {
  type EuclideanMedianDatum,
  type EuclideanMedianParameters,
  type EuclideanMedianRequest,
  euclideanMedianParameters,
  type LiftedParameters,
} from './parameters.ts';
import { player } from './player.ts';
import { channelClaims, channelOf, report, server } from './server.ts';

/** What an audit may use against a player: antipodal and orthogonal points, centre and edge, and two random points. */
export const auditing: Auditing<EuclideanMedianParameters, EuclideanMedianDatum, ValuesReport> = channelAuditing(
  channelOf,
  { pairs, vectorOf },
);

function pairs({ dimension }: EuclideanMedianParameters, random: Random): readonly AuditPair<EuclideanMedianDatum>[] {
  const { unit, opposite, orthogonal, axis, zero, inside } = auditVectors(dimension, random);
  const [one, two] = inside.map((point) => ({ point: point.slice(0, dimension) }));
  const found: AuditPair<EuclideanMedianDatum>[] = [
    { name: 'antipodal', first: { point: unit }, second: { point: opposite } },
    { name: 'antipodal, on an axis', first: { point: axis[0] }, second: { point: axis[1] } },
  ];
  if (orthogonal !== undefined)
    found.push({ name: 'orthogonal', first: { point: unit }, second: { point: orthogonal } });
  found.push({ name: 'zero and edge', first: { point: zero }, second: { point: unit } });
  found.push({ name: 'random', first: one, second: two });
  return found;
}

/** The vector that is randomized for a point: its features under `lifted`, otherwise the point. */
function vectorOf(parameters: EuclideanMedianParameters, { point }: EuclideanMedianDatum): ArrayLike<number> {
  return 'features' in parameters ? featuresOf(parameters, point) : point;
}

function featuresOf({ features, scales }: LiftedParameters, point: ArrayLike<number>): Float64Array {
  const { lift, size } = features;
  const powers = new Float64Array(lift.size);
  const entries = new Float64Array(size);
  let squaredNorm = 0;
  for (let i = 0; i < point.length; i++) squaredNorm += point[i] * point[i];
  fillLift(lift, lift.weight, point, powers);
  fillFeatures(features, scales, powers, squaredNorm, entries);
  return entries;
}

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

import { auditVectors } from '../../src/audit/target.ts';
import { checkPositive, checkWord } from '../../src/check/refusal.ts';
import { type ChannelTally, channelAuditing } from '../../src/core/channel.ts';
import type { Auditing, AuditPair, Protocol } from '../../src/core/contract.ts';
import type { ValuesReport } from '../../src/core/frame.ts';
import { namesOf } from '../../src/core/request.ts';
import { MODEL_LEVEL, type Uncertainty, uncertaintyOf } from '../../src/inference/model-interval.ts';
import { euclideanDistance, euclideanNorm } from '../../src/numeric/matrix.ts';
import type { Random } from '../../src/random/random.ts';
import type { PointStudy, StudyRequest } from '../../src/simulation/study.ts';
import { MARGIN_REQUEST } from '../generalized-linear/margin/query.ts';
import { type EuclideanMedianEstimate, type EuclideanMedianQuery, estimateFromMoments } from './estimate.ts';
import { createMedianForecaster, forecastMedian, forecastNoise, pointPopulation } from './forecast.ts';
import { powerReach, type RadialMoments, radialRisks } from './moments.ts';
import {
  type EuclideanMedianDatum,
  type EuclideanMedianParameters,
  type EuclideanMedianRequest,
  euclideanMedianParameters,
  VARIANTS,
} from './parameters.ts';
import { fillScaled, player } from './player.ts';
import { channelClaims, channelOf, checkQuery, report, server } from './server.ts';

const { ceil, max, min, sqrt } = Math;

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
  if (!('features' in parameters)) return point;
  const entries = new Float64Array(parameters.features.size);
  fillScaled(parameters, point, entries);
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
  fields: {
    request: MARGIN_REQUEST,
    query: namesOf<EuclideanMedianQuery>({
      radius: true,
      degree: true,
      coefficients: true,
      beta: true,
      share: true,
      decoder: true,
      method: true,
      seed: true,
    }),
  },
};

function parameters({ variant: word, delta, ...rest }: StudyRequest): EuclideanMedianParameters {
  const variant = checkWord('variant', word, VARIANTS);
  if (variant === 'lifted') return euclideanMedianParameters({ variant, ...rest });
  return euclideanMedianParameters({ variant, delta, ...rest });
}

/** The Euclidean median protocol as the command line and the simulator run it. */
export const study: PointStudy<
  EuclideanMedianParameters,
  ValuesReport,
  ChannelTally,
  EuclideanMedianEstimate,
  EuclideanMedianQuery
> = {
  kind: 'points',
  protocol: euclideanMedian,
  summary: 'Euclidean median of points of the unit ball from one report per player (Wang, Smith, Xu 2020, algorithm 3)',
  variants: VARIANTS,
  parameters,
  checkQuery,
  query: ({ radius, degree }) => (typeof degree === 'number' ? { radius, degree } : { radius }),
  uncertainty: medianUncertainty,
  assumption: 'four fifths of the points uniform in a ball of radius ¼ around 0.7e₁, a fifth at −e₁',
  forecaster({ dimension, radius }) {
    const forecast = createMedianForecaster(dimension, { radius });
    return (request, players) => forecast(parameters(request), players);
  },
};

/**
 * What the noise of the reports leaves open about a median. Further noise with the covariance of the mechanism is added to the
 * moments, and the server's own estimate is made again: 95 % of such medians lie in a disc around the reported one, which is told as
 * the distance from the middle of the bounds, which asks nobody. Of the risk the interval is what the first two moments of ‖w − x‖²
 * leave open, whatever the law of the points: where noise hides them, all that is possible.
 *
 * Law: for the median that the same server would find in the same moments without noise, the noise of the reports moves it about as far
 * as noise added once more. The systematic error of the polynomial is not in it: see `bias`. That is a claim of the bootstrap, and
 * measured (test/protocols/euclidean-median-uncertainty.long.test.ts).
 * @throws TypeError or RangeError for a radius that is no number > 0; RangeError for a tally without reports.
 */
export function medianUncertainty(
  parameters: EuclideanMedianParameters,
  tally: ChannelTally,
  { w, radius }: Pick<EuclideanMedianEstimate, 'w' | 'radius'>,
): Uncertainty {
  checkPositive('radius', radius);
  const moments = channelOf(parameters).decode(tally);
  const { features, values, players, noise } = moments;
  const { draws } = forecastNoise(parameters, pointPopulation(features.dimension));
  const again = draws.map((draw) =>
    estimateFromMoments(
      { features, players, noise, values: values.map((value, entry) => value + draw[entry] / sqrt(players)) },
      { radius },
    ),
  );
  const disc = quantile(again.map((one) => euclideanDistance(one.w, w)));
  const distance = euclideanNorm(w);
  const noises = draws.map((draw) => draw.map((entry) => entry / sqrt(players)));
  return uncertaintyOf(players, {
    risk: riskInterval(moments, w, noises),
    effect: [distance - disc, distance + disc],
    what: 'the median is away from the middle of the bounds by',
  });
}

/**
 * What moments with such noise leave open about the risk ½E√r at w, where r = ‖w − x‖².
 *
 * Law: (E r)^(3/2)/(E r²)^(1/2) ≤ E√r ≤ (E r)^(1/2) by Hölder and Jensen, and r is from 0 to (1 + ‖w‖)². Both moments are within
 * reach of the noise at once in .95 of the draws, at whatever w of this length.
 */
function riskInterval(
  moments: RadialMoments,
  w: Float64Array,
  noises: readonly Float64Array[],
): readonly [low: number, high: number] {
  const length = euclideanNorm(w);
  const most = (1 + length) ** 2;
  // E r^m; reports of degree 0 tell no second moment.
  const means = radialRisks(moments).powerMeans(w);
  const reaches = [1, 2]
    .filter((m) => m < means.length)
    .map((m) => noises.map((noise) => powerReach(moments.features, noise, m, length)));
  const typical = reaches.map((reach) => reach.reduce((sum, each) => sum + each, 0) / reach.length);
  const times = quantile(noises.map((_, k) => max(...reaches.map((reach, i) => reach[k] / typical[i]))));
  const possible = (moment: number): number => min(most, max(0, moment));
  const low = possible(means[1] - times * typical[0]);
  const high = possible(means[1] + times * typical[0]);
  const square = means.length > 2 ? min(high * most, means[2] + times * typical[1]) : high * most;
  return [low === 0 ? 0 : (low * sqrt(low / max(low * low, square))) / 2, sqrt(high) / 2];
}

/** The number with .95 of these below it, as the next one would be. */
function quantile(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[min(sorted.length, ceil(MODEL_LEVEL * (sorted.length + 1))) - 1];
}

import { checkPositive, checkWord } from '../../src/check/number.ts';
import type { ChannelTally } from '../../src/core/channel.ts';
import type { ValuesReport } from '../../src/core/frame.ts';
import { MODEL_LEVEL } from '../../src/inference/model-interval.ts';
import { euclideanDistance, euclideanNorm } from '../../src/optimize/projection.ts';
import type { PointStudy, StudyRequest } from '../../src/simulation/study.ts';
import { type Uncertainty, uncertaintyOf } from '../../src/simulation/uncertainty.ts';
import { type EuclideanMedianEstimate, type EuclideanMedianQuery, estimateFromMoments } from './estimate.ts';
import { createMedianForecaster, forecastNoise, pointPopulation } from './forecast.ts';
import { type EuclideanMedianParameters, euclideanMedianParameters, VARIANTS } from './parameters.ts';
import { euclideanMedian } from './protocol.ts';
import { channelOf } from './server.ts';

const { ceil, max, min, sqrt } = Math;

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
  pureVariants: ['lifted'],
  parameters,
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
 * the distance from the middle of the bounds, which asks nobody. The risk has the same share of such risks.
 *
 * Law: for the median that the same server would find in the same moments without noise, the noise of the reports moves it about as far
 * as noise added once more. The systematic error of the polynomial is not in it: see `bias`. That is a claim of the bootstrap, and
 * measured (test/protocols/euclidean-median-uncertainty.long.test.ts).
 *
 * @throws TypeError or RangeError for a radius that is no number > 0; RangeError for a tally without reports.
 */
export function medianUncertainty(
  parameters: EuclideanMedianParameters,
  tally: ChannelTally,
  { w, risk, radius }: Pick<EuclideanMedianEstimate, 'w' | 'risk' | 'radius'>,
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
  const apart = quantile(again.map((one) => Math.abs(one.risk - risk)));
  const distance = euclideanNorm(w);
  return uncertaintyOf(players, {
    risk: [max(0, risk - apart), risk + apart],
    effect: [distance - disc, distance + disc],
    what: 'the median is away from the middle of the bounds by',
  });
}

/** The number with .95 of these below it, as the next one would be. */
function quantile(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[min(sorted.length, ceil(MODEL_LEVEL * (sorted.length + 1))) - 1];
}

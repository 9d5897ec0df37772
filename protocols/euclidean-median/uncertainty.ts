import { checkPositive } from '../../src/check/number.ts';
import type { ChannelTally } from '../../src/core/channel.ts';
import { MODEL_LEVEL } from '../../src/inference/model-interval.ts';
import { euclideanDistance, euclideanNorm } from '../../src/optimize/projection.ts';
import { type Uncertainty, uncertaintyOf } from '../../src/simulation/uncertainty.ts';
import { channelOf } from './channels.ts';
import { type EuclideanMedianEstimate, estimateFromMoments } from './estimate.ts';
import { forecastNoise, pointPopulation } from './forecast.ts';
import type { EuclideanMedianParameters } from './parameters.ts';

const { ceil, max, min, sqrt } = Math;

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

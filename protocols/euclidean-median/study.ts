import { checkWord } from '../../src/check/number.ts';
import type { ChannelTally } from '../../src/core/channel.ts';
import type { ValuesReport } from '../../src/core/frame.ts';
import type { PointStudy } from '../../src/simulation/point-study.ts';
import type { StudyRequest } from '../../src/simulation/study.ts';
import type { EuclideanMedianEstimate, EuclideanMedianQuery } from './estimate.ts';
import { createMedianForecaster } from './forecast.ts';
import { type EuclideanMedianParameters, euclideanMedianParameters, VARIANTS } from './parameters.ts';
import { euclideanMedian } from './protocol.ts';
import { medianUncertainty } from './uncertainty.ts';

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

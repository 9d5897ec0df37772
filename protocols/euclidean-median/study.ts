import { checkWord } from '../../src/check/number.ts';
import type { PointStudy } from '../../src/simulation/point-study.ts';
import type { StudyRequest } from '../../src/simulation/study.ts';
import { createMedianForecaster } from './forecast.ts';
import { type EuclideanMedianParameters, euclideanMedianParameters, MAKERS } from './parameters.ts';
import { euclideanMedian } from './protocol.ts';
import type { EuclideanMedianReport } from './report.ts';
import type { EuclideanMedianEstimate, EuclideanMedianQuery, EuclideanMedianTally } from './server.ts';

function parameters({ maker: word, delta, ...rest }: StudyRequest): EuclideanMedianParameters {
  const maker = checkWord('maker', word, MAKERS);
  if (maker === 'lifted') return euclideanMedianParameters({ maker, ...rest });
  return euclideanMedianParameters({ maker, delta, ...rest });
}

/** The Euclidean median protocol as the command line and the simulator try it. */
export const study: PointStudy<
  EuclideanMedianParameters,
  EuclideanMedianReport,
  EuclideanMedianTally,
  EuclideanMedianEstimate,
  EuclideanMedianQuery
> = {
  kind: 'points',
  protocol: euclideanMedian,
  summary: 'Euclidean median of points of the unit ball from one report per player (Wang, Smith, Xu 2020, algorithm 3)',
  makers: MAKERS,
  pureMakers: ['lifted'],
  parameters,
  query: ({ radius, degree }) => (typeof degree === 'number' ? { radius, degree } : { radius }),
  assumption: 'four fifths of the points uniform in a ball of radius ¼ around 0.7e₁, a fifth at −e₁',
  forecaster({ dimension, radius }) {
    const forecast = createMedianForecaster(dimension, { radius });
    return (request, players) => forecast(parameters(request), players);
  },
};

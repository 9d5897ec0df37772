import { checkPositive, checkWord } from '../../src/check/refusal.ts';
import type { ChannelTally } from '../../src/core/channel.ts';
import type { Protocol } from '../../src/core/contract.ts';
import type { ValuesReport } from '../../src/core/frame.ts';
import { hingeLoss } from '../../src/risk/margin-loss.ts';
import { hingeOptimum } from '../../src/simulation/hinge-optimum.ts';
import { bestConstant } from '../../src/simulation/metrics.ts';
import { type Study, type StudyRequest, varianceSetting } from '../../src/simulation/study.ts';
import { type MarginDatum, player } from '../generalized-linear/device.ts';
import {
  checkMarginQuery,
  type DegreeQuestion,
  type PlannedCollection,
  plannedCollection,
  studyQuery,
  studyServing,
} from '../generalized-linear/fit.ts';
import { marginAuditing } from '../generalized-linear/margin/auditing.ts';
import { channelOf, gradientVariance, marginTheory, report } from '../generalized-linear/margin/channels.ts';
import { createForecaster, excessExpectation, forecastMargin } from '../generalized-linear/margin/forecast.ts';
import { carriesPowers } from '../generalized-linear/margin/parameters.ts';
import {
  estimateDetails,
  MARGIN_QUERY,
  MARGIN_REQUEST,
  type MarginEstimate,
  type MarginQuery,
} from '../generalized-linear/margin/query.ts';
import { DEFAULT_BETA } from '../generalized-linear/margin/walk-model.ts';
import { forecastPopulation, marginUncertainty } from '../generalized-linear/protocol.ts';
import { simulate } from '../generalized-linear/simulate.ts';
import { marginSums } from '../generalized-linear/sum-law.ts';
import { type HingeParameters, type HingeRequest, hingeParameters, VARIANTS } from './parameters.ts';
import { chebyshevCoefficients, server } from './server.ts';

/**
 * Noninteractive learning of a linear model under the hinge loss (½ − y⟨w, x⟩)₊ from one private report per player: the
 * generalized-linear protocol with this loss, and with algorithm 1.
 *
 * Source: Wang, Smith, Xu 2020, section 4.1.
 * @theorem noninteractive Theorem 11
 */
export const hinge: Protocol<HingeParameters, MarginDatum, ValuesReport, ChannelTally, MarginEstimate, MarginQuery> = {
  name: 'hinge',
  player,
  report,
  server,
  simulate,
  theory: {
    ...marginTheory,
    forecast: (parameters, { players }) =>
      excessExpectation(forecastMargin(parameters, { players, loss: hingeLoss(), decoder: 'signs' }), 'hinge'),
  },
  auditing: marginAuditing,
  // The variants check every field, whatever its type.
  make: (request) => hingeParameters(request as unknown as HingeRequest),
  fields: { request: MARGIN_REQUEST, query: MARGIN_QUERY },
};

function parameters(request: StudyRequest): HingeParameters {
  const variant = checkWord('variant', request.variant, VARIANTS);
  const { delta, variant: _, ...rest } = request;
  return hingeParameters(carriesPowers(variant) ? { variant, ...rest } : { variant, delta, ...rest });
}

/** The hinge protocol as the command line and the simulator run it. */
export const study: Study<HingeParameters, ValuesReport, ChannelTally, MarginEstimate, MarginQuery> = {
  kind: 'records',
  protocol: hinge,
  summary: 'linear model under the hinge loss from one report per player (Wang, Smith, Xu 2020, algorithm 1)',
  variants: VARIANTS,
  sums: marginSums,
  loss: hingeLoss(),
  optimum: hingeOptimum,
  bestConstant,
  parameters,
  checkQuery: checkMarginQuery,
  plan: (question) => plannedCollection({ ...question, loss: hingeLoss() }),
  query: ({ radius, degree = 'automatic', variant, server, decoder, intercept, unitNorm }) => ({
    radius: checkPositive('radius', radius),
    degree,
    ...studyQuery(variant, { server, decoder, intercept, unitNorm }),
  }),
  gradientVariance(request) {
    const made = parameters(request);
    const { dimension, degree } = made;
    const coefficients = chebyshevCoefficients(degree, DEFAULT_BETA, 1);
    const decoder = channelOf(made).decoderOf('signs');
    return gradientVariance(made, decoder, { coefficients, ...varianceSetting(dimension), label: 1 });
  },
  losses: ['hinge'],
  forecaster({ dimension, loss, ...setting }) {
    checkWord('loss', loss, ['hinge']);
    const known = { ...setting, ...forecastPopulation(dimension, setting) };
    const forecast = createForecaster(dimension, { ...known, loss: hingeLoss(), decoder: 'signs' });
    return (request, players) => forecast(parameters(request), players);
  },
  uncertainty: (made, tally, estimate, { variant, server, decoder, intercept }) =>
    marginUncertainty(made, tally, estimate, {
      loss: hingeLoss(),
      intercept,
      ...studyServing(variant, { server, decoder }),
    }),
  details: estimateDetails,
};

/**
 * The request of a collection whose variant, degree and shares are chosen from what is public before it: the number of
 * players, p, ε and R. `run` uses it where neither variant nor degree is named.
 *
 * Guarantee: as for the variant, pure ε.
 * @throws TypeError or RangeError naming the field.
 */
export function plannedRequest(
  question: Omit<DegreeQuestion, 'loss'>,
): PlannedCollection & { readonly dimension: number; readonly epsilon: number } {
  const { dimension, epsilon } = question;
  return { ...plannedCollection({ ...question, loss: hingeLoss() }), dimension, epsilon };
}

import { checkWord, refusal } from '../../src/check/number.ts';
import { RefusedValue } from '../../src/check/refusal.ts';
import type { ChannelTally } from '../../src/core/channel.ts';
import type { ValuesReport } from '../../src/core/frame.ts';
import { chebyshevSeries, chebyshevToMonomial } from '../../src/polynomial/chebyshev.ts';
import { convexMixture } from '../../src/risk/convex-mixture.ts';
import { LOSS_NAMES } from '../../src/risk/named-loss.ts';
import { type Study, type StudyRequest, varianceSetting } from '../../src/simulation/study.ts';
import { DEFAULT_BETA, mixtureVariance, smoothedStepCoefficients } from './algorithm-2.ts';
import { bestConstantScore, marginOptimum } from './baseline.ts';
import { DEFAULT_LOSS, fitOf, marginLossOf } from './loss.ts';
import { gradientVariance } from './margin/channels.ts';
import { forecastPopulation } from './margin/declared-population.ts';
import { forecastMargin } from './margin/forecast.ts';
import type { MarginParameters } from './margin/parameters.ts';
import type { MarginEstimate } from './margin/query.ts';
import { estimateDetails } from './margin/query.ts';
import { forecastSpherical, sphericalVariance } from './margin/spherical.ts';
import { marginUncertainty } from './margin/uncertainty.ts';
import { type GeneralizedLinearParameters, generalizedLinearParameters, VARIANTS } from './parameters.ts';
import { generalizedLinear } from './protocol.ts';
import { RADII } from './radius.ts';
import type { GeneralizedLinearQuery } from './server.ts';
import { studyServing } from './server.ts';
import { marginSums } from './sum-law.ts';

/** The generalized-linear protocol as a study under one loss. */
export type GeneralizedLinearStudy = Study<
  GeneralizedLinearParameters,
  ValuesReport,
  ChannelTally,
  MarginEstimate,
  GeneralizedLinearQuery
>;

function parameters(request: StudyRequest): GeneralizedLinearParameters {
  const variant = checkWord('variant', request.variant, VARIANTS);
  const { delta, degree, variant: _, ...rest } = request;
  if (variant === 'sphericalLaplace') return generalizedLinearParameters({ variant, ...rest });
  if (variant === 'lifted' || variant === 'sampled') return generalizedLinearParameters({ variant, degree, ...rest });
  return generalizedLinearParameters({ variant, delta, degree, ...rest });
}

/**
 * The protocol as the command line and the simulator run it, under the loss of this name.
 *
 * @throws RangeError for an unknown name, naming the known ones.
 */
export function studyOf(name: string): GeneralizedLinearStudy {
  const loss = marginLossOf(name);
  return {
    kind: 'records',
    protocol: generalizedLinear,
    summary: `linear model under the ${loss.name} loss from one report per player (Wang, Smith, Xu 2020, algorithm 2)`,
    variants: VARIANTS,
    pureVariants: ['lifted', 'sampled', 'sphericalLaplace'],
    sums: marginSums,
    loss,
    optimum: (records, radius, rows) => marginOptimum(records, loss, radius, rows),
    bestConstant: (records, radius, rows) => bestConstantScore(records, loss, radius, rows),
    parameters,
    query({ radius, degree = 'automatic', variant, server, decoder, intercept }) {
      const serving = studyServing(variant, { server, decoder });
      if (radius === 'automatic' && (serving.server ?? 'newton') !== 'newton') {
        throw new RefusedValue(refusal('radius', 'a number where the server steps report by report', 'auto'));
      }
      return { loss: name, radius, degree, intercept, ...serving };
    },
    gradientVariance(request) {
      const made = parameters(request);
      const { dimension } = made;
      const setting = { ...varianceSetting(dimension), label: 1 };
      if (made.variant === 'sphericalLaplace') {
        const weightNorm = dimension === 1 ? 0.5 : 1;
        return sphericalVariance(made, loss, { weightNorm, along: dimension === 1 ? 1 : 0.5, squaredNorm: 1 });
      }
      if (made.variant === 'printed') {
        const coefficients = smoothedStepCoefficients(made.degree, DEFAULT_BETA);
        return mixtureVariance(made, convexMixture(loss), 'independent', { coefficients, ...setting });
      }
      const interval = { lower: -1, upper: 1 };
      const coefficients = chebyshevToMonomial(chebyshevSeries(loss.derivative, made.degree, interval), interval);
      const decoder = made.variant === 'copies' ? 'signs' : made.variant;
      return gradientVariance(made, decoder, { coefficients, ...setting });
    },
    automaticRadius: RADII[RADII.length - 1],
    withLoss: (other) => studyOf(other) as Study,
    losses: [name, ...LOSS_NAMES.filter((other) => other !== name)],
    forecast(request, { loss: asked, records, declared, ...rest }) {
      const made = parameters(request);
      const query = { ...rest, ...forecastPopulation(made.dimension, { records, declared }) };
      const chosen = marginLossOf(asked);
      if (made.variant === 'sphericalLaplace') return forecastSpherical(made, { ...query, loss: chosen });
      const fit = (some: MarginParameters) => fitOf(some, {}, chosen, query.radius);
      return forecastMargin(made, { ...query, loss: chosen, fit, decoder: 'signs' });
    },
    uncertainty: (made, tally, estimate, { variant, server, decoder, intercept }) =>
      marginUncertainty(made, tally, estimate, { loss, intercept, ...studyServing(variant, { server, decoder }) }),
    details: (estimate) => ({ loss: name, ...estimateDetails(estimate) }),
  };
}

/** The protocol as the command line runs it when no loss is named. */
export const study: GeneralizedLinearStudy = studyOf(DEFAULT_LOSS);

import type { ChannelTally } from '../../src/core/channel.ts';
import type { Protocol } from '../../src/core/contract.ts';
import type { ValuesReport } from '../../src/core/frame.ts';
import { fitOf } from './fit.ts';
import { marginAuditing } from './margin/auditing.ts';
import { marginTheory, report } from './margin/channels.ts';
import { excessExpectation, forecastMargin } from './margin/forecast.ts';
import type { MarginEstimate } from './margin/query.ts';
import { DEFAULT_LOSS, marginLossOf } from './margin/query.ts';
import { forecastSpherical } from './margin/spherical.ts';
import {
  type GeneralizedLinearParameters,
  type GeneralizedLinearRequest,
  generalizedLinearParameters,
} from './parameters.ts';
import type { MarginDatum } from './player.ts';
import { player } from './player.ts';
import { type GeneralizedLinearQuery, hasMoments, server } from './server.ts';
import { simulate } from './simulate.ts';

/**
 * Noninteractive learning of a linear model under any convex loss of the margin, or of the residual, from one private
 * report per player. The loss is chosen after collection.
 *
 * Source: Wang, Smith, Xu 2020, section 4.2.
 * @theorem noninteractive Theorem 14
 */
export const generalizedLinear: Protocol<
  GeneralizedLinearParameters,
  MarginDatum,
  ValuesReport,
  ChannelTally,
  MarginEstimate,
  GeneralizedLinearQuery
> = {
  name: 'generalized-linear',
  player,
  report,
  server,
  simulate,
  theory: {
    ...marginTheory,
    forecast(parameters, { players }) {
      const loss = marginLossOf(DEFAULT_LOSS);
      const forecast = hasMoments(parameters)
        ? forecastMargin(parameters, { players, loss, fit: (some) => fitOf(some, {}, loss, 1), decoder: 'signs' })
        : forecastSpherical(parameters, { players, loss });
      return excessExpectation(forecast, loss.name);
    },
  },
  auditing: marginAuditing,
  // The variants check every field, whatever its type.
  make: (request) => generalizedLinearParameters(request as unknown as GeneralizedLinearRequest),
};

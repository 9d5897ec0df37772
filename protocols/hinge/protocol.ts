import type { ChannelTally } from '../../src/core/channel.ts';
import type { Protocol } from '../../src/core/contract.ts';
import type { ValuesReport } from '../../src/core/frame.ts';
import { hingeLoss } from '../../src/risk/margin-loss.ts';
import { marginAuditing } from '../generalized-linear/margin/auditing.ts';
import { marginTheory, report } from '../generalized-linear/margin/channels.ts';
import { excessExpectation, forecastMargin } from '../generalized-linear/margin/forecast.ts';
import type { MarginEstimate, MarginQuery } from '../generalized-linear/margin/query.ts';
import type { MarginDatum } from '../generalized-linear/player.ts';
import { player } from '../generalized-linear/player.ts';
import { simulate } from '../generalized-linear/simulate.ts';
import { type HingeParameters, type HingeRequest, hingeParameters } from './parameters.ts';
import { server } from './server.ts';

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
};

import type { Protocol } from '../../src/core/contract.ts';
import { marginAuditing } from './margin/auditing.ts';
import {
  type GeneralizedLinearParameters,
  type GeneralizedLinearRequest,
  generalizedLinearParameters,
} from './parameters.ts';
import { type GeneralizedLinearDatum, player } from './player.ts';
import { type GeneralizedLinearReport, report } from './report.ts';
import {
  type GeneralizedLinearEstimate,
  type GeneralizedLinearQuery,
  type GeneralizedLinearTally,
  server,
} from './server.ts';
import { theory } from './theory.ts';

/**
 * Noninteractive learning of a linear model under any convex loss of the margin, or of the residual, from one private report
 * per player. The loss is chosen after collection.
 *
 * Source: Wang, Smith, Xu 2020, section 4.2.
 */
export const generalizedLinear: Protocol<
  GeneralizedLinearParameters,
  GeneralizedLinearDatum,
  GeneralizedLinearReport,
  GeneralizedLinearTally,
  GeneralizedLinearEstimate,
  GeneralizedLinearQuery
> = {
  name: 'generalized-linear',
  player,
  report,
  server,
  theory,
  auditing: marginAuditing,
  // The variants check every field, of whatever kind.
  make: (request) => generalizedLinearParameters(request as unknown as GeneralizedLinearRequest),
};

import type { Protocol } from '../../src/core/contract.ts';
import { marginAuditing } from '../generalized-linear/margin/auditing.ts';
import { type HingeParameters, type HingeRequest, hingeParameters } from './parameters.ts';
import { type HingeDatum, player } from './player.ts';
import { type HingeReport, report } from './report.ts';
import { type HingeEstimate, type HingeQuery, type HingeTally, server } from './server.ts';
import { theory } from './theory.ts';

/**
 * Noninteractive learning of a linear model under the hinge loss (½ − y⟨w, x⟩)₊ from one private report per player.
 *
 * Source: Wang, Smith, Xu 2020, section 4.1.
 */
export const hinge: Protocol<HingeParameters, HingeDatum, HingeReport, HingeTally, HingeEstimate, HingeQuery> = {
  name: 'hinge',
  player,
  report,
  server,
  theory,
  auditing: marginAuditing,
  // The variants check every field, of whatever kind.
  make: (request) => hingeParameters(request as unknown as HingeRequest),
};

import type { Influence } from '../../../src/core/influence.ts';
import type { ReportLimits } from '../../../src/core/report-limits.ts';
import { type ChannelParameters, channelOf } from './channels.ts';

// Limits are computed once for each set of parameters.
const known = new WeakMap<object, ReportLimits>();

/** The limits of reports on a signed record. */
export function marginLimits(parameters: ChannelParameters): ReportLimits {
  let limits = known.get(parameters);
  if (limits === undefined) {
    limits = channelOf(parameters).limits();
    known.set(parameters, limits);
  }
  return limits;
}

/** How far one report can move a tally of reports on a signed record. */
export function marginInfluence(parameters: ChannelParameters): Influence {
  return marginLimits(parameters).influence;
}

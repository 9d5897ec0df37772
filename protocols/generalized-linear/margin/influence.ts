import type { Influence } from '../../../src/core/influence.ts';
import type { ReportLimits } from '../../../src/core/report-limits.ts';
import { type ChannelParameters, channelOf } from './channels.ts';

/** The limits of reports on a signed record. */
export function marginLimits(parameters: ChannelParameters): ReportLimits {
  return channelOf(parameters).limits();
}

/** How far one report can move a tally of reports on a signed record. */
export function marginInfluence(parameters: ChannelParameters): Influence {
  return marginLimits(parameters).influence;
}

import type { ReportLimits } from '../../../src/core/report-limits.ts';
import type { MarginChannel } from './channel.ts';
import { copiesChannel } from './copies-channel.ts';
import { gaussianChannel } from './gaussian-channel.ts';
import { liftedChannel } from './lifted-channel.ts';
import type { MarginParameters } from './parameters.ts';
import type { SphericalParameters } from './spherical.ts';
import { sphericalChannel } from './spherical-channel.ts';

/** Parameters of every mechanism on a signed record. */
export type ChannelParameters = MarginParameters | SphericalParameters;

/** The mechanisms, by variant: one more is one more line here, and one in `player.ts`. */
const CHANNELS = {
  lifted: liftedChannel,
  gaussian: gaussianChannel,
  copies: copiesChannel,
  printed: copiesChannel,
  sphericalLaplace: sphericalChannel,
} as const;

// Channels by parameters, each made once, and the one of the last call: most programs have one.
const known = new WeakMap<object, MarginChannel>();
const last: { parameters?: ChannelParameters; channel?: MarginChannel } = {};

/** The channel of public parameters: the same object for the same parameters. */
export function channelOf(parameters: ChannelParameters): MarginChannel {
  if (last.parameters === parameters && last.channel !== undefined) return last.channel;
  let channel = known.get(parameters);
  if (channel === undefined) {
    const make: (made: never) => MarginChannel = CHANNELS[parameters.variant];
    channel = withLimitsOnce(make(parameters as never));
    known.set(parameters, channel);
  }
  last.parameters = parameters;
  last.channel = channel;
  return channel;
}

// Every report is held against them, and searching them takes long.
function withLimitsOnce(channel: MarginChannel): MarginChannel {
  let limits: ReportLimits | undefined;
  return {
    ...channel,
    limits() {
      limits ??= channel.limits();
      return limits;
    },
  };
}

import { type Channel, type ChannelOf, channelTheory, channelWire, oncePer } from '../../src/core/channel.ts';
import type { Theory, Wire } from '../../src/core/contract.ts';
import type { ValuesReport } from '../../src/core/frame.ts';
import type { ReportLimits } from '../../src/core/influence.ts';
import { unitChannel } from '../../src/core/vector-channel.ts';
import type { GradientWavesPlan, Wave } from './parameters.ts';

/**
 * The channel of a plan and of all its waves: it depends on the mechanism alone, which they share, so that the limits
 * of a report are searched once.
 */
const channels: (mechanism: Wave['mechanism']) => Channel = oncePer((mechanism) => {
  const what = 'the gradient of the loss at one public point (or the loss), completed to the sphere';
  const made = unitChannel({ what, epsilon: mechanism.epsilon, mechanism, moments: mechanism.dimension - 1 });
  let limits: ReportLimits | undefined;
  return {
    ...made,
    limits() {
      limits ??= made.limits();
      return limits;
    },
  };
});

/** The channel of a plan or a wave. */
export const channelOf: ChannelOf<Wave | GradientWavesPlan> = ({ mechanism }) => channels(mechanism);

/** The wire format within a wave; a report of another wave or plan is refused. */
export const report: Wire<Wave, ValuesReport> = channelWire(channelOf);

/** Guarantee, certificate, distance and influence of one player's transcript: one report. */
export const channelClaims: Theory<GradientWavesPlan> = channelTheory<GradientWavesPlan>(channelOf);

import { channelTallying } from '../../src/core/channel.ts';
import type { Server } from '../../src/core/contract.ts';
import type { ValuesReport } from '../../src/core/frame.ts';
import type { MeanTally } from '../user-level-mean/shape.ts';
import { channelOf } from './channel.ts';
import type { Wave } from './parameters.ts';

/** What a server keeps of a wave: the number of reports, and the sum of the p numbers that each stands for. */
export type WaveTally = MeanTally;

/** The tally of a wave; see `descent.ts` for what the server makes of it. */
export const server = channelTallying<Wave>(channelOf) as unknown as Omit<
  Server<Wave, ValuesReport, WaveTally, never, never>,
  'estimate'
>;

import { onlineServer } from '../../src/protocol/online/server.ts';

export {
  estimateStream as estimate,
  type IntervalMethod,
  type OnlineEstimate,
  type OnlineQuery,
  plugInCovariance,
} from '../../src/protocol/online/estimate.ts';
export type { OnlineState } from '../../src/protocol/online/state.ts';

/** The server of the protocol. */
export const server: typeof onlineServer = onlineServer;

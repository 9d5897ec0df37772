import { onlineServer } from '../../src/protocol/online/server.ts';

export {
  estimateStream as estimate,
  type IntervalMethod,
  type OnlineEstimate,
  type OnlineQuery,
  plugInCovariance,
} from '../../src/protocol/online/estimate.ts';
export type { OnlineState } from '../../src/protocol/online/state.ts';

/**
 * The server of the protocol.
 *
 * @theorem online-inference (2.3)
 * @theorem online-rates (3.2)
 */
export const server: typeof onlineServer = onlineServer;

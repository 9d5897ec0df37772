import { onlineServer } from './stream/server.ts';

export {
  estimateStream as estimate,
  type IntervalMethod,
  type OnlineEstimate,
  type OnlineQuery,
  plugInCovariance,
} from './stream/estimate.ts';
export type { OnlineState } from './stream/state.ts';

/**
 * The server of the protocol.
 *
 * @theorem online-inference (2.3)
 * @theorem online-rates (3.2)
 */
export const server: typeof onlineServer = onlineServer;

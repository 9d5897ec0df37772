// Sends one report of a device to a collector: ldpkit/client.
export { decodeBatch, encodeBatch, type SentReport } from './batch.ts';
export {
  type Collecting,
  collector,
  type PublishedPlan,
  type SendOptions,
} from './collector-client.ts';
export { fromPlainJson, toPlainJson } from './plain-json.ts';
export type { SentReceipt } from './receipt.ts';

// Sends one report of a device to a collector: ldpkit/client.
export { encodeBatch } from './batch.ts';
export { collector } from './collector-client.ts';
export type { SentReceipt } from './receipt.ts';

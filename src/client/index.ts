/**
 * One report of a device, or many of them, to a collector over HTTP.
 *
 * | to | start from |
 * |---|---|
 * | fetch a plan, and send a report until there is a receipt | {@link collector} |
 * | send many at once | {@link encodeBatch}, {@link decodeBatch} |
 * | read rounds and steps, whose numbers travel as JSON | {@link fromPlainJson}, {@link toPlainJson} |
 *
 * @packageDocumentation
 */
export { decodeBatch, encodeBatch, type SentReport } from './batch.ts';
export {
  type Collecting,
  collector,
  type PublishedPlan,
  type SendOptions,
} from './collector-client.ts';
export { fromPlainJson, toPlainJson } from './plain-json.ts';
export type { SentReceipt } from './receipt.ts';

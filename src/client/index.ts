/**
 * One report of a device, or many of them, to a collector over HTTP.
 *
 * | to | start from |
 * |---|---|
 * | fetch a plan, and send a report until there is a receipt | {@link collector} |
 * | send many at once | {@link encodeBatch} |
 *
 * @packageDocumentation
 */
export { collector, encodeBatch, type SentReceipt } from './collector-client.ts';

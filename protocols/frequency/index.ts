/**
 * How often each category occurs, from one report per player.
 *
 * | to | start from |
 * |---|---|
 * | play it: `open`, devices, collectors | {@link frequency} |
 * | answer on a device | `frequencyPlayer` of `ldpkit/protocols/frequency/player` |
 *
 * @packageDocumentation
 */
export { frequency, study } from './protocol.ts';

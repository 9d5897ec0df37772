/**
 * How often each category occurs, from one report per player.
 *
 * | to | start from |
 * |---|---|
 * | play it: `open`, devices, collectors | {@link frequency} |
 * | answer on a device | {@link frequencyPlayer} |
 *
 * @packageDocumentation
 */
export { frequencyPlayer } from './player.ts';
export { frequency, study } from './protocol.ts';

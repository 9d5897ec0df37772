/**
 * The mean of bounded numbers or of a vector, from one report per player.
 *
 * | to | start from |
 * |---|---|
 * | play it: `open`, devices, collectors | {@link mean} |
 * | answer on a device | {@link meanPlayer} |
 *
 * @packageDocumentation
 */
export { meanPlayer } from './player.ts';
export { mean, study } from './protocol.ts';

/**
 * The mean of bounded numbers or of a vector, from one report per player.
 *
 * | to | start from |
 * |---|---|
 * | play it: `open`, devices, collectors | {@link mean} |
 * | answer on a device | `meanPlayer` of `ldpkit/protocols/mean/player` |
 *
 * @packageDocumentation
 */
export { mean, study } from './protocol.ts';

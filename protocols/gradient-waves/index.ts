/**
 * A linear model or a median from waves of fresh players, one report per player.
 *
 * | to | start from |
 * |---|---|
 * | play it: `open`, devices, collectors | {@link gradientWaves} |
 * | make the parameters of a variant | {@link gradientWavesPlan} |
 *
 * @packageDocumentation
 */
export { gradientWavesPlan } from './parameters.ts';
export { gradientWaves } from './protocol.ts';

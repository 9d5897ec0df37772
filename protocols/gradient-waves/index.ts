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
export type { GradientWavesEstimate } from './course.ts';
export { LOSSES, type WaveDatum, type WaveLoss } from './loss.ts';
export { type GradientWavesPlan, type GradientWavesRequest, gradientWavesPlan, type Wave } from './parameters.ts';
export { gradientWaves } from './protocol.ts';
export { excessOrder, gradientNoise } from './theory.ts';

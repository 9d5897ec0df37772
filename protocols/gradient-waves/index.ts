export type { GradientWavesEstimate } from './course.ts';
export { LOSSES, type WaveDatum, type WaveLoss } from './loss.ts';
export { type GradientWavesPlan, type GradientWavesRequest, gradientWavesPlan, type Wave } from './parameters.ts';
export { gradientWaves } from './protocol.ts';
export { excessOrder, gradientNoise } from './theory.ts';

import { newton, privacyError, solve, theory } from 'ldpkit/protocols/noisy-newton';
import type { CentralAlgorithm } from '../../noisy-fit/algorithm.ts';

/** Noisy Newton as its validations run it. */
export const algorithm: CentralAlgorithm<ReturnType<typeof newton>> = {
  name: 'noisy Newton',
  key: 'noisy-newton',
  steep: true,
  plan: newton,
  fit: solve,
  privacyError,
  // The last step alone: it forgets the ones before but for the noise on Hessians.
  spread: (curvatures) => Array.from(curvatures).reduce((sum, curvature) => sum + 1 / curvature ** 2, 0),
  // A fifth is for the warm-up, and of the rest a fifth for the Hessians.
  gradientShare: 0.8 * 0.8,
  normals: (dimension) => [dimension, (dimension * (dimension + 1)) / 2],
  certificate: theory.certificate,
};

import { descend, descent, privacyError, theory } from 'ldpkit/protocols/noisy-gradient-descent';
import type { CentralAlgorithm } from '../../noisy-fit/algorithm.ts';

/** Noisy gradient descent as its validations run it. */
export const algorithm: CentralAlgorithm<ReturnType<typeof descent>> = {
  name: 'noisy gradient descent',
  key: 'noisy-gradient-descent',
  steep: false,
  plan: descent,
  fit: descend,
  privacyError,
  // The noise of every step is shrunk by 1 − ηλ in each one after it.
  spread(curvatures, step, steps) {
    let sum = 0;
    for (let k = 0; k < steps; k++) {
      for (let i = 0; i < curvatures.length; i++) sum += (step * (1 - step * curvatures[i]) ** k) ** 2;
    }
    return sum;
  },
  gradientShare: 1,
  normals: (dimension) => [dimension],
  certificate: theory.certificate,
};

import { secureRandom } from 'ldpkit';
import { fillDiscreteGaussian } from '../../../dist/src/random/discrete-gaussian.js';
import { discreteGaussianLaw } from '../../../dist/src/random/gaussian-cells.js';
import { fillRate } from '../rate.mjs';

const random = secureRandom();
const target = new Float64Array(1 << 18);
const law = discreteGaussianLaw({ numerator: 1n << 32n, denominator: 1n });

// No peer of its own: the Python program takes σ = 100 only, which the other case compares with.
export default {
  name: 'exact discrete Gaussian, sigma = 65536, per second',
  run: () => fillRate(target.length, () => fillDiscreteGaussian(target, law, random)),
};

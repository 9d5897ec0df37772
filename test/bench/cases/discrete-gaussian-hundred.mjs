import { secureRandom } from 'ldpkit';
import { fillDiscreteGaussian } from '../../../dist/src/random/discrete-gaussian.js';
import { discreteGaussianLaw } from '../../../dist/src/random/gaussian-cells.js';
import { fillRate } from '../rate.mjs';

const random = secureRandom();
const target = new Int32Array(1 << 18);
const law = discreteGaussianLaw({ numerator: 10_000n, denominator: 1n });

export default {
  name: 'exact discrete Gaussian, sigma = 100, per second',
  peer: 'discrete_gaussian.py',
  peerField: 'perSecond',
  floor: 20,
  run: () => fillRate(target.length, () => fillDiscreteGaussian(target, law, random)),
};

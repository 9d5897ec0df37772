import { refusal } from '../check/number.ts';
import {
  type DiscreteGaussianMechanism,
  type DiscreteGaussianRequest,
  discreteGaussianMechanism,
} from '../mechanism/discrete-gaussian.ts';

/** Largest σ, in steps of the grid, that travels in 32-bit integers: 2³¹ is 7.5σ beyond any record, one number in 10¹³. */
const LARGEST_SIGMA = 2 ** 28;

/**
 * The discrete Gaussian of a deployed report that travels as 32-bit integers.
 *
 * @throws as `discreteGaussianMechanism`; RangeError for a budget whose noise would be cut off by the largest integer, which is
 * private and says nothing.
 */
export function integerNoise(request: DiscreteGaussianRequest): DiscreteGaussianMechanism {
  const noise = discreteGaussianMechanism(request);
  if (noise.sigma > LARGEST_SIGMA || noise.radius > LARGEST_SIGMA / 2) {
    throw new RangeError(refusal('epsilon', 'a budget whose noise fits into 32-bit integers', request.epsilon));
  }
  return noise;
}

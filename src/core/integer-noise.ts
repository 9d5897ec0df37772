import { refusal } from '../check/number.ts';
import { RefusedValue } from '../check/refusal.ts';
import {
  type DiscreteGaussianMechanism,
  type DiscreteGaussianRequest,
  discreteGaussianMechanism,
} from '../mechanism/discrete-gaussian.ts';
import { normalCdf } from '../numeric/normal.ts';
import type { Release } from '../privacy/totals.ts';

/** The largest probability with which a number of a deployed report may be cut off. */
const LARGEST_SATURATION = 1e-12;

/** The largest number that a report can carry. */
const LIMIT = 2 ** 31 - 1;

/**
 * The discrete Gaussian of a deployed report that travels as 32-bit integers: the only one that such a report may have.
 *
 * Law: a number of the report is cut off with probability at most 2Φ(−(2³¹ − 1 − r)/σ), where r is the radius of the
 * grid; here this is at most 10⁻¹². A grid point is at most r, so only noise of at least m = 2³¹ − r is cut off above.
 * Here P(noise ≥ m) = Σ_{k ≥ m} e^(−k²/2σ²)/Z ≤ ∫_{m−1}^∞ e^(−t²/2σ²) dt/Z, where Z ≥ √(2π)σ by Poisson summation.
 *
 * @throws as `discreteGaussianMechanism`; RangeError for a budget whose noise the largest integer would cut off more
 * often: such a report would be private but useless.
 */
export function integerNoise(request: DiscreteGaussianRequest): DiscreteGaussianMechanism {
  const noise = discreteGaussianMechanism(request);
  if (!(saturation(noise) <= LARGEST_SATURATION)) {
    throw new RefusedValue(refusal('epsilon', 'a budget whose noise fits into 32-bit integers', request.epsilon));
  }
  return noise;
}

/** The bound on the probability that one number of a report is cut off. */
function saturation({ radius, sigma }: DiscreteGaussianMechanism): number {
  return 2 * normalCdf((radius - LIMIT) / sigma);
}

/** The one release of a deployed Gaussian report: integers, whose sensitivity and noise are in steps of the grid. */
export function discreteGaussianRelease(what: string, noise: DiscreteGaussianMechanism): Release {
  const { name, sensitivity, sigma, guarantee, rho } = noise;
  return {
    what: `${what} on a grid`,
    count: 1,
    mechanism: name,
    sensitivity,
    scale: sigma,
    guarantee,
    concentrated: rho,
  };
}

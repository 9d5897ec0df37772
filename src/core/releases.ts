import type { DiscreteGaussianMechanism } from '../mechanism/discrete-gaussian.ts';
import type { Release } from '../privacy/totals.ts';
import type { UnitRandomizer } from './unit-report.ts';

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

/** The one release of a report of a unit vector; the scale is the standard deviation across the vector. */
export function unitRelease(what: string, mechanism: UnitRandomizer): Release {
  const { name, coordinateVariance, guarantee } = mechanism;
  return { what, count: 1, mechanism: name, sensitivity: 2, scale: Math.sqrt(coordinateVariance), guarantee };
}

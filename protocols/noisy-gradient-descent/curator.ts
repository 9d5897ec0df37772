import type { Random } from '../../src/random/random.ts';
import { descentVariance, fitNoisily, type NoisyFit, spectralMatrix } from './m-estimation/fit.ts';
import type { CentralRecord } from './m-estimation/model.ts';
import type { NoisyGradientDescentPlan } from './parameters.ts';

/**
 * Runs noisy gradient descent on the records of a trusted curator. Everything in the result is released.
 *
 * Guarantee: that of the plan, with simulation-grade normals.
 *
 * @throws TypeError or RangeError if the number of records differs from the plan's, or for a record outside the domain
 * (the message has no values); RangeError for a released Hessian that is not positive definite after the floor, with
 * its smallest eigenvalue.
 * @theorem slides M-estimators
 * @theorem slides Noisy gradient descent
 * @theorem slides Theorem, noisy gradient descent, part 3
 * @theorem slides Gradient Estimate Trajectories
 */
export function descend(plan: NoisyGradientDescentPlan, records: readonly CentralRecord[], random: Random): NoisyFit {
  const { steps, step, noise } = plan;
  return fitNoisily(plan, records, random, {
    count: steps,
    move(theta, _, score) {
      const gradient = score(noise);
      for (let i = 0; i < theta.length; i++) theta[i] -= step * gradient[i];
    },
    injected: (hessian) => spectralMatrix(hessian, (curvature) => descentVariance(curvature, step, steps, noise)),
  });
}

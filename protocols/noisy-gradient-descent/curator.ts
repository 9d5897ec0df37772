import type { SymmetricEigen } from '../../src/optimize/symmetric-eigen.ts';
import { fillNormal } from '../../src/random/normal.ts';
import type { Random } from '../../src/random/random.ts';
import { descentVariance, type NoisyFit, releaseRegion, spectralMatrix } from './m-estimation/fit.ts';
import { type CentralRecord, checkRecords, meanScore } from './m-estimation/moments.ts';
import { keepScale } from './m-estimation/request.ts';
import type { NoisyGradientDescentPlan } from './parameters.ts';

/**
 * Runs noisy gradient descent on the records of a trusted curator. Everything in the result is released.
 *
 * Guarantee: that of the plan, with simulation-grade normals.
 *
 * @throws TypeError or RangeError for another number of records than the plan's, or a record outside the domain, without its
 * values; RangeError for a released Hessian that is not positive definite after the floor, with its smallest eigenvalue.
 * @theorem slides M-estimators
 * @theorem slides Noisy gradient descent
 * @theorem slides Theorem, noisy gradient descent, part 3
 * @theorem slides Gradient Estimate Trajectories
 */
export function descend(plan: NoisyGradientDescentPlan, records: readonly CentralRecord[], random: Random): NoisyFit {
  const { model, steps, step, noise, start, sandwich } = plan;
  checkRecords(records, plan.records);
  const { dimension } = model;
  const theta = start.slice();
  const gradient = new Float64Array(dimension);
  const normals = new Float64Array(dimension);
  const iterates = [start.slice()];
  for (let k = 0; k < steps; k++) {
    meanScore(model, records, theta, gradient);
    fillNormal(normals, random);
    for (let i = 0; i < dimension; i++) theta[i] -= step * (gradient[i] + noise * normals[i]);
    keepScale(model, theta);
    iterates.push(theta.slice());
  }
  if (sandwich === undefined) return { theta, iterates };
  const injected = (hessian: SymmetricEigen): Float64Array =>
    spectralMatrix(hessian, (curvature) => descentVariance(curvature, step, steps, noise));
  return { theta, iterates, region: releaseRegion({ ...plan, injected }, records, theta, sandwich, random) };
}

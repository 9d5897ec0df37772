import { refusal } from '../../src/check/number.ts';
import { unpackSymmetric } from '../../src/inference/packed-symmetric.ts';
import type { SymmetricEigen } from '../../src/optimize/symmetric-eigen.ts';
import { fillNormal } from '../../src/random/normal.ts';
import type { Random } from '../../src/random/random.ts';
import { NOISE_FAILURE } from '../noisy-gradient-descent/m-estimation/conditions.ts';
import { flooredEigen, type NoisyFit, releaseRegion } from '../noisy-gradient-descent/m-estimation/fit.ts';
import { addSymmetricNoise } from '../noisy-gradient-descent/m-estimation/matrix-noise.ts';
import {
  type CentralRecord,
  checkRecords,
  curvatureMoment,
  meanScore,
} from '../noisy-gradient-descent/m-estimation/moments.ts';
import { keepScale } from '../noisy-gradient-descent/m-estimation/request.ts';
import { injectedCovariance } from './covariance.ts';
import type { NoisyNewtonPlan } from './parameters.ts';

const { hypot, log, sqrt } = Math;

/**
 * Runs noisy Newton on the records of a trusted curator. Everything in the result is released.
 *
 * Guarantee: that of the plan, with simulation-grade normals.
 *
 * @throws TypeError or RangeError for another number of records than the plan's, or a record outside the domain, without its
 * values; RangeError for a released Hessian that is not positive definite after the floor, with its smallest eigenvalue, and for
 * a first Newton step too far from the minimiser where the plan has a start condition.
 * @theorem slides M-estimators
 * @theorem slides Noisy Newton
 * @theorem slides Theorem, noisy Newton, conditions
 * @theorem slides Theorem, noisy Newton, part 3
 */
export function solve(plan: NoisyNewtonPlan, records: readonly CentralRecord[], random: Random): NoisyFit {
  const { model, warmUp, steps, start, gradientNoise, hessianNoise, hessianFloor, sandwich } = plan;
  checkRecords(records, plan.records);
  const { dimension } = model;
  const theta = start.slice();
  const gradient = new Float64Array(dimension);
  const normals = new Float64Array(dimension);
  const iterates = [start.slice()];
  const release = (noise: number): void => {
    meanScore(model, records, theta, gradient);
    fillNormal(normals, random);
    for (let i = 0; i < dimension; i++) gradient[i] += noise * normals[i];
  };
  for (let k = 0; k < warmUp.steps; k++) {
    release(warmUp.noise);
    for (let i = 0; i < dimension; i++) theta[i] -= warmUp.step * gradient[i];
    keepScale(model, theta);
    iterates.push(theta.slice());
  }
  for (let k = 0; k < steps; k++) {
    release(gradientNoise);
    if (k === 0) checkStart(plan, gradient);
    const packed = curvatureMoment(model, records, theta);
    addSymmetricNoise(packed, hessianNoise, random);
    const { values, vectors } = flooredEigen(unpackSymmetric(packed, dimension), dimension, hessianFloor);
    for (let e = 0; e < dimension; e++) {
      const vector = vectors.subarray(e * dimension, (e + 1) * dimension);
      let along = 0;
      for (let i = 0; i < dimension; i++) along += vector[i] * gradient[i];
      for (let i = 0; i < dimension; i++) theta[i] -= (along / values[e]) * vector[i];
    }
    keepScale(model, theta);
    iterates.push(theta.slice());
  }
  if (sandwich === undefined) return { theta, iterates };
  const injected = (hessian: SymmetricEigen): Float64Array => injectedCovariance(plan, hessian);
  return { theta, iterates, region: releaseRegion({ ...plan, injected }, records, theta, sandwich, random) };
}

/** Refuses a start that is too far even if the noise made the gradient longer. The gradient was released. */
function checkStart({ largestStart, gradientNoise, model }: NoisyNewtonPlan, gradient: Float64Array): void {
  if (largestStart === undefined) return;
  const allowed = largestStart + gradientNoise * (sqrt(model.dimension) + sqrt(2 * log(1 / NOISE_FAILURE)));
  const norm = hypot(...gradient);
  if (norm <= allowed) return;
  throw new RangeError(
    refusal('start', `one where the noisy gradient is at most ${allowed}: τ₁²/L and the noise`, norm),
  );
}

import { checkInteger, checkOpenUnit, checkPositive } from '../../src/check/refusal.ts';
import type { Auditing } from '../../src/core/auditing.ts';
import type { Theory } from '../../src/core/contract.ts';
import { unpackSymmetric } from '../../src/inference/block-sums.ts';
import { type SymmetricEigen, symmetricEigen } from '../../src/optimize/ball.ts';
import { type Certificate, certificate as certificateOf } from '../../src/privacy/certificate.ts';
import { gaussianRelease } from '../../src/privacy/totals.ts';
import type { Random } from '../../src/random/random.ts';
import { type AttackedRecords, auditingOf, type StepNoise } from '../noisy-gradient-descent/central-study.ts';
import {
  addNoise,
  difference,
  fitNoisily,
  flooredEigen,
  type NoisyFit,
  spectralMatrix,
} from '../noisy-gradient-descent/curator.ts';
import {
  type CentralRecord,
  leastHessianRecords,
  weightedScores,
  weightMoment,
} from '../noisy-gradient-descent/model.ts';
import { type NoisyFitPlan, type NoisyFitRequest, sharedPlan } from '../noisy-gradient-descent/parameters.ts';
import { guarantee, hessianDistance, neighbourDistance, sandwichReleases } from '../noisy-gradient-descent/protocol.ts';
import { moveAgainst, product, spread } from './curator.ts';

const { ceil, log, max, min, sqrt } = Math;

/** The request for noisy Newton with weights. The model is `huber`. */
export interface ReweightedRequest extends NoisyFitRequest {
  /** The share of the last step in μ² of all steps; .5 by default. */
  readonly lastShare?: number;
  /** The share of the matrix in μ² of a step; .2 by default. */
  readonly curvatureShare?: number;
}

/** Everything that is decided before a record is read. Plain data. */
export interface ReweightedPlan extends NoisyFitPlan {
  readonly protocol: 'noisy-newton';
  readonly variant: 'reweighted';
  /** The noise of each of the first K − 1 steps. */
  readonly early: StepNoise;
  /** The noise of the last step, which goes straight into θ⁽ᴷ⁾. */
  readonly last: StepNoise;
}

/** By this factor a step shrinks the distance at least, where a fifth of the curvature is that of large residuals. */
const CONTRACTION = 0.2;

/** Steps from a far start until residuals are of the size of their noise. */
const APPROACH = 2;

/**
 * K of {@link reweighted}: two steps from a far start, and as many as make a distance √n times smaller, each to a fifth; at least 6.
 * @throws TypeError or RangeError unless n is a whole number ≥ 1.
 */
function leastReweightedSteps(records: number): number {
  return max(6, APPROACH + ceil((0.5 * log(checkInteger('records', records, 1))) / -log(CONTRACTION)));
}

/**
 * The plan of noisy Newton with the weights of Huber's loss: θ⁽ᵏ⁺¹⁾ = θ⁽ᵏ⁾ − W̃_k⁻¹·g̃_k, where W = (1/n)·Σ w(x)·ψ_c(r/σ)/r·x·xᵀ takes the
 * place of the Hessian (1/n)·Σ w(x)·1(|r| < cσ)/σ·x·xᵀ. The parabola of curvature W lies above the loss and touches it, so that a
 * step without noise never raises the loss, from any start. Newton's own step can go astray: far from the minimiser nearly all
 * residuals are beyond c and have no curvature. Data that differ in one record move W as much as the Hessian, √2·B̄/n, since no
 * weight is above 1/σ.
 *
 * Near the minimiser a step leaves the share 1 − H/W of the distance, a tenth for normal residuals, where Newton's squares it. So
 * six steps are taken, and half of μ² goes to the last one.
 *
 * Guarantee: μ-Gaussian differential privacy for replacing any one record, all iterates and the sandwich together.
 *
 * Source: Huber 1981, Robust statistics, Section 7.8 (modified weights), with the noise of Avella-Medina, Bradshaw, Loh (2023).
 * @throws TypeError or RangeError naming the field: μ ≤ 0, K ≤ 0, another model than `huber`; RangeError for a K or an n below
 * what the analysis requires, unless forced.
 */
export function reweighted(request: ReweightedRequest): ReweightedPlan {
  const shared = sharedPlan(request, leastReweightedSteps, 1e4);
  const { plan, optimization, calibrated } = shared;
  const { model, records, steps, strongConvexity } = plan;
  weightedScores(model);
  const { dimension, scoreSensitivity, hessianBound } = model;
  const lastShare = steps === 1 ? 1 : checkOpenUnit('lastShare', request.lastShare ?? 0.5);
  const curvatureShare = checkOpenUnit('curvatureShare', request.curvatureShare ?? 0.2);
  const sensitivity = calibrated(hessianBound);
  const before = max(1, steps - 1);
  const noiseOf = (count: number, share: number): StepNoise => ({
    gradient: (scoreSensitivity * sqrt(count)) / (records * optimization * sqrt(share * (1 - curvatureShare))),
    matrix: (sensitivity * sqrt(count)) / (records * optimization * sqrt(share * curvatureShare)),
  });
  const earlyShare = steps === 1 ? 1 : 1 - lastShare;
  const mu = optimization * sqrt(earlyShare * curvatureShare);
  shared.checkRecords(
    optimization * sqrt(earlyShare * (1 - curvatureShare)),
    leastHessianRecords({ dimension, steps: before, mu, sensitivity, strongConvexity }),
  );
  return {
    protocol: 'noisy-newton',
    variant: 'reweighted',
    ...plan,
    early: noiseOf(before, earlyShare),
    last: noiseOf(1, lastShare),
  };
}

/** The noise of step k, from 0. */
function noiseOf({ steps, early, last }: ReweightedPlan, k: number): StepNoise {
  return k === steps - 1 ? last : early;
}

/**
 * Runs noisy Newton with weights on the records of a trusted curator. Everything in the result is released.
 *
 * Guarantee: that of the plan, with simulation-grade normals.
 * @throws TypeError or RangeError if the number of records differs from the plan's, or for a record outside the domain
 * (the message has no values); RangeError for a released matrix that is not positive definite after the floor, with
 * its smallest eigenvalue.
 */
export function reweight(plan: ReweightedPlan, records: readonly CentralRecord[], random: Random): NoisyFit {
  const { model, steps, hessianFloor } = plan;
  const { dimension } = model;
  let weights: SymmetricEigen;
  return fitNoisily(plan, records, random, {
    count: steps,
    move(theta, k, score) {
      const noise = noiseOf(plan, k);
      const gradient = score(noise.gradient);
      const packed = weightMoment(model, records, theta);
      addNoise(packed, noise.matrix, random);
      weights = flooredEigen(unpackSymmetric(packed, dimension), dimension, hessianFloor);
      moveAgainst(theta, gradient, weights);
    },
    injected: (hessian) => reweightedCovariance(plan, hessian, weights),
    // What steps of this size still go, if each is a fifth of the one before.
    remaining(iterates, hessian) {
      const share = CONTRACTION / (1 - CONTRACTION);
      const before = reweightedCovariance({ ...plan, steps: steps - 1, last: plan.early }, hessian, weights);
      const after = reweightedCovariance(plan, hessian, weights);
      return {
        way: difference(iterates[steps], iterates[steps - 1]).map((entry) => share * entry),
        covariance: after.map((entry, i) => share * share * (entry + before[i])),
      };
    },
  });
}

/**
 * Covariance of θ⁽ᴷ⁾ − θ̂ from the noise of all steps, given eigenvalues and eigenvectors of the Hessian H and of W at θ̂.
 *
 * A step changes a distance d to (I − W⁻¹H)·d + W⁻¹(E·W⁻¹H·d − N), with E the noise on W and N the noise on the gradient. So to first
 * order in E the covariance follows D ← A·D·Aᵀ + σ_g²·W⁻² + σ_m²·W⁻¹(U + tr(U)·I − diag(U))W⁻¹ with A = I − W⁻¹H and
 * U = W⁻¹H·D·H·W⁻¹. The start is as good as forgotten.
 *
 * Shape: p × p row-major.
 *
 * Source: derived, as `injectedCovariance` of Newton's own step.
 */
export function reweightedCovariance(
  plan: ReweightedPlan,
  hessian: SymmetricEigen,
  weights: SymmetricEigen,
): Float64Array {
  const dimension = hessian.values.length;
  const inverse = spectralMatrix(weights, (value) => 1 / value);
  const root = spectralMatrix(weights, (value) => 1 / sqrt(value));
  // H ≤ W, so that the eigenvalues of W^{−½}HW^{−½} are at most 1. Noise on the two may say otherwise.
  const shared = symmetricEigen(
    product(
      product(
        root,
        spectralMatrix(hessian, (value) => value),
        dimension,
      ),
      root,
      dimension,
    ),
    dimension,
  );
  const within = spectralMatrix(shared, (value) => max(0, min(1, value)));
  const kept = product(product(root, within, dimension), spectralMatrix(weights, sqrt), dimension);
  const left = kept.map((entry, i) => (i % (dimension + 1) === 0 ? 1 : 0) - entry);
  let covariance = new Float64Array(dimension * dimension);
  for (let k = 0; k < plan.steps; k++) {
    const noise = noiseOf(plan, k);
    const remaining = around(left, covariance, dimension);
    const shaken = spread(inverse, around(kept, covariance, dimension), dimension);
    const own = spectralMatrix(weights, (value) => (noise.gradient / value) ** 2);
    covariance = own.map((entry, i) => entry + remaining[i] + noise.matrix * noise.matrix * shaken[i]);
  }
  return covariance;
}

/** A·D·Aᵀ. */
function around(a: Float64Array, d: Float64Array, dimension: number): Float64Array {
  const transposed = a.map((_, i) => a[(i % dimension) * dimension + Math.floor(i / dimension)]);
  return product(product(a, d, dimension), transposed, dimension);
}

/** Every release: K gradients and K matrices, and the sandwich if there are regions. */
function certificate(plan: ReweightedPlan): Certificate {
  const { protocol, variant, records, model, steps, early, last, sandwich } = plan;
  const releases = (where: string, count: number, noise: StepNoise) => [
    gaussianRelease({
      what: `mean score, ${where}`,
      count,
      sensitivity: neighbourDistance(plan),
      sigma: noise.gradient,
    }),
    gaussianRelease({
      what: `curvature by weights, ${where}`,
      count,
      sensitivity: hessianDistance(plan),
      sigma: noise.matrix,
    }),
  ];
  return certificateOf({
    protocol,
    variant,
    releases: [
      ...(steps === 1 ? [] : releases(`in each of the first ${steps - 1} steps`, steps - 1, early)),
      ...releases('in the last step', 1, last),
      ...sandwichReleases(model, records, sandwich),
    ],
    claimed: guarantee(plan),
  });
}

/** The claims about plans. */
export const theory: Theory<ReweightedPlan> = { guarantee, certificate, neighbourDistance };

/** What an audit of the curator may use. */
export const auditing: Auditing<ReweightedPlan, AttackedRecords, NoisyFit> = auditingOf((plan) => ({
  gradient: { steps: 0, step: 1, noise: 0 },
  newton: { matrix: weightMoment, noise: (k) => noiseOf(plan, k) },
}));

/**
 * √E‖θ⁽ᴷ⁾ − θ̂‖² from the noise of the last gradient, √Σ(σ_g/λ_i)², given the eigenvalues of the Hessian at θ̂. An upper bound,
 * since W has the larger ones; see {@link reweightedCovariance} for all noise.
 * @throws TypeError or RangeError for an eigenvalue that is not finite and > 0.
 */
export function privacyError({ last }: ReweightedPlan, curvatures: ArrayLike<number>): number {
  return sqrt(
    Array.from(curvatures).reduce((sum, at) => sum + (last.gradient / checkPositive('curvature', at)) ** 2, 0),
  );
}

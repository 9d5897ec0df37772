import { checkOpenUnit } from '../../src/check/refusal.ts';
import type { Auditing, Theory } from '../../src/core/contract.ts';
import { unpackSymmetric } from '../../src/inference/block-sums.ts';
import { product, spectralMatrix } from '../../src/inference/interval.ts';
import { type SymmetricEigen, symmetricEigen } from '../../src/optimize/ball.ts';
import type { Certificate } from '../../src/privacy/certificate.ts';
import type { Random } from '../../src/random/random.ts';
import { type AttackedRecords, auditingOf, type StepNoise } from '../noisy-gradient-descent/central-study.ts';
import {
  addNoise,
  difference,
  fitNoisily,
  flooredEigen,
  type NoisyFit,
  timesVector,
} from '../noisy-gradient-descent/curator.ts';
import {
  type CentralRecord,
  leastHessianRecords,
  weightedScores,
  weightMoment,
} from '../noisy-gradient-descent/model.ts';
import { type NoisyFitPlan, type NoisyFitRequest, readPlan, sharedPlan } from '../noisy-gradient-descent/parameters.ts';
import { fitCertificate, guarantee, hessianDistance, neighbourDistance } from '../noisy-gradient-descent/protocol.ts';
import { moveAgainst, solvedNoise, spread } from './curator.ts';

const { max, min, sqrt } = Math;

/** The request for noisy Newton with weights. The model is `huber` or `logistic`; by default K is 10 for the first, 20 for the second. */
export interface ReweightedRequest extends NoisyFitRequest {
  /** The share of the last step in μ² of all steps; .5 by default. */
  readonly lastShare?: number;
  /** The share of the matrix in μ² of a step; .3 by default. */
  readonly curvatureShare?: number;
  /**
   * Eigenvalues of released matrices below it are raised to it. By default it follows from the noise of each: what noise alone can
   * be, 2√p·σ, for the last step and the Hessian of the region, and half of it for the steps before, which are to be long.
   */
  readonly hessianFloor?: number;
}

/** The noise of a step, and the floor of the eigenvalues of its matrix. */
type FlooredNoise = StepNoise & { readonly floor: number };

/** Everything that is decided before a record is read. Plain data. */
export interface ReweightedPlan extends NoisyFitPlan {
  readonly protocol: 'noisy-newton';
  readonly variant: 'reweighted';
  /** The noise of each of the first K − 1 steps. */
  readonly early: FlooredNoise;
  /** The noise of the last step, which goes straight into θ⁽ᴷ⁾. */
  readonly last: FlooredNoise;
}

/**
 * K by default. For Huber's loss six come from a start of six deviations of the noise; ten also from thirty, and where features vary
 * little. For the logistic loss ten come to inner products of deviation 2, twenty to those of 3.5.
 */
const STEPS = { huber: 10, logistic: 20 } as const;

/** The least share that a step takes of the distance: below, the matrices are mostly noise. */
const LEAST_SHARE = 0.05;

/**
 * The plan of noisy Newton with the weights of Huber's loss: θ⁽ᵏ⁺¹⁾ = θ⁽ᵏ⁾ − W̃_k⁻¹·g̃_k, where W = (1/n)·Σ w(x)·ψ_c(r/σ)/r·x·xᵀ takes the
 * place of the Hessian (1/n)·Σ w(x)·1(|r| < cσ)/σ·x·xᵀ. The parabola of curvature W lies above the loss and touches it, so that a
 * step without noise never raises the loss, from any start. Newton's own step can go astray: far from the minimiser nearly all
 * residuals are beyond c and have no curvature. Data that differ in one record move W as much as the Hessian, √2·B̄/n, since no
 * weight is above 1/σ.
 *
 * Near the minimiser a step leaves the share 1 − H/W of the distance, a tenth for normal residuals, where Newton's squares it. So
 * ten steps are taken, and half of μ² goes to the last one.
 *
 * For the logistic loss the weights are tanh(t/2)/(2t) of the inner product t in the place of its second derivative, and at most ¼ as
 * well. They are far above it where labels are nearly certain: along the coefficients a step leaves three tenths of the distance where inner
 * products have deviation 1, and three quarters where they have 3. So twenty steps are taken.
 *
 * Guarantee: μ-Gaussian differential privacy for replacing any one record, all iterates and the sandwich together.
 *
 * Source: Huber 1981, Robust statistics, Section 7.8 (modified weights); Jaakkola and Jordan 2000, Bayesian parameter estimation via
 * variational methods, Section 3 (those of the logistic loss); the noise of Avella-Medina, Bradshaw, Loh (2023).
 * @throws TypeError or RangeError naming the field: a μ outside 1e-9 to 1e100, K ≤ 0, another model than `huber` or `logistic`; RangeError for an n below what keeps
 * the noise of every step below B and τ₁, unless forced.
 */
export function reweighted(request: ReweightedRequest): ReweightedPlan {
  return readPlan('reweighted', request, reweightedOf);
}

function reweightedOf(request: ReweightedRequest): ReweightedPlan {
  // What other models get does not matter, since they are refused.
  const shared = sharedPlan(request, () => 1, 1e4, STEPS[request.model?.kind === 'logistic' ? 'logistic' : 'huber']);
  const { plan, optimization, calibrated } = shared;
  const { model, records, steps, strongConvexity } = plan;
  weightedScores(model);
  const { dimension, scoreSensitivity, hessianBound } = model;
  const lastShare = steps === 1 ? 1 : checkOpenUnit('lastShare', request.lastShare ?? 0.5);
  const curvatureShare = checkOpenUnit('curvatureShare', request.curvatureShare ?? 0.3);
  const sensitivity = calibrated(hessianBound);
  const before = max(1, steps - 1);
  const floorOf = (sigma: number, deviations: number): number =>
    request.hessianFloor ?? deviations * sqrt(dimension) * sigma;
  const flooredNoise = (count: number, share: number, deviations: number): FlooredNoise => {
    const matrix = (sensitivity * sqrt(count)) / (records * optimization * sqrt(share * curvatureShare));
    return {
      gradient: (scoreSensitivity * sqrt(count)) / (records * optimization * sqrt(share * (1 - curvatureShare))),
      matrix,
      floor: floorOf(matrix, deviations),
    };
  };
  const earlyShare = steps === 1 ? 1 : 1 - lastShare;
  // The step with the most noise counts: a last one with less than its part of μ² is louder than those before.
  const share = min(earlyShare, before * lastShare);
  const mu = optimization * sqrt(share * curvatureShare);
  shared.checkRecords(
    optimization * sqrt(share * (1 - curvatureShare)),
    leastHessianRecords({ dimension, steps: before, mu, sensitivity, strongConvexity }),
  );
  return {
    protocol: 'noisy-newton',
    variant: 'reweighted',
    ...plan,
    hessianFloor: floorOf(plan.sandwich?.hessian ?? 0, 2),
    early: flooredNoise(before, earlyShare, 1),
    last: flooredNoise(1, lastShare, 2),
  };
}

/** The noise of step k, from 0. */
function noiseOf({ steps, early, last }: ReweightedPlan, k: number): FlooredNoise {
  return k === steps - 1 ? last : early;
}

/**
 * Runs noisy Newton with weights on the records of a trusted curator. Everything in the result is released.
 *
 * Guarantee: that of the plan, with simulation-grade normals.
 * @throws TypeError or RangeError if the number of records differs from the plan's, or for a record outside the domain
 * (the message has no values); RangeError for a released matrix that is not positive definite after the floor.
 */
export function reweight(plan: ReweightedPlan, records: readonly CentralRecord[], random: Random): NoisyFit {
  const { model, steps } = plan;
  const { dimension } = model;
  let weights: SymmetricEigen;
  return fitNoisily(plan, records, random, {
    count: steps,
    move(theta, k, score) {
      const noise = noiseOf(plan, k);
      const gradient = score(noise.gradient);
      const packed = weightMoment(model, records, theta);
      addNoise(packed, noise.matrix, random);
      weights = flooredEigen(unpackSymmetric(packed, dimension), dimension, noise.floor);
      moveAgainst(theta, gradient, weights);
    },
    injected: (hessian) => reweightedCovariance(plan, hessian, weights),
    // A step takes the share W⁻¹H of the distance before it. What the later half of the steps went tells what remains.
    remaining(iterates, hessian) {
      const middle = steps >> 1;
      const later = steps - middle;
      const shares = (of: (left: number) => number): Float64Array =>
        ofShares(hessian, weights, (share) => of((1 - max(LEAST_SHARE, min(1, share))) ** later));
      const factor = shares((left) => left / (1 - left));
      const gone = shares((left) => 1 - left);
      const before = reweightedCovariance({ ...plan, steps: middle, last: plan.early }, hessian, weights);
      const since = reweightedCovariance({ ...plan, steps: later }, hessian, weights);
      const both = around(gone, before, dimension).map((entry, i) => entry + since[i]);
      return {
        way: timesVector(factor, difference(iterates[steps], iterates[middle])),
        covariance: around(factor, both, dimension),
        linear: true,
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
  const kept = ofShares(hessian, weights, (share) => max(0, min(1, share)));
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

/**
 * f(W⁻¹H) = W^{−½}·f(W^{−½}HW^{−½})·W^{½}. The eigenvalues that f is given are shares of a distance: at most 1, since H ≤ W, but for
 * the noise on the two.
 */
function ofShares(hessian: SymmetricEigen, weights: SymmetricEigen, of: (share: number) => number): Float64Array {
  const dimension = hessian.values.length;
  const root = spectralMatrix(weights, (value) => 1 / sqrt(value));
  const whole = spectralMatrix(hessian, (value) => value);
  const shares = symmetricEigen(product(product(root, whole, dimension), root, dimension), dimension);
  return product(product(root, spectralMatrix(shares, of), dimension), spectralMatrix(weights, sqrt), dimension);
}

/** A·D·Aᵀ. */
function around(a: Float64Array, d: Float64Array, dimension: number): Float64Array {
  const transposed = a.map((_, i) => a[(i % dimension) * dimension + Math.floor(i / dimension)]);
  return product(product(a, d, dimension), transposed, dimension);
}

/** Every release: K gradients and K matrices, and the sandwich if there are regions. */
function certificate(plan: ReweightedPlan): Certificate {
  const before = plan.steps - 1;
  return fitCertificate(
    plan,
    [
      [`in each of the first ${before} steps`, before, plan.early] as const,
      ['in the last step', 1, plan.last] as const,
    ].flatMap(([where, count, noise]) => [
      [`mean score, ${where}`, count, neighbourDistance(plan), noise.gradient] as const,
      [`curvature by weights, ${where}`, count, hessianDistance(plan), noise.matrix] as const,
    ]),
  );
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
  return solvedNoise(last.gradient, curvatures);
}

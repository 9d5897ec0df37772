import { checkPositive, RefusedValue } from '../../src/check/refusal.ts';
import { unpackSymmetric } from '../../src/inference/block-sums.ts';
import {
  type ConfidenceInterval,
  type Ellipsoid,
  type IntervalRequest,
  normalEllipsoid,
  normalIntervals,
  sandwich,
  spectralMatrix,
} from '../../src/inference/interval.ts';
import { innerProduct } from '../../src/numeric/matrix.ts';
import { type SymmetricEigen, symmetricEigen } from '../../src/optimize/ball.ts';
import { fillNormal, type Random } from '../../src/random/random.ts';
import { type CentralRecord, checkRecords, curvatureMoment, meanScore, scoreMoment } from './model.ts';
import type { NoisyFitPlan, NoisyGradientDescentPlan, SandwichNoise } from './parameters.ts';

const { abs, max, sqrt } = Math;

/**
 * Runs noisy gradient descent on the records of a trusted curator. Everything in the result is released.
 *
 * Guarantee: that of the plan, with simulation-grade normals.
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
    remaining(iterates, hessian) {
      const middle = steps >> 1;
      const later = steps - middle;
      // The distance along an eigenvector shrinks to this share in the later half of the steps.
      const share = (curvature: number): number => keptShare(curvature, step) ** later;
      const factor = (curvature: number): number => share(curvature) / (1 - share(curvature));
      return {
        way: timesVector(spectralMatrix(hessian, factor), difference(iterates[steps], iterates[middle])),
        covariance: spectralMatrix(hessian, (curvature) => {
          const before = (1 - share(curvature)) ** 2 * descentVariance(curvature, step, middle, noise);
          return factor(curvature) ** 2 * (before + descentVariance(curvature, step, later, noise));
        }),
        linear: true,
      };
    },
  });
}

/** a − b. */
export function difference(a: Float64Array, b: Float64Array): Float64Array {
  return a.map((entry, i) => entry - b[i]);
}

/** The product of a p × p row-major matrix and a vector. */
export function timesVector(matrix: Float64Array, vector: Float64Array): Float64Array {
  const { length } = vector;
  return vector.map((_, i) => innerProduct(matrix.subarray(i * length, (i + 1) * length), vector));
}

/** Adds N(0, σ²) to every entry; of a packed symmetric matrix: the symmetric-matrix mechanism. Simulation grade. */
export function addNoise(vector: Float64Array, sigma: number, random: Random): void {
  const noise = new Float64Array(vector.length);
  fillNormal(noise, random);
  for (let k = 0; k < vector.length; k++) vector[k] += sigma * noise[k];
}

/** What a noisy algorithm releases. Plain data. */
export interface NoisyFit {
  /** θ⁽ᴷ⁾. */
  readonly theta: Float64Array;
  /** θ⁽⁰⁾, θ⁽¹⁾, …, θ⁽ᴷ⁾: all of them are released, and the privacy budget covers them. */
  readonly iterates: readonly Float64Array[];
  /** The data for confidence regions; absent without them. */
  readonly region?: FitRegion;
}

/** The private sandwich and the covariance that the noise adds. Matrices are p × p row-major. */
interface FitRegion {
  /** M̃, the released Hessian, before eigenvalues are raised. */
  readonly hessian: Float64Array;
  /** Q̃, the released second moment of scores, before eigenvalues are raised. */
  readonly scores: Float64Array;
  /** M̃⁻¹Q̃M̃⁻¹/n: covariance of the minimiser on n records around that of the population. */
  readonly sampling: Float64Array;
  /** Covariance of θ⁽ᴷ⁾ around the minimiser from the noise of the steps. */
  readonly injected: Float64Array;
  /** Their sum, the covariance of θ⁽ᴷ⁾ around θ₀. */
  readonly covariance: Float64Array;
  /**
   * Whether the steps were seen to have come to an end. If not, θ⁽ᴷ⁾ may be on its way, and regions tell where it is, not where it was
   * going: take more steps, a start that is nearer, or noisy Newton with weights. It is not seen where an eigenvalue of M̃ was raised.
   */
  readonly finished: boolean;
  /** Number of eigenvalues of M̃ that were raised. If it is not 0, regions depend on the floor, not only on data. */
  readonly raisedHessian: number;
  /** Number of eigenvalues of Q̃ that were raised to 0. */
  readonly raisedScores: number;
}

/** The eigenvalues of a released Hessian, those below the floor raised to it; refused where one is then still not positive. */
export function flooredEigen(hessian: Float64Array, dimension: number, floor: number): SymmetricEigen {
  const { values, vectors } = symmetricEigen(hessian, dimension);
  const raised = values.map((value) => max(floor, value));
  if (!(raised[0] > 0)) {
    throw new RefusedValue('smallest eigenvalue of the Hessian', `a number > 0 after the floor ${floor}`, values[0]);
  }
  return { values: raised, vectors };
}

type FittedPlan = Pick<NoisyFitPlan, 'model' | 'records' | 'start' | 'hessianFloor' | 'sandwich'>;

/** How an algorithm moves from one iterate to the next, in so many steps. */
interface FitSteps {
  readonly count: number;
  /** Makes step k, from 0, and overwrites the iterate. `score` gives the mean score with noise of deviation σ. */
  move(theta: Float64Array, k: number, score: (sigma: number) => Float64Array): void;
  /** Covariance of θ⁽ᴷ⁾ from the noise of the steps, computed from the released Hessian: p × p row-major. */
  injected(hessian: SymmetricEigen): Float64Array;
  /** How far the minimiser is from θ⁽ᴷ⁾, as the iterates show it; `injected` is what the method of that name gave. */
  remaining(iterates: readonly Float64Array[], hessian: SymmetricEigen, injected: Float64Array): RemainingWay;
}

/** How far steps still had to go, from θ⁽ᴷ⁾ to the minimiser, estimated from what was released. */
interface RemainingWay {
  readonly way: Float64Array;
  /** Its covariance where nothing remains and all of it is noise: p × p row-major. */
  readonly covariance: Float64Array;
  /** Whether steps leave a share of the distance, from which the way follows; else each squares it, and the way is the last step. */
  readonly linear: boolean;
}

/** Deviations of noise above which a way is one: per coordinate a false alarm is rarer than 1 in 700, and in practice never seen. */
const CLEAR = 3;

/** The share of a standard error that a remaining way may have: half of one lowers a coverage of .95 to .92. */
const TOLERATED = 0.5;

/**
 * Whether no coordinate has a way before it that noise does not explain and an interval would feel. Where steps leave a share of the
 * distance, the noise of the way must be below what is tolerated, too: else it could hide one.
 */
function isFinished({ way, covariance: noise, linear }: RemainingWay, covariance: Float64Array): boolean {
  const deviation = (matrix: Float64Array, j: number): number => sqrt(max(0, matrix[j * (way.length + 1)]));
  return way.every((entry, j) => {
    const [shaken, tolerated] = [deviation(noise, j), TOLERATED * deviation(covariance, j)];
    return abs(entry) <= CLEAR * shaken + tolerated && (!linear || shaken <= tolerated);
  });
}

/** All steps of an algorithm on the records of a trusted curator, and the private sandwich: see {@link descend} for refusals. */
export function fitNoisily(
  plan: FittedPlan,
  records: readonly CentralRecord[],
  random: Random,
  steps: FitSteps,
): NoisyFit {
  const { model, start, sandwich: noise } = plan;
  const { dimension, leastScale } = model;
  checkRecords(records, plan.records);
  const theta = start.slice();
  const gradient = new Float64Array(dimension);
  const score = (sigma: number): Float64Array => {
    meanScore(model, records, theta, gradient);
    addNoise(gradient, sigma, random);
    return gradient;
  };
  const iterates = [start.slice()];
  for (let k = 0; k < steps.count; k++) {
    steps.move(theta, k, score);
    // σ stays at or above its lower bound. The iterate was released, so this costs no privacy.
    if (leastScale !== undefined) theta[dimension - 1] = max(theta[dimension - 1], leastScale);
    iterates.push(theta.slice());
  }
  if (noise === undefined) return { theta, iterates };
  return { theta, iterates, region: releaseRegion(plan, records, iterates, noise, random, steps) };
}

/**
 * The private sandwich at the last iterate: Hessian and second moment of scores by the symmetric-matrix mechanism, their eigenvalues
 * raised, and the covariance from the noise of the steps.
 *
 * Source: slides of Avella-Medina (2023), private confidence regions; Avella-Medina, Bradshaw, Loh (2023), the
 * correction for small samples.
 */
function releaseRegion(
  plan: FittedPlan,
  records: readonly CentralRecord[],
  iterates: readonly Float64Array[],
  noise: SandwichNoise,
  random: Random,
  steps: FitSteps,
): FitRegion {
  const { model, hessianFloor } = plan;
  const theta = iterates[iterates.length - 1];
  const { dimension } = model;
  const packedHessian = curvatureMoment(model, records, theta);
  addNoise(packedHessian, noise.hessian, random);
  const packedScores = scoreMoment(model, records, theta);
  addNoise(packedScores, noise.scores, random);
  const hessian = unpackSymmetric(packedHessian, dimension);
  const scores = unpackSymmetric(packedScores, dimension);
  const eigen = flooredEigen(hessian, dimension, hessianFloor);
  const parts = sandwich({
    dimension,
    hessian,
    gradient: scores,
    // The smallest eigenvalue is positive here: without a floor, nothing is raised.
    hessianFloor: hessianFloor > 0 ? hessianFloor : eigen.values[0],
  });
  const sampling = parts.covariance.map((entry) => entry / plan.records);
  const injected = steps.injected(eigen);
  const covariance = sampling.map((entry, i) => entry + injected[i]);
  const raisedHessian = hessianFloor > 0 ? parts.raisedHessian : 0;
  return {
    hessian,
    scores,
    sampling,
    injected,
    covariance,
    finished: raisedHessian === 0 && isFinished(steps.remaining(iterates, eigen, injected), covariance),
    raisedHessian,
    raisedScores: parts.raisedGradient,
  };
}

/**
 * Intervals around every coordinate of θ⁽ᴷ⁾, or every contrast. Each contains its own value with the requested
 * probability.
 * @throws TypeError or RangeError for a fit without a region, a level outside (0, 1), or contrasts of another length.
 * @theorem slides M-estimators: properties, asymptotic normality
 * @theorem slides Theorem, noisy gradient descent, part 3
 * @theorem slides Theorem, noisy Newton, part 3
 */
export function fitIntervals(fit: NoisyFit, request: IntervalRequest): readonly ConfidenceInterval[] {
  return normalIntervals(fit.theta, regionOf(fit).covariance, 1, request);
}

/**
 * The ellipsoid that contains all coordinates of θ₀, or all contrasts, with the requested probability.
 * @throws TypeError or RangeError as {@link fitIntervals}.
 * @theorem slides Theorem, noisy gradient descent, part 3
 * @theorem slides Theorem, noisy Newton, part 3
 */
export function fitEllipsoid(fit: NoisyFit, request: IntervalRequest): Ellipsoid {
  return normalEllipsoid(fit.theta, regionOf(fit).covariance, 1, request);
}

function regionOf({ region }: NoisyFit): FitRegion {
  if (region === undefined) throw new RefusedValue('fit', 'one of a plan with regions', 'none');
  return region;
}

/**
 * The share 1 − ηλ of a distance that a step of size η leaves along an eigenvector of curvature λ. No Hessian has a curvature above
 * τ₂ ≤ 1/η: where a released one has more than 2/η, with which steps would grow for ever, that is noise, and nothing is left.
 */
function keptShare(curvature: number, step: number): number {
  const share = 1 - step * curvature;
  return share < -1 ? 0 : share;
}

/** Variance along an eigenvector of curvature λ after K steps of size η with noise σ: η²σ²·Σ_{k<K}(1 − ηλ)^{2k}. A λ above 2/η counts as 1/η. */
export function descentVariance(curvature: number, step: number, steps: number, noise: number): number {
  const shrink = keptShare(checkPositive('curvature', curvature), step);
  const squared = shrink * shrink;
  const sum = squared === 1 ? steps : (1 - squared ** steps) / (1 - squared);
  return step * step * noise * noise * sum;
}

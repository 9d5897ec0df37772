import { type Budget, checkBudget } from '../../check/budget.ts';
import { checkPositive, refusal } from '../../check/number.ts';
import { calibratedCopies, type NoisyCopies, printedCopies } from '../../mechanism/noisy-copies.ts';
import { type PrivUnitG, privUnitG } from '../../mechanism/priv-unit-gaussian.ts';
import { type Lift, scaleLift } from '../../polynomial/lift.ts';
import { analyticGaussianSigma, gdpMu } from '../../privacy/gaussian.ts';
import type { PublicParameters } from '../contract.ts';
import { digestOf, type Json } from '../digest.ts';
import { choosePrecision, type Precision } from '../frame.ts';
import { liftFor, scalesFrom } from './lifting.ts';
import type { MarginGaussianRequest, MarginLiftedRequest, MarginModelRequest, MarginTask } from './request.ts';

/** Whose parameters they are: reports of one protocol are refused by another. */
export interface MarginFamily {
  /** The protocol's folder name. */
  readonly protocol: string;
  /** Version of its wire format and of the laws of its makers. */
  readonly version: number;
}

export { MAXIMUM_DEGREE } from './lifting.ts';

interface Shared extends PublicParameters {
  /** p, the number of features. */
  readonly dimension: number;
  /** d, the highest degree a tally can serve. */
  readonly degree: number;
  /** Numbers in a report. */
  readonly length: number;
  /** How the numbers travel. */
  readonly precision: Precision;
}

/** Parameters of the makers `printed` and `copies`: noisy copies of x and y. */
export interface CopiesParameters extends Shared {
  readonly maker: 'printed' | 'copies';
  /** The (ε, δ) asked for. */
  readonly budget: Budget;
  /** Layout and noise of the copies. */
  readonly copies: NoisyCopies;
}

/** Parameters of the maker `gaussian`: one Gaussian copy of v = y·x. */
export interface GaussianParameters extends Shared {
  readonly maker: 'gaussian';
  /** The (ε, δ) asked for. */
  readonly budget: Budget;
  /** μ of the report, the largest within the budget. */
  readonly mu: number;
  /** Standard deviation of the noise on each coordinate of v, 2/μ rounded up. */
  readonly sigma: number;
  /** What v is: y·x, or (x, y)/√2. */
  readonly task: MarginTask;
  /** Symmetric powers of v up to d + 1. */
  readonly lift: Lift;
}

/** Parameters of the maker `lifted`: one pure-ε report of the lifted vector. */
export interface LiftedParameters extends Shared {
  readonly maker: 'lifted';
  /** Pure ε of the report. */
  readonly epsilon: number;
  /** What v is: y·x, or (x, y)/√2. */
  readonly task: MarginTask;
  /** Symmetric powers of v up to d + 1. */
  readonly lift: Lift;
  /** a_1, …, a_{d+1}: the lifted vector is (a_1 sym¹(v), …, a_{d+1} sym^{d+1}(v), padding). */
  readonly scales: readonly number[];
  /** Entry by entry a_j times the orthonormal weight (see `scaleLift`). */
  readonly weights: Float64Array;
  /** The mechanism on the unit vector. */
  readonly mechanism: PrivUnitG;
}

/** Parameters of reports on a signed record, by maker. */
export type MarginParameters = CopiesParameters | GaussianParameters | LiftedParameters;

/** Largest ℓ₂ distance between two v in the unit ball. */
export const NEIGHBOUR_DISTANCE = 2;

// Nothing of a classification, so that its digest is what it was before there were two tasks.
const taskOf = (task: MarginTask): { readonly [name: string]: Json } => (task === 'regression' ? { task } : {});

// `rest` is what only this maker uses. A stray property of a request cannot change what reports are bound to.
function common(
  family: MarginFamily,
  maker: string,
  request: MarginModelRequest,
  rest: { readonly [name: string]: Json },
) {
  const { protocol, version } = family;
  const { epsilon, degree, dimension } = request;
  const digest = digestOf({ protocol, version, maker, epsilon, degree, dimension, ...rest });
  return { protocol, version, dimension, degree, digest };
}

/**
 * Noisy copies of x and y: with the noise levels of the paper (`printed`), or calibrated exactly by composition of Gaussian DP
 * and split over the copies to minimise the variance of the leading monomial (`copies`).
 *
 * Guarantee: (ε, δ) for the whole transcript of `copies`; for `printed` see the certificate.
 *
 * @throws TypeError or RangeError naming the field: ε ≤ 0, δ ∉ (0, 1), degree not a whole number from 0 to 20, p < 1.
 *
 * Source: Wang, Smith, Xu 2020, algorithms 1 and 2.
 */
export function marginCopies(
  family: MarginFamily,
  maker: 'printed' | 'copies',
  request: MarginGaussianRequest,
): CopiesParameters {
  const copies = (maker === 'printed' ? printedCopies : calibratedCopies)(request);
  const { epsilon, delta } = request;
  const { firstNoise, furtherNoise, further, length } = copies;
  const noises = (further > 0 ? [firstNoise, furtherNoise] : [firstNoise]).flatMap((noise) => Object.values(noise));
  const precision = precisionOf(epsilon, Math.min(...noises), Math.max(...noises));
  return { ...common(family, maker, request, { delta }), maker, budget: { epsilon, delta }, copies, length, precision };
}

/** How values with noise of these sizes travel; they stay within 8 deviations of [−1, 1] for all but 1 in 10¹⁵. */
export function precisionOf(epsilon: number, smallest: number, largest: number): Precision {
  if (!(smallest > 1e-100 && largest < 1e100)) {
    throw new RangeError(refusal('epsilon', 'a budget whose noise has a size between 1e-100 and 1e100', epsilon));
  }
  return choosePrecision(smallest, 1 + 8 * largest);
}

/**
 * One Gaussian copy of v = y·x, decoded by the inverse Weierstrass transform: any polynomial up to the degree, chosen after
 * collection, from one tally.
 *
 * Guarantee: (ε, δ), calibrated exactly (analytic Gaussian mechanism with sensitivity 2).
 *
 * @throws TypeError or RangeError naming the field; RangeError when the powers of v up to d + 1 exceed the size limit.
 *
 * Source: Stefanski 1989, Nakamura 1990 (corrected scores); docs/design.md.
 */
export function marginGaussian(
  family: MarginFamily,
  request: MarginGaussianRequest,
  task: MarginTask = 'classification',
): GaussianParameters {
  const budget = checkBudget(request);
  const { delta } = budget;
  const lift = liftFor(request, task);
  const length = lift.dimension;
  const mu = gdpMu(budget);
  const sigma = analyticGaussianSigma({ ...budget, sensitivity: NEIGHBOUR_DISTANCE });
  const precision = precisionOf(budget.epsilon, sigma, sigma);
  return {
    ...common(family, 'gaussian', request, { delta, ...taskOf(task) }),
    maker: 'gaussian',
    budget,
    mu,
    sigma,
    task,
    lift,
    length,
    precision,
  };
}

/**
 * One pure-ε report of the lifted vector (a_1 v, a_2 sym²(v), …) by the best mechanism for a unit vector, PrivUnitG. The
 * tally is a running vector sum. What the toolkit recommends.
 *
 * Guarantee: pure ε, δ = 0.
 *
 * @throws TypeError or RangeError naming the field; RangeError when the lifted vector exceeds the size limit.
 *
 * Source: Asi, Feldman, Talwar 2022 (PrivUnitG); docs/design.md.
 */
export function marginLifted(
  family: MarginFamily,
  request: MarginLiftedRequest,
  task: MarginTask = 'classification',
): LiftedParameters {
  const epsilon = checkPositive('epsilon', request.epsilon);
  const lift = liftFor(request, task);
  const length = lift.size + 1;
  const scales = scalesFrom(request.shares, lift.degree, task);
  const mechanism = privUnitG({ epsilon, dimension: length });
  const deviation = Math.sqrt(mechanism.coordinateVariance);
  const precision = precisionOf(epsilon, deviation, deviation);
  const weights = scaleLift(lift, scales);
  return {
    ...common(family, 'lifted', request, { shares: request.shares ?? [], ...taskOf(task) }),
    maker: 'lifted',
    epsilon,
    task,
    lift,
    scales,
    weights,
    mechanism,
    length,
    precision,
  };
}

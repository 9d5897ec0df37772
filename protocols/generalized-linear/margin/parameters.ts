import { type Budget, checkBudget } from '../../../src/check/budget.ts';
import { checkPositive, refusal } from '../../../src/check/number.ts';
import { agreementOf } from '../../../src/core/agreement.ts';
import type { PublicParameters } from '../../../src/core/contract.ts';
import type { Json } from '../../../src/core/digest.ts';
import { choosePrecision, type Precision } from '../../../src/core/frame.ts';
import { checkGrade, type Grade } from '../../../src/core/grade.ts';
import { integerNoise } from '../../../src/core/integer-noise.ts';
import type { DiscreteGaussianMechanism } from '../../../src/mechanism/discrete-gaussian.ts';
import { K_CLOSEST_WORDS, type KClosest, kClosest } from '../../../src/mechanism/k-closest.ts';
import { calibratedCopies, type NoisyCopies, printedCopies } from '../../../src/mechanism/noisy-copies.ts';
import { type PrivUnitG, privUnitG } from '../../../src/mechanism/priv-unit-gaussian.ts';
import { type Lift, scaleLift } from '../../../src/polynomial/lift.ts';
import { analyticGaussianSigma, gdpMu } from '../../../src/privacy/gaussian.ts';
import { liftFor, scalesFrom } from './lifting.ts';
import type { MarginGaussianRequest, MarginLiftedRequest, MarginModelRequest, MarginTask } from './request.ts';

/** Whose parameters they are: reports of one protocol are refused by another. */
export interface MarginFamily {
  /** The protocol's folder name. */
  readonly protocol: string;
  /** Version of its wire format and of the laws of its variants. */
  readonly version: number;
}

export { MAXIMUM_DEGREE } from './lifting.ts';

interface Shared extends PublicParameters {
  /** What the noise is made of. */
  readonly grade: Grade;
  /** p, the number of features. */
  readonly dimension: number;
  /** d, the highest degree a tally can serve. */
  readonly degree: number;
  /** Numbers in a report. */
  readonly length: number;
  /** How the numbers travel. */
  readonly precision: Precision;
}

/** Parameters of the variants `printed` and `copies`: noisy copies of x and y. */
export interface CopiesParameters extends Shared {
  readonly variant: 'printed' | 'copies';
  /** The (ε, δ) asked for. */
  readonly budget: Budget;
  /** Layout and noise of the copies. */
  readonly copies: NoisyCopies;
}

/** Parameters of the variant `gaussian`: one Gaussian copy of v = y·x. */
export interface GaussianParameters extends Shared {
  readonly variant: 'gaussian';
  /** The (ε, δ) asked for. */
  readonly budget: Budget;
  /** μ of the report, the largest within the budget. */
  readonly mu: number;
  /** Standard deviation of the noise on each coordinate of v, 2/μ rounded up. */
  readonly sigma: number;
  /** Grid and integer noise of the grade `deployment`; absent in a simulation. */
  readonly noise?: DiscreteGaussianMechanism;
  /** What v is: y·x, or (x, y)/√2. */
  readonly task: MarginTask;
  /** Symmetric powers of v up to d + 1. */
  readonly lift: Lift;
}

/** Parameters of the variant `lifted`: one pure-ε report of the lifted vector. */
export interface LiftedParameters extends Shared {
  readonly variant: 'lifted';
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
  /** The mechanism on the unit vector: PrivUnitG in a simulation, k-closest encoding in a deployment. */
  readonly mechanism: PrivUnitG | KClosest;
}

/** Parameters of reports on a signed record, by variant. */
export type MarginParameters = CopiesParameters | GaussianParameters | LiftedParameters;

/** Largest ℓ₂ distance between two v in the unit ball. */
export const NEIGHBOUR_DISTANCE = 2;

// Nothing of a classification, so that its digest is what it was before there were two tasks.
const taskOf = (task: MarginTask): { readonly [name: string]: Json } => (task === 'regression' ? { task } : {});
// Likewise nothing of a simulation.
const gradeOf = (grade: Grade): { readonly [name: string]: Json } => (grade === 'deployment' ? { grade } : {});

// `rest` is what only this variant uses. A stray property of a request cannot change what reports are bound to.
function common(
  family: MarginFamily,
  variant: string,
  request: MarginModelRequest,
  rest: { readonly [name: string]: Json },
) {
  const { protocol, version } = family;
  const { epsilon, degree, dimension } = request;
  const agreement = agreementOf(family, { variant, epsilon, degree, dimension, ...rest });
  return { protocol, version, dimension, degree, ...agreement };
}

/**
 * Noisy copies of x and y: with the noise levels of the paper (`printed`), or calibrated exactly by composition of Gaussian DP
 * and split over the copies to minimise the variance of the leading monomial (`copies`).
 *
 * Guarantee: (ε, δ) for the whole transcript of `copies`; for `printed` see the certificate.
 *
 * Source: Wang, Smith, Xu 2020, algorithms 1 and 2.
 *
 * @throws TypeError or RangeError naming the field: ε ≤ 0, δ ∉ (0, 1), degree not a whole number from 0 to 20, p < 1.
 */
export function marginCopies(
  family: MarginFamily,
  variant: 'printed' | 'copies',
  request: MarginGaussianRequest,
): CopiesParameters {
  const grade = checkGrade(request.grade, variant, false);
  const copies = (variant === 'printed' ? printedCopies : calibratedCopies)(request);
  const { epsilon, delta } = request;
  const { firstNoise, furtherNoise, further, length } = copies;
  const noises = (further > 0 ? [firstNoise, furtherNoise] : [firstNoise]).flatMap((noise) => Object.values(noise));
  const precision = precisionOf(epsilon, Math.min(...noises), Math.max(...noises));
  const rest = { grade, budget: { epsilon, delta }, copies, length, precision };
  return { ...common(family, variant, request, { delta }), variant, ...rest };
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
 * Source: Stefanski 1989, Nakamura 1990 (corrected scores); docs/design.md.
 *
 * @throws TypeError or RangeError naming the field; RangeError when the powers of v up to d + 1 exceed the size limit.
 */
export function marginGaussian(
  family: MarginFamily,
  request: MarginGaussianRequest,
  task: MarginTask = 'classification',
): GaussianParameters {
  const budget = checkBudget(request);
  const { epsilon, delta } = budget;
  const grade = checkGrade(request.grade, 'gaussian', true);
  const lift = liftFor(request, task);
  const length = lift.dimension;
  const made = {
    ...common(family, 'gaussian', request, { delta, ...taskOf(task), ...gradeOf(grade) }),
    variant: 'gaussian',
    grade,
    budget,
    task,
    lift,
    length,
  } as const;
  if (grade === 'deployment') {
    const noise = integerNoise({ epsilon, delta, dimension: length });
    return { ...made, noise, mu: noise.mu, sigma: noise.deviation, precision: 'int32' };
  }
  const sigma = analyticGaussianSigma({ ...budget, sensitivity: NEIGHBOUR_DISTANCE });
  return { ...made, mu: gdpMu(budget), sigma, precision: precisionOf(epsilon, sigma, sigma) };
}

/**
 * One pure-ε report of the lifted vector (a_1 v, a_2 sym²(v), …) by the best mechanism for a unit vector, PrivUnitG. The
 * tally is a running vector sum. What the toolkit recommends.
 *
 * Guarantee: pure ε, δ = 0.
 *
 * Source: Asi, Feldman, Talwar 2022 (PrivUnitG); docs/design.md.
 *
 * @throws TypeError or RangeError naming the field; RangeError when the lifted vector exceeds the size limit.
 */
export function marginLifted(
  family: MarginFamily,
  request: MarginLiftedRequest,
  task: MarginTask = 'classification',
): LiftedParameters {
  if (checkGrade(request.grade, 'lifted', true) === 'deployment') return deployedLifted(family, request, task);
  const made = liftedFields(family, request, task, 'simulation');
  const dimension = made.lift.size + 1;
  const mechanism = privUnitG({ epsilon: made.epsilon, dimension });
  const deviation = Math.sqrt(mechanism.coordinateVariance);
  return { ...made, mechanism, length: dimension, precision: precisionOf(made.epsilon, deviation, deviation) };
}

/**
 * {@link marginLifted} in the grade `deployment`: k-closest encoding in the place of PrivUnitG.
 *
 * @throws as {@link marginLifted}.
 */
export function deployedLifted(
  family: MarginFamily,
  request: MarginLiftedRequest,
  task: MarginTask = 'classification',
): LiftedParameters {
  const made = liftedFields(family, request, task, 'deployment');
  const mechanism = kClosest({ epsilon: made.epsilon, dimension: made.lift.size + 1 });
  return { ...made, mechanism, length: K_CLOSEST_WORDS, precision: 'uint32' };
}

function liftedFields(
  family: MarginFamily,
  request: MarginLiftedRequest,
  task: MarginTask,
  grade: Grade,
): Omit<LiftedParameters, 'mechanism' | 'length' | 'precision'> {
  const epsilon = checkPositive('epsilon', request.epsilon);
  const lift = liftFor(request, task);
  const scales = scalesFrom(request.shares, lift.degree, task);
  const weights = scaleLift(lift, scales);
  return {
    ...common(family, 'lifted', request, { shares: request.shares ?? [], ...taskOf(task), ...gradeOf(grade) }),
    variant: 'lifted',
    grade,
    epsilon,
    task,
    lift,
    scales,
    weights,
  };
}

import { type Budget, checkBudget } from '../../src/check/budget.ts';
import { checkInteger, checkPositive, checkWord, refusal } from '../../src/check/number.ts';
import {
  calibratedCopies,
  MAXIMUM_COPIES_DEGREE,
  type NoisyCopies,
  printedCopies,
} from '../../src/mechanism/noisy-copies.ts';
import { type PrivUnitG, privUnitG } from '../../src/mechanism/priv-unit-gaussian.ts';
import { createLift, type Lift, liftSize, MAXIMUM_LIFT, scaleLift } from '../../src/polynomial/lift.ts';
import { analyticGaussianSigma, gdpMu } from '../../src/privacy/gaussian.ts';
import type { PublicParameters } from '../../src/protocol/contract.ts';
import { digestOf, type Json } from '../../src/protocol/digest.ts';
import { choosePrecision, type Precision } from '../../src/protocol/frame.ts';
import type { GaussianRequest, HingeRequest, LiftedRequest, ModelRequest } from './request.ts';

// Version of the wire format and of the laws of all makers of this protocol.
const VERSION = 1;

interface Shared extends PublicParameters {
  readonly protocol: 'hinge';
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
  /** Symmetric powers of v up to d + 1. */
  readonly lift: Lift;
}

/** Parameters of the maker `lifted`: one pure-ε report of the lifted vector. */
export interface LiftedParameters extends Shared {
  readonly maker: 'lifted';
  /** Pure ε of the report. */
  readonly epsilon: number;
  /** Symmetric powers of v up to d + 1. */
  readonly lift: Lift;
  /** a_1, …, a_{d+1}: the lifted vector is (a_1 sym¹(v), …, a_{d+1} sym^{d+1}(v), padding). */
  readonly scales: readonly number[];
  /** Entry by entry a_j times the orthonormal weight (see `scaleLift`). */
  readonly weights: Float64Array;
  /** The mechanism on the unit vector. */
  readonly mechanism: PrivUnitG;
}

/** Parameters of the hinge protocol, by maker. */
export type HingeParameters = CopiesParameters | GaussianParameters | LiftedParameters;

/**
 * Highest degree of every maker. More could be collected, but neither the copies nor the fit of a polynomial go beyond.
 */
export const MAXIMUM_DEGREE: number = MAXIMUM_COPIES_DEGREE;

/** Largest ℓ₂ distance between two v in the unit ball. */
export const NEIGHBOUR_DISTANCE = 2;

// `rest` is what only this maker uses. A stray property of a request cannot change what reports are bound to.
function common<Maker extends string>(maker: Maker, request: ModelRequest, rest: { readonly [name: string]: Json }) {
  const { epsilon, degree, dimension } = request;
  const digest = digestOf({ protocol: 'hinge', version: VERSION, maker, epsilon, degree, dimension, ...rest });
  return { protocol: 'hinge' as const, version: VERSION, maker, dimension, degree, digest };
}

function copiesParameters(maker: 'printed' | 'copies', request: GaussianRequest): CopiesParameters {
  const copies = (maker === 'printed' ? printedCopies : calibratedCopies)(request);
  const { epsilon, delta } = request;
  const { firstNoise, furtherNoise, further, length } = copies;
  const noises = (further > 0 ? [firstNoise, furtherNoise] : [firstNoise]).flatMap((noise) => Object.values(noise));
  const precision = precisionOf(epsilon, Math.min(...noises), Math.max(...noises));
  return { ...common(maker, request, { delta }), maker, budget: { epsilon, delta }, copies, length, precision };
}

// Values of a report stay within 8 standard deviations of [−1, 1] for all but 1 in 10¹⁵.
function precisionOf(epsilon: number, smallest: number, largest: number): Precision {
  if (!(smallest > 1e-100 && largest < 1e100)) {
    throw new RangeError(refusal('epsilon', 'a budget whose noise has a size between 1e-100 and 1e100', epsilon));
  }
  return choosePrecision(smallest, 1 + 8 * largest);
}

function liftFor({ dimension, degree }: ModelRequest): Lift {
  checkInteger('dimension', dimension, 1, MAXIMUM_LIFT);
  checkInteger('degree', degree, 0, MAXIMUM_DEGREE);
  if (liftSize(dimension, degree + 1) > MAXIMUM_LIFT) {
    const expected = `powers of v up to d + 1 with at most ${MAXIMUM_LIFT} entries in dimension ${dimension}`;
    throw new RangeError(refusal('degree', expected, degree));
  }
  return createLift(dimension, degree + 1);
}

/**
 * Algorithm 1 exactly as printed: its noise levels, its copies; decoded by the product estimator and SIGM over sampled
 * reports. The reference to measure against; nobody should deploy it.
 *
 * Guarantee: see the certificate, which prints the claimed (ε, δ) beside what holds.
 *
 * @throws TypeError or RangeError naming the field: ε ≤ 0, δ ∉ (0, 1), degree not a whole number from 0 to 20, p < 1.
 *
 * Source: Wang, Smith, Xu 2020, algorithm 1.
 */
export function printed(request: GaussianRequest): CopiesParameters {
  return copiesParameters('printed', request);
}

/**
 * The report shape of algorithm 1 with the budget calibrated exactly by composition of Gaussian DP and split over the
 * copies to minimise the variance of the leading monomial; one pass without replacement.
 *
 * Guarantee: (ε, δ) for the whole transcript.
 *
 * @throws as {@link printed}.
 */
export function copies(request: GaussianRequest): CopiesParameters {
  return copiesParameters('copies', request);
}

/**
 * One Gaussian copy of v = y·x, decoded by the inverse Weierstrass transform: any polynomial up to the degree, chosen after
 * collection, from one tally.
 *
 * Guarantee: (ε, δ), calibrated exactly (analytic Gaussian mechanism with sensitivity 2).
 *
 * @throws TypeError or RangeError naming the field; RangeError when the powers of v up to d + 1 exceed the size limit.
 *
 * Source: Stefanski 1989, Nakamura 1990 (corrected scores); mathematics of the toolkit, docs/hinge.md.
 */
export function gaussian(request: GaussianRequest): GaussianParameters {
  const budget = checkBudget(request);
  const { delta } = budget;
  const lift = liftFor(request);
  const length = lift.dimension;
  const mu = gdpMu(budget);
  const sigma = analyticGaussianSigma({ ...budget, sensitivity: NEIGHBOUR_DISTANCE });
  const precision = precisionOf(budget.epsilon, sigma, sigma);
  return { ...common('gaussian', request, { delta }), maker: 'gaussian', budget, mu, sigma, lift, length, precision };
}

/**
 * One pure-ε report of the lifted vector (a_1 v, a_2 sym²(v), …) by the best mechanism for a unit vector, PrivUnitG. The
 * tally is a running vector sum. What the toolkit recommends.
 *
 * Guarantee: pure ε, δ = 0.
 *
 * @throws TypeError or RangeError naming the field; RangeError when the lifted vector exceeds the size limit.
 *
 * Source: Asi, Feldman, Talwar 2022 (PrivUnitG); mathematics of the toolkit, docs/hinge.md.
 */
export function lifted(request: LiftedRequest): LiftedParameters {
  const epsilon = checkPositive('epsilon', request.epsilon);
  const lift = liftFor(request);
  const length = lift.size + 1;
  const scales = scalesFrom(request.shares, lift.degree);
  const mechanism = privUnitG({ epsilon, dimension: length });
  const deviation = Math.sqrt(mechanism.coordinateVariance);
  const precision = precisionOf(epsilon, deviation, deviation);
  const weights = scaleLift(lift, scales);
  return {
    ...common('lifted', request, { shares: request.shares ?? [] }),
    maker: 'lifted',
    epsilon,
    lift,
    scales,
    weights,
    mechanism,
    length,
    precision,
  };
}

function scalesFrom(shares: readonly number[] | undefined, powers: number): number[] {
  const given = shares ?? Array.from({ length: powers }, (_, j) => 2 ** -j);
  if (!Array.isArray(given) || given.length !== powers) {
    throw new RangeError(refusal('shares', `${powers} positive numbers`, given?.length));
  }
  const total = given.reduce((sum, share, j) => sum + checkPositive(`shares[${j}]`, share), 0);
  // A power with less is lost in rounding: leave it out by a smaller degree.
  given.forEach((share, j) => {
    if (!(share / total >= 1e-12)) throw new RangeError(refusal(`shares[${j}]`, 'at least 1e-12 of their sum', share));
  });
  return given.map((share) => Math.sqrt(share / total));
}

/**
 * Parameters from plain data: what a device is sent to make the same parameters, with the same digest, as the server.
 *
 * @throws TypeError or RangeError naming the field.
 */
export function hingeParameters(request: HingeRequest): HingeParameters {
  const maker = checkWord('maker', request.maker, MAKERS);
  if (request.maker === 'lifted') return lifted(request);
  if (maker === 'gaussian') return gaussian(request);
  return maker === 'printed' ? printed(request) : copies(request);
}

/** The makers of this protocol, best first. */
export const MAKERS = ['lifted', 'gaussian', 'copies', 'printed'] as const;

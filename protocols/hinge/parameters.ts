import { type Budget, checkBudget } from '../../src/check/budget.ts';
import { checkInteger, checkPositive, checkWord, refusal } from '../../src/check/number.ts';
import { calibratedCopies, type NoisyCopies, printedCopies } from '../../src/mechanism/noisy-copies.ts';
import { type PrivUnitG, privUnitG } from '../../src/mechanism/priv-unit-gaussian.ts';
import { createLift, type Lift, MAXIMUM_LIFT, scaleLift } from '../../src/polynomial/lift.ts';
import { gdpMu } from '../../src/privacy/gaussian.ts';
import type { PublicParameters } from '../../src/protocol/contract.ts';
import { digestOf } from '../../src/protocol/digest.ts';
import { choosePrecision, type Precision } from '../../src/protocol/frame.ts';

/** Version of the wire format and of the laws of all makers of this protocol. */
const VERSION = 1;

/** What the makers of Gaussian parameters are asked for. */
export interface GaussianRequest extends Budget {
  /** d ≥ 0: the highest degree of the polynomial in the place of f′ that a tally of these reports can serve. */
  readonly degree: number;
  /** p ≥ 1, the number of features. */
  readonly dimension: number;
}

/** What the maker of lifted parameters is asked for. */
export interface LiftedRequest {
  /** Pure ε > 0 of the one report. */
  readonly epsilon: number;
  /** d ≥ 0: the highest degree of the polynomial in the place of f′ that a tally of these reports can serve. */
  readonly degree: number;
  /** p ≥ 1, the number of features. */
  readonly dimension: number;
  /**
   * Shares a_1², …, a_{d+1}² of the report's unit norm given to the powers 1 … d + 1 of v; positive, normalised to sum 1.
   * Default: each power gets half of the share of the power before.
   */
  readonly shares?: readonly number[];
}

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
  /** Standard deviation of the noise on each coordinate of v, 2/μ. */
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

/** Everything a maker is told, as plain data that a device can be sent: see {@link hingeParameters}. */
export type HingeRequest =
  | ({ readonly maker: 'printed' | 'copies' | 'gaussian' } & GaussianRequest)
  | ({ readonly maker: 'lifted' } & LiftedRequest);

function common<Maker extends string>(maker: Maker, request: GaussianRequest | LiftedRequest) {
  // Only the numbers of the request are digested, so that a stray property cannot change what reports are bound to.
  const { epsilon, degree, dimension } = request;
  const rest = 'delta' in request ? { delta: request.delta } : { shares: request.shares ?? [] };
  const digest = digestOf({ protocol: 'hinge', version: VERSION, maker, epsilon, degree, dimension, ...rest });
  return { protocol: 'hinge' as const, version: VERSION, maker, dimension, degree, digest };
}

function copiesParameters(maker: 'printed' | 'copies', request: GaussianRequest): CopiesParameters {
  const copies = (maker === 'printed' ? printedCopies : calibratedCopies)(request);
  const { epsilon, delta } = request;
  const smallest = Math.min(
    copies.firstNoise.features,
    copies.firstNoise.label,
    ...(copies.further > 0 ? [copies.furtherNoise.features, copies.furtherNoise.label] : []),
  );
  const largest = Math.max(copies.firstNoise.features, copies.furtherNoise.features, copies.furtherNoise.label);
  const precision = choosePrecision(smallest, 1 + 8 * largest);
  return { ...common(maker, request), maker, budget: { epsilon, delta }, copies, length: copies.length, precision };
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
  const dimension = checkInteger('dimension', request.dimension, 1);
  const degree = checkInteger('degree', request.degree, 0);
  const lift = createLift(dimension, degree + 1);
  const mu = gdpMu(budget);
  const sigma = NEIGHBOUR_DISTANCE / mu;
  const precision = choosePrecision(sigma, 1 + 8 * sigma);
  return { ...common('gaussian', request), maker: 'gaussian', budget, mu, sigma, lift, length: dimension, precision };
}

/** Largest ℓ₂ distance between two v in the unit ball. */
export const NEIGHBOUR_DISTANCE = 2;

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
  const dimension = checkInteger('dimension', request.dimension, 1);
  const degree = checkInteger('degree', request.degree, 0);
  const lift = createLift(dimension, degree + 1);
  const length = lift.size + 1;
  if (length > MAXIMUM_LIFT) throw new RangeError(refusal('degree', `a lift of at most ${MAXIMUM_LIFT}`, degree));
  const scales = scalesFrom(request.shares, degree + 1);
  const mechanism = privUnitG({ epsilon, dimension: length });
  const deviation = Math.sqrt(mechanism.coordinateVariance);
  const precision = choosePrecision(deviation, 1 + 8 * deviation);
  const weights = scaleLift(lift, scales);
  return {
    ...common('lifted', request),
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

import { type Budget, checkBudget, checkInteger, checkPositive, checkWord } from '../../src/check/refusal.ts';
import type { ReportParameters } from '../../src/core/frame.ts';
import { checkGrade, type Grade, readWhole } from '../../src/core/request.ts';
import { integerNoise } from '../../src/mechanism/discrete-gaussian.ts';
import { K_CLOSEST_WORDS, kClosest } from '../../src/mechanism/k-closest.ts';
import { privUnitG, type UnitRandomizer } from '../../src/mechanism/unit-mechanism.ts';
import { type Lift, MAXIMUM_LIFT } from '../../src/polynomial/lift.ts';
import { analyticGaussianSigma, gdpMu } from '../../src/privacy/gaussian.ts';
import {
  common,
  gradeOf,
  type MarginFamily,
  type GaussianParameters as MarginGaussianParameters,
  type MarginModelRequest,
  normalized,
  precisionOf,
} from '../generalized-linear/margin/parameters.ts';
import {
  blockCoefficient,
  liftedGradientNoise,
  MAXIMUM_DEGREE,
  momentLift,
  type RadialFeatures,
  radialFeatures,
} from './moments.ts';

/** What every request contains. */
export interface ModelRequest extends Omit<MarginModelRequest, 'degree'> {
  /** k: the highest degree that a tally can serve: of Q(r) ≈ 1/(2√r); for copies, of P in ⟨u, w − x⟩/2. */
  readonly degree: number;
}

/** A request for a variant with Gaussian noise. */
export interface GaussianRequest extends ModelRequest, Budget {}

/** A request for the variant `lifted`. */
export interface LiftedRequest extends ModelRequest {
  /**
   * Shares of the report's squared unit norm given to the features ‖x‖^{2a}·sym^b(x), ordered by a + b and then by a
   * (for k = 1: x, ‖x‖², sym²(x), x‖x‖², ‖x‖⁴); positive, normalised to sum 1. Default: see `defaultShares`.
   */
  readonly shares?: readonly number[];
}

/** A complete request for a variant, as plain data that can be sent to a device: see `euclideanMedianParameters`. */
export type EuclideanMedianRequest =
  | ({ readonly variant: 'printed' | 'copies' | 'gaussian' } & GaussianRequest)
  | ({ readonly variant: 'lifted' } & LiftedRequest);

// The protocol's name and the version of its wire format and of the laws of all variants.
const FAMILY: MarginFamily = { protocol: 'euclidean-median', version: 1 };

/** Largest ℓ₂ distance between two points of the unit ball, and between two unit vectors. */
export const NEIGHBOUR_DISTANCE = 2;

/** One player's private point. */
export interface EuclideanMedianDatum {
  /** x: p numbers with ‖x‖₂ ≤ 1. */
  readonly point: ArrayLike<number>;
}

interface Shared extends ReportParameters, Pick<ModelRequest, 'dimension' | 'degree'> {
  readonly grade: Grade;
}

/** Parameters of the variants `printed` and `copies`: k(k + 1)/2 noisy copies of x. */
export interface CopiesParameters extends Shared {
  readonly variant: 'printed' | 'copies';
  /** The requested (ε, δ). */
  readonly budget: Budget;
  /** L = k(k + 1)/2. */
  readonly copies: number;
  /** Standard deviation of the noise on each coordinate of each copy. */
  readonly sigma: number;
}

/** Parameters of the variant `gaussian`: one Gaussian copy of x. */
export interface GaussianParameters extends Omit<MarginGaussianParameters, 'task'> {
  /** Symmetric powers of x up to 2k + 2: what the tally holds, corrected. */
  readonly lift: Lift;
}

/** Parameters of the variant `lifted`: one pure-ε report of the features of x. */
export interface LiftedParameters extends Shared {
  readonly variant: 'lifted';
  /** Pure ε of the report. */
  readonly epsilon: number;
  /** The features of x. */
  readonly features: RadialFeatures;
  /** Scale of each block of features; their squares sum to 1. */
  readonly scales: readonly number[];
  /** The mechanism on the unit vector: PrivUnitG in a simulation, k-closest encoding in a deployment. */
  readonly mechanism: UnitRandomizer;
}

/** Parameters of the Euclidean median protocol, by variant. */
export type EuclideanMedianParameters = CopiesParameters | GaussianParameters | LiftedParameters;

function copiesOf(variant: 'printed' | 'copies', request: GaussianRequest): CopiesParameters {
  const { epsilon, delta } = checkBudget(request);
  const grade = checkGrade(request.grade, variant, false);
  // In dimension 1 the printed constant has a Γ(0).
  const dimension = checkInteger('dimension', request.dimension, variant === 'printed' ? 2 : 1, MAXIMUM_LIFT);
  const degree = checkInteger('degree', request.degree, 1, MAXIMUM_DEGREE);
  const copies = (degree * (degree + 1)) / 2;
  const sigma =
    variant === 'printed'
      ? (Math.sqrt(2 * Math.log(1.25 / delta)) * degree * (degree + 1)) / epsilon
      : analyticGaussianSigma({ epsilon, delta, sensitivity: NEIGHBOUR_DISTANCE * Math.sqrt(copies) });
  const length = copies * dimension;
  const precision = precisionOf(epsilon, sigma, sigma);
  const rest = { grade, budget: { epsilon, delta }, copies, sigma, length, precision };
  return { ...common(FAMILY, variant, request, { delta }), variant, ...rest };
}

/**
 * Algorithm 3 exactly as printed: its noise levels and its copies, a separate u_k in every factor and outside, the sum
 * from j = 1, the printed constant. Its expected gradient is 0; the reference to measure against.
 *
 * Guarantee: see the certificate, which prints the claimed (ε, δ) beside what holds.
 * @throws TypeError or RangeError naming the field: ε ≤ 0, δ ∉ (0, 1), degree not a whole number from 1 to 8, p < 2.
 * @theorem noninteractive Algorithm 3
 */
export function printed(request: GaussianRequest): CopiesParameters {
  return copiesOf('printed', request);
}

/**
 * The report shape of algorithm 3, L = k(k + 1)/2 copies, with exactly the noise that composition of Gaussian DP over
 * all of them needs: σ = 2√L/μ. They are decoded with one u per gradient, the sum from j = 0 and the right constant, or
 * averaged first.
 *
 * Guarantee: (ε, δ) for the whole transcript.
 * @throws as {@link printed}, but p ≥ 1.
 */
export function copies(request: GaussianRequest): CopiesParameters {
  return copiesOf('copies', request);
}

/**
 * One Gaussian copy of x; u is integrated out and powers of ‖w − x‖² are corrected by the heat operator. One tally of
 * moments serves any polynomial up to the degree, chosen after collection.
 *
 * Guarantee: (ε, δ), calibrated exactly (analytic Gaussian mechanism with sensitivity 2).
 * @throws TypeError or RangeError naming the field; RangeError when the powers of x up to 2k + 2 exceed the size limit.
 */
export function gaussian(request: GaussianRequest): GaussianParameters {
  const budget = checkBudget(request);
  const { epsilon, delta } = budget;
  const { dimension, degree } = request;
  const variant = 'gaussian';
  const lift = momentLift(dimension, degree);
  const grade = checkGrade(request.grade, variant, true);
  const fields = common(FAMILY, variant, request, { delta, ...gradeOf(grade) });
  const made = { ...fields, variant, grade, budget: { epsilon, delta }, lift, length: dimension } as const;
  if (grade === 'deployment') {
    const noise = integerNoise({ epsilon, delta, dimension });
    return { ...made, noise, mu: noise.mu, sigma: noise.deviation, precision: 'int32' };
  }
  const sigma = analyticGaussianSigma({ ...budget, sensitivity: NEIGHBOUR_DISTANCE });
  return { ...made, mu: gdpMu(budget), sigma, precision: precisionOf(epsilon, sigma, sigma) };
}

/**
 * One pure-ε report of the features ‖x‖^{2a}·sym^b(x), scaled and padded to a unit vector, by PrivUnitG. The tally is a
 * running vector sum. The toolkit recommends this variant.
 *
 * Guarantee: pure ε, δ = 0.
 *
 * Source: Asi, Feldman, Talwar 2022 (PrivUnitG); mathematics of the toolkit, docs/euclidean-median.md.
 * @throws TypeError or RangeError naming the field; RangeError when there are too many features, naming a degree that
 * fits.
 */
export function lifted(request: LiftedRequest): LiftedParameters {
  const epsilon = checkPositive('epsilon', request.epsilon);
  const features = radialFeatures(request.dimension, request.degree);
  const dimension = features.size + 1;
  const { shares } = request;
  const variant = 'lifted';
  const grade = checkGrade(request.grade, variant, true);
  const scales = normalized(shares === undefined ? defaultShares(features) : shares, features.blocks.length).map(
    Math.sqrt,
  );
  const fields = common(FAMILY, variant, request, { shares: shares ?? [], ...gradeOf(grade) });
  const made = { ...fields, variant, grade, epsilon, features, scales } as const;
  if (grade === 'deployment') {
    return { ...made, mechanism: kClosest({ epsilon, dimension }), length: K_CLOSEST_WORDS, precision: 'uint32' };
  }
  const mechanism = privUnitG({ epsilon, dimension });
  const deviation = Math.sqrt(mechanism.coordinateVariance);
  const precision = precisionOf(epsilon, deviation, deviation);
  return { ...made, mechanism, length: dimension, precision };
}

/**
 * Parameters from plain data. A device that gets this data makes the same parameters as the server, with the same
 * digest.
 * @throws TypeError or RangeError naming the field, also one that the variant does not use.
 */
export function euclideanMedianParameters(request: EuclideanMedianRequest): EuclideanMedianParameters {
  return readWhole('request', request, (asked) => {
    const make: (request: never) => EuclideanMedianParameters = MAKERS[checkWord('variant', asked.variant, VARIANTS)];
    return make(asked as never);
  });
}

/** The variants of this protocol, best first. */
export const VARIANTS = ['lifted', 'gaussian', 'copies', 'printed'] as const;

const MAKERS = { copies, gaussian, lifted, printed } as const;

/** ‖w‖² at the place for which the default shares are best. */
const REFERENCE_SQUARED_NORM = 0.25;

const LEAST_SHARE = 0.03;

/** Shares of least noise of the gradient 2(1 − r/2)^k·(w − x) at ‖w‖ = ½; each is at least 3 % of the largest. */
function defaultShares({ dimension, degree, blocks }: RadialFeatures): number[] {
  const binomial = (k: number): number => blockCoefficient(degree, { radial: k, power: 0 });
  const gradient = Array.from({ length: degree + 1 }, (_, k) => 2 * binomial(k) * (-0.5) ** k);
  const roots = blocks.map((block) =>
    Math.sqrt(liftedGradientNoise(block, gradient, gradient, dimension, REFERENCE_SQUARED_NORM)),
  );
  const most = Math.max(...roots);
  return roots.map((root) => Math.max(root, LEAST_SHARE * most));
}

import { type Budget, checkBudget, checkInteger, checkPositive, RefusedValue } from '../../../src/check/refusal.ts';
import { choosePrecision, type Precision, type ReportParameters } from '../../../src/core/frame.ts';
import { type Agreement, agreementOf, checkGrade, type Grade, type Json } from '../../../src/core/request.ts';
import {
  calibratedCopies,
  MAXIMUM_COPIES_DEGREE,
  type NoisyCopies,
  printedCopies,
  type SphericalLaplace,
} from '../../../src/mechanism/added-noise.ts';
import { type DiscreteGaussianMechanism, integerNoise } from '../../../src/mechanism/discrete-gaussian.ts';
import { COIN_UNITS, choiceLimits } from '../../../src/mechanism/exact-coin.ts';
import {
  automaticKClosest,
  K_CLOSEST_WORDS,
  type KClosest,
  type UnitRequest,
} from '../../../src/mechanism/k-closest.ts';
import { type PrivUnitG, privUnitG } from '../../../src/mechanism/unit-mechanism.ts';
import { productKClosest, productPrivUnitG } from '../../../src/mechanism/unit-products.ts';
import { createLift, type Lift, liftSize, MAXIMUM_LIFT, scaleLift } from '../../../src/polynomial/lift.ts';
import { analyticGaussianSigma, gdpMu } from '../../../src/privacy/gaussian.ts';

/**
 * What a record is used for. `classification`: the signed record v = y·x; `regression`: the pair z = (x, y)/√2, from
 * which both E[yx] and E[xxᵀ] can be read.
 */
export type MarginTask = 'classification' | 'regression';

/** What every request contains. */
export interface MarginModelRequest {
  /** ε > 0 of the player's one report. */
  readonly epsilon: number;
  /** d ≥ 0: the highest degree of the polynomial in the place of f′ that a tally of these reports can serve. */
  readonly degree: number;
  /** p ≥ 1, the number of features. */
  readonly dimension: number;
  /** What the noise is made of (default: `simulation`); `direct`, `lifted`, `sampled`, `gaussian` have a `deployment` form. */
  readonly grade?: Grade;
}

/** A request for a variant with Gaussian noise. */
export interface MarginGaussianRequest extends MarginModelRequest, Budget {}

/** A request for the variant `direct`, `lifted` or `sampled`. */
export interface MarginLiftedRequest extends MarginModelRequest {
  /**
   * Shares of the powers 1 … d + 1 of v: for `lifted` a_1², …, a_{d+1}² of the report's unit norm, for `sampled` the
   * probabilities s_1, …, s_{d+1} of being reported, for `direct` without the second; positive, normalised to sum 1. Default: half
   * of the share before.
   */
  readonly shares?: readonly number[];
}

/** The variants whose reports carry powers of v: pure ε, without a δ. */
export type PowerVariant = 'direct' | 'lifted' | 'sampled';

export function carriesPowers(variant: string): variant is PowerVariant {
  return variant === 'direct' || variant === 'lifted' || variant === 'sampled';
}

/** A complete request for a variant, as plain data that can be sent to a device. */
export type MarginRequest =
  | ({ readonly variant: 'printed' | 'copies' | 'gaussian' } & MarginGaussianRequest)
  | ({ readonly variant: PowerVariant } & MarginLiftedRequest);

/** A request for the variant `sphericalLaplace`. It has no degree, because no polynomial replaces the loss. */
export interface MarginSphericalRequest extends Pick<MarginModelRequest, 'epsilon'> {
  /** p, from 1 to 29: the number of features. */
  readonly dimension: number;
  /** Only `simulation`: the noise has no deployment form. */
  readonly grade?: Grade;
}

/** The protocol that parameters belong to: one protocol refuses the reports of another. */
export interface MarginFamily {
  /** The protocol's folder name. */
  readonly protocol: string;
  /** Version of its wire format and of the laws of its variants. */
  readonly version: number;
}

interface Shared extends ReportParameters {
  /** What the noise is made of. */
  readonly grade: Grade;
  /** p, the number of features. */
  readonly dimension: number;
  /** d, the highest degree a tally can serve. */
  readonly degree: number;
}

/** Parameters of the variants `printed` and `copies`: noisy copies of x and y. */
export interface CopiesParameters extends Shared {
  readonly variant: 'printed' | 'copies';
  /** The requested (ε, δ). */
  readonly budget: Budget;
  /** Layout and noise of the copies. */
  readonly copies: NoisyCopies;
}

/** Parameters of the variant `gaussian`: one Gaussian copy of v = y·x. */
export interface GaussianParameters extends Shared, Pick<CopiesParameters, 'budget'> {
  readonly variant: 'gaussian';
  /** μ of the report, the largest within the budget. */
  readonly mu: number;
  /** Standard deviation of the noise on each coordinate, 2/μ rounded up. */
  readonly sigma: number;
  /** Grid and integer noise of the grade `deployment`; absent in a simulation. */
  readonly noise?: DiscreteGaussianMechanism;
  /** What v is: y·x, or (x, y)/√2. */
  readonly task: MarginTask;
  /** Symmetric powers of v up to d + 1. */
  readonly lift: Lift;
}

/** Parameters of the variant `lifted`: one pure-ε report of the lifted vector. */
export interface LiftedParameters extends Shared, Pick<GaussianParameters, 'task' | 'lift'> {
  readonly variant: 'lifted';
  /** Pure ε of the report. */
  readonly epsilon: number;
  /** a_1, …, a_{d+1}: the lifted vector is (a_1 sym¹(v), …, a_{d+1} sym^{d+1}(v), padding). */
  readonly scales: readonly number[];
  /** Entry by entry a_j times the orthonormal weight (see `scaleLift`). */
  readonly weights: Float64Array;
  /** The mechanism on the unit vector: PrivUnitG in a simulation, k-closest encoding in a deployment. */
  readonly mechanism: PrivUnitG | KClosest;
}

/** Parameters of `sampled` and `direct`: one report of one power of v, drawn with public probabilities. */
export interface SampledParameters extends Shared, Pick<LiftedParameters, 'epsilon' | 'task' | 'lift'> {
  readonly variant: 'direct' | 'sampled';
  /** s_1, …, s_{d+1}: the probability that power k is reported, a multiple of 2⁻⁵³; of `direct` s_2 is 0. */
  readonly shares: readonly number[];
  /** The limits of the exact draw of k: see `exactChoice`. */
  readonly limits: readonly number[];
  /** For each power its mechanism on the unit vector (sym^k(v), padding); of `direct` the second one is the first. */
  readonly mechanisms: readonly (PrivUnitG | KClosest)[];
}

/** Parameters of the variant `sphericalLaplace`: v = y·x with noise of density exp(−κ‖η‖), pure ε. */
export interface SphericalParameters extends Omit<Shared, 'degree'>, Pick<LiftedParameters, 'epsilon'> {
  readonly variant: 'sphericalLaplace';
  /** The mechanism; for an even p, a zero entry is added. */
  readonly mechanism: SphericalLaplace;
}

/** Parameters of reports on a signed record from which its moments, or polynomials of its margin, are estimated. */
export type MarginParameters = CopiesParameters | VectorParameters;

/** Parameters of reports that serve a classification or a regression. */
export type VectorParameters = GaussianParameters | LiftedParameters | SampledParameters;

/** Parameters of every mechanism on a signed record. */
export type ChannelParameters = MarginParameters | SphericalParameters;

/** Largest ℓ₂ distance between two v in the unit ball. */
export const NEIGHBOUR_DISTANCE = 2;

/** Highest degree of every variant. More could be collected, but neither the copies nor the polynomial fit support it. */
export const MAXIMUM_DEGREE: number = MAXIMUM_COPIES_DEGREE;

/** Empty for a classification, so that its digest is the same as before there were two tasks. */
const taskOf = (task: MarginTask): { readonly [name: string]: Json } => (task === 'regression' ? { task } : {});
/** Likewise empty for a simulation. */
export const gradeOf = (grade: Grade): { readonly [name: string]: Json } => (grade === 'deployment' ? { grade } : {});

/** The fields of all parameters. `rest` has those of a variant: no unknown property can change what reports are bound to. */
export function common(
  family: MarginFamily,
  variant: string,
  { epsilon, degree, dimension }: Pick<MarginModelRequest, 'epsilon' | 'degree' | 'dimension'>,
  rest: { readonly [name: string]: Json },
): MarginFamily & Agreement & Pick<MarginModelRequest, 'degree' | 'dimension'> {
  return { ...family, dimension, degree, ...agreementOf(family, { variant, epsilon, degree, dimension, ...rest }) };
}

/** Noisy copies of x and y: see `printed` and `copies` of the protocols. */
export function marginCopies(
  family: MarginFamily,
  variant: 'printed' | 'copies',
  request: MarginGaussianRequest,
): CopiesParameters {
  const grade = checkGrade(request.grade, variant, false);
  const copies = { printed: printedCopies, copies: calibratedCopies }[variant](request);
  const { epsilon, delta } = request;
  const { firstNoise, furtherNoise, further, length } = copies;
  const noises = (further > 0 ? [firstNoise, furtherNoise] : [firstNoise]).flatMap((noise) => Object.values(noise));
  const precision = precisionOf(epsilon, Math.min(...noises), Math.max(...noises));
  const rest = { grade, budget: { epsilon, delta }, copies, length, precision };
  return { ...common(family, variant, request, { delta }), variant, ...rest };
}

/** The precision of sent values with noise of these sizes; all but 1 in 10¹⁵ stay within 8 deviations of [−1, 1]. */
export function precisionOf(epsilon: number, smallest: number, largest: number): Precision {
  if (!(smallest > 1e-100 && largest < 1e100)) {
    throw new RefusedValue('epsilon', 'a budget whose noise has a size between 1e-100 and 1e100', epsilon);
  }
  return choosePrecision(smallest, 1 + 8 * largest);
}

/** One Gaussian copy of v: see `gaussian` of the protocols. */
export function marginGaussian(
  family: MarginFamily,
  request: MarginGaussianRequest,
  task: MarginTask = 'classification',
): GaussianParameters {
  const budget = checkBudget(request);
  const { epsilon, delta } = budget;
  const variant = 'gaussian';
  const grade = checkGrade(request.grade, variant, true);
  const lift = liftFor(request, task);
  const length = lift.dimension;
  const fields = common(family, variant, request, { delta, ...taskOf(task), ...gradeOf(grade) });
  const made = { ...fields, variant, grade, budget, task, lift, length } as const;
  if (grade === 'deployment') {
    const noise = integerNoise({ epsilon, delta, dimension: length });
    return { ...made, noise, mu: noise.mu, sigma: noise.deviation, precision: 'int32' };
  }
  const sigma = analyticGaussianSigma({ ...budget, sensitivity: NEIGHBOUR_DISTANCE });
  return { ...made, mu: gdpMu(budget), sigma, precision: precisionOf(epsilon, sigma, sigma) };
}

/** Makes the parameters of a variant with powers of v; the task is a classification where none is named. */
type PowerMaker<Parameters> = (family: MarginFamily, request: MarginLiftedRequest, task?: MarginTask) => Parameters;

/** One pure-ε report of the lifted vector (a_1 v, a_2 sym²(v), …): see `lifted` of the protocols. */
export const marginLifted: PowerMaker<LiftedParameters> = (family, request, task) => {
  if (checkGrade(request.grade, 'lifted', true) === 'deployment') return deployedLifted(family, request, task);
  const made = liftedFields(family, request, 'simulation', task);
  const dimension = made.lift.size + 1;
  const mechanism = privUnitG({ epsilon: made.epsilon, dimension });
  const deviation = Math.sqrt(mechanism.coordinateVariance);
  return { ...made, mechanism, length: dimension, precision: precisionOf(made.epsilon, deviation, deviation) };
};

/** {@link marginLifted} in the grade `deployment`: k-closest encoding in the place of PrivUnitG. */
export const deployedLifted: PowerMaker<LiftedParameters> = (family, request, task) => {
  const made = liftedFields(family, request, 'deployment', task);
  const mechanism = automaticKClosest({ epsilon: made.epsilon, dimension: made.lift.size + 1 });
  return { ...made, mechanism, length: K_CLOSEST_WORDS, precision: 'uint32' };
};

function liftedFields(
  family: MarginFamily,
  request: MarginLiftedRequest,
  grade: Grade,
  task?: MarginTask,
): Omit<LiftedParameters, 'mechanism' | 'length' | 'precision'> {
  const { shares, ...fields } = powerFields(family, 'lifted', request, grade, task);
  const scales = shares.map(Math.sqrt);
  return { ...fields, scales, weights: scaleLift(fields.lift, scales) };
}

/** What parameters of all variants with powers of v hold; `fewer` of them have no share of their own. */
function powerFields<Variant extends PowerVariant>(
  family: MarginFamily,
  variant: Variant,
  request: MarginLiftedRequest,
  grade: Grade,
  task: MarginTask = 'classification',
  fewer: number = 0,
) {
  const epsilon = checkPositive('epsilon', request.epsilon);
  const lift = liftFor(request, task);
  const shares = sharesFrom(request.shares, Math.max(1, lift.degree - fewer), fewer ? 'classification' : task);
  const rest = { shares: request.shares ?? [], ...taskOf(task), ...gradeOf(grade) };
  return { ...common(family, variant, request, rest), variant, grade, epsilon, task, lift, shares };
}

/** `sampled` of the protocols: the vector of the mechanism (deployed, its words), zeros up to the longest power, then k. */
export const marginSampled: PowerMaker<SampledParameters> = (family, request, task) => {
  if (checkGrade(request.grade, 'sampled', true) === 'deployment') return deployedSampled(family, request, task);
  return simulated(choiceOf(powerFields(family, 'sampled', request, 'simulation', task)), privUnitG);
};

/** {@link marginSampled} in the grade `deployment`. */
export const deployedSampled: PowerMaker<SampledParameters> = (family, request, task) =>
  deployed(choiceOf(powerFields(family, 'sampled', request, 'deployment', task)), automaticKClosest);

/** Where reports of v tell of two powers: see `direct` of the protocols. */
export const marginDirect: PowerMaker<SampledParameters> = (family, request, task) => {
  if (checkGrade(request.grade, 'direct', true) === 'deployment') return deployedDirect(family, request, task);
  return simulated(directChoice(family, request, 'simulation', task), productPrivUnitG);
};

/** {@link marginDirect} in the grade `deployment`. */
export const deployedDirect: PowerMaker<SampledParameters> = (family, request, task) =>
  deployed(directChoice(family, request, 'deployment', task), productKClosest);

function simulated(made: PowerChoice, first: (request: UnitRequest) => PrivUnitG): SampledParameters {
  const mechanisms = mechanismsOf(made, privUnitG, first);
  const deviation = Math.sqrt(mechanisms[0].coordinateVariance);
  const length = Math.max(...mechanisms.map(({ dimension }) => dimension)) + 1;
  // The largest power is far below any precision's limit for whole numbers.
  return { ...made, mechanisms, length, precision: precisionOf(made.epsilon, deviation, deviation) };
}

function deployed(made: PowerChoice, first: (request: UnitRequest) => KClosest): SampledParameters {
  const mechanisms = mechanismsOf(made, automaticKClosest, first);
  return { ...made, mechanisms, length: K_CLOSEST_WORDS + 1, precision: 'uint32' };
}

/** The mechanism of each power: on its entries, and one more that completes them to the unit sphere. */
function mechanismsOf<Mechanism>(
  { epsilon, lift: { degree, offsets }, variant }: PowerChoice,
  make: (request: UnitRequest) => Mechanism,
  first: (request: UnitRequest) => Mechanism,
): Mechanism[] {
  const both = first({ epsilon, dimension: offsets[1] + 1 });
  return Array.from({ length: degree }, (_, block) =>
    block === 0 || (block === 1 && variant === 'direct')
      ? both
      : make({ epsilon, dimension: offsets[block + 1] - offsets[block] + 1 }),
  );
}

/** Which power of v a report is of. */
type PowerChoice = Omit<SampledParameters, 'mechanisms' | 'length' | 'precision'>;

/** Reports of v tell of two powers: the second one has no share of its own. */
function directChoice(
  family: MarginFamily,
  request: MarginLiftedRequest,
  grade: Grade,
  task?: MarginTask,
): PowerChoice {
  const fields = powerFields(family, 'direct', request, grade, task, 1);
  const shares = fields.lift.degree > 1 ? fields.shares.toSpliced(1, 0, 0) : fields.shares;
  return choiceOf({ ...fields, shares });
}

function choiceOf(fields: Omit<PowerChoice, 'limits'>): PowerChoice {
  const limits = choiceLimits(fields.shares);
  const shares = limits.map((limit, block) => (limit - (limits[block - 1] ?? 0)) / COIN_UNITS);
  return { ...fields, shares, limits };
}

/** The symmetric powers that a request needs, of vectors of R^p, or of R^(p + 1) for a regression. */
function liftFor({ dimension, degree }: MarginModelRequest, task: MarginTask): Lift {
  const regression = task === 'regression' ? 1 : 0;
  checkInteger('dimension', dimension, 1, MAXIMUM_LIFT);
  // A regression of degree 0 would know E y and nothing that depends on w.
  checkInteger('degree', degree, regression, MAXIMUM_DEGREE);
  if (liftSize(dimension + regression, degree + 1) > MAXIMUM_LIFT) {
    const expected = `powers of v up to d + 1 with at most ${MAXIMUM_LIFT} entries in dimension ${dimension}`;
    // Degree 1 is the usual one: where it is too much, it is the dimension that is too large.
    const wide = liftSize(dimension + regression, 2) > MAXIMUM_LIFT;
    throw new RefusedValue(wide ? 'dimension' : 'degree', expected, wide ? dimension : degree);
  }
  return createLift(dimension + regression, degree + 1);
}

/** The shares of the powers, normalised; the default ones where a request has none. */
function sharesFrom(shares: readonly number[] | undefined, powers: number, task: MarginTask): number[] {
  const usual = Array.from({ length: powers }, (_, j) => 2 ** -j);
  // The mean of (x, y) says little of a residual whose law is nearly symmetric.
  if (task === 'regression') usual[0] = 1 / 16;
  return normalized(shares ?? usual, powers);
}

/** Positive shares, divided by their sum. */
export function normalized(shares: readonly number[], count: number): number[] {
  if (!Array.isArray(shares) || shares.length !== count) {
    throw new RefusedValue('shares', `${count} positive numbers`, shares?.length);
  }
  const total = shares.reduce((sum, share, j) => sum + checkPositive(`shares[${j}]`, share), 0);
  return shares.map((share, j) => {
    // A block with a smaller share is lost in rounding: choose a smaller degree to leave it out.
    if (!(share / total >= 1e-12)) throw new RefusedValue(`shares[${j}]`, 'at least 1e-12 of their sum', share);
    return share / total;
  });
}

import { checkInteger, checkPositive, RefusedValue } from '../../src/check/refusal.ts';
import type { Expectation, ForecastSetting, Theory } from '../../src/core/contract.ts';
import { sandwich } from '../../src/inference/interval.ts';
import { effectiveShare } from '../../src/inference/iterate-average.ts';
import { normalDensity } from '../../src/numeric/normal.ts';
import { type Certificate, certificate as certificateOf } from '../../src/privacy/certificate.ts';
import { type Guarantee, gdp } from '../../src/privacy/guarantee.ts';
import { type IndexModel, responseLossOf } from '../../src/risk/regression/model.ts';
import { mallowsWeight } from '../../src/risk/response-loss.ts';
import { channelOf } from './channel.ts';
import type { OnlinePlan } from './parameters.ts';

const { abs, exp, hypot, log, max, sqrt } = Math;

/**
 * The guarantee of one player's whole transcript, which is its one report: that of the player with the largest budget. Iterates and averages
 * are computed from reports, so they have it too, against everybody and at every step. The variant `nonPrivate` is refused.
 *
 * Source: non-asymptotic paper, theorems 1 and 2.
 * @theorem online-inference Proposition 2
 * @theorem online-inference Proposition 3
 * @theorem online-inference Proposition 5
 * @theorem online-rates Proposition 2
 * @theorem online-rates Theorem 1
 * @theorem online-rates Theorem 2
 */
export function guarantee({ noise, hessian, variant }: OnlinePlan): Guarantee {
  const ofGradient = noise.guarantee;
  if (ofGradient === undefined) throw new RefusedValue('variant', 'one with a guarantee', variant);
  return hessian === undefined || ofGradient.kind !== 'gdp' ? ofGradient : gdp(hypot(ofGradient.mu, hessian.mu));
}

/**
 * Every release of one player's transcript, and every total. A printed claim stands beside the guarantee that holds.
 * @theorem online-inference Proposition 5
 * @theorem online-rates Theorem 1
 * @theorem online-rates Theorem 2
 */
export function certificate(plan: OnlinePlan): Certificate {
  const { protocol, variant, noise } = plan;
  const releases = channelOf(plan).releases();
  return certificateOf({ protocol, variant, releases, claimed: noise.claimed ?? guarantee(plan) });
}

/**
 * The largest ℓ₂ distance between the vectors that the player randomizes for two neighbouring data: for gradients 2B₀
 * in most models, √(8c² + c⁴/4) for the joint scale.
 * @theorem online-inference Definition 1
 * @theorem online-rates Definition 3
 */
export function neighbourDistance({ model, noise, hessian }: OnlinePlan): number {
  return hypot(model.sensitivity / noise.unit, hessian?.mechanism.sensitivity ?? 0);
}

/**
 * Variance of the privacy noise on one coordinate of a released gradient, averaged over players. For a randomizer of
 * unit vectors it is that of a coordinate orthogonal to the gradient; at the best threshold all coordinates have this
 * variance.
 *
 * Units: of the gradient, squared. With budgets μ_i it is Δ²·E[1/μ²].
 * @theorem online-inference Theorem 2
 * @theorem online-inference Corollary 1
 * @theorem online-rates Corollary 1
 * @theorem online-rates (4.1)
 */
export function noiseVariance({ noise }: OnlinePlan): number {
  return noise.variance;
}

/** Population moments at the minimiser θ₀. */
export interface PopulationMoments {
  /** A, the Hessian of the risk, p × p row-major. */
  readonly hessian: Float64Array;
  /** S, the second moment of the gradient without noise, p × p row-major. */
  readonly gradient: Float64Array;
}

/**
 * A⁻¹(S + vI)A⁻¹/b, the covariance of √n(θ̄ − θ₀) after n steps of b players each; v is the variance of the privacy
 * noise.
 *
 * Shape: p × p row-major.
 *
 * Source: non-asymptotic paper, corollary 1; inference paper, theorem 2.
 * @throws TypeError or RangeError for matrices of another size, or a Hessian that is not positive definite.
 * @theorem online-inference Condition 2
 * @theorem online-inference Theorem 2
 * @theorem online-inference Corollary 1
 * @theorem online-rates Theorem 4
 * @theorem online-rates Corollary 1
 * @theorem online-rates (4.1)
 */
export function asymptoticCovariance(plan: OnlinePlan, moments: PopulationMoments): Float64Array {
  const { dimension } = plan.model;
  const gradient = moments.gradient.slice();
  const variance = noiseVariance(plan);
  for (let i = 0; i < dimension; i++) gradient[i * dimension + i] += variance;
  const { covariance, raisedHessian } = sandwich({
    dimension,
    hessian: moments.hessian,
    gradient,
    hessianFloor: Number.EPSILON,
  });
  if (raisedHessian > 0) throw new RefusedValue('hessian', 'a positive definite matrix', 'another one');
  return covariance.map((entry) => entry / plan.batch);
}

/** The claims about plans. */
export const theory: Theory<OnlinePlan> = {
  guarantee,
  certificate,
  neighbourDistance,
  // A report of step i moves the next iterate by at most γ·i^(−α)/b times the bound on the gradient; b is the number of
  // reports of a step.
  influence: (plan) => channelOf(plan).influence,
  forecast,
};

/** Panels of the integrals, and how many deviations around the middle they cover: the rest is 1 in 10³⁰. */
const PANELS = 24_000;
const DEVIATIONS = 12;

/** The text of the expected value in the refusal of a clipped model, which has no forecast. */
export const UNCLIPPED = 'one whose gradients are not clipped, which moves its minimiser, for a forecast';

/**
 * What to expect of the average of a stream, by its limit law √n(θ̄ − θ₀) → N(0, A⁻¹(S + vI)A⁻¹): the root mean square,
 * over coordinates, of their standard errors.
 *
 * The population is a reference: independent standard normal features, and a response that does not depend on them: normal with standard
 * deviation `spread` (1 by default), or a fair coin if it is a label. A and S are then diagonal, and the same for every feature. An average
 * that forgets the start has the variance of fewer players ({@link effectiveShare}). The start, which any stream forgets, and the players of
 * the burn-in are ignored. What has no such limit law is refused by name.
 * @theorem online-inference Theorem 2
 * @theorem online-rates Corollary 1
 */
export function forecast(plan: OnlinePlan, { players: asked, spread: stated }: ForecastSetting): Expectation {
  const { model, noise, burnIn, batch, decay, average } = plan;
  const players = checkInteger('players', asked, burnIn * batch + 1) - burnIn * batch;
  if (decay === 1) throw new RefusedValue('decay', 'a number below 1, where averages have a limit law', decay);
  if (model.form !== 'index') {
    throw new RefusedValue('model', 'one with one inner product, for a forecast', model.kind);
  }
  if (model.clip !== undefined) throw new RefusedValue('model', UNCLIPPED, responseLossOf(model.loss).name);
  if (stated !== undefined && model.responses !== 'number') {
    throw new RefusedValue('spread', `none: responses of ${model.kind} are labels`, stated);
  }
  const spread = checkPositive('spread', stated ?? 1);
  const [slope, curvature] = slopesOf(model, spread);
  const variances = [1, 2].map((power) => weightMoments(model, power));
  const variance = (coordinate: 0 | 1): number =>
    (variances[1][coordinate] * slope + noise.variance) / (variances[0][coordinate] * curvature) ** 2;
  const { features, dimension } = model;
  const sum = features * variance(1) + (model.intercept ? variance(0) : 0);
  if (!Number.isFinite(sum)) throw new RefusedValue('spread', 'one whose square is neither 0 nor infinite', stated);
  return {
    what: 'standard error of a coefficient, root mean square over coefficients',
    assumption:
      model.responses === 'number'
        ? `features and residuals independent and normal, of standard deviations 1 and ${spread}`
        : 'features independent and normal, of variance 1; labels fair coins',
    error: sqrt(sum / dimension / players / (average === undefined ? 1 : effectiveShare(average))),
    floor: 0,
  };
}

/** E f′² and E f″ at the best inner product, the same for everybody. */
function slopesOf(model: IndexModel, spread: number): readonly [slope: number, curvature: number] {
  const loss = responseLossOf(model.loss);
  if (loss.kinked) throw new RefusedValue('model.loss', 'one without a kink, for a forecast', loss.name);
  const mean = model.responses === 'number' ? normalMean(spread) : coinMean(model.responses === 'binary' ? 0 : -1);
  let inner = 0;
  const pull = (at: number): number => mean((response) => loss.derivative(at, response));
  // Losses that are not even: find the limit of the intercept. Without an intercept it stays 0 by the symmetry of the
  // features.
  if (model.intercept && abs(pull(0)) > 1e-9) {
    let [low, high] = [-DEVIATIONS * spread, DEVIATIONS * spread];
    for (let i = 0; i < 60; i++) {
      inner = (low + high) / 2;
      if (pull(inner) > 0) high = inner;
      else low = inner;
    }
  }
  const slope = mean((response) => loss.derivative(inner, response) ** 2);
  // Losses of numbers depend on the residual. By Stein's identity their curvature needs only f′, which has no jumps
  // that a rule would miss.
  const curvature =
    model.responses === 'number'
      ? -mean((response) => (loss.derivative(inner, response) * response) / (spread * spread))
      : mean((response) => loss.secondDerivative(inner, response));
  return [slope, curvature];
}

type Mean = (of: (response: number) => number) => number;

/** The mean of a function of a normal response with this deviation, by the midpoint rule. */
const normalMean =
  (spread: number): Mean =>
  (of) => {
    const panel = (2 * DEVIATIONS) / PANELS;
    let sum = 0;
    for (let i = 0; i < PANELS; i++) {
      const deviations = (i + 0.5) * panel - DEVIATIONS;
      sum += panel * normalDensity(deviations) * of(spread * deviations);
    }
    return sum;
  };

const coinMean =
  (other: number): Mean =>
  (of) =>
    (of(other) + of(1)) / 2;

/**
 * E w^k and E w^k·z₁² for the weight w of a record with features z, standard normal in p dimensions. By rotation the
 * second is E w^k·‖z‖²/p, so both are integrals over the length of z, by the midpoint rule. The length is near √p, with
 * a deviation below 1.
 */
function weightMoments(
  { features, intercept }: IndexModel,
  power: number,
): readonly [intercept: number, feature: number] {
  const low = max(0, sqrt(features) - DEVIATIONS);
  const panel = (sqrt(features) + DEVIATIONS - low) / PANELS;
  // The sum replaces the constant of the density; only the logarithm at the mode is subtracted, against overflow.
  const logDensity = (length: number): number => (features - 1) * log(length) - (length * length) / 2;
  const top = logDensity(sqrt(max(features - 1, 1)));
  let [mass, alone, along] = [0, 0, 0];
  for (let i = 0; i < PANELS; i++) {
    const length = low + (i + 0.5) * panel;
    const density = exp(logDensity(length) - top);
    const weighted = density * mallowsWeight((intercept ? 1 : 0) + length * length) ** power;
    mass += density;
    alone += weighted;
    along += (weighted * length * length) / features;
  }
  return [alone / mass, along / mass];
}

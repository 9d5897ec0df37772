import type { AuditTarget } from '../../src/audit/target.ts';
import { checkInteger, checkWord, RefusedValue } from '../../src/check/refusal.ts';
import { normalCdf, normalDensity } from '../../src/numeric/normal.ts';
import { type ApproximateGuarantee, approximate } from '../../src/privacy/guarantee.ts';
import { logisticLoss } from '../../src/risk/named-loss.ts';
import { train } from './curator.ts';
import type { GradientPerturbation, OutputPerturbation } from './gradient-perturbation.ts';
import { type CentralRecords, logisticRegression, type Model } from './model.ts';
import { type InfluenceParameters, type InfluenceRequest, printed, recalibrated } from './parameters.ts';

const { abs, exp, expm1, floor, log1p, max, min, pow, sqrt } = Math;

/** The claim about Algorithm 1 and its refutation. It is no guarantee; what expects a guarantee does not accept it. */
export interface InfluenceClaim {
  readonly kind: 'claim';
  /** (ε₁ + ε₂, δ₁ + δ₂), as Theorem 5 states. */
  readonly claimed: ApproximateGuarantee;
  readonly holds: false;
  /** Why it does not hold. */
  readonly because: string;
  /** Lower bounds that audits of constructed data prove at a claim of (1, 2·10⁻⁶): the numbers of `AUDITED`. */
  readonly audited: typeof AUDITED;
}

/**
 * Lower bounds of ε, each with confidence .99, at a claim of (1, 2·10⁻⁶). `threshold` is from events in 8000 runs on
 * two data sets that differ in one record, `oneRun` from one run with 128 canaries. Both are the largest that so many
 * trials can prove. See `exposedExample`, and `unboundedDelta` for a proof that no ε holds. The tests repeat both
 * audits.
 */
export const AUDITED: { readonly threshold: number; readonly oneRun: number } = { threshold: 6.2, oneRun: 3 };

/**
 * The claim of Theorem 5 about these parameters, marked as refuted.
 * @theorem influence Remark 7
 * @theorem influence Theorem 5
 */
export function claimOf({
  epsilon1,
  epsilon2,
  delta1,
  delta2,
}: Pick<InfluenceParameters, 'epsilon1' | 'epsilon2' | 'delta1' | 'delta2'>): InfluenceClaim {
  return {
    kind: 'claim',
    claimed: approximate({ epsilon: epsilon1 + epsilon2, delta: delta1 + delta2 }),
    holds: false,
    because:
      'a step without noise shows the gradient of its record as it is, and whether it has noise depends on the data',
    audited: AUDITED,
  };
}

/**
 * The probability that a step with this contribution c_z + E (before doubling and noise) has no noise.
 *
 * Law: Π_i P(|2c_i + σ_c·N| ≤ τ), exact.
 * @theorem influence Algorithm 1
 * @theorem influence Remark 6
 */
export function skipProbability(
  contribution: Float64Array,
  { threshold, contributionSigma }: Pick<InfluenceParameters, 'threshold' | 'contributionSigma'>,
): number {
  let probability = 1;
  for (let i = 0; i < contribution.length; i++) {
    // By symmetry, both values are computed on the side where they are small, so that a far tail keeps its digits.
    const c = 2 * abs(contribution[i]);
    probability *= normalCdf((threshold - c) / contributionSigma) - normalCdf((-threshold - c) / contributionSigma);
  }
  return probability;
}

/**
 * A δ that Algorithm 1 needs for every ε, on data sets that differ in a record with contribution c_z + E, while all
 * other records have no gradient at any θ: P(the record is drawn)·P(no step has noise).
 *
 * Law: without noise the model takes one of finitely many values, each of which shows that the record was present. With
 * noise it takes each of them with probability 0. The event has probability 0 under the other data set, so no e^ε
 * covers it. Exact for one round, in which contributions do not change.
 * @theorem influence Theorem 5
 */
export function unboundedDelta(
  parameters: Pick<InfluenceParameters, 'records' | 'steps' | 'threshold' | 'contributionSigma' | 'remainder'>,
  contribution: Float64Array,
): number {
  const { records, steps, remainder } = parameters;
  const rest = skipProbability(new Float64Array(contribution.length).fill(remainder), parameters);
  const its = skipProbability(contribution, parameters);
  // In each step: this record with its probability of passing, or another record with the probability of the others.
  const all = pow(its / records + (1 - 1 / records) * rest, steps);
  return all - pow((1 - 1 / records) * rest, steps);
}

/** Every contribution passes the decision by this many standard deviations of the noise. */
const MARGIN = 7;

/** ζ, which is added to the Hessian because the Hessian itself has almost no curvature. */
const DAMPING = 1;

/** Parameters, a model and data on which Algorithm 1 reveals its records. */
export interface ExposedExample {
  readonly parameters: InfluenceParameters;
  /** Logistic regression without regularisation, 1-Lipschitz on the whole space. */
  readonly model: Model;
  /** Record j < m is the unit vector e_j if `included[j]`; all others are 0, and have no gradient. */
  data(included: ArrayLike<boolean>): CentralRecords;
}

/** The request for an example. */
export interface ExposedRequest {
  /** Which noise. */
  readonly variant: 'printed' | 'recalibrated';
  /** The budgets claimed. */
  readonly budget: Pick<InfluenceRequest, 'epsilon1' | 'delta1' | 'epsilon2' | 'delta2'>;
  /** n. */
  readonly records: number;
  /** m, also the number of records that are either present or absent. */
  readonly dimension: number;
  /** T, in one round. */
  readonly steps: number;
  /**
   * `pass`: the curator chooses the radius r of the parameter space so large that every contribution passes the
   * decision. `none`: the radius is so small that no contribution passes, and all steps have noise. This is a control.
   */
  readonly decision?: 'pass' | 'none';
}

/**
 * An example that meets every condition of Theorem 5 with G = 1; the Hessian is damped as in remark 5. Its records are
 * revealed because their contributions are small. As the algorithm intends, no step has noise, and a coordinate of the
 * model moves if and only if its record was present.
 * @throws TypeError or RangeError naming the field.
 * @theorem influence Remark 5
 * @theorem influence Remark 7
 * @theorem influence Theorem 5
 */
export function exposedExample(request: ExposedRequest): ExposedExample {
  const { variant, budget, records } = request;
  const dimension = checkInteger('dimension', request.dimension, 1, records);
  const model = logisticRegression({ dimension, ridge: 0, radius: 1 });
  const make = variant === 'printed' ? printed : recalibrated;
  const base: Omit<InfluenceRequest, 'radius'> = {
    ...budget,
    records,
    ...model.constants,
    curvature: DAMPING,
    localRounds: request.steps,
    globalRounds: 1,
    step: 1,
    repair: 'add',
  };
  const { contributionSigma, remainder } = make({ ...base, radius: 1 });
  const threshold = MARGIN * contributionSigma + 2 * (1 / (records * DAMPING) + remainder);
  const widest = threshold / (2 * budget.delta1 * (1 + exp(-budget.epsilon1)));
  const parameters = make({ ...base, radius: request.decision === 'none' ? widest * 1e-9 : widest });
  return {
    parameters,
    model,
    data(included) {
      const features = new Float64Array(records * dimension);
      for (let j = 0; j < dimension; j++) if (included[j]) features[j * dimension + j] = 1;
      return { records, dimension, features, labels: new Int8Array(records).fill(1) };
    },
  };
}

/**
 * The example as a target of `audit`: two data sets that differ in record 0. The curator takes the place of the player.
 * @theorem influence Theorem 5
 */
export function exposedTarget(example: ExposedExample): AuditTarget<InfluenceParameters, CentralRecords, Float64Array> {
  const { parameters, model } = example;
  const without = new Array<boolean>(model.features).fill(false);
  const withFirst = without.map((_, j) => j === 0);
  const pair = { name: 'record 0 there or not', first: example.data(withFirst), second: example.data(without) };
  return {
    player: { randomize: (given, records, random) => train(given, model, records, random).theta },
    parameters,
    claimed: claimOf(parameters).claimed,
    auditing: { pairs: () => [pair], view: (_, theta) => theta },
  };
}

/** √E‖θ − θ₀‖² of a fit, θ₀ the best model of the reference population; and the same without the noise of privacy. */
export interface FitError {
  readonly error: number;
  readonly without: number;
}

/** The population that forecasts assume, in words. Its best model is 0, and all its records are alike. */
export const POPULATION = 'labels fair coins, features +1/√d or −1/√d by fair coins, so that the best model is 0';

type Regression = Pick<Model, 'parameters' | 'ridge'>;

interface Descent extends Regression {
  readonly steps: number;
  /** Variance of the noise on a coordinate of a step's gradient, averaged over steps. */
  readonly noise: number;
  /** n, if records are drawn with replacement; absent if each is used once. */
  readonly redrawn?: number;
  step(t: number): number;
}

/** The expected error of Algorithm 1, whose claim is refuted; steps without noise are as frequent as at the start. */
export function forecastTraining(parameters: InfluenceParameters, model: Regression): FitError {
  const { records, steps, step, sigma, remainder } = parameters;
  const d = model.parameters;
  // At 0 a gradient is half a record, and coordinates of its contribution have either sign.
  const size = 1 / (2 * sqrt(d)) / (curvatureAt(0) / d + model.ridge) / records;
  const passes = (c: number): number => skipProbability(Float64Array.of(c + remainder), parameters);
  const skipped = ((passes(size) + passes(-size)) / 2) ** d;
  return fitError({ ...model, steps, redrawn: records, step: () => step }, sigma * sigma * (1 - skipped));
}

/** The expected error of DP-SGD that draws a single record anew in each step; batches, passes and smoothing are refused. */
export function forecastGradientPerturbation(parameters: GradientPerturbation, model: Regression): FitError {
  const { records, steps, step, sigma, batch, smoothing, accountant } = parameters;
  checkInteger('batch', batch, 1, 1);
  checkWord('accountant', accountant, ['moments', 'printed']);
  if (smoothing > 0) throw new RefusedValue('smoothing', 'none, for a forecast', smoothing);
  return fitError({ ...model, steps, redrawn: records, step: () => step }, sigma * sigma);
}

/** The expected error of output perturbation in one pass, if the iterates stay inside the ball; several passes are refused. */
export function forecastOutputPerturbation(parameters: OutputPerturbation): FitError {
  const { model, records, passes, step, sigma } = parameters;
  checkInteger('passes', passes, 1, 1);
  const { smoothness } = model.constants;
  const stepAt = (t: number): number => (model.ridge > 0 ? min(1 / smoothness, 1 / (model.ridge * t)) : step);
  const { without } = fitError({ ...model, steps: records, step: stepAt }, 0);
  return { error: sqrt(without * without + model.parameters * sigma * sigma), without };
}

function fitError(descent: Omit<Descent, 'noise'>, noise: number): FitError {
  return {
    error: sqrt(squaredDistance({ ...descent, noise })),
    without: sqrt(squaredDistance({ ...descent, noise: 0 })),
  };
}

/** At step t, t/BLOCK steps are computed together: in so few, neither step sizes nor curvatures change much. */
const BLOCK = 1000;

/**
 * E‖θ_T‖² from θ_0 = 0.
 *
 * Law: the square S obeys S ← S(1 − 2αh) + α²·E‖g‖², h = κ/d + λ, with κ = E f″ over a margin that is normal with
 * variance S/d: by Stein's identity E⟨θ, g⟩ = hS. A gradient has E‖g‖² = ½ − κ + 2λκS/d + λ²S + d·v with noise of
 * variance v. If records are drawn with replacement, the model goes to the minimiser of these records, whose error is
 * the mean of n gradients at 0 over h. Exact for normal iterates in independent coordinates, except that the minimiser
 * of few records changes the curvature.
 */
function squaredDistance({ parameters: d, ridge, steps, step, noise, redrawn }: Descent): number {
  let [square, kept, slope] = [0, 1, 1];
  for (let t = 1; t <= steps; ) {
    // Long steps are computed one by one, because the square need not fall geometrically.
    const block = step(t) * slope > 0.25 ? 1 : min(max(1, floor(t / BLOCK)), steps - t + 1);
    const alpha = step(t + (block - 1) / 2);
    const kappa = curvatureAt(square / d);
    slope = kappa / d + ridge;
    const change = -2 * alpha * slope + alpha * alpha * ridge * (ridge + (2 * kappa) / d);
    const growth = block === 1 ? change : expm1(block * log1p(change));
    square += growth * square + (alpha * alpha * (0.5 - kappa + d * noise) * growth) / change;
    kept *= (1 - alpha * slope) ** block;
    t += block;
  }
  return redrawn === undefined ? square : square + ((1 - kept) / (2 * slope)) ** 2 / redrawn;
}

/** Number of panels of the integral, and how many standard deviations on each side they cover. */
const PANELS = 200;
const DEVIATIONS = 8;

const { secondDerivative } = logisticLoss();

function curvatureAt(variance: number): number {
  const panel = (2 * DEVIATIONS) / PANELS;
  const deviation = sqrt(variance);
  let sum = 0;
  for (let i = 0; i < PANELS; i++) {
    const at = (i + 0.5) * panel - DEVIATIONS;
    sum += panel * normalDensity(at) * secondDerivative(deviation * at);
  }
  return sum;
}

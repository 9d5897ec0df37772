import type { AuditTarget } from '../../src/audit/target.ts';
import { checkInteger } from '../../src/check/number.ts';
import { normalCdf } from '../../src/numeric/normal.ts';
import { type ApproximateGuarantee, approximate } from '../../src/privacy/guarantee.ts';
import { train } from './curator.ts';
import { type CentralRecords, logisticRegression, type Model } from './model.ts';
import { type InfluenceParameters, type InfluenceRequest, printed, recalibrated } from './parameters.ts';

const { abs, exp, pow } = Math;

/**
 * The claim about Algorithm 1 and its refutation. It is no guarantee, and functions that expect a guarantee do not
 * accept it.
 */
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
export const AUDITED: { readonly threshold: number; readonly oneRun: number } = {
  threshold: 6.2,
  oneRun: 3,
};

/**
 * The claim of Theorem 5 about these parameters, marked as refuted.
 *
 * @theorem influence Remark 7
 * @theorem influence Theorem 5
 */
export function claimOf(
  parameters: Pick<InfluenceParameters, 'epsilon1' | 'epsilon2' | 'delta1' | 'delta2'>,
): InfluenceClaim {
  return {
    kind: 'claim',
    claimed: approximate({
      epsilon: parameters.epsilon1 + parameters.epsilon2,
      delta: parameters.delta1 + parameters.delta2,
    }),
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
  { threshold, contributionSigma }: { readonly threshold: number; readonly contributionSigma: number },
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
  /**
   * The data: record j < m is the unit vector e_j if `included[j]`, and 0 otherwise. All further records are 0. A
   * record at 0 has no gradient.
   */
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
 *
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
 *
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

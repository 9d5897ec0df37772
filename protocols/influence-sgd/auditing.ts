import type { AuditTarget } from '../../src/audit/target.ts';
import { checkInteger } from '../../src/check/number.ts';
import { train } from './curator.ts';
import type { Model } from './model.ts';
import { logisticRegression } from './model.ts';
import { type InfluenceParameters, type InfluenceRequest, printed, recalibrated } from './parameters.ts';
import type { CentralRecords } from './records.ts';
import { claimOf } from './theory.ts';

const { exp } = Math;

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

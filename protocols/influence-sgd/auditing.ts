import type { AuditTarget } from '../../src/audit/target.ts';
import { checkInteger } from '../../src/check/number.ts';
import { train } from './curator.ts';
import type { Model } from './model.ts';
import { logisticRegression } from './model.ts';
import { type InfluenceParameters, type InfluenceRequest, printed, recalibrated } from './parameters.ts';
import type { CentralRecords } from './records.ts';
import { claimOf } from './theory.ts';

const { exp } = Math;

/** By how many standard deviations of the noise every contribution passes the decision. */
const MARGIN = 7;

/** ζ that is added to the Hessian, which has next to no curvature of its own. */
const DAMPING = 1;

/** Parameters, a model and data on which Algorithm 1 shows its records. */
export interface ExposedExample {
  readonly parameters: InfluenceParameters;
  /** Logistic regression without regularisation, 1-Lipschitz on the whole space. */
  readonly model: Model;
  /**
   * The data: record j < m is the unit vector e_j if `included[j]`, and 0 otherwise, as all further records are. What is at 0 has
   * no gradient.
   */
  data(included: ArrayLike<boolean>): CentralRecords;
}

/** What an example is made from. */
export interface ExposedRequest {
  /** Which noise. */
  readonly variant: 'printed' | 'recalibrated';
  /** The budgets claimed. */
  readonly budget: Pick<InfluenceRequest, 'epsilon1' | 'delta1' | 'epsilon2' | 'delta2'>;
  /** n. */
  readonly records: number;
  /** m, also the number of records that may be there or not. */
  readonly dimension: number;
  /** T, in one round. */
  readonly steps: number;
  /**
   * `pass`: the radius r of the parameter space, which the curator chooses, is so large that every contribution passes the decision.
   * `none`: so small that none does, and all steps have noise: a control.
   */
  readonly decision?: 'pass' | 'none';
}

/**
 * An example that meets every condition of Theorem 5 with G = 1, the Hessian damped as in remark 5, and whose records are shown
 * because their contributions are small: all steps go without noise, as the algorithm wants it, and a coordinate of the model
 * moves if and only if its record was there.
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
 * The example as a target of `audit`: two data sets that differ in record 0, the curator in the place of the player.
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

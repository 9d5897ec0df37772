import type { Random } from '../../src/random/random.ts';
import { trainBatches } from './mini-batch.ts';
import type { Model } from './model.ts';
import type { InfluenceParameters } from './parameters.ts';
import type { CentralRecords } from './records.ts';

/** A trained model and how it came about. Only `theta` is what the paper releases; the counts depend on the data as well. */
export interface InfluenceTraining {
  /** θ_priv, the parameters after the last round. Not private: see `claimOf`. */
  readonly theta: Float64Array;
  /** Steps with noise on the gradient. */
  readonly noised: number;
  /** Steps without. */
  readonly skipped: number;
}

/** What a run may be given besides. */
export interface TrainingOptions {
  /** The model before the first step; the origin if left out. */
  readonly start?: Float64Array;
  /** Hears of every step: which record, and whether its gradient had no noise. For experiments; it sees what nobody may. */
  readonly onStep?: (index: number, skipped: boolean, theta: Float64Array) => void;
}

/**
 * Algorithm 1, PIDP-SGD, in full: R rounds of T_local steps. A round computes the Hessian at its start; a step draws a record,
 * noises twice its contribution c_z + E, and adds noise to the gradient unless every coordinate passes the decision.
 *
 * Guarantee: none; see `claimOf` and the page of the protocol.
 *
 * Source: Kang, Li, Liu, Wang, Algorithm 1.
 *
 * @throws TypeError or RangeError for records outside the domain, without their values, for records, a model or a start of other sizes
 * than the parameters', and for a Hessian that cannot be inverted.
 * @theorem influence Algorithm 1
 * @theorem influence Remark 6
 * @theorem influence Remark 7
 * @theorem influence Figure 1
 * @theorem influence Figure 2
 */
export function train(
  parameters: InfluenceParameters,
  model: Model,
  records: CentralRecords,
  random: Random,
  options: TrainingOptions = {},
): InfluenceTraining {
  const { start, onStep } = options;
  const { theta, important } = trainBatches(parameters, model, records, random, {
    batch: 1,
    ...(start === undefined ? {} : { start }),
    onStep: (noised, at, index) => onStep?.(index, noised === 0, at),
  });
  return { theta, noised: important, skipped: parameters.steps - important };
}

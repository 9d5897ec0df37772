import { refusal } from '../../src/check/number.ts';
import { fillNormal } from '../../src/random/normal.ts';
import type { Random } from '../../src/random/random.ts';
import { uniformInteger } from '../../src/random/uniform.ts';
import { influence } from './contribution.ts';
import { skipsNoise } from './decision.ts';
import { checkFit, fillRecordGradient, type Model } from './model.ts';
import type { InfluenceParameters } from './parameters.ts';
import { type CentralRecords, checkRecords } from './records.ts';

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
  const { localRounds, globalRounds, lipschitz, sigma, contributionSigma, remainder, step } = parameters;
  const m = model.parameters;
  const theta = options.start === undefined ? new Float64Array(m) : options.start.slice();
  checkRecords(records);
  checkFit(model, theta, records);
  if (records.records !== parameters.records) {
    throw new RangeError(refusal('records', `${parameters.records}, as in the parameters`, records.records));
  }
  const gradient = new Float64Array(m);
  const contribution = new Float64Array(m);
  const noise = new Float64Array(m);
  let skipped = 0;
  for (let round = 0; round < globalRounds; round++) {
    const contributionOf = influence(parameters, model, records, theta, random);
    for (let t = 0; t < localRounds; t++) {
      const index = uniformInteger(records.records, random);
      contributionOf(index, contribution);
      fillNormal(noise, random);
      // E is added to every coordinate, as printed: where a coordinate is negative that makes it smaller.
      for (let j = 0; j < m; j++) {
        contribution[j] = 2 * (contribution[j] + remainder) + contributionSigma * noise[j];
      }
      fillRecordGradient(model, theta, records, index, lipschitz, gradient);
      const skips = skipsNoise(contribution, parameters);
      if (skips) skipped++;
      else {
        fillNormal(noise, random);
        for (let j = 0; j < m; j++) gradient[j] += sigma * noise[j];
      }
      for (let j = 0; j < m; j++) theta[j] -= step * gradient[j];
      options.onStep?.(index, skips, theta);
    }
  }
  return { theta, noised: parameters.steps - skipped, skipped };
}

import { checkInteger, refusal } from '../../src/check/number.ts';
import { fillNormal } from '../../src/random/normal.ts';
import type { Random } from '../../src/random/random.ts';
import { uniformInteger } from '../../src/random/uniform.ts';
import { influence } from './contribution.ts';
import { skipsNoise } from './decision.ts';
import { checkFit, fillRecordGradient, type Model } from './model.ts';
import type { InfluenceParameters } from './parameters.ts';
import { type CentralRecords, checkRecords } from './records.ts';

/** What a run with batches is given. */
export interface BatchOptions {
  /** B: records drawn for a step, each independently of the others. */
  readonly batch: number;
  /** The model before the first step; the origin if left out. */
  readonly start?: Float64Array;
  /** Hears of every step: how many of its records want noise, and the last one drawn. For experiments; it sees what nobody may. */
  readonly onStep?: (important: number, theta: Float64Array, last: number) => void;
}

/** A model trained by batches and how it came about. */
export interface BatchTraining {
  /** θ_priv, the parameters after the last round. Not private: see `claimOf`. */
  readonly theta: Float64Array;
  /** Draws of records that wanted noise, over all steps. */
  readonly important: number;
  /** Draws of records in all. */
  readonly drawn: number;
}

/**
 * PIDP-SGD by mini-batches, as the paper sketches it: each of B drawn records is decided on as in Algorithm 1, and the noise has the
 * sampling probability of the B_IF of them that are important, B_IF/n instead of B/n: the step is the mean of the gradients plus
 * (B_IF/B)·σ·N(0, I). With B = 1 it is Algorithm 1, `train`.
 *
 * Guarantee: none, for the same reason as `train`: how much noise there is depends on the data.
 *
 * Source: Kang, Li, Liu, Wang, end of Section V.
 *
 * @throws TypeError or RangeError for records outside the domain, without their values, for a batch, records, a model or a start of other
 * sizes than the parameters', and for a Hessian that cannot be inverted.
 * @theorem influence Algorithm 1
 * @theorem influence Remark 6
 * @theorem influence Remark 7
 */
export function trainBatches(
  parameters: InfluenceParameters,
  model: Model,
  records: CentralRecords,
  random: Random,
  options: BatchOptions,
): BatchTraining {
  const { localRounds, globalRounds, lipschitz, sigma, contributionSigma, remainder, step } = parameters;
  const batch = checkInteger('batch', options.batch, 1, parameters.records);
  const m = model.parameters;
  const theta = options.start === undefined ? new Float64Array(m) : options.start.slice();
  checkRecords(records);
  checkFit(model, theta, records);
  if (records.records !== parameters.records) {
    throw new RangeError(refusal('records', `${parameters.records}, as in the parameters`, records.records));
  }
  const mean = new Float64Array(m);
  const gradient = new Float64Array(m);
  const contribution = new Float64Array(m);
  const noise = new Float64Array(m);
  let all = 0;
  for (let round = 0; round < globalRounds; round++) {
    const contributionOf = influence(parameters, model, records, theta, random);
    for (let t = 0; t < localRounds; t++) {
      mean.fill(0);
      let [important, index] = [0, 0];
      for (let i = 0; i < batch; i++) {
        index = uniformInteger(records.records, random);
        contributionOf(index, contribution);
        fillNormal(noise, random);
        // E is added to every coordinate, as printed: where a coordinate is negative that makes it smaller.
        for (let j = 0; j < m; j++) {
          contribution[j] = 2 * (contribution[j] + remainder) + contributionSigma * noise[j];
        }
        fillRecordGradient(model, theta, records, index, lipschitz, gradient);
        for (let j = 0; j < m; j++) mean[j] += gradient[j] / batch;
        if (!skipsNoise(contribution, parameters)) important++;
      }
      if (important > 0) {
        const deviation = sigma * (important / batch);
        fillNormal(noise, random);
        for (let j = 0; j < m; j++) mean[j] += deviation * noise[j];
      }
      for (let j = 0; j < m; j++) theta[j] -= step * mean[j];
      all += important;
      options.onStep?.(important, theta, index);
    }
  }
  return { theta, important: all, drawn: batch * parameters.steps };
}

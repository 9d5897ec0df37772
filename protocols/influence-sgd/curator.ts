import { checkInteger } from '../../src/check/refusal.ts';
import { fillNormal, type Random, uniformInteger } from '../../src/random/random.ts';
import { influence } from './contribution.ts';
import { type CentralRecords, checkAll, fillRecordGradient, type Model } from './model.ts';
import type { InfluenceParameters } from './parameters.ts';

const { abs, exp, expm1, log, sign } = Math;

/** The options of a run with batches of B records, each drawn independently of the others. */
export interface BatchOptions {
  readonly batch: number;
  /** The model before the first step; the origin if left out. */
  readonly start?: Float64Array;
  /** Called in every step: how many records need noise, and the last one. For experiments; sees private values. */
  readonly onStep?: (important: number, theta: Float64Array, last: number) => void;
}

/** A model trained by batches, with counts of its training. */
export interface BatchTraining {
  /** θ_priv, the parameters after the last round. Not private: see `claimOf`. */
  readonly theta: Float64Array;
  /** Number of draws of records that needed noise, over all steps. */
  readonly important: number;
  /** Number of all draws of records. */
  readonly drawn: number;
}

/**
 * The decision of lines 9 and 10 of Algorithm 1, line by line: whether a step with this noised contribution c_t has no
 * noise. With A = 2re^{ε₁}δ₁ it has none unless some |[c_t]_i| ≥ A/(e^{ε₁} − 1) or
 * log(A/(A − (e^{ε₁} − 1)|[c_t]_i|)) > 2ε₁.
 * @theorem influence Algorithm 1
 */
export function skipsNoise(
  contribution: Float64Array,
  { epsilon1, delta1, radius }: Pick<InfluenceParameters, 'epsilon1' | 'delta1' | 'radius'>,
): boolean {
  const area = 2 * radius * exp(epsilon1) * delta1;
  const growth = expm1(epsilon1);
  for (let i = 0; i < contribution.length; i++) {
    const c = contribution[i];
    if (!(abs(c) < area / growth)) return false;
    if (!(log(area / (area - growth * sign(c) * c)) <= 2 * epsilon1)) return false;
  }
  return true;
}

/**
 * PIDP-SGD by mini-batches, as the paper sketches it. Algorithm 1 decides on each of the B drawn records; B_IF of them
 * are important. The noise has their sampling probability, B_IF/n instead of B/n: the step is the mean of the gradients
 * plus (B_IF/B)·σ·N(0, I). With B = 1 this is Algorithm 1, `train`.
 *
 * Guarantee: none, for the same reason as `train`: the amount of noise depends on the data.
 *
 * Source: Kang, Li, Liu, Wang, end of Section V.
 * @throws TypeError or RangeError for records outside the domain (the message has no values), for a batch, records, a
 * model or a start whose sizes differ from those in the parameters, and for a Hessian that cannot be inverted.
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
  checkAll(model, theta, records, parameters);
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
        // E is added to every coordinate, as printed. A negative coordinate becomes smaller in size by this.
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

/** A trained model, with counts of its training. The paper releases `theta` only; counts depend on the data too. */
export interface InfluenceTraining extends Pick<BatchTraining, 'theta'> {
  /** Number of steps with noise on the gradient. */
  readonly noised: number;
  /** Number of steps without noise. */
  readonly skipped: number;
}

/** The further options of a run. */
export interface TrainingOptions extends Pick<BatchOptions, 'start'> {
  /** Called in every step: which record, and whether it had no noise. For experiments; it sees private values. */
  readonly onStep?: (index: number, skipped: boolean, theta: Float64Array) => void;
}

/**
 * Algorithm 1, PIDP-SGD, in full: R rounds of T_local steps. A round computes the Hessian at its start. A step draws a
 * record and adds noise to twice its contribution c_z + E. It also adds noise to the gradient unless every coordinate
 * passes the decision.
 *
 * Guarantee: none; see `claimOf` and the README of the protocol.
 *
 * Source: Kang, Li, Liu, Wang, Algorithm 1.
 * @throws TypeError or RangeError for records outside the domain (the message has no values), for records, a model or a
 * start whose sizes differ from those in the parameters, and for a Hessian that cannot be inverted.
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
  const { theta, important } = trainBatches(parameters, model, records, random, {
    ...options,
    batch: 1,
    onStep: (noised, at, index) => options.onStep?.(index, noised === 0, at),
  });
  return { theta, noised: important, skipped: parameters.steps - important };
}

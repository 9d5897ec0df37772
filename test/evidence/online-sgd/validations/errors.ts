import type { PlainRequest } from 'ldpkit';
import { averageIterate } from 'ldpkit/inference';
import { type OnlineSgdRequest, onlineSgd, onlineSgdPlan, streamReplication } from 'ldpkit/protocols/online-sgd';
import { replicationsOf } from '../../experiment/experiment.ts';
import { type BoundFields, omega } from '../bounds.ts';
import { RISK_REQUESTS, RISK_STARTS, type RiskKind, riskOf } from './risks.ts';

/** Streams on one of the risks, whose error is looked at along the way. */
export type ErrorSetting = {
  readonly kind: RiskKind;
  readonly decay: number;
  /** η, where it is not that of the risk. */
  readonly rate?: number;
  /** After how many players; the last is n. */
  readonly checkpoints: readonly number[];
  /** Replications of a chunk. */
  readonly size: number;
};

/** The four errors that theorems 3 to 6 speak of. */
export type ErrorName = 'last' | 'average' | 'lastLoss' | 'averageLoss';

/** Errors by name, replication and checkpoint; `shift` is (θ̄_n − θ*)_0 with its sign. */
export type ErrorChunk = { readonly [name in ErrorName | 'shift']: readonly (readonly number[])[] };

/** What the plan and the bounds of a setting depend on. */
export type ErrorRisk = Pick<ErrorSetting, 'kind' | 'decay' | 'rate'>;

/** What the plan of a setting is made from. */
export function errorRequest({ kind, decay, rate }: ErrorRisk): OnlineSgdRequest {
  const request: PlainRequest = { ...RISK_REQUESTS[kind], decay, ...(rate === undefined ? {} : { rate }) };
  return request as unknown as OnlineSgdRequest;
}

/** The same streams for a moment. */
export function errorSmallRun(setting: ErrorSetting): ErrorSetting {
  return { ...setting, checkpoints: [1, 500], size: 1 };
}

/** One chunk of the replications. Those of all decays meet the same people. */
export function errorChunk({ size, ...setting }: ErrorSetting, chunk: number, seed: string): ErrorChunk {
  const plan = onlineSgdPlan(errorRequest(setting));
  const { population, error, loss, minimiser } = riskOf(setting.kind);
  const { checkpoints } = setting;
  const players = checkpoints[checkpoints.length - 1];
  const result = {
    last: [] as number[][],
    average: [] as number[][],
    lastLoss: [] as number[][],
    averageLoss: [] as number[][],
    shift: [] as number[][],
  };
  const { from, to } = replicationsOf(chunk, size);
  for (let replication = from; replication < to; replication++) {
    const [last, average, lastLoss, averageLoss, shift] = [[], [], [], [], []] as number[][];
    streamReplication(onlineSgd, {
      plan,
      population,
      players,
      seed: `${seed}/errors/${setting.kind}/${replication}`,
      checkpoints,
      look(_, state) {
        const mean = averageIterate(state.scaling);
        last.push(error(state.iterate));
        average.push(error(mean));
        lastLoss.push(loss(state.iterate));
        averageLoss.push(loss(mean));
        shift.push(mean[0] - minimiser);
      },
    });
    result.last.push(last);
    result.average.push(average);
    result.lastLoss.push(lastLoss);
    result.averageLoss.push(averageLoss);
    result.shift.push(shift);
  }
  return result;
}

/** All replications of one error. */
export function errorRows(chunks: readonly ErrorChunk[], name: keyof ErrorChunk): readonly (readonly number[])[] {
  return chunks.flatMap((chunk) => chunk[name]);
}

/** What the bounds are asked for. */
export function boundFields(setting: ErrorRisk, steps: number): BoundFields {
  const plan = onlineSgdPlan(errorRequest(setting));
  const { rate, decay, model } = plan;
  return {
    steps,
    rate,
    decay,
    gradientBound: model.gradientBound,
    omega: omega(plan),
    start: RISK_STARTS[setting.kind],
  };
}

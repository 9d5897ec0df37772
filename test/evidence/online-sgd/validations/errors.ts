import { averageIterate } from 'ldpkit/inference';
import type { OnlinePlan } from 'ldpkit/protocols/online-sgd';
import { replicationsOf } from '../../experiment/experiment.ts';
import { type BoundFields, omega } from '../bounds.ts';
import { looksAt, planOf, seen } from '../reproductions/trajectory.ts';
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

/** The plan of a setting. */
export function errorPlan({ kind, decay, rate }: ErrorRisk): OnlinePlan {
  return planOf({ ...RISK_REQUESTS[kind], decay, ...(rate === undefined ? {} : { rate }) });
}

/** The same streams for a moment. */
export function errorSmallRun(setting: ErrorSetting): ErrorSetting {
  return { ...setting, checkpoints: [1, 500], size: 1 };
}

/** One chunk of the replications. Those of all decays meet the same people. */
export function errorChunk({ size, ...setting }: ErrorSetting, chunk: number, seed: string): ErrorChunk {
  const plan = errorPlan(setting);
  const { population, error, loss, minimiser } = riskOf(setting.kind);
  const { checkpoints } = setting;
  const looks = replicationsOf(chunk, size).map((replication) =>
    looksAt(
      { plan, population, checkpoints, seed: `${seed}/errors/${setting.kind}/${replication}` },
      ({ iterate, scaling }) => {
        const mean = averageIterate(scaling);
        return {
          last: error(iterate),
          average: error(mean),
          lastLoss: loss(iterate),
          averageLoss: loss(mean),
          shift: mean[0] - minimiser,
        };
      },
    ),
  );
  return {
    last: seen(looks, 'last'),
    average: seen(looks, 'average'),
    lastLoss: seen(looks, 'lastLoss'),
    averageLoss: seen(looks, 'averageLoss'),
    shift: seen(looks, 'shift'),
  };
}

/** All replications of one error. */
export function errorRows(chunks: readonly ErrorChunk[], name: keyof ErrorChunk): readonly (readonly number[])[] {
  return chunks.flatMap((chunk) => chunk[name]);
}

/** What the bounds are asked for. */
export function boundFields(setting: ErrorRisk, steps: number): BoundFields {
  const plan = errorPlan(setting);
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

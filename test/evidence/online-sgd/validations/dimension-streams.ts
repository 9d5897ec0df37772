import type { PlainRequest } from 'ldpkit';
import {
  type OnlinePlan,
  type OnlineSgdRequest,
  onlineSgd,
  onlineSgdPlan,
  streamReplication,
} from 'ldpkit/protocols/online-sgd';
import { replicationsOf } from 'ldpkit/testing';
import { logarithmicGrid, squaredDistance } from '../reproductions/trajectory.ts';
import { quadraticLaw, totals, UNIFORM_VARIANCE } from './quadratic-law.ts';
import { signPopulation } from './risks.ts';

/** Streams of one mechanism in one dimension. */
export type DimensionSetting = {
  readonly budget: PlainRequest;
  readonly dimension: number;
  readonly checkpoints: readonly number[];
  readonly size: number;
};

/** By replication: the mean over checkpoints of ‖θ_n − θ*‖²/(η_n·C₀²). */
export type DimensionPart = readonly number[];

const RATE = 0.1;
const DECAY = 0.5;
const BOUND = 4;

/** Where the start is forgotten, e^(−14) of it left. Steps are so small that hardly a gradient at d = 16 is clipped. */
export const CHECKPOINTS: readonly number[] = logarithmicGrid(5000, 8000, 20);

/** The exact error over η_n·C₀², in the mean over checkpoints, under noise of that Ω: each coordinate has the same. */
export function exactError(dimension: number, omegaOf: number): number {
  const fields = {
    squares: new Array<number>(dimension).fill(1),
    noise: () => (BOUND ** 2 * omegaOf) / dimension,
    response: UNIFORM_VARIANCE,
    rate: RATE,
    decay: DECAY,
    start: new Array<number>(dimension).fill(0),
  };
  const law = totals(quadraticLaw(fields, CHECKPOINTS).last);
  const scaled = law.map((error, k) => error / (RATE * CHECKPOINTS[k] ** -DECAY * BOUND ** 2));
  return scaled.reduce((sum, value) => sum + value, 0) / scaled.length;
}

/** Squared loss on an intercept and d − 1 features, clipped at the same C₀ for every d. */
export function planOf({ budget, dimension }: DimensionSetting): OnlinePlan {
  const model = { kind: 'response', loss: 'squared', features: dimension - 1, clip: BOUND };
  const start = new Array<number>(dimension).fill(1);
  const request = { ...budget, model, rate: RATE, decay: DECAY, start, inference: [] };
  return onlineSgdPlan(request as unknown as OnlineSgdRequest);
}

/** One part of the replications. */
export function dimensionPart(setting: DimensionSetting, index: number, seed: string): DimensionPart {
  const { dimension, checkpoints, size } = setting;
  const plan = planOf(setting);
  const population = signPopulation(dimension - 1, 1);
  const truth = new Float64Array(dimension).fill(1);
  const { from, to } = replicationsOf(index, size);
  return Array.from({ length: to - from }, (_, r) => {
    let sum = 0;
    streamReplication(onlineSgd, {
      plan,
      population,
      players: checkpoints[checkpoints.length - 1],
      seed: `${seed}/dimension/${dimension}/${from + r}`,
      checkpoints,
      look(n, state) {
        sum += squaredDistance(state.iterate, truth) / (RATE * n ** -DECAY * BOUND ** 2);
      },
    });
    return sum / checkpoints.length;
  });
}

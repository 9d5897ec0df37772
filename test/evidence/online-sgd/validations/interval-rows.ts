import type { PlainRequest } from 'ldpkit';
import { averageIterate, randomScalingMatrix } from 'ldpkit/inference';
import { onlineSgd, plugInCovariance, streamReplication } from 'ldpkit/protocols/online-sgd';
import { replicationsOf } from '../../experiment/experiment.ts';
import { linearPopulation } from '../reproductions/population.ts';
import { planOf } from '../reproductions/trajectory.ts';

const { sqrt } = Math;

/** Streams of the linear model whose errors are studentised. */
export type IntervalSetting = {
  readonly request: PlainRequest;
  readonly players: number;
  readonly size: number;
};

/** One stream: √n(θ̄ − θ₀)_j over the root of an estimated variance, by coordinate. */
export type IntervalRow = {
  /** With the random scaling matrix; the law is the pivotal one. */
  readonly scaled: readonly number[];
  /** n(θ̄ − θ₀)ᵀV⁻¹(θ̄ − θ₀) of the first two coordinates. */
  readonly joint: number;
  /** With the plug-in from released gradients alone, and with released Hessians; the law is normal. Empty where there is none. */
  readonly regressed: readonly number[];
  readonly released: readonly number[];
};

/** Rows of a chunk. */
export type IntervalChunk = readonly IntervalRow[];

/** Noise of the response, as in the paper. */
export const DEVIATION = 0.5;

/** κ₁ of plug-ins: it is never reached at these sizes but by chance. */
const FLOOR = 0.01;

/** The same streams for a moment. */
export function intervalSmallRun(setting: IntervalSetting): IntervalSetting {
  return { ...setting, players: 2000, size: 1 };
}

/** One chunk of the replications. Budgets meet the same people. */
export function intervalChunk(setting: IntervalSetting, index: number, seed: string): IntervalChunk {
  const plan = planOf(setting.request);
  const { features, dimension } = plan.model;
  return replicationsOf(index, setting.size).map((replication) => {
    const state = streamReplication(onlineSgd, {
      plan,
      population: linearPopulation(features, DEVIATION),
      players: setting.players,
      seed: `${seed}/intervals/${replication}`,
    });
    const { scaling } = state;
    const error = averageIterate(scaling).map((entry) => sqrt(scaling.steps) * (entry - 1));
    const over = (matrix: Float64Array): number[] =>
      Array.from(error, (entry, i) => entry / sqrt(matrix[i * (dimension + 1)]));
    const matrix = randomScalingMatrix(scaling);
    const [a, b, c] = [matrix[0], matrix[1], matrix[dimension + 1]];
    const [x, y] = error;
    return {
      scaled: over(matrix),
      joint: (c * x * x - 2 * b * x * y + a * y * y) / (a * c - b * b),
      regressed:
        state.released === undefined
          ? []
          : over(plugInCovariance(plan, state, { hessian: 'regression', hessianFloor: FLOOR }).covariance),
      released:
        state.hessians === undefined
          ? []
          : over(plugInCovariance(plan, state, { hessian: 'released', hessianFloor: FLOOR }).covariance),
    };
  });
}

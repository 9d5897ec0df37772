import type { PlainRequest } from 'ldpkit';
import { averageIterate } from 'ldpkit/inference';
import {
  noiseVariance,
  type OnlinePlan,
  type OnlineSgdRequest,
  onlineSgd,
  onlineSgdPlan,
  streamReplication,
} from 'ldpkit/protocols/online-sgd';
import { replicationsOf } from 'ldpkit/testing';
import { signPopulation } from './risks.ts';

/** Streams of one mechanism. */
export type CovarianceSetting = {
  readonly request: PlainRequest;
  readonly checkpoints: readonly number[];
  readonly size: number;
};

/** θ̄_n − θ*, by replication, checkpoint and coordinate. */
export type CovariancePart = readonly (readonly (readonly number[])[])[];

const FEATURES = 1;
const CLIP = 4;

/** After how many players. */
export const CHECKPOINTS: readonly number[] = [125, 250, 500, 1000];

/** η. */
export const RATE = 0.5;

/** α. */
export const DECAY = 0.6;

/** The variance of noise on a coordinate by step: as the theorem has it, or that of the plan where calibration is numerical. */
type NoiseLaw = (plan: OnlinePlan) => (step: number) => number;

const gaussianLaw =
  (...mus: readonly number[]): NoiseLaw =>
  () =>
  (step) =>
    (2 * CLIP) ** 2 / mus[(step - 1) % mus.length] ** 2;
const planLaw: NoiseLaw = (plan) => {
  const variance = noiseVariance(plan);
  return () => variance;
};

/** The three of the paper, one of them also with budgets that differ, and PrivUnitG. */
export const MECHANISMS: readonly {
  readonly key: string;
  readonly label: string;
  readonly budget: PlainRequest;
  readonly noise: NoiseLaw;
}[] = [
  { key: 'gdp', label: 'Gaussian, μ = 3', budget: { maker: 'gdp', mu: 3 }, noise: gaussianLaw(3) },
  {
    key: 'budgets',
    label: 'Gaussian, μ = 2.5 and 5 in turn',
    budget: { maker: 'gdp', budgets: { rule: 'list', mus: [2.5, 5] } },
    noise: gaussianLaw(2.5, 5),
  },
  {
    key: 'gaussian',
    label: 'Gaussian, ε = 8, δ = 0.01',
    budget: { maker: 'gaussian', epsilon: 8, delta: 0.01 },
    noise: planLaw,
  },
  {
    key: 'laplace',
    label: 'Laplace, ε = 10',
    budget: { maker: 'laplace', epsilon: 10 },
    noise: () => () => (8 * (FEATURES + 1) * CLIP ** 2) / 10 ** 2,
  },
  { key: 'priv-unit', label: 'PrivUnitG, ε = 6', budget: { maker: 'privUnit', epsilon: 6 }, noise: planLaw },
];

/** The streams under one budget. */
export function covarianceSetting(budget: PlainRequest): CovarianceSetting {
  const model = { kind: 'response', loss: 'squared', features: FEATURES, clip: CLIP };
  const request = { ...budget, model, rate: RATE, decay: DECAY, start: [1, 1], inference: [] };
  return { request, checkpoints: CHECKPOINTS, size: 500 };
}

/** The plan of a setting. */
export function covariancePlan({ request }: CovarianceSetting): OnlinePlan {
  return onlineSgdPlan(request as unknown as OnlineSgdRequest);
}

/** One part of the replications. */
export function covariancePart(setting: CovarianceSetting, index: number, seed: string): CovariancePart {
  const plan = covariancePlan(setting);
  const population = signPopulation(FEATURES, 1);
  const { checkpoints, size } = setting;
  const { from, to } = replicationsOf(index, size);
  return Array.from({ length: to - from }, (_, r) => {
    const looks: number[][] = [];
    streamReplication(onlineSgd, {
      plan,
      population,
      players: checkpoints[checkpoints.length - 1],
      seed: `${seed}/covariance/${from + r}`,
      checkpoints,
      look: (__, state) => void looks.push(Array.from(averageIterate(state.scaling), (entry) => entry - 1)),
    });
    return looks;
  });
}

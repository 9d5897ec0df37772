import type { OnlineDatum, OnlinePlan } from '../../protocols/online-sgd/index.ts';
import { player, server } from '../../protocols/online-sgd/index.ts';
import { fillGradient } from '../../src/protocol/online/gradient.ts';
import { fillNormal } from '../../src/random/normal.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { uniform } from '../../src/random/uniform.ts';
import { type StreamPopulation, streamReplication } from '../../src/simulation/stream.ts';

interface Written extends OnlineDatum {
  readonly features: Float64Array;
  response: number;
}

/** The linear model of both papers: y = 1 + Σ x_j + σe with standard normal features. */
export function linearPopulation(features: number, deviation: number): StreamPopulation<OnlineDatum> {
  const drawn = new Float64Array(features + 1);
  return {
    create: (): Written => ({ features: new Float64Array(features), response: 0 }),
    draw(datum, random) {
      const written = datum as Written;
      fillNormal(drawn, random);
      let y = 1 + deviation * drawn[features];
      for (let j = 0; j < features; j++) {
        written.features[j] = drawn[j];
        y += drawn[j];
      }
      written.response = y;
    },
  };
}

/** The same with features and errors uniform: everything is bounded, and the squared loss has a bounded gradient near θ*. */
export function boundedPopulation(features: number, deviation: number): StreamPopulation<OnlineDatum> {
  return {
    create: (): Written => ({ features: new Float64Array(features), response: 0 }),
    draw(datum, random) {
      const written = datum as Written;
      let y = 1 + deviation * (2 * uniform(random) - 1);
      for (let j = 0; j < features; j++) y += written.features[j] = 2 * uniform(random) - 1;
      written.response = y;
    },
  };
}

/** y ∈ {0, 1} with probability 1/(1 + e^(−t)), t = 1 + Σ x_j. */
export function logisticPopulation(features: number): StreamPopulation<OnlineDatum> {
  const drawn = new Float64Array(features);
  return {
    create: (): Written => ({ features: new Float64Array(features), response: 0 }),
    draw(datum, random) {
      const written = datum as Written;
      fillNormal(drawn, random);
      let t = 1;
      for (let j = 0; j < features; j++) t += written.features[j] = drawn[j];
      written.response = uniform(random) < 1 / (1 + Math.exp(-t)) ? 1 : 0;
    },
  };
}

/** S = E ΨΨᵀ and A = E ∂Ψ/∂θ at θ, from simulated records; A by central differences of the mean gradient. */
export function populationMoments(
  { model }: OnlinePlan,
  theta: Float64Array,
  population: StreamPopulation<OnlineDatum>,
  count: number,
): { hessian: Float64Array; gradient: Float64Array } {
  const { dimension } = model;
  const random = seededRandom('population moments');
  const datum = population.create();
  const hessian = new Float64Array(dimension * dimension);
  const gradient = new Float64Array(dimension * dimension);
  const psi = new Float64Array(dimension);
  const step = 1e-3;
  const moved = Array.from({ length: 2 * dimension }, (_, k) =>
    theta.map((entry, i) => entry + (i === k >> 1 ? (k & 1 ? -step : step) : 0)),
  );
  for (let n = 0; n < count; n++) {
    population.draw(datum, random);
    fillGradient(model, theta, datum, psi);
    for (let i = 0; i < dimension; i++) {
      for (let j = 0; j < dimension; j++) gradient[i * dimension + j] += (psi[i] * psi[j]) / count;
    }
    for (let k = 0; k < 2 * dimension; k++) {
      fillGradient(model, moved[k], datum, psi);
      const weight = (k & 1 ? -1 : 1) / (2 * step * count);
      for (let i = 0; i < dimension; i++) hessian[i * dimension + (k >> 1)] += weight * psi[i];
    }
  }
  return { hessian, gradient };
}

/** Runs many streams; `look` sees the average and the last iterate after each checkpoint. */
export function manyStreams(
  plan: OnlinePlan,
  population: StreamPopulation<OnlineDatum>,
  checkpoints: readonly number[],
  runs: number,
  seed: string,
  look: (checkpoint: number, average: Float64Array, last: Float64Array) => void,
): void {
  for (let run = 0; run < runs; run++) {
    streamReplication(
      { player, server },
      {
        plan,
        population,
        players: checkpoints[checkpoints.length - 1] * plan.batch,
        seed: `${seed} ${run}`,
        checkpoints: checkpoints.map((checkpoint) => checkpoint * plan.batch),
        look: (_, state) => {
          const { theta, last } = server.estimate(plan, state, { method: 'none' });
          look(state.steps, theta, last);
        },
      },
    );
  }
}

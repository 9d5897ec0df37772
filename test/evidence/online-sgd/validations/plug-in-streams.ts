import { type PlainRequest, seededRandom } from 'ldpkit';
import { packedLength, unpackSymmetric } from 'ldpkit/inference';
import { fillGradient, fillHessianFactor, type OnlineDatum } from 'ldpkit/optimize';
import {
  asymptoticCovariance,
  type OnlinePlan,
  type OnlineSgdRequest,
  type OnlineStep,
  onlineSgd,
  onlineSgdPlan,
  plugInCovariance,
  streamReplication,
} from 'ldpkit/protocols/online-sgd';
import { replicationsOf } from '../../experiment/experiment.ts';
import { printedPlugIn } from '../printed-plug-in.ts';
import { huberMoments } from '../reproductions/mallows-moments.ts';
import { linearPopulation } from '../reproductions/population.ts';

const { hypot } = Math;

/** Streams along which covariances are estimated. */
export type PlugInSetting = {
  readonly request: PlainRequest;
  readonly checkpoints: readonly number[];
  readonly size: number;
};

/** ‖Σ̂ − Σ̃‖/‖Σ̃‖ in the Frobenius norm, by estimator, replication and checkpoint. */
export type PlugInChunk = { readonly [name in Estimator]: readonly (readonly number[])[] };

/** Names of estimators. */
export type Estimator = 'printed' | 'released' | 'regressed';

/** Deviation of the noise of responses. */
const DEVIATION = 0.5;

/** κ₁ and κ₂ of the printed plug-in, and κ₁ of the local ones; the paper names none. */
export const FLOOR = 0.05;

/** One chunk of the replications: private streams, and a curator who looks over every player's shoulder. */
export function plugInChunk({ request, checkpoints, size }: PlugInSetting, index: number, seed: string): PlugInChunk {
  const plan = onlineSgdPlan(request as unknown as OnlineSgdRequest);
  const { model } = plan;
  if (model.form !== 'index') throw new RangeError('"request" expected a model with one inner product');
  const { dimension, gradientBound, sensitivity, hessianBound } = model;
  if (plan.noise.law !== 'gaussian') throw new RangeError('"request" expected Gaussian noise');
  const mu = sensitivity / plan.noise.sigma;
  const limit = huberLimit(plan, DEVIATION);
  const distance = (covariance: Float64Array): number =>
    hypot(...covariance.map((entry, k) => entry - (k % (dimension + 1) === 0 ? limit[k / (dimension + 1)] : 0))) /
    hypot(...limit);
  const scratch = new Float64Array(dimension);
  const hessian = new Float64Array(packedLength(dimension));
  const gradient = new Float64Array(packedLength(dimension));
  // What a trusted curator sees of every player.
  const watch = ({ iterate }: OnlineStep, datum: OnlineDatum): void => {
    fillHessianFactor(model, iterate, datum, scratch);
    addProducts(hessian, scratch);
    fillGradient(model, iterate, datum, scratch);
    addProducts(gradient, scratch);
  };
  const { player, server } = onlineSgd;
  const watched: typeof player = {
    ...player,
    randomize(step, datum, random) {
      watch(step, datum);
      return player.randomize(step, datum, random);
    },
    randomizeInto(step, datum, random, report) {
      watch(step, datum);
      player.randomizeInto(step, datum, random, report);
    },
  };
  const result = { printed: [] as number[][], released: [] as number[][], regressed: [] as number[][] };
  const { from, to } = replicationsOf(index, size);
  for (let replication = from; replication < to; replication++) {
    hessian.fill(0);
    gradient.fill(0);
    const coins = seededRandom(`${seed}/curator/${replication}`);
    const [printed, released, regressed] = [[], [], []] as number[][];
    streamReplication(
      { player: watched, server },
      {
        plan,
        population: linearPopulation(model.features, DEVIATION),
        players: checkpoints[checkpoints.length - 1],
        seed: `${seed}/plug-in/${replication}`,
        checkpoints,
        look(n, state) {
          const { covariance } = printedPlugIn(
            {
              dimension,
              steps: n,
              mu,
              hessian: unpackSymmetric(hessian, dimension, 1 / n),
              gradient: unpackSymmetric(gradient, dimension, 1 / n),
              gradientBound,
              hessianBound: hessianBound ?? 1,
              hessianFloor: FLOOR,
              gradientFloor: FLOOR,
            },
            coins,
          );
          printed.push(distance(covariance));
          const local = (source: 'released' | 'regression'): number =>
            distance(plugInCovariance(plan, state, { hessian: source, hessianFloor: FLOOR }).covariance);
          released.push(local('released'));
          regressed.push(local('regression'));
        },
      },
    );
    result.printed.push(printed);
    result.released.push(released);
    result.regressed.push(regressed);
  }
  return result;
}

function addProducts(packed: Float64Array, vector: Float64Array): void {
  for (let i = 0, k = 0; i < vector.length; i++) for (let j = 0; j <= i; j++) packed[k++] += vector[i] * vector[j];
}

/**
 * The diagonal of A⁻¹(S + noise)A⁻¹ for weighted Huber regression with the threshold 1.345 of y = 1 + Σz + deviation·e on standard
 * normal z, by quadrature. All else of it is 0, by symmetry.
 */
function huberLimit(plan: OnlinePlan, deviation: number): Float64Array {
  const { dimension, features } = plan.model;
  const moments = huberMoments(features, deviation, 1.345);
  const square = (diagonal: Float64Array): Float64Array =>
    Float64Array.from({ length: dimension ** 2 }, (_, k) =>
      k % (dimension + 1) === 0 ? diagonal[k / (dimension + 1)] : 0,
    );
  const covariance = asymptoticCovariance(plan, {
    hessian: square(moments.hessian),
    gradient: square(moments.gradient),
  });
  return Float64Array.from({ length: dimension }, (_, i) => covariance[i * (dimension + 1)]);
}

import { type PlainRequest, seededRandom } from 'ldpkit';
import { packedLength } from 'ldpkit/inference';
import {
  asymptoticCovariance,
  type OnlinePlan,
  type OnlineSgdRequest,
  onlineSgdPlan,
  plugInCovariance,
  streamReplication,
} from 'ldpkit/protocols/online-sgd';
import { replicationsOf } from '../../experiment/experiment.ts';
import { printedCovariance, watched } from '../curator.ts';
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
export function plugInChunk(setting: PlugInSetting, index: number, seed: string): PlugInChunk {
  const { request, checkpoints } = setting;
  const plan = onlineSgdPlan(request as unknown as OnlineSgdRequest);
  const { dimension, features } = plan.model;
  const limit = huberLimit(plan, DEVIATION);
  const distance = (covariance: Float64Array): number =>
    hypot(...covariance.map((entry, k) => entry - (k % (dimension + 1) === 0 ? limit[k / (dimension + 1)] : 0))) /
    hypot(...limit);
  const size = packedLength(dimension);
  const clear = { hessian: new Float64Array(size), gradient: new Float64Array(size) };
  const result = { printed: [] as number[][], released: [] as number[][], regressed: [] as number[][] };
  const { from, to } = replicationsOf(index, setting.size);
  for (let replication = from; replication < to; replication++) {
    clear.hessian.fill(0);
    clear.gradient.fill(0);
    const coins = seededRandom(`${seed}/curator/${replication}`);
    const [printed, released, regressed] = [[], [], []] as number[][];
    streamReplication(watched(clear), {
      plan,
      population: linearPopulation(features, DEVIATION),
      players: checkpoints[checkpoints.length - 1],
      seed: `${seed}/plug-in/${replication}`,
      checkpoints,
      look(n, state) {
        printed.push(distance(printedCovariance(plan, n, clear, FLOOR, coins)));
        const local = (source: 'released' | 'regression'): number =>
          distance(plugInCovariance(plan, state, { hessian: source, hessianFloor: FLOOR }).covariance);
        released.push(local('released'));
        regressed.push(local('regression'));
      },
    });
    result.printed.push(printed);
    result.released.push(released);
    result.regressed.push(regressed);
  }
  return result;
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

import { type PlainRequest, seededRandom } from 'ldpkit';
import { packedLength } from 'ldpkit/inference';
import { plugInCovariance } from 'ldpkit/protocols/online-sgd';
import { replicationsOf } from '../../experiment/experiment.ts';
import { printedCovariance, watched } from '../curator.ts';
import { huberCovariance } from '../reproductions/mallows-moments.ts';
import { linearPopulation } from '../reproductions/population.ts';
import { looksAt, planOf, seen } from '../reproductions/trajectory.ts';

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

/** Deviation of the noise of responses, and the threshold of the loss. */
const DEVIATION = 0.5;
const THRESHOLD = 1.345;

/** κ₁ and κ₂ of the printed plug-in, and κ₁ of the local ones; the paper names none. */
export const FLOOR = 0.05;

/** One chunk of the replications: private streams, and a curator who looks over every player's shoulder. */
export function plugInChunk(setting: PlugInSetting, index: number, seed: string): PlugInChunk {
  const { request, checkpoints } = setting;
  const plan = planOf(request);
  const { dimension, features } = plan.model;
  const limit = huberCovariance(plan, DEVIATION, THRESHOLD);
  const distance = (covariance: Float64Array): number =>
    hypot(...covariance.map((entry, k) => entry - (k % (dimension + 1) === 0 ? limit[k / (dimension + 1)] : 0))) /
    hypot(...limit);
  const size = packedLength(dimension);
  const clear = { hessian: new Float64Array(size), gradient: new Float64Array(size) };
  const population = linearPopulation(features, DEVIATION);
  const looks = replicationsOf(index, setting.size).map((replication) => {
    clear.hessian.fill(0);
    clear.gradient.fill(0);
    const coins = seededRandom(`${seed}/curator/${replication}`);
    const stream = { plan, population, checkpoints, seed: `${seed}/plug-in/${replication}` };
    return looksAt(
      stream,
      (state, players) => {
        const local = (hessian: 'released' | 'regression'): number =>
          distance(plugInCovariance(plan, state, { hessian, hessianFloor: FLOOR }).covariance);
        return {
          printed: distance(printedCovariance(plan, players, clear, FLOOR, coins)),
          released: local('released'),
          regressed: local('regression'),
        };
      },
      watched(clear),
    );
  });
  return { printed: seen(looks, 'printed'), released: seen(looks, 'released'), regressed: seen(looks, 'regressed') };
}

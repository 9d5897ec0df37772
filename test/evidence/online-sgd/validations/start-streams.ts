import type { PlainRequest } from 'ldpkit';
import { averageIterate } from 'ldpkit/inference';
import { type OnlineSgdRequest, onlineSgd, onlineSgdPlan, streamReplication } from 'ldpkit/protocols/online-sgd';
import { replicationsOf } from 'ldpkit/testing';
import { squaredDistance } from '../reproductions/trajectory.ts';
import { signPopulation } from './risks.ts';

const { sqrt } = Math;

/** Pairs of streams from two starts, which meet the same people with the same coins. */
export type StartSetting = { readonly decay: number; readonly checkpoints: readonly number[]; readonly size: number };

/** Squared distances between the two, by replication and checkpoint. */
export type StartPart = {
  readonly last: readonly (readonly number[])[];
  readonly average: readonly (readonly number[])[];
};

/** η. */
export const RATE = 0.4;

/** m of the risk, whose Hessian is diag(1, ½). */
export const CONVEXITY = 0.5;

const SPREAD: number = sqrt(CONVEXITY);

/** How far the two starts are apart, squared. Clipping at 100 is never reached, so that the difference is linear in the start. */
export const APART = 4;

/** One part of the pairs. */
export function startPart({ decay, checkpoints, size }: StartSetting, index: number, seed: string): StartPart {
  const result = { last: [] as number[][], average: [] as number[][] };
  const { from, to } = replicationsOf(index, size);
  for (let replication = from; replication < to; replication++) {
    const [near, far] = [1, 1 + sqrt(APART)].map((start) => {
      const request: PlainRequest = {
        maker: 'gdp',
        mu: 100,
        model: { kind: 'response', loss: 'squared', features: 1, clip: 100 },
        rate: RATE,
        decay,
        start: [1, start],
        inference: [],
      };
      const looks: Float64Array[] = [];
      streamReplication(onlineSgd, {
        plan: onlineSgdPlan(request as unknown as OnlineSgdRequest),
        population: signPopulation(1, SPREAD),
        players: checkpoints[checkpoints.length - 1],
        seed: `${seed}/start/${replication}`,
        checkpoints,
        look: (_, state) => void looks.push(state.iterate.slice(), averageIterate(state.scaling)),
      });
      return looks;
    });
    const distances = near.map((look, k) => squaredDistance(look, far[k]));
    result.last.push(distances.filter((_, k) => k % 2 === 0));
    result.average.push(distances.filter((_, k) => k % 2 === 1));
  }
  return result;
}

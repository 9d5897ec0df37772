import type { PlainRequest } from '../../../src/protocol/contract.ts';
import { onlineAuditing } from '../../../src/protocol/online/auditing.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { type OnlinePlan, type OnlineSgdRequest, onlineSgdPlan } from '../parameters.ts';
import { player } from '../player.ts';
import { server } from '../server.ts';

const { abs, exp, max } = Math;

/** Reports of the first of two records that are as far apart as any. */
export type NoiseSetting = {
  readonly request: PlainRequest;
  readonly epsilons: readonly number[];
  readonly reports: number;
};

/** Sums over reports, with L the log ratio of their densities under the two records. */
export type NoisePart = {
  readonly reports: number;
  /** Largest |L|. */
  readonly largest: number;
  /** Of (1 − e^(ε − L))₊ and of its square, by ε. The mean of the first is δ(ε). */
  readonly sums: readonly number[];
  readonly squares: readonly number[];
};

/** All reports are of weighted Huber regression in dimension 4. */
const MODEL: PlainRequest = { kind: 'huber', features: 3 };

/** The plan of a setting. */
export function noisePlan({ request }: NoiseSetting): OnlinePlan {
  return onlineSgdPlan({ ...request, model: MODEL, inference: [] } as unknown as OnlineSgdRequest);
}

/** One part of the reports. */
export function noisePart(setting: NoiseSetting, index: number, seed: string): NoisePart {
  const { epsilons, reports } = setting;
  const plan = noisePlan(setting);
  const random = seededRandom(`${seed}/noise/${plan.maker}/${index}`);
  const step = server.step(plan, server.start(plan));
  const [pair] = onlineAuditing.pairs(step, random);
  const ratio = onlineAuditing.logLikelihoodRatio?.(step, pair);
  if (ratio === undefined) throw new RangeError('"request" expected a plan whose reports have densities');
  const report = player.randomize(step, pair.first, random);
  const sums = new Float64Array(epsilons.length);
  const squares = new Float64Array(epsilons.length);
  let largest = 0;
  for (let n = 0; n < reports; n++) {
    player.randomizeInto(step, pair.first, random, report);
    const value = ratio(report);
    largest = max(largest, abs(value));
    for (let k = 0; k < epsilons.length; k++) {
      const excess = max(0, 1 - exp(epsilons[k] - value));
      sums[k] += excess;
      squares[k] += excess * excess;
    }
  }
  return { reports, largest, sums: [...sums], squares: [...squares] };
}

import { type PlainRequest, seededRandom } from 'ldpkit';
import { fillGradient } from 'ldpkit/optimize';
import { type OnlinePlan, onlineSgd } from 'ldpkit/protocols/online-sgd';
import { planOf } from '../reproductions/trajectory.ts';

const { abs, exp, max } = Math;
const { player, server } = onlineSgd;

/** Reports of the first of two records that are as far apart as any. */
export type NoiseSetting = {
  readonly request: PlainRequest;
  readonly epsilons: readonly number[];
  readonly reports: number;
  /** What |noise| is counted in: the scale that the theorem names. */
  readonly unit: number;
};

/** Sums over reports, with L the log ratio of their densities under the two records. */
export type NoiseChunk = {
  readonly reports: number;
  /** Largest |L|. */
  readonly largest: number;
  /** Of (1 − e^(ε − L))₊ and of its square, by ε. The mean of the first is δ(ε). */
  readonly sums: readonly number[];
  readonly squares: readonly number[];
  /** Of |report − gradient| over the unit, of its square and of the fourth power, over all coordinates. */
  readonly absolute: number;
  readonly square: number;
  readonly fourth: number;
  /** How many coordinates were beyond {@link BEYOND} units. */
  readonly beyond: readonly number[];
};

/** Where the tail of the noise is counted, in units. */
export const BEYOND: readonly number[] = [0.25, 0.5, 1, 1.5, 2, 3, 4];

/** All reports are of weighted Huber regression in dimension 4. */
const MODEL: PlainRequest = { kind: 'huber', features: 3 };

/** The plan of a setting. */
export function noisePlan({ request }: NoiseSetting): OnlinePlan {
  return planOf({ ...request, model: MODEL, inference: [] });
}

/** One chunk of the reports. */
export function noiseChunk(setting: NoiseSetting, index: number, seed: string): NoiseChunk {
  const { epsilons, reports, unit } = setting;
  const plan = noisePlan(setting);
  const random = seededRandom(`${seed}/noise/${plan.variant}/${index}`);
  const step = server.step(plan, server.start(plan));
  const [pair] = onlineSgd.auditing?.pairs(step, random) ?? [];
  const ratio = onlineSgd.auditing?.logLikelihoodRatio?.(step, pair);
  if (ratio === undefined) throw new RangeError('"request" expected a plan whose reports have densities');
  const report = player.randomize(step, pair.first, random);
  const sums = new Float64Array(epsilons.length);
  const squares = new Float64Array(epsilons.length);
  const gradient = new Float64Array(plan.model.dimension);
  fillGradient(plan.model, step.iterate, pair.first, gradient);
  const beyond = new Float64Array(BEYOND.length);
  let [absolute, square, fourth] = [0, 0, 0];
  let largest = 0;
  for (let n = 0; n < reports; n++) {
    player.randomizeInto(step, pair.first, random, report);
    const value = ratio(report);
    largest = max(largest, abs(value));
    for (let j = 0; j < gradient.length; j++) {
      const noise = abs(report.values[j] - gradient[j]) / unit;
      absolute += noise;
      square += noise * noise;
      fourth += noise ** 4;
      for (let k = 0; k < BEYOND.length && noise > BEYOND[k]; k++) beyond[k]++;
    }
    for (let k = 0; k < epsilons.length; k++) {
      const excess = max(0, 1 - exp(epsilons[k] - value));
      sums[k] += excess;
      squares[k] += excess * excess;
    }
  }
  return { reports, largest, sums: [...sums], squares: [...squares], absolute, square, fourth, beyond: [...beyond] };
}

import { channelTallying } from '../../src/core/channel.ts';
import type { Server } from '../../src/core/contract.ts';
import type { ValuesReport } from '../../src/core/frame.ts';
import type { Rounds } from '../../src/core/rounds.ts';
import { euclideanNorm, innerProduct } from '../../src/optimize/projection.ts';
import { type Course, type Over, receivedNumbers, reportsOf, roundsBy } from '../user-level-mean/course.ts';
import type { MeanTally } from '../user-level-mean/shape.ts';
import { channelOf } from './channel.ts';
import { gradientOf, nextPoint } from './descent.ts';
import { LOSS } from './loss.ts';
import { type GradientWavesPlan, type Wave, waveAt } from './parameters.ts';

/** What all waves say. */
export interface GradientWavesEstimate {
  /** Number of reports, over all waves. */
  readonly players: number;
  /** The model, ‖w‖ ≤ R. */
  readonly w: Float64Array;
  /** The public points of the waves of gradients. */
  readonly points: readonly Float64Array[];
  /**
   * How much the risk at the last of these points is below the risk at w = 0, at least: −⟨ḡ, w⟩ by convexity, with the standard error
   * from the players' noise. They answered after the point was fixed.
   */
  readonly gain: { readonly value: number; readonly standardError: number };
  /** The risk at w with its standard error, where a last wave reported it. */
  readonly risk?: { readonly value: number; readonly standardError: number };
}

const course: Course<GradientWavesPlan, Wave, GradientWavesEstimate> = {
  rounds: ({ shares }) => shares.length,
  answers: () => 1,
  after(plan, finished) {
    const round = finished.length;
    if (round === plan.shares.length) return undefined;
    return waveAt(plan, round, pointAfter(plan, finished));
  },
  remake: (plan, index, received) => waveAt(plan, index, receivedNumbers(received, 'w', plan.dimension)),
  finish(plan, finished) {
    const waves = gradients(plan, finished);
    const points = waves.map(({ round }) => round.w);
    const { w, gradient, variance } = gradientOf(plan, waves[waves.length - 1]);
    const gain = { value: -innerProduct(gradient, w), standardError: Math.sqrt(variance) * euclideanNorm(w) };
    const found = { players: reportsOf(finished), w: pointAfter(plan, finished), points, gain };
    return finished.length > plan.waves ? { ...found, risk: riskOf(plan, finished[plan.waves]) } : found;
  },
};

/** From wave to wave, and to the model. */
export const rounds: Rounds<GradientWavesPlan, Wave, MeanTally, GradientWavesEstimate, undefined> = roundsBy(
  () => course,
);

const gradients = ({ waves }: GradientWavesPlan, finished: readonly Over<Wave>[]) => finished.slice(0, waves);

function pointAfter(plan: GradientWavesPlan, finished: readonly Over<Wave>[]): Float64Array {
  return nextPoint(
    plan,
    gradients(plan, finished).map((over) => gradientOf(plan, over)),
  );
}

/**
 * The risk at the final model. It is unbiased for any w, since w was fixed before this wave answered.
 *
 * Law: the variance of one report's first number z is that of the mechanism given the loss, plus that of the loss,
 * which is at most 1 − (E z)² for a number in [−1, 1]: the standard error is on the safe side.
 */
function riskOf(plan: GradientWavesPlan, { tally }: Over<Wave>): { value: number; standardError: number } {
  const { variant, radius, mechanism } = plan;
  const half = LOSS[variant].largest(radius) / 2;
  const mean = tally.sums[0] / tally.players;
  const noise = Math.max(mechanism.coordinateVariance, mechanism.alongVariance);
  const variance = noise + Math.max(0, 1 - mean * mean);
  return { value: half * (1 + mean), standardError: half * Math.sqrt(variance / tally.players) };
}

/** What a server keeps of a wave: the number of reports, and the sum of the p numbers that each stands for. */
export type WaveTally = MeanTally;

/** The tally of a wave; see `descent.ts` for what the server makes of it. */
export const server = channelTallying<Wave>(channelOf) as unknown as Omit<
  Server<Wave, ValuesReport, WaveTally, never, never>,
  'estimate'
>;

import {
  type Channel,
  type ChannelOf,
  channelTallying,
  channelTheory,
  channelWire,
  oncePer,
} from '../../src/core/channel.ts';
import type { Server, Theory, Wire } from '../../src/core/contract.ts';
import type { ValuesReport } from '../../src/core/frame.ts';
import { unitLimits } from '../../src/core/influence.ts';
import type { Rounds } from '../../src/core/interactive.ts';
import { unitChannel } from '../../src/core/vector-channel.ts';
import { euclideanNorm, innerProduct, projectBall } from '../../src/numeric/matrix.ts';
import { symmetricEigen } from '../../src/optimize/ball.ts';
import { type Course, type Over, receivedNumbers, reportsOf, roundsBy } from '../user-level-mean/course.ts';
import type { MeanTally } from '../user-level-mean/shape.ts';
import { type GradientWavesPlan, gradientBound, LOSS, type Wave, waveAt } from './parameters.ts';

const { SQRT2, max, min, sqrt } = Math;

/** What all waves say. */
export interface GradientWavesEstimate {
  /** Number of reports, over all waves. */
  readonly players: number;
  /** The model, ‖w‖ ≤ R. */
  readonly w: Float64Array;
  /** The public points of the waves of gradients. */
  readonly points: readonly Float64Array[];
  /** By how much the risk at the last point is below that at w = 0, at least: −⟨ḡ, w⟩, for noise and sampling together. */
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
    const last = waves[waves.length - 1];
    const found = { players: reportsOf(finished), w: pointAfter(plan, finished), points, gain: gainOf(plan, last) };
    return finished.length > plan.waves ? { ...found, risk: riskOf(plan, finished[plan.waves]) } : found;
  },
};

/** From wave to wave, and to the model. */
export const rounds: Rounds<GradientWavesPlan, Wave, MeanTally, GradientWavesEstimate, undefined> = roundsBy(
  () => course,
);

/**
 * The gain at the point of the last wave, which was fixed before this wave answered.
 *
 * Law: for one record −⟨g, w⟩ is from −B‖w‖ to B‖w‖, and by convexity at most ℓ(0). Of numbers in [−a, b] with the mean μ the variance
 * is at most (a + μ)(b − μ) (Bhatia, Davis 2000): the standard error is on the safe side.
 */
function gainOf(plan: GradientWavesPlan, last: Over<Wave>): { value: number; standardError: number } {
  const { w, gradient, variance } = gradientOf(plan, last);
  const value = -innerProduct(gradient, w);
  const norm = euclideanNorm(w);
  const most = gradientBound(plan) * norm;
  const spread = max(0, (most + value) * (min(most, LOSS[plan.variant].largest(0)) - value));
  return { value, standardError: sqrt(variance * norm * norm + spread / last.tally.players) };
}

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

/** The channel of a plan and all its waves, which share the mechanism: the limits of a report are searched once. */
const channels: (mechanism: Wave['mechanism']) => Channel = oncePer((mechanism) => {
  const what = 'the gradient of the loss at one public point (or the loss), completed to the sphere';
  const { epsilon, dimension } = mechanism;
  return { ...unitChannel({ what, epsilon, mechanism, moments: dimension - 1 }), limits: () => limitsOf(mechanism) };
});

const limitsOf = oncePer(unitLimits);

/** The channel of a plan or a wave. */
export const channelOf: ChannelOf<Wave | GradientWavesPlan> = ({ mechanism }) => channels(mechanism);

/** The tally of a wave. */
export const server = channelTallying<Wave>(channelOf) as unknown as Omit<
  Server<Wave, ValuesReport, WaveTally, never, never>,
  'estimate'
>;

/** The wire format within a wave; a report of another wave or plan is refused. */
export const report: Wire<Wave, ValuesReport> = channelWire(channelOf);

/** Guarantee, certificate, distance and influence of one player's transcript: one report. */
export const channelClaims: Theory<GradientWavesPlan> = channelTheory<GradientWavesPlan>(channelOf);

const LEAST = 1e-12;

const BISECTIONS = 60;

/** A public point, and the mean gradient there as the reports of one wave say it. */
export interface PointGradient {
  readonly w: Float64Array;
  /** ḡ: unbiased, in the units of the loss. */
  readonly gradient: Float64Array;
  /** Variance of a coordinate of ḡ because of the players' noise. */
  readonly variance: number;
}

/** A finished wave as a point with its gradient. */
export function gradientOf(plan: GradientWavesPlan, { round, tally }: Over<Wave>): PointGradient {
  const { players, sums } = tally;
  const bound = gradientBound(plan);
  return {
    w: round.w,
    gradient: sums.map((sum) => (bound * sum) / players),
    variance: coordinateNoise(plan) / players,
  };
}

/**
 * c_ε·B²: the variance of a coordinate of one player's report, in the units of the loss.
 *
 * Law: exact for PrivUnitG at its best threshold, where the noise is the same in every direction; for k-closest encoding
 * it is the variance across the gradient.
 */
export function coordinateNoise(plan: GradientWavesPlan): number {
  return plan.mechanism.coordinateVariance * gradientBound(plan) ** 2;
}

/**
 * The point of the next wave, or after the last one the model: the point of the ball that is nearest, in the norm of
 * A_t^½, to w_t − η_t·A_t^(−½)·ḡ_t. The steps are η_t = √2·R·(1 − t/T)/√T, and A_t = (1/(t + 1))·Σ_{i ≤ t} ḡ_i·ḡ_iᵀ +
 * δ_t·I, where δ_t is the expected squared length of the noise of a mean report, (p + 1)·c_ε·B²/m with m players in a
 * wave: a public number.
 *
 * Where gradients are large beside their noise, a step is measured by the gradients in its direction, so that flat
 * directions are crossed in few waves. Where there is noise only, A is nearly δ·I, and this is gradient descent with the
 * step √2·R·(1 − t/T)/√(T·E‖ḡ‖²), whose excess risk is of the order R·√(p·c_ε/n) for every T. No number is tuned.
 *
 * Source: Duchi, Hazan, Singer 2011 (A, the norm, and √2·R = D/√2 for the diameter D = 2R); Zamani, Glineur 2023 and
 * Defazio, Cutkosky, Mehta, Mishchenko 2023 (steps that fall linearly, whose last iterate is as good as an average).
 */
export function nextPoint(plan: GradientWavesPlan, past: readonly PointGradient[]): Float64Array {
  const { radius, waves, dimension } = plan;
  if (past.length === 0) return new Float64Array(dimension);
  const { axes, across } = metricOf(past);
  const { w, gradient } = past[past.length - 1];
  const step = (SQRT2 * radius * (1 - (past.length - 1) / waves)) / sqrt(waves);
  const moved = w.slice();
  // ḡ_t is a combination of the axes, so that nothing of it is left.
  for (const { axis, stiffness } of axes) addTimes((-step * innerProduct(axis, gradient)) / stiffness, axis, moved);
  const shares = axes.map(({ axis }) => innerProduct(axis, moved));
  const squared = innerProduct(moved, moved);
  if (!(squared > radius * radius)) return moved;
  const outside = max(0, squared - shares.reduce((sum, share) => sum + share * share, 0));
  // The nearest point shrinks each part of the move by h/(h + μ): μ by bisection.
  const shrunk = (stiffness: number, mu: number): number => stiffness / (stiffness + mu);
  const squaredAt = (mu: number): number =>
    axes.reduce(
      (sum, { stiffness }, k) => sum + (shrunk(stiffness, mu) * shares[k]) ** 2,
      shrunk(across, mu) ** 2 * outside,
    );
  let low = 0;
  let high = (axes.reduce((most, { stiffness }) => max(most, stiffness), across) * sqrt(squared)) / radius;
  for (let i = 0; i < BISECTIONS; i++) {
    const mu = (low + high) / 2;
    if (squaredAt(mu) > radius * radius) low = mu;
    else high = mu;
  }
  const rest = shrunk(across, high);
  const nearest = moved.map((entry) => rest * entry);
  for (const [k, { axis, stiffness }] of axes.entries()) {
    addTimes((shrunk(stiffness, high) - rest) * shares[k], axis, nearest);
  }
  return projectBall(nearest, radius);
}

/** The eigenvectors of A in the span of the gradients, with the square roots of its eigenvalues. */
interface Metric {
  readonly axes: readonly { readonly axis: Float64Array; readonly stiffness: number }[];
  /** √δ, the same in every direction across all gradients. */
  readonly across: number;
}

/**
 * A^½ of the gradients so far. With the gradients over √(t + 1) as the columns of X, A = X·Xᵀ + δ·I, and u is an
 * eigenvector of K = Xᵀ·X exactly where X·u is one of X·Xᵀ: the work grows with T² and p, not with p².
 */
function metricOf(past: readonly PointGradient[]): Metric {
  const count = past.length;
  const dimension = past[0].gradient.length;
  const products = new Float64Array(count * count);
  let noise = 0;
  for (let i = 0; i < count; i++) {
    noise += ((dimension + 1) * past[i].variance) / count;
    for (let j = 0; j <= i; j++) {
      const product = innerProduct(past[i].gradient, past[j].gradient) / count;
      products[i * count + j] = product;
      products[j * count + i] = product;
    }
  }
  const { values, vectors } = symmetricEigen(products, count);
  const axes = Array.from(values).flatMap((value, k) => {
    if (!(value > LEAST * values[count - 1])) return [];
    const axis = new Float64Array(dimension);
    for (let i = 0; i < count; i++) addTimes(vectors[k * count + i] / sqrt(count * value), past[i].gradient, axis);
    return [{ axis, stiffness: sqrt(value + noise) }];
  });
  return { axes, across: sqrt(noise) };
}

function addTimes(factor: number, vector: Float64Array, target: Float64Array): void {
  for (let j = 0; j < target.length; j++) target[j] += factor * vector[j];
}

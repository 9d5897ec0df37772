import { projectBall } from '../../src/optimize/projection.ts';
import type { Over } from '../user-level-mean/course.ts';
import { type GradientWavesPlan, gradientBound, type Wave } from './parameters.ts';

const { SQRT2, sqrt } = Math;

/** A point, and the mean gradient there as the reports of one wave say it. */
export interface PointGradient {
  readonly w: Float64Array;
  /** ḡ: unbiased, in the units of the loss. */
  readonly gradient: Float64Array;
  /** Variance of a coordinate of ḡ because of the players' noise. */
  readonly variance: number;
}

/** A wave as a point with its gradient. */
export function gradientOf(plan: GradientWavesPlan, { round, tally }: Over<Wave>): PointGradient {
  const { players, sums } = tally;
  const bound = gradientBound(plan);
  return {
    w: round.w,
    gradient: sums.map((sum) => (bound * sum) / players),
    variance: coordinateNoise(plan) / players,
  };
}

/** Variance of a coordinate of one player's report, in the units of the loss. */
export function coordinateNoise(plan: GradientWavesPlan): number {
  return plan.mechanism.coordinateVariance * gradientBound(plan) ** 2;
}

/**
 * The point of the next wave, or after the last one the model.
 *
 * w_{t+1} = Π(w_t − η_t·ḡ_t) with η_t = √2·R·(1 − t/T)/√(T·G_t²), where G_t² is the mean of ‖ḡ_0‖² … ‖ḡ_t‖².
 */
export function nextPoint(plan: GradientWavesPlan, past: readonly PointGradient[]): Float64Array {
  const { radius, waves, dimension } = plan;
  if (past.length === 0) return new Float64Array(dimension);
  let squares = 0;
  for (const { gradient } of past) for (const entry of gradient) squares += entry * entry;
  const { w, gradient } = past[past.length - 1];
  const t = past.length - 1;
  const step = squares > 0 ? (SQRT2 * radius * (1 - t / waves)) / sqrt((waves * squares) / past.length) : 0;
  return projectBall(
    w.map((entry, i) => entry - step * gradient[i]),
    radius,
  );
}

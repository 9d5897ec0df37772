import { checkPositive } from '../check/number.ts';
import type { DerivativeMaker } from '../polynomial/chebyshev.ts';

const { abs, max } = Math;

/**
 * A convex loss of the margin: ℓ(w; x, y) = f(t) with t = y·⟨w, x⟩, whose gradient is f′(t)·y·x.
 *
 * Source: Wang, Smith, Xu 2020, assumption 1 (general linear losses).
 */
export interface MarginLoss {
  /** The name of the loss, with its parameters, in a printed result or a plot. */
  readonly name: string;
  /** f(t). */
  value(t: number): number;
  /** f′(t); at a kink one of the subgradients; each loss documents which one. */
  derivative(t: number): number;
  /** f″(t) where it exists; 0 at a kink, without its point mass. */
  secondDerivative(t: number): number;
  /** sup |f′| over the whole line (Infinity when unbounded); see `constantsOn` for an interval. */
  readonly lipschitz: number;
  /** sup f″ over the whole line, the Lipschitz constant of f′; Infinity when f has a kink. */
  readonly smoothness: number;
  /** Ascending margins at which f′ jumps; empty for a smooth loss. */
  readonly kinks: readonly number[];
  /** sup f″ over [−R, R], without the point masses of kinks; if absent, `smoothness` is used for every R. */
  readonly smoothnessOn?: (radius: number) => number;
  /** f, f′, f″, … up to any order in closed form; absent when f is not infinitely differentiable. */
  readonly analyticDerivatives?: DerivativeMaker;
  /** The least r ≥ 0 such that f(t)·exp(−r·|t|) grows no faster than a power of t; 0 if left out. */
  readonly growthRate?: number;
}

/** Lipschitz and smoothness constants of a loss on an interval of margins. */
export interface LossConstants {
  /** sup |f′|. */
  readonly lipschitz: number;
  /** sup f″, or an upper bound; Infinity with a kink inside. */
  readonly smoothness: number;
}

/** The slopes of a convex function on the two sides of a point. */
export interface OneSidedSlopes {
  /** f′(t−). */
  readonly left: number;
  /** f′(t+), never below the left one. */
  readonly right: number;
}

/** Distance from a kink at which its one-sided slopes are read, relative to max(1, |t|): 6e-14, far above rounding. */
const BESIDE = 2 ** -44;

/** The slopes of a loss on the two sides of a margin; they differ at its `kinks` only. */
export function slopesAt(loss: MarginLoss, t: number): OneSidedSlopes {
  if (!loss.kinks.includes(t)) {
    const slope = loss.derivative(t);
    return { left: slope, right: slope };
  }
  const step = BESIDE * max(1, abs(t));
  return { left: loss.derivative(t - step), right: loss.derivative(t + step) };
}

/**
 * The constants of a convex loss on [−R, R], R = 1 by default. An analysis on the unit ball needs them, because the
 * constants on the whole line may be infinite.
 *
 * A kink at ±R itself does not count: only one side of it is in the interval.
 *
 * @throws TypeError or RangeError unless R is finite and > 0.
 * @theorem noninteractive Assumption 1
 */
export function constantsOn(loss: MarginLoss, radius: number = 1): LossConstants {
  checkPositive('radius', radius);
  // f′ is increasing, so its extremes are at the ends.
  const lipschitz = max(abs(slopeInside(loss, -radius)), abs(slopeInside(loss, radius)));
  if (loss.kinks.some((kink) => abs(kink) < radius)) return { lipschitz, smoothness: Infinity };
  return { lipschitz, smoothness: loss.smoothnessOn?.(radius) ?? loss.smoothness };
}

/** The slope at an end of [−R, R] on its inner side, without a step outside, where the loss need not be defined. */
export function slopeInside(loss: MarginLoss, end: number): number {
  if (!loss.kinks.includes(end)) return loss.derivative(end);
  return loss.derivative(end - Math.sign(end) * BESIDE * max(1, abs(end)));
}

import { checkPositive } from '../check/number.ts';
import type { DerivativeMaker } from '../polynomial/monomial.ts';

const { abs, max } = Math;

/**
 * A convex loss of the margin: ℓ(w; x, y) = f(t) with t = y·⟨w, x⟩, whose gradient is f′(t)·y·x.
 *
 * Source: Wang, Smith, Xu 2020, assumption 1 (general linear losses).
 */
export interface MarginLoss {
  /** What a report or a plot calls it, parameters included. */
  readonly name: string;
  /** f(t). */
  value(t: number): number;
  /** f′(t); at a kink one of the subgradients, which the variant names. */
  derivative(t: number): number;
  /** f″(t) where it exists; 0 at a kink, whose point mass it leaves out. */
  secondDerivative(t: number): number;
  /** sup |f′| over the whole line (Infinity when unbounded); see `constantsOn` for an interval. */
  readonly lipschitz: number;
  /** sup f″ over the whole line, the Lipschitz constant of f′; Infinity when f has a kink. */
  readonly smoothness: number;
  /** Ascending margins at which f′ jumps; empty for a smooth loss. */
  readonly kinks: readonly number[];
  /** sup f″ over [−R, R], the point masses of kinks left out; without it the `smoothness` stands for every R. */
  readonly smoothnessOn?: (radius: number) => number;
  /** f, f′, f″, … up to any order in closed form; absent when f is not differentiable without end. */
  readonly analyticDerivatives?: DerivativeMaker;
  /** The least r ≥ 0 such that f(t)·exp(−r·|t|) grows no faster than a power of t; 0 where nothing is said. */
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

/** How far beside a kink its one-sided slopes are read, relative to max(1, |t|): far beyond rounding, and 6e-14. */
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
 * The constants of a convex loss on [−R, R], R = 1 by default: what an analysis on the unit ball needs, where the constants
 * of the whole line may be infinite.
 *
 * A kink at ±R itself does not count: the interval sees one side of it only.
 *
 * @throws TypeError or RangeError unless R is finite and > 0.
 * @theorem noninteractive Assumption 1
 */
export function constantsOn(loss: MarginLoss, radius: number = 1): LossConstants {
  checkPositive('radius', radius);
  // f′ ascends, so the ends have its extremes.
  const lipschitz = max(abs(slopeInside(loss, -radius)), abs(slopeInside(loss, radius)));
  if (loss.kinks.some((kink) => abs(kink) < radius)) return { lipschitz, smoothness: Infinity };
  return { lipschitz, smoothness: loss.smoothnessOn?.(radius) ?? loss.smoothness };
}

/** The slope at an end of [−R, R] on its inner side, without a step outside, where the loss need not be defined. */
export function slopeInside(loss: MarginLoss, end: number): number {
  if (!loss.kinks.includes(end)) return loss.derivative(end);
  return loss.derivative(end - Math.sign(end) * BESIDE * max(1, abs(end)));
}

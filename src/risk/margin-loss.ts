import { checkFinite, checkPositive, RefusedValue } from '../check/refusal.ts';
import {
  checkDerivativeOrder,
  type DerivativeMaker,
  polynomialDerivatives,
} from '../polynomial/spherical-deconvolution.ts';

const { abs, max, min, sqrt } = Math;

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
  /** sup |f′| over the whole line; Infinity when unbounded. A loss from an expression has that of its interval. */
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
  /** Where f is known, if not on the whole line: beyond, it throws. */
  readonly interval?: readonly [low: number, high: number];
}

/** A loss that is known on an interval alone, continued by straight lines: convex as before, and for laws of margins without ends. */
export function continued(loss: MarginLoss): MarginLoss {
  if (loss.interval === undefined) return loss;
  const [low, high] = loss.interval;
  const inside = (t: number): number => max(low, min(high, t));
  return {
    ...loss,
    value(t) {
      const at = inside(t);
      return at === t ? loss.value(t) : loss.value(at) + loss.derivative(at) * (t - at);
    },
    derivative: (t) => loss.derivative(inside(t)),
    secondDerivative: (t) => (inside(t) === t ? loss.secondDerivative(t) : 0),
  };
}

/** Lipschitz and smoothness constants of a loss on an interval of margins. */
export interface LossConstants {
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
 * Widths to which kinks are rounded on the way to the least point, each minimised from where the one before ended. At a
 * kink that many records share, as records of 0 and 1 do, a descent on the loss itself would stop.
 */
export const KINK_WIDTHS: readonly number[] = [0.3, 0.1, 0.03, 0.01, 0.003, 0.001];

/**
 * A loss with its kinks rounded: where its slope jumps by J at distance d, J·d₊ becomes J·(d + √(d² + width²))/2, which
 * is at most J·width/2 above it. A loss without kinks stays as it is.
 */
export function roundedLoss(
  loss: MarginLoss,
  width: number,
): Pick<MarginLoss, 'value' | 'derivative' | 'secondDerivative'> {
  const jumps = loss.kinks.map((kink) => {
    const { left, right } = slopesAt(loss, kink);
    return { kink, jump: right - left };
  });
  if (jumps.length === 0) return loss;
  return {
    value(t) {
      let value = loss.value(t);
      for (const { kink, jump } of jumps) value += (jump / 2) * (sqrt((t - kink) ** 2 + width * width) - abs(t - kink));
      return value;
    },
    derivative(t) {
      let slope = slopesAt(loss, t).left;
      for (const { kink, jump } of jumps) {
        const distance = t - kink;
        slope += (jump / 2) * (distance / sqrt(distance * distance + width * width) - (distance > 0 ? 1 : -1));
      }
      return slope;
    },
    secondDerivative(t) {
      let curvature = loss.secondDerivative(t);
      for (const { kink, jump } of jumps)
        curvature += ((jump / 2) * width * width) / sqrt((t - kink) ** 2 + width * width) ** 3;
      return curvature;
    },
  };
}

/** Radii within which squares and products of coefficients keep their digits. */
const [LEAST_RADIUS, MOST_RADIUS] = [1e-6, 1e6];

/** The largest loss or slope whose square is a number too. */
const MOST_LOSS = 1e100;

/**
 * A radius of 1e-6 to 1e6, within which squares and products of coefficients keep their digits, and on which the loss is
 * known, and no larger than numbers can be.
 */
export function checkRadius(radius: number, loss: MarginLoss): number {
  checkPositive('radius', radius);
  if (!(radius >= LEAST_RADIUS && radius <= MOST_RADIUS)) {
    throw new RefusedValue('radius', `a number from ${LEAST_RADIUS} to ${MOST_RADIUS}`, radius);
  }
  const [low, high] = loss.interval ?? [-radius, radius];
  if (low > -radius || high < radius) {
    throw new RefusedValue('radius', `at most ${min(-low, high)}, within which the loss is known`, radius);
  }
  const ends = [-radius, radius].flatMap((t) => [loss.value(t), loss.derivative(t)]);
  if (ends.every((value) => abs(value) <= MOST_LOSS)) return radius;
  throw new RefusedValue('radius', `one within which loss and slope are at most ${MOST_LOSS}`, radius);
}

/**
 * The constants of a convex loss on [−R, R], which may be infinite on the whole line. A kink at ±R itself does not count:
 * only one side of it is in the interval.
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

/** Margin of the paper's hinge loss (section 4.1): ½, since |t| ≤ 1 would keep the classical 1 − t on its linear side. */
export const HINGE_MARGIN = 0.5;

/** Parameters of {@link hingeLoss}. */
export interface HingeLossOptions {
  /** The loss is 0 from this margin on; `HINGE_MARGIN` by default. */
  readonly margin?: number;
}

/** Parameters of {@link smoothedHinge}. */
export interface SmoothedHingeOptions extends HingeLossOptions {
  /** β > 0, the width of the rounded kink. */
  readonly beta: number;
}

/**
 * The hinge loss f(t) = (margin − t)₊. At the kink the derivative is 0, its value from the right.
 *
 * Source: Wang, Smith, Xu 2020, section 4.1.
 * @throws TypeError or RangeError for a margin that is not a finite number.
 * @theorem noninteractive Lemma 9
 *
 * @example
 * ```ts
 * import { hingeLoss } from 'ldpkit/optimize';
 * const { value, derivative } = hingeLoss();
 * console.log(value(0), value(1), derivative(0)); // 0.5 0 -1
 * ```
 */
export function hingeLoss(options: HingeLossOptions = {}): MarginLoss {
  const margin = checkFinite('margin', options.margin ?? HINGE_MARGIN);
  return {
    name: margin === HINGE_MARGIN ? 'hinge' : `hinge (margin ${margin})`,
    value: (t) => (t < margin ? margin - t : 0),
    derivative: (t) => (t < margin ? -1 : 0),
    secondDerivative: () => 0,
    lipschitz: 1,
    smoothness: Infinity,
    kinks: [margin],
    smoothnessOn: () => 0,
  };
}

/**
 * The smoothed hinge loss f_β(t) = (d + √(d² + β²))/2 with d = margin − t: analytic, convex, within β/2 of the hinge
 * loss (exactly β/2 at the kink) and 1-Lipschitz.
 *
 * Its smoothness is sup f″ = 1/(2β), reached at t = margin. Lemma 9 states 1/β, which holds but is too large by a
 * factor 2; its proof prints f″ without the ½ in front of f.
 *
 * Source: Wang, Smith, Xu 2020, lemma 9.
 * @throws TypeError or RangeError unless β is finite and > 0 and the margin is finite.
 * @theorem noninteractive Lemma 9
 */
export function smoothedHinge(options: SmoothedHingeOptions): MarginLoss {
  const beta = checkPositive('beta', options.beta);
  const margin = checkFinite('margin', options.margin ?? HINGE_MARGIN);

  // √(d² + β²) without overflow or underflow of a square.
  function root(d: number): number {
    const long = abs(d);
    return long > beta
      ? long * sqrt(1 + (beta / long) * (beta / long))
      : beta * sqrt(1 + (long / beta) * (long / beta));
  }

  // Where d < 0, d + √(d² + β²) cancels; β²/(√(d² + β²) − d) is the same without a subtraction.
  function value(t: number): number {
    const d = margin - t;
    return d >= 0 ? (d + root(d)) / 2 : (beta * (beta / (root(d) - d))) / 2;
  }
  function derivative(t: number): number {
    const d = margin - t;
    const r = root(d);
    return d >= 0 ? -(1 + d / r) / 2 : -((beta / r) * (beta / (r - d))) / 2;
  }
  function secondDerivative(t: number): number {
    const r = root(margin - t);
    return ((beta / r) * (beta / r)) / (2 * r);
  }
  return {
    name: `smoothed hinge (β ${beta}${margin === HINGE_MARGIN ? '' : `, margin ${margin}`})`,
    value,
    derivative,
    secondDerivative,
    lipschitz: 1,
    smoothness: 1 / (2 * beta),
    kinks: [],
    // f″ falls on both sides of the margin.
    smoothnessOn: (radius) => secondDerivative(max(-radius, Math.min(radius, margin))),
    analyticDerivatives(order) {
      checkDerivativeOrder(order);
      return (t, target) => {
        const d = margin - t;
        const squared = root(d) ** 2;
        target[0] = value(t);
        if (order >= 1) target[1] = derivative(t);
        if (order >= 2) target[2] = secondDerivative(t);
        if (order >= 3) target[3] = (3 * d * target[2]) / squared;
        // (d² + β²)r″ + d·r′ = r for r = √(d² + β²), differentiated n times; each derivative in t changes the sign.
        for (let n = 2; n + 2 <= order; n++) {
          target[n + 2] = ((2 * n + 1) * d * target[n + 1] - (n * n - 1) * target[n]) / squared;
        }
      };
    },
  };
}

/**
 * The squared hinge loss f(t) = (margin − t)₊², 2-smooth. Its slope is unbounded on the line and 2(margin + R) on [−R,
 * R]. f″ jumps from 2 to 0 at the margin; there its value is the one from the right.
 */
export function squaredHingeLoss(options: { readonly margin?: number } = {}): MarginLoss {
  const margin = checkFinite('margin', options.margin ?? 1);
  return {
    name: margin === 1 ? 'squared hinge' : `squared hinge (margin ${margin})`,
    value: (t) => (t < margin ? (margin - t) * (margin - t) : 0),
    derivative: (t) => (t < margin ? -2 * (margin - t) : 0),
    secondDerivative: (t) => (t < margin ? 2 : 0),
    lipschitz: Infinity,
    smoothness: 2,
    kinks: [],
    smoothnessOn: (radius) => (margin > -radius ? 2 : 0),
  };
}

/**
 * The hinge loss with its corner replaced by a parabola: 0 for t ≥ margin, (margin − t)²/(2·width) down to margin −
 * width, and margin − t − width/2 below. 1-Lipschitz, 1/width-smooth, within width/2 below the hinge loss.
 * Source: J. Rennie, N. Srebro 2005, "Loss functions for preference levels" (margin and width 1).
 */
export function huberHingeLoss(options: { readonly margin?: number; readonly width?: number } = {}): MarginLoss {
  const margin = checkFinite('margin', options.margin ?? 1);
  const width = checkPositive('width', options.width ?? 1);
  return {
    name: margin === 1 && width === 1 ? 'Huber hinge' : `Huber hinge (margin ${margin}, width ${width})`,
    value(t) {
      const d = max(0, margin - t);
      return d < width ? (d * d) / (2 * width) : d - width / 2;
    },
    derivative(t) {
      const d = max(0, margin - t);
      return d < width ? -d / width : -1;
    },
    secondDerivative: (t) => (t < margin && margin - t <= width ? 1 / width : 0),
    lipschitz: 1,
    smoothness: 1 / width,
    kinks: [],
    smoothnessOn: (radius) => (margin > -radius && margin - width < radius ? 1 / width : 0),
  };
}

/** The squared loss of a margin, ½(1 − t)²: ½(⟨w, x⟩ − y)² where y = ±1. 1-smooth, slope up to 1 + R on [−R, R]. */
export function squaredMarginLoss(): MarginLoss {
  return {
    name: 'squared',
    value: (t) => 0.5 * (1 - t) * (1 - t),
    derivative: (t) => t - 1,
    secondDerivative: () => 1,
    lipschitz: Infinity,
    smoothness: 1,
    kinks: [],
    analyticDerivatives: polynomialDerivatives([0.5, -1, 0.5]),
  };
}

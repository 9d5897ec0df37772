import { checkFinite, checkPositive } from '../check/number.ts';
import { polynomialDerivatives } from '../polynomial/derivatives.ts';
import type { MarginLoss } from './margin-loss.ts';

const { max } = Math;

/** Parameters of {@link squaredHingeLoss}. */
export interface SquaredHingeOptions {
  /** Margin from which on the loss is 0; 1 by default. */
  readonly margin?: number;
}

/** Parameters of {@link huberHingeLoss}. */
export interface HuberHingeOptions extends SquaredHingeOptions {
  /** Width of the parabola between the two straight pieces; 1 by default. */
  readonly width?: number;
}

/**
 * The squared hinge loss f(t) = (margin − t)₊², 2-smooth. Its slope is unbounded on the line and 2(margin + R) on [−R, R]:
 * 4 for R = 1 and the usual margin.
 *
 * f″ jumps from 2 to 0 at the margin, where it is taken from the right.
 *
 * @throws TypeError or RangeError for a margin that is not a finite number.
 */
export function squaredHingeLoss(options: SquaredHingeOptions = {}): MarginLoss {
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
 * The hinge loss with its corner replaced by a parabola: 0 for t ≥ margin, (margin − t)²/(2·width) down to margin − width,
 * and margin − t − width/2 below. 1-Lipschitz, 1/width-smooth, within width/2 below the hinge loss.
 *
 * Source: J. Rennie, N. Srebro 2005, "Loss functions for preference levels" (margin and width 1).
 *
 * @throws TypeError or RangeError unless the margin is finite and the width finite and > 0.
 */
export function huberHingeLoss(options: HuberHingeOptions = {}): MarginLoss {
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

/**
 * The squared loss of a margin, f(t) = ½(1 − t)²: the same as ½(⟨w, x⟩ − y)² where y = ±1. 1-smooth; its slope is
 * unbounded on the line and 1 + R on [−R, R].
 */
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

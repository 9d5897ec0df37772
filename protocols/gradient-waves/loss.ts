import { hingeLoss } from '../../src/risk/hinge.ts';
import { logisticLoss } from '../../src/risk/logistic.ts';
import { constantsOn, type MarginLoss } from '../../src/risk/margin-loss.ts';
import type { LabelledRecord } from '../../src/simulation/population.ts';

const { abs, sign, sqrt } = Math;

/**
 * The losses of a record (x, y) with ‖x‖ ≤ 1 and |y| ≤ 1 at a model w, in the order of their usefulness:
 *
 * - `hinge`: (½ − y⟨w, x⟩)₊;
 * - `logistic`: log(1 + e^(−y⟨w, x⟩));
 * - `absolute`: |⟨w, x⟩ − y|, whose risk is least at the conditional median of a response y;
 * - `median`: ½‖w − x‖, whose risk is least at the Euclidean median of the points x; y plays no part.
 */
export const LOSSES = ['hinge', 'logistic', 'absolute', 'median'] as const;

/** The name of a loss. */
export type WaveLoss = (typeof LOSSES)[number];

/** A record: features x, and a label or a response y. */
export type WaveDatum = LabelledRecord;

/** A convex loss, and the public bounds that hold for every record and every ‖w‖ ≤ R. */
export interface Loss {
  /** B: no gradient is longer. */
  lipschitz(radius: number): number;
  /** The largest value; the least is 0 or more. */
  largest(radius: number): number;
  /** ℓ(w; x, y). */
  value(w: ArrayLike<number>, datum: WaveDatum): number;
  /** Writes a (sub)gradient in w into the first entries of `target`. */
  fillGradient(w: ArrayLike<number>, datum: WaveDatum, target: Float64Array): void;
}

/** The losses by name. */
export const LOSS: { readonly [name in WaveLoss]: Loss } = {
  hinge: ofMargin(hingeLoss()),
  logistic: ofMargin(logisticLoss()),
  absolute: {
    lipschitz: () => 1,
    largest: (radius) => radius + 1,
    value: (w, { features, label }) => abs(inner(w, features) - label),
    fillGradient: (w, { features, label }, target) => scale(features, sign(inner(w, features) - label), target),
  },
  median: {
    lipschitz: () => 0.5,
    largest: (radius) => (radius + 1) / 2,
    value: (w, { features }) => distance(w, features) / 2,
    // A point that is w itself pulls in no direction.
    fillGradient(w, { features }, target) {
      const length = distance(w, features);
      for (let i = 0; i < features.length; i++) target[i] = length > 0 ? (w[i] - features[i]) / (2 * length) : 0;
    },
  },
};

/** A loss of the margin t = y⟨w, x⟩: its gradient is f′(t)·y·x. */
function ofMargin(loss: MarginLoss): Loss {
  return {
    lipschitz: (radius) => constantsOn(loss, radius).lipschitz,
    // Both decrease in t.
    largest: (radius) => loss.value(-radius),
    value: (w, { features, label }) => loss.value(label * inner(w, features)),
    fillGradient: (w, { features, label }, target) =>
      scale(features, label * loss.derivative(label * inner(w, features)), target),
  };
}

function inner(w: ArrayLike<number>, features: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < features.length; i++) sum += w[i] * features[i];
  return sum;
}

function scale(features: ArrayLike<number>, factor: number, target: Float64Array): void {
  for (let i = 0; i < features.length; i++) target[i] = factor * features[i];
}

function distance(w: ArrayLike<number>, features: ArrayLike<number>): number {
  let squared = 0;
  for (let i = 0; i < features.length; i++) squared += (w[i] - features[i]) ** 2;
  return sqrt(squared);
}

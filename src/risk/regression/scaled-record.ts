import { mallowsWeight } from '../huber.ts';
import type { OnlineModel } from './model.ts';
import { checkRecord, type OnlineDatum } from './record.ts';

const { abs, max, sqrt } = Math;

/**
 * Refuses what is not a record of the model; returns max |x_j|, the intercept included.
 *
 * @throws TypeError or RangeError, without values of the record.
 */
export function largestEntry(model: OnlineModel, datum: OnlineDatum): number {
  checkRecord(model, datum);
  const { features } = datum;
  let largest = model.intercept ? 1 : 0;
  for (let i = 0; i < features.length; i++) largest = max(largest, abs(features[i]));
  return largest;
}

/** The unit that a record is computed in: 1, or its largest entry where squares could overflow or vanish. */
export function unitOf(largest: number): number {
  return largest === 0 || (largest > 1e-140 && largest < 1e140) ? 1 : largest;
}

/** ‖x/unit‖². */
export function scaledSquare({ intercept }: OnlineModel, x: ArrayLike<number>, unit: number): number {
  let squared = intercept ? 1 / unit / unit : 0;
  for (let i = 0; i < x.length; i++) {
    const entry = x[i] / unit;
    squared += entry * entry;
  }
  return squared;
}

/** ⟨θ, x⟩ with the coefficients of θ that begin at `from`; an infinity where it is beyond doubles, and never NaN. */
export function innerProduct(
  { intercept }: OnlineModel,
  theta: Float64Array,
  from: number,
  x: ArrayLike<number>,
  unit: number,
): number {
  let inner = 0;
  let at = from;
  if (intercept) inner = theta[at++] / unit;
  for (let i = 0; i < x.length; i++) inner += theta[at++] * (x[i] / unit);
  return inner * unit;
}

/** Writes factor·x/unit to where the coefficients begin. */
export function writeScaled(
  { intercept }: OnlineModel,
  factor: number,
  x: ArrayLike<number>,
  unit: number,
  target: Float64Array,
  from: number,
): void {
  let at = from;
  if (intercept) target[at++] = factor / unit;
  for (let i = 0; i < x.length; i++) target[at++] = factor * (x[i] / unit);
}

/** w(x)·unit, what x/unit has to be multiplied with for w(x)·x. */
export function weightedUnit(squared: number, unit: number): number {
  return unit > 1 ? 2 / squared / unit : unit * mallowsWeight(squared * unit * unit);
}

/**
 * Replaces v by unit·v, clipped to a norm; an infinite unit stands for a vector too long for doubles, whose direction is known.
 *
 * Guarantee: the norm of the result is at most `bound` up to rounding, however small or large the entries of v.
 */
export function clipTo(v: Float64Array, length: number, unit: number, bound: number): void {
  let largest = 0;
  for (let i = 0; i < length; i++) largest = max(largest, abs(v[i]));
  if (largest === 0) return;
  let squared = 0;
  for (let i = 0; i < length; i++) {
    const entry = v[i] / largest;
    squared += entry * entry;
  }
  const root = sqrt(squared);
  if (largest * unit * root <= bound) {
    for (let i = 0; i < length; i++) v[i] *= unit;
  } else {
    for (let i = 0; i < length; i++) v[i] = (v[i] / largest) * (bound / root);
  }
}

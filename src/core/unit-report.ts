import { expandKClosest, type KClosest, randomizeKClosest } from '../mechanism/k-closest.ts';
import { type PrivUnitG, randomizePrivUnitG } from '../mechanism/unit-mechanism.ts';
import { createScratch, reserve } from '../numeric/scratch.ts';
import type { Release } from '../privacy/totals.ts';
import type { Random } from '../random/random.ts';
import type { FloatValues, Values } from './frame.ts';

/** A randomizer of a unit vector, by grade: PrivUnitG in a simulation, k-closest encoding in a deployment. */
export type UnitRandomizer = PrivUnitG | KClosest;

/**
 * One report of a unit vector: the noisy vector itself from PrivUnitG, public seed and index from k-closest encoding.
 *
 * @throws RangeError for a vector whose norm is not 1; the message does not contain its values.
 */
export function randomizeUnit(
  mechanism: UnitRandomizer,
  unit: ArrayLike<number>,
  target: Values,
  random: Random,
): void {
  if (mechanism.name === 'k-closest') randomizeKClosest(mechanism, unit, target as Uint32Array, random);
  else randomizePrivUnitG(mechanism, unit, target as FloatValues, random);
}

// Scratch of the expansion, kept between calls and overwritten by each call.
const scratch = /* @__PURE__ */ createScratch(256);

/**
 * Adds the leading entries of the unbiased vector that a report stands for to entries `from` to `to` − 1 of `sums`, by
 * default to all of them; its padding is left out.
 */
export function addUnitReport(
  mechanism: UnitRandomizer,
  report: ArrayLike<number>,
  sums: Float64Array,
  from: number = 0,
  to: number = sums.length,
): void {
  let vector = report;
  if (mechanism.name === 'k-closest') {
    const expanded = reserve(scratch, mechanism.dimension);
    expandKClosest(mechanism, report, expanded);
    vector = expanded;
  }
  for (let i = 0; i < to - from; i++) sums[from + i] += vector[i];
}

/** The one release of a report of a unit vector; the scale is the standard deviation across the vector. */
export function unitRelease(what: string, mechanism: UnitRandomizer): Release {
  const { name, coordinateVariance, guarantee } = mechanism;
  return { what, count: 1, mechanism: name, sensitivity: 2, scale: Math.sqrt(coordinateVariance), guarantee };
}

import { checkUnitBall, checkUnitInterval, clipBall, clipNumber, fieldOf } from '../../../src/check/datum.ts';
import { createScratch, reserve } from '../../../src/numeric/scratch.ts';
import type { LabelledRecord as MarginDatum } from '../../../src/simulation/population.ts';
import type { MarginTask } from './parameters.ts';

export type { MarginDatum };

/**
 * Refuses what is not a record.
 *
 * @throws TypeError or RangeError; the message never contains anything of the record.
 */
export function checkRecord({ dimension }: { readonly dimension: number }, datum: MarginDatum): void {
  if (datum === null || typeof datum !== 'object') throw new TypeError('"datum" expected { features, label }');
  checkUnitBall('features', datum.features, dimension);
  checkUnitInterval('label', datum.label);
}

/**
 * The record that a device plays: features shortened to the unit ball, the label moved into [−1, 1]; zeros for what is missing or
 * no number. Total, and a copy.
 */
export function clipRecord({ dimension }: { readonly dimension: number }, datum: unknown): MarginDatum {
  return {
    features: clipBall(fieldOf(datum, 'features'), dimension, 1),
    label: clipNumber(fieldOf(datum, 'label'), 1),
  };
}

// Scratch, kept between calls and overwritten by each.
const scratch = /* @__PURE__ */ createScratch(16);

/**
 * y·x, or (x, y)/√2 for a regression: within the unit ball either way. An array that the next call overwrites, with room for one
 * entry more than the vector has.
 */
export function signedRecord(
  { dimension, task }: { readonly dimension: number; readonly task?: MarginTask },
  { features, label }: MarginDatum,
): Float64Array {
  const signed = reserve(scratch, dimension + 1);
  const factor = task === 'regression' ? Math.SQRT1_2 : label;
  for (let i = 0; i < dimension; i++) signed[i] = factor * features[i];
  signed[dimension] = Math.SQRT1_2 * label;
  return signed;
}

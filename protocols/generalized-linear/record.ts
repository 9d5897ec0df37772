import { checkUnitBall, checkUnitInterval, clipBall, clipNumber, fieldOf } from '../../src/check/datum.ts';
import { RefusedKind } from '../../src/check/refusal.ts';
import { padToSphere } from '../../src/mechanism/unit-mechanism.ts';
import { createScratch, reserve } from '../../src/numeric/scratch.ts';
import { fillLift, fillPower } from '../../src/polynomial/lift.ts';
import type { LabelledRecord as MarginDatum } from '../../src/simulation/population.ts';
import type { LiftedParameters, MarginTask, SampledParameters } from './margin/parameters.ts';

export type { MarginDatum };

// Scratch of the hot kernels, kept between calls and overwritten by each.
const units = /* @__PURE__ */ createScratch(256);
const monomials = /* @__PURE__ */ createScratch(256);
const signs = /* @__PURE__ */ createScratch(16);

/**
 * Refuses what is not a record.
 *
 * @throws TypeError or RangeError; the message never contains anything of the record.
 */
export function checkRecord({ dimension }: { readonly dimension: number }, datum: MarginDatum): void {
  if (datum === null || typeof datum !== 'object') throw new RefusedKind('"datum" expected { features, label }');
  checkUnitBall('features', datum.features, dimension);
  checkUnitInterval('label', datum.label);
}

/**
 * The record that a device reports on: features shortened to the unit ball, the label moved into [−1, 1]. Zeros replace
 * what is missing or not a number. It accepts any datum and returns a copy.
 */
export function clipRecord({ dimension }: { readonly dimension: number }, datum: unknown): MarginDatum {
  return {
    features: clipBall(fieldOf(datum, 'features'), dimension, 1),
    label: clipNumber(fieldOf(datum, 'label'), 1),
  };
}

/**
 * y·x, or (x, y)/√2 for a regression: within the unit ball in both cases. The next call overwrites the array, which has
 * space for one entry more than the vector.
 */
export function signedRecord(
  { dimension, task }: { readonly dimension: number; readonly task?: MarginTask },
  { features, label }: MarginDatum,
): Float64Array {
  const signed = reserve(signs, dimension + 1);
  const factor = task === 'regression' ? Math.SQRT1_2 : label;
  for (let i = 0; i < dimension; i++) signed[i] = factor * features[i];
  signed[dimension] = Math.SQRT1_2 * label;
  return signed;
}

/** The lifted vector of a checked record, padded to unit norm. The next call overwrites the array. */
export function liftedVector(parameters: LiftedParameters, datum: MarginDatum): Float64Array {
  const { lift, weights } = parameters;
  const { size } = lift;
  const unit = reserve(units, size + 1);
  fillLift(lift, weights, signedRecord(parameters, datum), unit);
  padToSphere(unit, size);
  return unit;
}

/** The power of a checked record, padded to unit norm. The next call overwrites the array. */
export function powerVector(parameters: SampledParameters, power: number, datum: MarginDatum): Float64Array {
  const { lift } = parameters;
  const entries = lift.offsets[power] - lift.offsets[power - 1];
  const unit = reserve(units, entries + 1);
  fillPower(lift, power, signedRecord(parameters, datum), reserve(monomials, lift.offsets[power]), unit);
  padToSphere(unit, entries);
  return unit;
}

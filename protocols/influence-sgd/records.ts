import { UNIT_TOLERANCE } from '../../src/check/datum.ts';
import { checkInteger } from '../../src/check/number.ts';
import { RefusedKind, RefusedValue } from '../../src/check/refusal.ts';

const { sqrt } = Math;

/** The records of a trusted curator, all in one place and unprotected. This is not local privacy. */
export interface CentralRecords {
  /** Number of records n. */
  readonly records: number;
  /** Number of features d of a record. */
  readonly dimension: number;
  /** Record i is `features[i·d] … features[i·d + d − 1]`; its ℓ₂ norm is at most 1. Length n·d. */
  readonly features: Float32Array | Float64Array;
  /** +1 or −1 for each record. Length n. */
  readonly labels: Int8Array;
}

/**
 * Checks all records. Every function of a curator does this before it uses a record. The messages name no value and no
 * record.
 *
 * @throws TypeError or RangeError for lengths that do not fit, a norm above 1, a NaN, or a label that is neither +1 nor
 * −1.
 */
export function checkRecords(given: CentralRecords): CentralRecords {
  const records = checkInteger('records', given.records, 1);
  const dimension = checkInteger('dimension', given.dimension, 1);
  const { features, labels } = given;
  if (!(features instanceof Float32Array || features instanceof Float64Array)) {
    throw new RefusedKind('"features" expected a Float32Array or a Float64Array');
  }
  if (!(labels instanceof Int8Array)) throw new RefusedKind('"labels" expected an Int8Array');
  if (features.length !== records * dimension)
    throw new RefusedValue('"features" expected records times dimension numbers');
  if (labels.length !== records) throw new RefusedValue('"labels" expected one label for each record');
  for (let i = 0; i < records; i++) {
    let squared = 0;
    for (let j = i * dimension; j < (i + 1) * dimension; j++) squared += features[j] * features[j];
    // One comparison covers NaN and the infinities as well. 32-bit features are rounded once more.
    if (!(squared <= 1 + UNIT_TOLERANCE + 2 ** -22)) {
      throw new RefusedValue('"features" expected finite numbers with an l2 norm of at most 1 in every record');
    }
    if (labels[i] !== 1 && labels[i] !== -1) throw new RefusedValue('"labels" expected +1 or -1 for every record');
  }
  return given;
}

/**
 * Checked records, none of them outside the unit ball. Because of rounding, `checkRecords` accepts norms up to
 * 1 + 1.2e-7 of 32-bit features; such records are scaled to the sphere. The bound used for the calibration of the noise
 * then holds for all records. If no record is outside, the given records are returned unchanged.
 *
 * @throws as `checkRecords`.
 */
export function clipRecords(given: CentralRecords): CentralRecords {
  const { records, dimension, features, labels } = checkRecords(given);
  let clipped: Float64Array | undefined;
  for (let i = 0; i < records; i++) {
    let squared = 0;
    for (let j = i * dimension; j < (i + 1) * dimension; j++) squared += features[j] * features[j];
    if (squared <= 1) continue;
    clipped ??= Float64Array.from(features);
    // Shorter by more than the rounding errors of the sum of squares and of its root.
    const factor = (1 - (dimension + 4) * 2 ** -52) / sqrt(squared);
    for (let j = i * dimension; j < (i + 1) * dimension; j++) clipped[j] *= factor;
  }
  return clipped === undefined ? given : { records, dimension, features: clipped, labels };
}

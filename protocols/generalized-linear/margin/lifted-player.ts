import { randomizeUnit } from '../../../src/core/unit-report.ts';
import { createScratch, reserve } from '../../../src/numeric/scratch.ts';
import { fillLift } from '../../../src/polynomial/lift.ts';
import type { Random } from '../../../src/random/random.ts';
import type { LiftedParameters } from './parameters.ts';
import { checkRecord, type MarginDatum, signedRecord } from './record.ts';
import { createMarginReport, type MarginReport } from './report.ts';

// Scratch of the hot kernel, kept between calls and overwritten by each.
const scratch = /* @__PURE__ */ createScratch(256);

/** The lifted vector of a record that was checked, completed to the sphere. An array that the next call overwrites. */
export function liftedVector(parameters: LiftedParameters, datum: MarginDatum): Float64Array {
  const { lift, weights } = parameters;
  const { size } = lift;
  const unit = reserve(scratch, size + 1);
  fillLift(lift, weights, signedRecord(parameters, datum), unit);
  // The norm is private too: the padding completes it to exactly 1.
  let squared = 0;
  for (let i = 0; i < size; i++) squared += unit[i] * unit[i];
  unit[size] = squared < 1 ? Math.sqrt(1 - squared) : 0;
  return unit;
}

/** The report of a record that was checked, written over a report made before. */
export function fillLiftedReport(
  parameters: LiftedParameters,
  datum: MarginDatum,
  random: Random,
  { values }: MarginReport,
): void {
  randomizeUnit(parameters.mechanism, liftedVector(parameters, datum), values, random);
}

/**
 * One player's report under `lifted` parameters: what `randomize` does for them, without the code of the other variants. For
 * devices that play nothing else.
 *
 * @throws TypeError or RangeError for a record outside the domain; the message never contains its values.
 */
export function randomizeLifted(parameters: LiftedParameters, datum: MarginDatum, random: Random): MarginReport {
  const report = createMarginReport(parameters);
  checkRecord(parameters, datum, report);
  fillLiftedReport(parameters, datum, random, report);
  return report;
}

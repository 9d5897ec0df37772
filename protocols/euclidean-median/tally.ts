import type { Values } from '../../src/core/frame.ts';
import { addUnitReport } from '../../src/core/unit-report.ts';
import { addCorrectedPowers } from '../generalized-linear/margin/gaussian-channel.ts';
import type { MarginTally } from '../generalized-linear/margin/tally.ts';
import { addReport, emptyTally, mergeTallies } from '../generalized-linear/margin/tallying.ts';
import type { EuclideanMedianParameters } from './parameters.ts';
import type { EuclideanMedianReport } from './report.ts';

export { checkTally, type MomentTally, type ReportTally } from '../generalized-linear/margin/tally.ts';

/**
 * What a server keeps. `lifted` and `gaussian`: sums of the reports without their padding, or of the corrected symmetric powers
 * of x, whose size does not grow with players. `printed` and `copies`: the reports, since the product estimator multiplies
 * within a report at a w that is only known later.
 */
export type EuclideanMedianTally = MarginTally;

/** The tally of no reports. */
export function empty(parameters: EuclideanMedianParameters): EuclideanMedianTally {
  if ('copies' in parameters) return emptyTally(parameters);
  return emptyTally(parameters, parameters.variant === 'lifted' ? parameters.features.size : parameters.lift.size);
}

/** Adds one report: see `addReport`. */
export function add(
  parameters: EuclideanMedianParameters,
  tally: EuclideanMedianTally,
  report: EuclideanMedianReport,
): void {
  addReport(parameters, tally, report, addMoments);
}

function addMoments(parameters: EuclideanMedianParameters, values: Values, sums: Float64Array): void {
  if (parameters.variant === 'lifted') addUnitReport(parameters.mechanism, values, sums);
  else if (parameters.variant === 'gaussian') addCorrectedPowers(parameters, values, sums);
}

/** Adds everything in `other` to `tally`: see `mergeTallies`. */
export const merge: (
  parameters: EuclideanMedianParameters,
  tally: EuclideanMedianTally,
  other: EuclideanMedianTally,
) => void = mergeTallies;

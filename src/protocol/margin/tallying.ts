import { ReportError } from '../../check/report-error.ts';
import { addHermiteLift } from '../../polynomial/hermite-lift.ts';
import type { Server } from '../contract.ts';
import { createValues, type Values } from '../frame.ts';
import type { MarginParameters } from './parameters.ts';
import type { MarginReport } from './report.ts';
import type { SphericalParameters } from './spherical.ts';
import { checkTally, type MarginTally } from './tally.ts';

/** Parameters whose reports are tallied here. */
export type TallyParameters = MarginParameters | SphericalParameters;

/** The tally of no reports. */
function empty(parameters: TallyParameters): MarginTally {
  const { digest } = parameters;
  if (parameters.maker === 'lifted' || parameters.maker === 'gaussian') {
    return { kind: 'moments', digest, players: 0, sums: new Float64Array(parameters.lift.size) };
  }
  return { kind: 'reports', digest, players: 0, values: createValues(parameters.precision, 16 * parameters.length) };
}

// Scratch of the Hermite correction, kept between calls and overwritten by each.
let scratch = new Float64Array(0);

/**
 * Adds one report.
 *
 * @throws ReportError for a report of another length; `decode` has checked everything else. RangeError for a tally of other
 * parameters.
 */
function add(parameters: TallyParameters, tally: MarginTally, report: MarginReport): void {
  const { values } = report;
  checkTally('tally', tally, parameters);
  if (values.length !== parameters.length) {
    throw new ReportError(`"report" expected ${parameters.length} values, got ${values.length}`);
  }
  if (tally.kind === 'reports') {
    append(tally, values, parameters.length);
  } else if (parameters.maker === 'gaussian') {
    const { lift, sigma } = parameters;
    if (scratch.length < lift.size) scratch = new Float64Array(lift.size);
    addHermiteLift(lift, values, sigma * sigma, tally.sums, scratch);
  } else {
    const { sums } = tally;
    for (let i = 0; i < sums.length; i++) sums[i] += values[i];
  }
  tally.players++;
}

function append(tally: Extract<MarginTally, { kind: 'reports' }>, values: Values, length: number): void {
  const used = tally.players * length;
  const needed = used + values.length;
  if (needed > tally.values.length) {
    const grown = createValues(tally.values instanceof Float32Array ? 'float32' : 'float64', 2 * needed);
    grown.set(tally.values.subarray(0, used));
    tally.values = grown;
  }
  tally.values.set(values, used);
}

/**
 * Adds everything in `other` to `tally`.
 *
 * @throws RangeError for a tally of other parameters: its noise is corrected in another way.
 */
function merge(parameters: TallyParameters, tally: MarginTally, other: MarginTally): void {
  checkTally('tally', tally, parameters);
  checkTally('other', other, parameters);
  if (tally.kind === 'reports' && other.kind === 'reports') {
    append(tally, other.values.slice(0, other.players * parameters.length), parameters.length);
  } else if (tally.kind === 'moments' && other.kind === 'moments') {
    for (let i = 0; i < tally.sums.length; i++) tally.sums[i] += other.sums[i];
  }
  tally.players += other.players;
}

/** The tally of every protocol with reports on a signed record: all of a server but its estimate. */
export const marginTallying: Omit<Server<TallyParameters, MarginReport, MarginTally, never, never>, 'estimate'> = {
  empty,
  add,
  merge,
};

import { ReportError } from '../../../src/check/report-error.ts';
import type { Server } from '../../../src/core/contract.ts';
import { createValues, precisionOfValues, type Values } from '../../../src/core/frame.ts';
import { type ChannelParameters, channelOf } from './channels.ts';
import type { MarginReport, ReportParameters } from './shape.ts';
import { checkTally, type MarginTally } from './tally.ts';

/** The tally of no reports: of moments where their number is given, of the reports themselves otherwise. */
export function emptyTally({ digest, precision, length }: ReportParameters, moments?: number): MarginTally {
  if (moments !== undefined) return { kind: 'moments', digest, players: 0, sums: new Float64Array(moments) };
  return { kind: 'reports', digest, players: 0, values: createValues(precision, 16 * length) };
}

/**
 * Adds one report, or what it says of the moments.
 *
 * @throws ReportError for a report of another length; `decode` has checked everything else. RangeError for a tally of other
 * parameters.
 */
export function addReport<Parameters extends ReportParameters>(
  parameters: Parameters,
  tally: MarginTally,
  { values }: MarginReport,
  addMoments: (parameters: Parameters, values: Values, sums: Float64Array) => void,
): void {
  checkTally('tally', tally, parameters);
  if (values.length !== parameters.length) {
    throw new ReportError(`"report" expected ${parameters.length} values, got ${values.length}`);
  }
  if (tally.kind === 'reports') append(tally, values, parameters.length);
  else addMoments(parameters, values, tally.sums);
  tally.players++;
}

function append(tally: Extract<MarginTally, { kind: 'reports' }>, values: Values, length: number): void {
  const used = tally.players * length;
  const needed = used + values.length;
  if (needed > tally.values.length) {
    const grown = createValues(precisionOfValues(tally.values), 2 * needed);
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
export function mergeTallies(parameters: ReportParameters, tally: MarginTally, other: MarginTally): void {
  checkTally('tally', tally, parameters);
  checkTally('other', other, parameters);
  if (tally.kind === 'reports' && other.kind === 'reports') {
    append(tally, other.values.slice(0, other.players * parameters.length), parameters.length);
  } else if (tally.kind === 'moments' && other.kind === 'moments') {
    for (let i = 0; i < tally.sums.length; i++) tally.sums[i] += other.sums[i];
  }
  tally.players += other.players;
}

function addMoments(parameters: ChannelParameters, values: Values, sums: Float64Array): void {
  channelOf(parameters).add?.(values, sums);
}

/** The tally of every protocol with reports on a signed record: all of a server but its estimate. */
export const marginTallying: Omit<Server<ChannelParameters, MarginReport, MarginTally, never, never>, 'estimate'> = {
  empty: (parameters) => emptyTally(parameters, channelOf(parameters).moments),
  add: (parameters, tally, report) => addReport(parameters, tally, report, addMoments),
  merge: mergeTallies,
};

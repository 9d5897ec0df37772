import { ReportError } from '../../../src/check/report-error.ts';
import type { PublicParameters, Server } from '../../../src/core/contract.ts';
import { createValues, type Precision, precisionOfValues, type Values } from '../../../src/core/frame.ts';
import { addUnitReport, type UnitRandomizer } from '../../../src/core/unit-report.ts';
import type { DiscreteGaussianMechanism } from '../../../src/mechanism/discrete-gaussian.ts';
import { addHermiteLift } from '../../../src/polynomial/hermite-lift.ts';
import type { Lift } from '../../../src/polynomial/lift.ts';
import type { MarginParameters } from './parameters.ts';
import type { MarginReport } from './report.ts';
import type { SphericalParameters } from './spherical.ts';
import { checkTally, type MarginTally } from './tally.ts';

/** Parameters whose reports are tallied here. */
export type TallyParameters = MarginParameters | SphericalParameters;

/** What a tally needs to know of the parameters, whatever the protocol. */
export type TalliedParameters = PublicParameters & {
  /** Numbers in a report. */
  readonly length: number;
  /** How the numbers travel. */
  readonly precision: Precision;
} & (
    | {
        readonly maker: 'gaussian';
        readonly lift: Lift;
        readonly sigma: number;
        readonly noise?: DiscreteGaussianMechanism;
      }
    | { readonly maker: 'lifted'; readonly mechanism: UnitRandomizer }
    | { readonly maker: 'copies' | 'printed' | 'sphericalLaplace' }
  );

/** The tally of no reports: of moments where their number is given, of the reports themselves otherwise. */
export function emptyTally({ digest, precision, length }: TalliedParameters, moments?: number): MarginTally {
  if (moments !== undefined) return { kind: 'moments', digest, players: 0, sums: new Float64Array(moments) };
  return { kind: 'reports', digest, players: 0, values: createValues(precision, 16 * length) };
}

function empty(parameters: TallyParameters): MarginTally {
  const byMoments = parameters.maker === 'lifted' || parameters.maker === 'gaussian';
  return emptyTally(parameters, byMoments ? parameters.lift.size : undefined);
}

// Scratch of the Hermite correction, kept between calls and overwritten by each.
let scratch = new Float64Array(0);
let ungridded = new Float64Array(16);

/**
 * Adds one report.
 *
 * @throws ReportError for a report of another length; `decode` has checked everything else. RangeError for a tally of other
 * parameters.
 */
export function addReport(parameters: TalliedParameters, tally: MarginTally, { values }: MarginReport): void {
  checkTally('tally', tally, parameters);
  if (values.length !== parameters.length) {
    throw new ReportError(`"report" expected ${parameters.length} values, got ${values.length}`);
  }
  if (tally.kind === 'reports') {
    append(tally, values, parameters.length);
  } else if (parameters.maker === 'gaussian') {
    const { lift, sigma, noise } = parameters;
    if (scratch.length < lift.size) scratch = new Float64Array(lift.size);
    addHermiteLift(lift, noise === undefined ? values : fromGrid(noise, values), sigma * sigma, tally.sums, scratch);
  } else if (parameters.maker === 'lifted') {
    addUnitReport(parameters.mechanism, values, tally.sums);
  }
  tally.players++;
}

// The integers of a deployed report in the units of v.
function fromGrid({ step }: DiscreteGaussianMechanism, values: Values): Float64Array {
  if (ungridded.length < values.length) ungridded = new Float64Array(values.length);
  for (let i = 0; i < values.length; i++) ungridded[i] = step * values[i];
  return ungridded;
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
export function mergeTallies(parameters: TalliedParameters, tally: MarginTally, other: MarginTally): void {
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
  add: addReport,
  merge: mergeTallies,
};

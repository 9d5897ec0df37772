import { refusal } from '../../src/check/number.ts';
import { ReportError } from '../../src/check/report-error.ts';
import { addHermiteLift } from '../../src/polynomial/hermite-lift.ts';
import { createValues, type Values } from '../../src/protocol/frame.ts';
import type { EuclideanMedianParameters } from './parameters.ts';
import type { EuclideanMedianReport } from './report.ts';

/** The tally of makers `lifted` and `gaussian`: a running sum whose size does not grow with players. */
export interface MomentTally {
  readonly kind: 'moments';
  /** Digest of the parameters whose reports it takes. */
  readonly digest: string;
  /** Number of reports. */
  players: number;
  /** `lifted`: the sum of the reports without their padding; `gaussian`: the sum of the corrected symmetric powers of x. */
  readonly sums: Float64Array;
}

/**
 * The tally of makers `printed` and `copies`: the reports themselves, since the product estimator multiplies within a report
 * at a w that is only known later. It grows with the players.
 */
export interface ReportTally {
  readonly kind: 'reports';
  /** Digest of the parameters whose reports it takes. */
  readonly digest: string;
  /** Number of reports. */
  players: number;
  /** The reports one after the other; room for more at the end. */
  values: Values;
}

/** What a server keeps. */
export type EuclideanMedianTally = MomentTally | ReportTally;

/** Refuses a tally of reports made under other parameters. */
export function checkTally(name: string, tally: EuclideanMedianTally, { digest }: EuclideanMedianParameters): void {
  if (tally.digest !== digest) {
    throw new RangeError(refusal(`${name}.digest`, `the digest of these parameters, ${digest}`, tally.digest));
  }
}

/** The tally of no reports. */
export function empty(parameters: EuclideanMedianParameters): EuclideanMedianTally {
  const { digest } = parameters;
  if ('copies' in parameters) {
    return { kind: 'reports', digest, players: 0, values: createValues(parameters.precision, 16 * parameters.length) };
  }
  const size = parameters.maker === 'lifted' ? parameters.features.size : parameters.lift.size;
  return { kind: 'moments', digest, players: 0, sums: new Float64Array(size) };
}

// Scratch of the Hermite correction, kept between calls and overwritten by each.
let scratch = new Float64Array(0);

/**
 * Adds one report.
 *
 * @throws ReportError for a report of another length; `decode` has checked everything else. RangeError for a tally of other
 * parameters.
 */
export function add(
  parameters: EuclideanMedianParameters,
  tally: EuclideanMedianTally,
  { values }: EuclideanMedianReport,
): void {
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

function append(tally: ReportTally, values: Values, length: number): void {
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
export function merge(
  parameters: EuclideanMedianParameters,
  tally: EuclideanMedianTally,
  other: EuclideanMedianTally,
): void {
  checkTally('tally', tally, parameters);
  checkTally('other', other, parameters);
  if (tally.kind === 'reports' && other.kind === 'reports') {
    append(tally, other.values.slice(0, other.players * parameters.length), parameters.length);
  } else if (tally.kind === 'moments' && other.kind === 'moments') {
    for (let i = 0; i < tally.sums.length; i++) tally.sums[i] += other.sums[i];
  }
  tally.players += other.players;
}

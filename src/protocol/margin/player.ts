import { checkUnitBall, checkUnitInterval } from '../../check/datum.ts';
import { randomizeDiscreteGaussian } from '../../mechanism/discrete-gaussian.ts';
import { randomizeCopies } from '../../mechanism/noisy-copies.ts';
import { fillLift } from '../../polynomial/lift.ts';
import { fillNormal } from '../../random/normal.ts';
import type { Random } from '../../random/random.ts';
import type { Player } from '../contract.ts';
import type { FloatValues } from '../frame.ts';
import { randomizeUnit } from '../unit-report.ts';
import type { GaussianParameters, LiftedParameters, MarginParameters } from './parameters.ts';
import { createMarginReport, type MarginReport } from './report.ts';

/** One player's private record. */
export interface MarginDatum {
  /** x: p numbers with ‖x‖₂ ≤ 1. */
  readonly features: ArrayLike<number>;
  /** y in [−1, 1], usually −1 or 1. */
  readonly label: number;
}

/**
 * One player's randomized report.
 *
 * @throws TypeError or RangeError for a record outside the domain; the message never contains its values.
 */
function randomize(parameters: MarginParameters, datum: MarginDatum, random: Random): MarginReport {
  const report = createMarginReport(parameters);
  randomizeInto(parameters, datum, random, report);
  return report;
}

/**
 * {@link randomize} over a report made before; the same coins, the same report.
 *
 * @throws RangeError besides for a report of another length.
 */
function randomizeInto(parameters: MarginParameters, datum: MarginDatum, random: Random, report: MarginReport): void {
  if (datum === null || typeof datum !== 'object') throw new TypeError('"datum" expected { features, label }');
  const { features, label } = datum;
  checkUnitBall('features', features, parameters.dimension);
  checkUnitInterval('label', label);
  if (report.values.length !== parameters.length) {
    throw new RangeError(`"report" expected ${parameters.length} values, got ${report.values.length}`);
  }
  if (parameters.maker === 'lifted') randomizeLifted(parameters, features, label, random, report);
  else if (parameters.maker === 'gaussian') randomizeGaussian(parameters, features, label, random, report);
  else randomizeCopies(parameters.copies, features, label, report.values as FloatValues, random);
}

// Scratch of the hot kernels, kept between calls and overwritten by each.
let signed = new Float64Array(16);
let exact = signed.subarray(0, 0);
let unit = new Float64Array(256);
let noise = new Float64Array(16);

// y·x, or (x, y)/√2 for a regression: within the unit ball either way.
function fillRecord(
  { dimension, task }: LiftedParameters | GaussianParameters,
  features: ArrayLike<number>,
  label: number,
): void {
  if (signed.length <= dimension) signed = new Float64Array(dimension + 1);
  const factor = task === 'regression' ? Math.SQRT1_2 : label;
  for (let i = 0; i < dimension; i++) signed[i] = factor * features[i];
  signed[dimension] = Math.SQRT1_2 * label;
}

function randomizeLifted(
  parameters: LiftedParameters,
  features: ArrayLike<number>,
  label: number,
  random: Random,
  report: MarginReport,
): void {
  const { lift, weights, mechanism } = parameters;
  const { size } = lift;
  if (unit.length <= size) unit = new Float64Array(size + 1);
  fillRecord(parameters, features, label);
  fillLift(lift, weights, signed, unit);
  // The norm is private too: the padding completes it to exactly 1.
  let squared = 0;
  for (let i = 0; i < size; i++) squared += unit[i] * unit[i];
  unit[size] = squared < 1 ? Math.sqrt(1 - squared) : 0;
  randomizeUnit(mechanism, unit, report.values, random);
}

function randomizeGaussian(
  parameters: GaussianParameters,
  features: ArrayLike<number>,
  label: number,
  random: Random,
  report: MarginReport,
): void {
  const { length, sigma } = parameters;
  const { values } = report;
  if (parameters.noise !== undefined) {
    fillRecord(parameters, features, label);
    // The mechanism takes a vector of exactly its own length.
    if (exact.length !== length || exact.buffer !== signed.buffer) exact = signed.subarray(0, length);
    randomizeDiscreteGaussian(parameters.noise, exact, values as Int32Array, random);
    return;
  }
  if (noise.length < length) noise = new Float64Array(length);
  fillNormal(noise, random, 0, length);
  fillRecord(parameters, features, label);
  for (let i = 0; i < length; i++) values[i] = signed[i] + sigma * noise[i];
}

/** The player of every protocol with reports on a signed record. */
export const marginPlayer: Player<MarginParameters, MarginDatum, MarginReport> = { randomize, randomizeInto };

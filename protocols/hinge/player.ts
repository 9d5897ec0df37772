import { checkUnitBall, checkUnitInterval } from '../../src/check/datum.ts';
import { randomizeCopies } from '../../src/mechanism/noisy-copies.ts';
import { randomizePrivUnitG } from '../../src/mechanism/priv-unit-gaussian.ts';
import { fillLift } from '../../src/polynomial/lift.ts';
import type { Player } from '../../src/protocol/contract.ts';
import { fillNormal } from '../../src/random/normal.ts';
import type { Random } from '../../src/random/random.ts';
import type { GaussianParameters, HingeParameters, LiftedParameters } from './parameters.ts';
import { createReport, type HingeReport } from './report.ts';

/** One player's private record. */
export interface HingeDatum {
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
export function randomize(parameters: HingeParameters, datum: HingeDatum, random: Random): HingeReport {
  const report = createReport(parameters);
  randomizeInto(parameters, datum, random, report);
  return report;
}

/**
 * {@link randomize} over a report made before; the same coins, the same report.
 *
 * @throws RangeError besides for a report of another length.
 */
export function randomizeInto(
  parameters: HingeParameters,
  datum: HingeDatum,
  random: Random,
  report: HingeReport,
): void {
  if (datum === null || typeof datum !== 'object') throw new TypeError('"datum" expected { features, label }');
  const { features, label } = datum;
  checkUnitBall('features', features, parameters.dimension);
  checkUnitInterval('label', label);
  if (report.values.length !== parameters.length) {
    throw new RangeError(`"report" expected ${parameters.length} values, got ${report.values.length}`);
  }
  if (parameters.maker === 'lifted') randomizeLifted(parameters, features, label, random, report);
  else if (parameters.maker === 'gaussian') randomizeGaussian(parameters, features, label, random, report);
  else randomizeCopies(parameters.copies, features, label, report.values, random);
}

// Scratch of the hot kernels, kept between calls and overwritten by each.
let signed = new Float64Array(16);
let unit = new Float64Array(256);
let noise = new Float64Array(16);

function sign(features: ArrayLike<number>, label: number, dimension: number): void {
  if (signed.length < dimension) signed = new Float64Array(dimension);
  for (let i = 0; i < dimension; i++) signed[i] = label * features[i];
}

function randomizeLifted(
  parameters: LiftedParameters,
  features: ArrayLike<number>,
  label: number,
  random: Random,
  report: HingeReport,
): void {
  const { dimension, length, lift, weights, mechanism } = parameters;
  if (unit.length < length) unit = new Float64Array(length);
  sign(features, label, dimension);
  fillLift(lift, weights, signed, unit);
  // The norm is private too: the padding completes it to exactly 1.
  let squared = 0;
  for (let i = 0; i < length - 1; i++) squared += unit[i] * unit[i];
  unit[length - 1] = squared < 1 ? Math.sqrt(1 - squared) : 0;
  randomizePrivUnitG(mechanism, unit, report.values, random);
}

function randomizeGaussian(
  parameters: GaussianParameters,
  features: ArrayLike<number>,
  label: number,
  random: Random,
  report: HingeReport,
): void {
  const { dimension, sigma } = parameters;
  const { values } = report;
  if (noise.length < dimension) noise = new Float64Array(dimension);
  fillNormal(noise, random, 0, dimension);
  for (let i = 0; i < dimension; i++) values[i] = label * features[i] + sigma * noise[i];
}

/** The player of the hinge protocol. */
export const player: Player<HingeParameters, HingeDatum, HingeReport> = { randomize, randomizeInto };

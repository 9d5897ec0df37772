import { checkUnitBall, clipBall, createScratch, fieldOf, reserve } from '../../src/check/datum.ts';
import { RefusedKind, RefusedValue } from '../../src/check/refusal.ts';
import type { Player } from '../../src/core/contract.ts';
import { createReport, type ValuesReport } from '../../src/core/frame.ts';
import { randomizeDiscreteGaussian } from '../../src/mechanism/discrete-gaussian.ts';
import { padToSphere, randomizeUnit } from '../../src/mechanism/unit-mechanism.ts';
import { fillLift } from '../../src/polynomial/lift.ts';
import { fillNormal, type Random } from '../../src/random/random.ts';
import { fillFeatures } from './moments.ts';
import type {
  CopiesParameters,
  EuclideanMedianDatum,
  EuclideanMedianParameters,
  GaussianParameters,
  LiftedParameters,
} from './parameters.ts';

/** The player of the Euclidean median protocol. */
export const player: Player<EuclideanMedianParameters, EuclideanMedianDatum, ValuesReport> = {
  randomize,
  randomizeInto,
  clip,
};

/**
 * One player's randomized report.
 * @throws TypeError or RangeError for a point outside the unit ball; the message never contains its coordinates.
 */
function randomize(parameters: EuclideanMedianParameters, datum: EuclideanMedianDatum, random: Random): ValuesReport {
  const report = createReport(parameters);
  randomizeInto(parameters, datum, random, report);
  return report;
}

/** {@link randomize} into an existing report; the same coins give the same report. */
function randomizeInto(
  parameters: EuclideanMedianParameters,
  datum: EuclideanMedianDatum,
  random: Random,
  report: ValuesReport,
): void {
  if (datum === null || typeof datum !== 'object') throw new RefusedKind('"datum" expected { point }');
  const { point } = datum;
  const squaredNorm = checkUnitBall('point', point, parameters.dimension);
  if (report.values.length !== parameters.length) {
    throw new RefusedValue(`"report" expected ${parameters.length} values, got ${report.values.length}`);
  }
  const fill: Fill<never> = RANDOMIZERS[parameters.variant];
  fill(parameters as never, point, random, report, squaredNorm);
}

/** How the report of a checked point is drawn, given ‖x‖²: the half of a channel that uses coins. */
type Fill<Parameters> = (
  parameters: Parameters,
  point: ArrayLike<number>,
  random: Random,
  report: ValuesReport,
  squaredNorm: number,
) => void;

const RANDOMIZERS = { lifted: fillLifted, gaussian: fillGaussian, copies: fillCopies, printed: fillCopies } as const;

/** The point that a device reports on, shortened to the unit ball; zeros replace what is no number. A copy. */
function clip({ dimension }: EuclideanMedianParameters, datum: unknown): EuclideanMedianDatum {
  return { point: clipBall(fieldOf(datum, 'point'), dimension, 1) };
}

// Scratch of the hot kernels, kept between calls and overwritten by each.
const lifts = /* @__PURE__ */ createScratch(256);
const units = /* @__PURE__ */ createScratch(256);
const normals = /* @__PURE__ */ createScratch(16);

function fillCopies(
  { dimension, length, sigma }: Pick<CopiesParameters, 'dimension' | 'length' | 'sigma'>,
  point: ArrayLike<number>,
  random: Random,
  { values }: ValuesReport,
): void {
  const noise = reserve(normals, length);
  fillNormal(noise, random, 0, length);
  for (let at = 0; at < length; ) {
    for (let i = 0; i < dimension; i++, at++) values[at] = point[i] + sigma * noise[at];
  }
}

function fillGaussian(
  parameters: GaussianParameters,
  point: ArrayLike<number>,
  random: Random,
  report: ValuesReport,
): void {
  // Without a grid it is one copy.
  if (parameters.noise === undefined) fillCopies(parameters, point, random, report);
  else randomizeDiscreteGaussian(parameters.noise, point, report.values as Int32Array, random);
}

function fillLifted(
  parameters: LiftedParameters,
  point: ArrayLike<number>,
  random: Random,
  { values }: ValuesReport,
  squaredNorm: number,
): void {
  const { size } = parameters.features;
  const unit = reserve(units, size + 1);
  fillScaled(parameters, point, squaredNorm, unit);
  padToSphere(unit, size);
  randomizeUnit(parameters.mechanism, unit, values, random);
}

/** Writes the scaled features of a point, which `lifted` randomizes, into the first entries of `target`. */
export function fillScaled(
  { features, scales }: LiftedParameters,
  point: ArrayLike<number>,
  squaredNorm: number,
  target: Float64Array,
): void {
  const { lift } = features;
  const powers = reserve(lifts, lift.size);
  fillLift(lift, lift.weight, point, powers);
  fillFeatures(features, scales, powers, squaredNorm, target);
}

import { checkUnitBall, clipBall, createScratch, fieldOf, reserve } from '../../src/check/datum.ts';
import { RefusedKind, RefusedValue } from '../../src/check/refusal.ts';
import type { Player } from '../../src/core/contract.ts';
import { createReport, type Values, type ValuesReport } from '../../src/core/frame.ts';
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
  randomize(parameters, datum, random) {
    const report = createReport(parameters);
    randomizeInto(parameters, datum, random, report);
    return report;
  },
  randomizeInto,
  clip: ({ dimension }, datum) => ({ point: clipBall(fieldOf(datum, 'point'), dimension, 1) }),
};

function randomizeInto(
  parameters: EuclideanMedianParameters,
  datum: EuclideanMedianDatum,
  random: Random,
  { values }: ValuesReport,
): void {
  if (datum === null || typeof datum !== 'object') throw new RefusedKind('"datum" expected { point }');
  checkUnitBall('point', datum.point, parameters.dimension);
  if (values.length !== parameters.length) {
    throw new RefusedValue(`"report" expected ${parameters.length} values, got ${values.length}`);
  }
  const fill: Fill<never> = RANDOMIZERS[parameters.variant];
  fill(parameters as never, datum.point, random, values);
}

/** How the report of a checked point is drawn: the half of a channel that uses coins. */
type Fill<Parameters> = (parameters: Parameters, point: ArrayLike<number>, random: Random, values: Values) => void;

// Scratch of the hot kernels, kept between calls and overwritten by each.
const lifts = /* @__PURE__ */ createScratch(256);
const units = /* @__PURE__ */ createScratch(256);
const normals = /* @__PURE__ */ createScratch(16);

const fillCopies: Fill<Pick<CopiesParameters, 'dimension' | 'length' | 'sigma'>> = (
  { dimension, length, sigma },
  point,
  random,
  values,
) => {
  const noise = reserve(normals, length);
  fillNormal(noise, random, 0, length);
  for (let at = 0; at < length; ) {
    for (let i = 0; i < dimension; i++, at++) values[at] = point[i] + sigma * noise[at];
  }
};

const fillGaussian: Fill<GaussianParameters> = (parameters, point, random, values) => {
  // Without a grid it is one copy.
  if (parameters.noise === undefined) fillCopies(parameters, point, random, values);
  else randomizeDiscreteGaussian(parameters.noise, point, values as Int32Array, random);
};

const fillLifted: Fill<LiftedParameters> = (parameters, point, random, values) => {
  const { size } = parameters.features;
  const unit = reserve(units, size + 1);
  fillScaled(parameters, point, unit);
  padToSphere(unit, size);
  randomizeUnit(parameters.mechanism, unit, values, random);
};

const RANDOMIZERS = { lifted: fillLifted, gaussian: fillGaussian, copies: fillCopies, printed: fillCopies } as const;

/** Writes the scaled features of a point, which `lifted` randomizes, into the first entries of `target`. */
export function fillScaled(
  { features, scales }: LiftedParameters,
  point: ArrayLike<number>,
  target: Float64Array,
): void {
  const { lift } = features;
  let squaredNorm = 0;
  for (let i = 0; i < point.length; i++) squaredNorm += point[i] * point[i];
  const powers = reserve(lifts, lift.size);
  fillLift(lift, lift.weight, point, powers);
  fillFeatures(features, scales, powers, squaredNorm, target);
}

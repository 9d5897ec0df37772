import {
  checkUnitBall,
  checkUnitInterval,
  clipBall,
  clipNumber,
  createScratch,
  fieldOf,
  reserve,
  reserveExactly,
} from '../../src/check/datum.ts';
import { checkWord, RefusedKind, RefusedValue } from '../../src/check/refusal.ts';
import type { Player } from '../../src/core/contract.ts';
import type { Playable } from '../../src/core/device.ts';
import { createReport, encodeReport, type FloatValues, type Values, type ValuesReport } from '../../src/core/frame.ts';
import { randomizeCopies, randomizeSphericalLaplace } from '../../src/mechanism/added-noise.ts';
import { randomizeDiscreteGaussian } from '../../src/mechanism/discrete-gaussian.ts';
import { exactChoice } from '../../src/mechanism/exact-coin.ts';
import { type KClosest, randomizeKClosest } from '../../src/mechanism/k-closest.ts';
import { padToSphere, randomizeUnit } from '../../src/mechanism/unit-mechanism.ts';
import { fillLift, fillPower } from '../../src/polynomial/lift.ts';
import { pure } from '../../src/privacy/guarantee.ts';
import { fillNormal, type Random } from '../../src/random/random.ts';
import type { LabelledRecord as MarginDatum } from '../../src/simulation/runner.ts';
import {
  type ChannelParameters,
  type CopiesParameters,
  deployedDirect,
  deployedLifted,
  deployedSampled,
  type GaussianParameters,
  type LiftedParameters,
  type MarginFamily,
  type MarginLiftedRequest,
  type MarginTask,
  type SampledParameters,
  type SphericalParameters,
} from './margin/parameters.ts';

/** The player of this protocol, and of every other protocol with reports on a signed record. */
export const player: Player<ChannelParameters, MarginDatum, ValuesReport> = {
  randomize(parameters, datum, random) {
    const report = createReport(parameters);
    randomizeInto(parameters, datum, random, report);
    return report;
  },
  randomizeInto,
  clip: clipRecord,
};

function randomizeInto(parameters: ChannelParameters, datum: MarginDatum, random: Random, report: ValuesReport): void {
  checkRecord(parameters, datum);
  const { values } = report;
  if (values.length !== parameters.length) {
    throw new RefusedValue(`"report" expected ${parameters.length} values, got ${values.length}`);
  }
  const fill: Fill<never> = RANDOMIZERS[parameters.variant];
  fill(parameters as never, datum, random, values);
}

/** How the report of a checked record is drawn: the half of a channel that uses coins. */
type Fill<Parameters> = (parameters: Parameters, datum: MarginDatum, random: Random, values: Values) => void;

// Scratch of the hot kernels, kept between calls and overwritten by each.
const exact = /* @__PURE__ */ createScratch(0);
const normals = /* @__PURE__ */ createScratch(16);

const fillLifted: Fill<LiftedParameters> = (parameters, datum, random, values) =>
  randomizeUnit(parameters.mechanism, liftedVector(parameters, datum), values, random);

const fillSampled: Fill<SampledParameters> = (parameters, datum, random, values) => {
  const { limits, mechanisms, length } = parameters;
  const power = exactChoice(limits, random) + 1;
  const mechanism = mechanisms[power - 1];
  randomizeUnit(mechanism, powerVector(parameters, power, datum), values, random);
  // What an earlier report of a longer power left behind; a deployed report has no such tail.
  if (mechanism.name !== 'k-closest') values.fill(0, mechanism.dimension, length - 1);
  values[length - 1] = power;
};

const fillCopies: Fill<CopiesParameters> = ({ copies }, { features, label }, random, values) =>
  randomizeCopies(copies, features, label, values as FloatValues, random);

const fillSpherical: Fill<SphericalParameters> = (parameters, datum, random, values) =>
  randomizeSphericalLaplace(parameters.mechanism, signedRecord(parameters, datum), values as FloatValues, random);

const fillGaussian: Fill<GaussianParameters> = (parameters, datum, random, values) => {
  const { length, sigma } = parameters;
  if (parameters.noise !== undefined) {
    const signed = signedRecord(parameters, datum);
    // The mechanism takes a vector of exactly its own length.
    const vector = reserveExactly(exact, length);
    for (let i = 0; i < length; i++) vector[i] = signed[i];
    randomizeDiscreteGaussian(parameters.noise, vector, values as Int32Array, random);
    return;
  }
  const noise = reserve(normals, length);
  fillNormal(noise, random, 0, length);
  const signed = signedRecord(parameters, datum);
  for (let i = 0; i < length; i++) values[i] = signed[i] + sigma * noise[i];
};

/** The draws by variant. A new mechanism needs one line here, and one line among the channels. */
const RANDOMIZERS = {
  direct: fillSampled,
  lifted: fillLifted,
  sampled: fillSampled,
  gaussian: fillGaussian,
  copies: fillCopies,
  printed: fillCopies,
  sphericalLaplace: fillSpherical,
} as const;

/**
 * What a device needs to report under `lifted` in the grade `deployment`: the same reports and checks as those of the full
 * protocol, in a fraction of its size. It refuses requests for anything else.
 */
export function liftedDevice(family: MarginFamily): Playable<LiftedParameters, MarginDatum, ValuesReport> {
  return deviceOf(family, 'lifted', deployedLifted, (parameters, datum, values, random) =>
    randomizeKClosest(parameters.mechanism as KClosest, liftedVector(parameters, datum), values, random),
  );
}

/** The same for `sampled`. */
export function sampledDevice(family: MarginFamily): Playable<SampledParameters, MarginDatum, ValuesReport> {
  return deviceOf(family, 'sampled', deployedSampled, fillDeployed);
}

/** The same for `direct`. */
export function directDevice(family: MarginFamily): Playable<SampledParameters, MarginDatum, ValuesReport> {
  return deviceOf(family, 'direct', deployedDirect, fillDeployed);
}

function fillDeployed(parameters: SampledParameters, datum: MarginDatum, values: Uint32Array, random: Random): void {
  const power = exactChoice(parameters.limits, random) + 1;
  const mechanism = parameters.mechanisms[power - 1] as KClosest;
  randomizeKClosest(mechanism, powerVector(parameters, power, datum), values, random);
  values[parameters.length - 1] = power;
}

/** A device of one variant in the grade `deployment`; `fill` draws the whole numbers of a report on a checked record. */
function deviceOf<Parameters extends LiftedParameters | SampledParameters>(
  family: MarginFamily,
  variant: string,
  make: (family: MarginFamily, request: MarginLiftedRequest) => Parameters,
  fill: (parameters: Parameters, datum: MarginDatum, values: Uint32Array, random: Random) => void,
): Playable<Parameters, MarginDatum, ValuesReport> {
  return {
    name: family.protocol,
    player: {
      randomize(parameters, datum, random) {
        checkRecord(parameters, datum);
        // The grade is that of `make` below: k-closest encoding, as whole numbers.
        const values = new Uint32Array(parameters.length);
        fill(parameters, datum, values, random);
        return { values };
      },
      clip: clipRecord,
    },
    report: { encode: encodeReport },
    theory: { guarantee: ({ epsilon }) => pure(epsilon) },
    make(request) {
      checkWord('variant', request.variant, [variant]);
      checkWord('grade', request.grade, ['deployment']);
      if (request.task !== undefined) checkWord('task', request.task, ['classification']);
      // The variant checks every other field, whatever its type.
      return make(family, request as unknown as MarginLiftedRequest);
    },
  };
}

export type { MarginDatum };

const units = /* @__PURE__ */ createScratch(256);
const monomials = /* @__PURE__ */ createScratch(256);
const signs = /* @__PURE__ */ createScratch(16);

/** Refuses what is not a record; the message never contains anything of it. */
export function checkRecord({ dimension }: { readonly dimension: number }, datum: MarginDatum): void {
  if (datum === null || typeof datum !== 'object') throw new RefusedKind('"datum" expected { features, label }');
  checkUnitBall('features', datum.features, dimension);
  checkUnitInterval('label', datum.label);
}

/** Any datum as a device reports on it, copied: features in the unit ball, the label in [−1, 1], zeros for what is no number. */
export function clipRecord({ dimension }: { readonly dimension: number }, datum: unknown): MarginDatum {
  return {
    features: clipBall(fieldOf(datum, 'features'), dimension, 1),
    label: clipNumber(fieldOf(datum, 'label'), 1),
  };
}

/**
 * y·x, or (x, y)/√2 for a regression: within the unit ball in both cases. The next call overwrites the array, which has
 * space for one entry more than the vector.
 */
export function signedRecord(
  parameters: { readonly dimension: number; readonly task?: MarginTask },
  datum: MarginDatum,
): Float64Array {
  const signed = reserve(signs, parameters.dimension + 1);
  writeSigned(parameters, datum, signed, 0);
  return signed;
}

/** Writes the vector of {@link signedRecord} into a target from a place on. */
export function writeSigned(
  { dimension, task }: { readonly dimension: number; readonly task?: MarginTask },
  { features, label }: MarginDatum,
  target: Float64Array,
  at: number,
): void {
  const factor = task === 'regression' ? Math.SQRT1_2 : label;
  for (let i = 0; i < dimension; i++) target[at + i] = factor * features[i];
  if (task === 'regression') target[at + dimension] = Math.SQRT1_2 * label;
}

/** The lifted vector of a checked record, padded to unit norm. The next call overwrites the array. */
export function liftedVector(parameters: LiftedParameters, datum: MarginDatum): Float64Array {
  const { lift, weights } = parameters;
  const { size } = lift;
  const unit = reserve(units, size + 1);
  fillLift(lift, weights, signedRecord(parameters, datum), unit);
  padToSphere(unit, size);
  return unit;
}

/** The power of a checked record, padded to unit norm. The next call overwrites the array. */
export function powerVector(parameters: SampledParameters, power: number, datum: MarginDatum): Float64Array {
  const { lift } = parameters;
  const entries = lift.offsets[power] - lift.offsets[power - 1];
  const unit = reserve(units, entries + 1);
  fillPower(lift, power, signedRecord(parameters, datum), reserve(monomials, lift.offsets[power]), unit);
  padToSphere(unit, entries);
  return unit;
}

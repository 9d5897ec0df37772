import { RefusedValue } from '../../src/check/refusal.ts';
import type { Player } from '../../src/core/contract.ts';
import { createReport, type FloatValues, type ValuesReport } from '../../src/core/frame.ts';
import { randomizeUnit } from '../../src/core/vector-channel.ts';
import { randomizeCopies, randomizeSphericalLaplace } from '../../src/mechanism/added-noise.ts';
import { randomizeDiscreteGaussian } from '../../src/mechanism/discrete-gaussian.ts';
import { exactChoice } from '../../src/mechanism/exact-coin.ts';
import { createScratch, reserve, reserveExactly } from '../../src/numeric/scratch.ts';
import { fillNormal } from '../../src/random/normal.ts';
import type { Random } from '../../src/random/random.ts';
import { checkRecord, clipRecord, liftedVector, type MarginDatum, powerVector, signedRecord } from './device.ts';
import type {
  ChannelParameters,
  CopiesParameters,
  GaussianParameters,
  LiftedParameters,
  SampledParameters,
  SphericalParameters,
} from './margin/parameters.ts';

/** The player of this protocol, and of every other protocol with reports on a signed record. */
export const player: Player<ChannelParameters, MarginDatum, ValuesReport> = {
  randomize,
  randomizeInto,
  clip: clipRecord,
};

/**
 * One player's randomized report.
 *
 * @throws TypeError or RangeError for a record outside the domain; the message never contains its values.
 */
function randomize(parameters: ChannelParameters, datum: MarginDatum, random: Random): ValuesReport {
  const report = createReport(parameters);
  randomizeInto(parameters, datum, random, report);
  return report;
}

/**
 * {@link randomize} into an existing report; the same coins give the same report.
 *
 * @throws RangeError also for a report of another length.
 */
function randomizeInto(parameters: ChannelParameters, datum: MarginDatum, random: Random, report: ValuesReport): void {
  checkRecord(parameters, datum);
  if (report.values.length !== parameters.length) {
    throw new RefusedValue(`"report" expected ${parameters.length} values, got ${report.values.length}`);
  }
  const fill: Fill<never> = RANDOMIZERS[parameters.variant];
  fill(parameters as never, datum, random, report);
}

/** How the report of a checked record is drawn: the half of a channel that uses coins. */
type Fill<Parameters> = (parameters: Parameters, datum: MarginDatum, random: Random, report: ValuesReport) => void;

/** The draws by variant. A new mechanism needs one line here, and one line among the channels. */
const RANDOMIZERS = {
  lifted: fillLifted,
  sampled: fillSampled,
  gaussian: fillGaussian,
  copies: fillCopies,
  printed: fillCopies,
  sphericalLaplace: fillSpherical,
} as const;

// Scratch of the hot kernels, kept between calls and overwritten by each.
const exact = /* @__PURE__ */ createScratch(0);
const normals = /* @__PURE__ */ createScratch(16);

function fillLifted(parameters: LiftedParameters, datum: MarginDatum, random: Random, { values }: ValuesReport): void {
  randomizeUnit(parameters.mechanism, liftedVector(parameters, datum), values, random);
}

function fillSampled(
  parameters: SampledParameters,
  datum: MarginDatum,
  random: Random,
  { values }: ValuesReport,
): void {
  const { limits, mechanisms, length } = parameters;
  const power = exactChoice(limits, random) + 1;
  const mechanism = mechanisms[power - 1];
  randomizeUnit(mechanism, powerVector(parameters, power, datum), values, random);
  // What an earlier report of a longer power left behind; a deployed report has no such tail.
  if (mechanism.name !== 'k-closest') values.fill(0, mechanism.dimension, length - 1);
  values[length - 1] = power;
}

function fillCopies({ copies }: CopiesParameters, datum: MarginDatum, random: Random, { values }: ValuesReport): void {
  randomizeCopies(copies, datum.features, datum.label, values as FloatValues, random);
}

function fillSpherical(
  parameters: SphericalParameters,
  datum: MarginDatum,
  random: Random,
  { values }: ValuesReport,
): void {
  randomizeSphericalLaplace(parameters.mechanism, signedRecord(parameters, datum), values as FloatValues, random);
}

function fillGaussian(
  parameters: GaussianParameters,
  datum: MarginDatum,
  random: Random,
  { values }: ValuesReport,
): void {
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
}

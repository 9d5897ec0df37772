import type { Player } from '../../../src/core/contract.ts';
import type { FloatValues } from '../../../src/core/frame.ts';
import { randomizeDiscreteGaussian } from '../../../src/mechanism/discrete-gaussian.ts';
import { randomizeCopies } from '../../../src/mechanism/noisy-copies.ts';
import { createScratch, reserve, reserveExactly } from '../../../src/numeric/scratch.ts';
import { fillNormal } from '../../../src/random/normal.ts';
import type { Random } from '../../../src/random/random.ts';
import type { ChannelParameters } from './channels.ts';
import { fillLiftedReport } from './lifted-player.ts';
import type { CopiesParameters, GaussianParameters } from './parameters.ts';
import { checkRecord, clipRecord, type MarginDatum, signedRecord } from './record.ts';
import { createMarginReport, type MarginReport } from './report.ts';
import { fillSphericalReport } from './spherical-player.ts';

export type { MarginDatum } from './record.ts';

/**
 * One player's randomized report.
 *
 * @throws TypeError or RangeError for a record outside the domain; the message never contains its values.
 */
export function randomizeMargin(parameters: ChannelParameters, datum: MarginDatum, random: Random): MarginReport {
  const report = createMarginReport(parameters);
  randomizeMarginInto(parameters, datum, random, report);
  return report;
}

/**
 * {@link randomizeMargin} over a report made before; the same coins, the same report.
 *
 * @throws RangeError besides for a report of another length.
 */
export function randomizeMarginInto(
  parameters: ChannelParameters,
  datum: MarginDatum,
  random: Random,
  report: MarginReport,
): void {
  checkRecord(parameters, datum, report);
  const fill: Fill<never> = RANDOMIZERS[parameters.variant];
  fill(parameters as never, datum, random, report);
}

/** How the report of a record that was checked is drawn: the half of a channel that has coins. */
type Fill<Parameters> = (parameters: Parameters, datum: MarginDatum, random: Random, report: MarginReport) => void;

const RANDOMIZERS = {
  lifted: fillLiftedReport,
  gaussian: fillGaussianReport,
  copies: fillCopies,
  printed: fillCopies,
  sphericalLaplace: fillSphericalReport,
} as const;

function fillCopies({ copies }: CopiesParameters, datum: MarginDatum, random: Random, { values }: MarginReport): void {
  randomizeCopies(copies, datum.features, datum.label, values as FloatValues, random);
}

// Scratch of the hot kernel, kept between calls and overwritten by each.
const exact = /* @__PURE__ */ createScratch(0);
const normals = /* @__PURE__ */ createScratch(16);

function fillGaussianReport(
  parameters: GaussianParameters,
  datum: MarginDatum,
  random: Random,
  { values }: MarginReport,
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

/** The player of every protocol with reports on a signed record. */
export const marginPlayer: Player<ChannelParameters, MarginDatum, MarginReport> = {
  randomize: randomizeMargin,
  randomizeInto: randomizeMarginInto,
  clip: clipRecord,
};

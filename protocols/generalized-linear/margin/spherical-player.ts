import { checkUnitBall, checkUnitInterval } from '../../../src/check/datum.ts';
import type { Player } from '../../../src/core/contract.ts';
import type { FloatValues } from '../../../src/core/frame.ts';
import { randomizeSphericalLaplace } from '../../../src/mechanism/spherical-laplace.ts';
import { createScratch, reserve } from '../../../src/numeric/scratch.ts';
import type { Random } from '../../../src/random/random.ts';
import type { MarginDatum } from './player.ts';
import { clipRecord } from './record.ts';
import { createMarginReport, type MarginReport } from './report.ts';
import type { SphericalParameters } from './spherical.ts';

function randomize(parameters: SphericalParameters, datum: MarginDatum, random: Random): MarginReport {
  const report = createMarginReport(parameters);
  randomizeInto(parameters, datum, random, report);
  return report;
}

// Scratch for v, kept between calls and overwritten by each.
const scratch = /* @__PURE__ */ createScratch(16);

function randomizeInto(
  parameters: SphericalParameters,
  datum: MarginDatum,
  random: Random,
  report: MarginReport,
): void {
  if (datum === null || typeof datum !== 'object') throw new TypeError('"datum" expected { features, label }');
  const { features, label } = datum;
  const { dimension, mechanism, length } = parameters;
  checkUnitBall('features', features, dimension);
  checkUnitInterval('label', label);
  if (report.values.length !== length) {
    throw new RangeError(`"report" expected ${length} values, got ${report.values.length}`);
  }
  const signed = reserve(scratch, dimension);
  for (let i = 0; i < dimension; i++) signed[i] = label * features[i];
  randomizeSphericalLaplace(mechanism, signed, report.values as FloatValues, random);
}

/** The player whose v = y·x travels with spherical Laplace noise. */
export const sphericalPlayer: Player<SphericalParameters, MarginDatum, MarginReport> = {
  randomize,
  randomizeInto,
  clip: clipRecord,
};

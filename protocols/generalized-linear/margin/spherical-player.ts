import type { FloatValues } from '../../../src/core/frame.ts';
import { randomizeSphericalLaplace } from '../../../src/mechanism/spherical-laplace.ts';
import { createScratch, reserve } from '../../../src/numeric/scratch.ts';
import type { Random } from '../../../src/random/random.ts';
import type { MarginDatum, MarginReport } from './shape.ts';
import type { SphericalParameters } from './spherical.ts';

// Scratch for v, kept between calls and overwritten by each.
const scratch = /* @__PURE__ */ createScratch(16);

/** The report of a record that was checked, v = y·x with spherical Laplace noise, written over a report made before. */
export function fillSphericalReport(
  { dimension, mechanism }: SphericalParameters,
  { features, label }: MarginDatum,
  random: Random,
  { values }: MarginReport,
): void {
  const signed = reserve(scratch, dimension);
  for (let i = 0; i < dimension; i++) signed[i] = label * features[i];
  randomizeSphericalLaplace(mechanism, signed, values as FloatValues, random);
}

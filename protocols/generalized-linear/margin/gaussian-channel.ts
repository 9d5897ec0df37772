import type { Values } from '../../../src/core/frame.ts';
import { normalLogRatio } from '../../../src/core/likelihood.ts';
import { discreteGaussianRelease } from '../../../src/core/releases.ts';
import { gaussianLimits } from '../../../src/core/report-limits.ts';
import type { DiscreteGaussianMechanism } from '../../../src/mechanism/discrete-gaussian.ts';
import { createScratch, reserve } from '../../../src/numeric/scratch.ts';
import { correctedGradientSecondMoment } from '../../../src/polynomial/corrected-variance.ts';
import { addHermiteLift } from '../../../src/polynomial/hermite.ts';
import type { Lift } from '../../../src/polynomial/lift.ts';
import { certificate } from '../../../src/privacy/certificate.ts';
import { approximate } from '../../../src/privacy/guarantee.ts';
import { gaussianRelease } from '../../../src/privacy/totals.ts';
import { asTheyAre, type MarginChannel } from './channel.ts';
import { type GaussianParameters, NEIGHBOUR_DISTANCE } from './parameters.ts';
import { nameOfVector, vectorOf } from './signed-vector.ts';

/** One Gaussian copy of the signed record, and a tally of its corrected symmetric powers. */
export function gaussianChannel(parameters: GaussianParameters): MarginChannel {
  const { protocol, variant, budget, task, lift, sigma, noise, length, dimension } = parameters;
  return {
    guarantee: () => approximate(budget),
    certificate() {
      const what = nameOfVector(task);
      const release =
        noise === undefined
          ? gaussianRelease({ what, count: 1, sensitivity: NEIGHBOUR_DISTANCE, sigma })
          : discreteGaussianRelease(what, noise);
      return certificate({ protocol, variant, releases: [release], claimed: approximate(budget) });
    },
    neighbourDistance: () => NEIGHBOUR_DISTANCE,
    limits: () => gaussianLimits(parameters),
    moments: lift.size,
    add: (values, sums) => addCorrectedPowers(parameters, values, sums),
    view: asTheyAre,
    logRatio: (first, second) =>
      normalLogRatio(vectorOf(task, first), vectorOf(task, second), new Float64Array(length).fill(sigma), noise?.step),
    variance(decoder, { coefficients, inner, norm, recordNorm, label, mean }) {
      if (decoder !== 'gaussian') return undefined;
      const signed = { inner: label * inner, label: 1, norm, recordNorm: Math.abs(label) * recordNorm };
      const at = { ...signed, dimension, sigma, labelSigma: 0 };
      return correctedGradientSecondMoment(coefficients, at) - mean * mean;
    },
  };
}

/** What the correction of a noisy vector depends on. */
export interface CorrectedParameters {
  readonly lift: Lift;
  readonly sigma: number;
  readonly noise?: DiscreteGaussianMechanism;
}

// Scratch of the Hermite correction, kept between calls and overwritten by each.
const scratch = /* @__PURE__ */ createScratch(0);
const ungridded = /* @__PURE__ */ createScratch(16);

/** Adds the symmetric powers of the vector in a report, corrected for its noise. Allocates nothing. */
export function addCorrectedPowers(
  { lift, sigma, noise }: CorrectedParameters,
  values: Values,
  sums: Float64Array,
): void {
  const vector = noise === undefined ? values : fromGrid(noise, values);
  addHermiteLift(lift, vector, sigma * sigma, sums, reserve(scratch, lift.size));
}

// The integers of a deployed report in the units of v.
function fromGrid({ step }: DiscreteGaussianMechanism, values: Values): Float64Array {
  const vector = reserve(ungridded, values.length);
  for (let i = 0; i < values.length; i++) vector[i] = step * values[i];
  return vector;
}

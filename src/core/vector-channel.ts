import type { Budget } from '../check/number.ts';
import type { DiscreteGaussianMechanism } from '../mechanism/discrete-gaussian.ts';
import { expandKClosest } from '../mechanism/k-closest.ts';
import { padToSphere } from '../mechanism/unit-mechanism.ts';
import { createScratch, reserve } from '../numeric/scratch.ts';
import { addHermiteLift } from '../polynomial/hermite.ts';
import type { Lift } from '../polynomial/lift.ts';
import { approximate, pure } from '../privacy/guarantee.ts';
import { gaussianRelease } from '../privacy/totals.ts';
import type { Channel } from './channel.ts';
import type { Values } from './frame.ts';
import { gaussianLimits, unitLimits } from './influence.ts';
import { discreteGaussianRelease } from './integer-noise.ts';
import { normalLogRatio, unitLogRatio } from './likelihood.ts';
import { addUnitReport, type UnitRandomizer, unitRelease } from './unit-report.ts';

/** What a channel of unit vectors is made of. */
export interface UnitSetting {
  /** What is randomized, in words. */
  readonly what: string;
  /** Pure ε of the report. */
  readonly epsilon: number;
  /** The mechanism: PrivUnitG in a simulation, k-closest encoding in a deployment. */
  readonly mechanism: UnitRandomizer;
  /** How many of the vector's entries a tally sums: all but its padding. */
  readonly moments: number;
}

/** Reports of a unit vector: pure ε, and a tally that sums the vectors that the reports stand for. */
export function unitChannel({
  what,
  epsilon,
  mechanism,
  moments,
}: UnitSetting): Channel & Required<Pick<Channel, 'add'>> {
  let expanded: Float64Array | undefined;
  return {
    guarantee: pure(epsilon),
    neighbourDistance: 2,
    releases: () => [unitRelease(what, mechanism)],
    limits: () => unitLimits(mechanism),
    moments,
    add: (values, sums) => addUnitReport(mechanism, values, sums),
    ...(mechanism.name === 'k-closest'
      ? {
          // The seed is public and reveals nothing; with the index it is a codeword.
          view(values: Values): ArrayLike<number> {
            expanded ??= new Float64Array(mechanism.dimension);
            expandKClosest(mechanism, values, expanded);
            return expanded;
          },
        }
      : {}),
    logRatio: (first, second) => unitLogRatio(mechanism, completed(first, moments), completed(second, moments)),
  };
}

/** A vector of the unit ball, `size` entries long, completed to the unit sphere by a last entry: a copy. */
export function completed(vector: ArrayLike<number>, size: number): Float64Array {
  const unit = new Float64Array(size + 1);
  for (let i = 0; i < size; i++) unit[i] = vector[i];
  padToSphere(unit, size);
  return unit;
}

/** What a channel of one Gaussian copy is made of. */
export interface GaussianSetting {
  /** What is randomized, in words. */
  readonly what: string;
  /** Largest ℓ₂ distance between two of the vectors. */
  readonly neighbourDistance: number;
  /**
   * The requested (ε, δ), the noise on each coordinate and, in a deployment, its grid; the symmetric powers that a
   * tally sums.
   */
  readonly parameters: {
    readonly budget: Budget;
    readonly length: number;
    readonly lift: Lift;
    readonly sigma: number;
    readonly noise?: DiscreteGaussianMechanism;
  };
}

/** One Gaussian copy of a vector, and a tally of its corrected symmetric powers. */
export function gaussianChannel({ what, neighbourDistance, parameters }: GaussianSetting): Channel {
  const { budget, length, lift, sigma, noise } = parameters;
  return {
    guarantee: approximate(budget),
    neighbourDistance,
    releases: () => [
      noise === undefined
        ? gaussianRelease({ what, count: 1, sensitivity: neighbourDistance, sigma })
        : discreteGaussianRelease(what, noise),
    ],
    limits: () => gaussianLimits(parameters),
    moments: lift.size,
    add(values, sums) {
      const vector = noise === undefined ? values : fromGrid(noise, values);
      addHermiteLift(lift, vector, sigma * sigma, sums, reserve(scratch, lift.size));
    },
    logRatio: (first, second) => normalLogRatio(first, second, new Float64Array(length).fill(sigma), noise?.step),
  };
}

// Scratch of the correction, kept between calls and overwritten by each call.
const scratch = /* @__PURE__ */ createScratch(0);
const ungridded = /* @__PURE__ */ createScratch(16);

// The integers of a deployed report in the units of the vector.
function fromGrid({ step }: DiscreteGaussianMechanism, values: Values): Float64Array {
  const vector = reserve(ungridded, values.length);
  for (let i = 0; i < values.length; i++) vector[i] = step * values[i];
  return vector;
}

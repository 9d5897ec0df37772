import { createScratch, reserve } from '../check/datum.ts';
import type { Budget } from '../check/refusal.ts';
import type { SphericalLaplace } from '../mechanism/added-noise.ts';
import { type DiscreteGaussianMechanism, discreteGaussianRelease } from '../mechanism/discrete-gaussian.ts';
import { expandKClosest, type KClosest } from '../mechanism/k-closest.ts';
import { type PrivUnitG, padToSphere, type UnitRandomizer } from '../mechanism/unit-mechanism.ts';
import { normalQuantile } from '../numeric/normal.ts';
import { addHermiteLift } from '../polynomial/heat.ts';
import type { Lift } from '../polynomial/lift.ts';
import { approximate, pure } from '../privacy/guarantee.ts';
import { gaussianRelease, type Release } from '../privacy/totals.ts';
import { fillPublicDirection, SEED_WORDS } from '../random/threefry.ts';
import type { Channel, LogRatio } from './channel.ts';
import type { Values } from './frame.ts';
import { gaussianLimits, unitLimits } from './influence.ts';

const { acosh, cosh, exp, log, sqrt } = Math;

// Scratch of the expansion, kept between calls and overwritten by each call.
const unitScratch = /* @__PURE__ */ createScratch(256);

/** Adds the leading entries of the unbiased vector that a report stands for to `sums`, from `from` to `to` − 1. */
export function addUnitReport(
  mechanism: UnitRandomizer,
  report: ArrayLike<number>,
  sums: Float64Array,
  from: number = 0,
  to: number = sums.length,
): void {
  const vector = vectorOf(mechanism, report);
  for (let i = 0; i < to - from; i++) sums[from + i] += vector[i];
}

/** The unbiased vector that a report stands for; the next call may overwrite it. */
function vectorOf(mechanism: UnitRandomizer, report: ArrayLike<number>): ArrayLike<number> {
  if (mechanism.name !== 'k-closest') return report;
  const expanded = reserve(unitScratch, mechanism.dimension);
  expandKClosest(mechanism, report, expanded);
  return expanded;
}

/** Adds the vector z that a report stands for, and zzᵀ − offset·I, to the sums of a lift of one or two powers. */
export function addUnitProducts(
  mechanism: UnitRandomizer,
  lift: Lift,
  report: ArrayLike<number>,
  offset: number,
  sums: Float64Array,
): void {
  addHermiteLift(lift, vectorOf(mechanism, report), offset, sums, sums);
}

export function unitRelease(what: string, mechanism: UnitRandomizer): Release {
  const { name, coordinateVariance, guarantee } = mechanism;
  return { what, count: 1, mechanism: name, sensitivity: 2, scale: Math.sqrt(coordinateVariance), guarantee };
}

/**
 * The log ratio of two normal laws with the same deviations: linear in the values, which count in units of `step`. For
 * integers on a grid it is that of the discrete Gaussian, up to the rounding of the two means to the grid.
 */
export function normalLogRatio(
  first: ArrayLike<number>,
  second: ArrayLike<number>,
  deviations: ArrayLike<number>,
  step: number = 1,
): LogRatio {
  const { length } = first;
  const weights = new Float64Array(length);
  let centre = 0;
  for (let i = 0; i < length; i++) {
    const weight = (first[i] - second[i]) / deviations[i] ** 2;
    weights[i] = weight * step;
    centre += (weight * (first[i] + second[i])) / 2;
  }
  return (values) => {
    let sum = -centre;
    for (let i = 0; i < length; i++) sum += weights[i] * values[i];
    return sum;
  };
}

/** The log ratio of the reports of two unit vectors: it takes at most three values. */
export function unitLogRatio(mechanism: UnitRandomizer, first: ArrayLike<number>, second: ArrayLike<number>): LogRatio {
  return mechanism.name === 'k-closest'
    ? closestLogRatio(mechanism, first, second)
    : capLogRatio(mechanism, first, second);
}

/** Relative to a normal law the density is p/q in the cap of the datum, and (1 − p)/(1 − q) outside. */
function capLogRatio(
  { dimension, keep, cap, opposite = 0, threshold, scale }: PrivUnitG,
  first: ArrayLike<number>,
  second: ArrayLike<number>,
): LogRatio {
  const step = log((keep * (1 - cap)) / (cap * (1 - keep)));
  const edge = threshold * scale;
  const other = opposite > 0 ? normalQuantile(opposite) * scale : -Infinity;
  const inside = (along: number): number => (along >= edge || along <= other ? step : 0);
  return (values) => {
    let a = 0;
    let b = 0;
    for (let i = 0; i < dimension; i++) {
      a += values[i] * first[i];
      b += values[i] * second[i];
    }
    return inside(a) - inside(b);
  };
}

/** Given the seed, p/k for each of the k codewords closest to the datum, and (1 − p)/(K − k) for each other. */
function closestLogRatio(
  { dimension, codewords, closest, exactEpsilon }: KClosest,
  first: ArrayLike<number>,
  second: ArrayLike<number>,
): LogRatio {
  const half = codewords / 2;
  const direction = new Float64Array(dimension);
  const products = [new Float64Array(half), new Float64Array(half)];
  const sizes = [new Float64Array(half), new Float64Array(half)];
  const isClose = (which: 0 | 1, index: number): boolean => {
    const j = index >>> 1;
    // Of the two codewords of a direction only the one on the datum's side can be close.
    if (((index & 1) === 1) !== products[which][j] < 0) return false;
    const size = sizes[which];
    let before = 0;
    for (let i = 0; i < half; i++) if (size[i] > size[j] || (size[i] === size[j] && i < j)) before++;
    return before < closest;
  };
  return (values) => {
    for (let j = 0; j < half; j++) {
      fillPublicDirection(values, j, dimension, direction);
      let a = 0;
      let b = 0;
      let squared = 0;
      for (let i = 0; i < dimension; i++) {
        a += direction[i] * first[i];
        b += direction[i] * second[i];
        squared += direction[i] * direction[i];
      }
      products[0][j] = a;
      products[1][j] = b;
      sizes[0][j] = (a * a) / squared;
      sizes[1][j] = (b * b) / squared;
    }
    const index = values[SEED_WORDS];
    return (isClose(0, index) ? exactEpsilon : 0) - (isClose(1, index) ? exactEpsilon : 0);
  };
}

/**
 * The log ratio of two vectors with spherical Laplace noise. Of an even dimension one coordinate of the noise is not
 * reported: the density of the others is proportional to r·K₁(κr), r the distance to the vector.
 */
export function sphericalLogRatio(
  { dimension, noiseDimension, rate }: SphericalLaplace,
  first: ArrayLike<number>,
  second: ArrayLike<number>,
): LogRatio {
  const logDensity = dimension === noiseDimension ? (x: number) => -x : logMarginal;
  return (values) => {
    let a = 0;
    let b = 0;
    for (let i = 0; i < dimension; i++) {
      a += (values[i] - first[i]) ** 2;
      b += (values[i] - second[i]) ** 2;
    }
    return logDensity(rate * sqrt(a)) - logDensity(rate * sqrt(b));
  };
}

const NODES = 48;

/** log(x·K₁(x)) = −x + log ∫₀^∞ x cosh t · exp(−x(cosh t − 1)) dt; 0 at 0. */
function logMarginal(x: number): number {
  if (x < 1e-12) return 0;
  const step = acosh(1 + 45 / x) / NODES;
  let sum = x / 2;
  for (let k = 1; k <= NODES; k++) {
    const c = cosh(k * step);
    sum += x * c * exp(-x * (c - 1));
  }
  return log(sum * step) - x;
}

export interface UnitSetting {
  readonly what: string;
  readonly epsilon: number;
  readonly mechanism: UnitRandomizer;
  readonly moments: number;
}

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

export interface GaussianSetting {
  readonly what: string;
  readonly neighbourDistance: number;
  /** (ε, δ), the noise of a coordinate, in a deployment its grid, and the symmetric powers that a tally sums. */
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

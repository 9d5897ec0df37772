import type { KClosest } from '../mechanism/k-closest.ts';
import type { SphericalLaplace } from '../mechanism/spherical-laplace.ts';
import type { PrivUnitG } from '../mechanism/unit-mechanism.ts';
import { fillPublicDirection, SEED_WORDS } from '../random/public-direction.ts';
import type { UnitRandomizer } from './unit-report.ts';

const { acosh, cosh, exp, log, sqrt } = Math;

/** log P(values | first)/P(values | second), as a function of the values of a report. */
export type LogRatio = (values: ArrayLike<number>) => number;

/**
 * The log ratio of two normal laws with the same independent deviations: linear in the values. For integers on a grid
 * it is the log ratio of the discrete Gaussian, up to the rounding of the two means to the grid.
 *
 * Shape: means, deviations and values are equally long; values count in units of `step`.
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
  { dimension, keep, cap, threshold, scale }: PrivUnitG,
  first: ArrayLike<number>,
  second: ArrayLike<number>,
): LogRatio {
  const step = log((keep * (1 - cap)) / (cap * (1 - keep)));
  const edge = threshold * scale;
  return (values) => {
    let a = 0;
    let b = 0;
    for (let i = 0; i < dimension; i++) {
      a += values[i] * first[i];
      b += values[i] * second[i];
    }
    return (a >= edge ? step : 0) - (b >= edge ? step : 0);
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
 * The log ratio of two vectors with spherical Laplace noise. For an even dimension one coordinate of the noise is not
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

/** Nodes of the trapezoidal rule below: the integrand is analytic and decays doubly exponentially. */
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

import { checkUnitNorm, createScratch, reserve } from '../../../src/check/datum.ts';
import { checkEpsilonRange, checkInteger } from '../../../src/check/refusal.ts';
import type { UnitRequest } from '../../../src/mechanism/k-closest.ts';
import { bestThreshold, splitCap, type UnitMechanism } from '../../../src/mechanism/unit-mechanism.ts';
import { incompleteBeta, inverseIncompleteBeta, stirlingCorrection } from '../../../src/numeric/beta.ts';
import { pure } from '../../../src/privacy/guarantee.ts';
import { bernoulli, fillNormal, type Random, uniform } from '../../../src/random/random.ts';

const { exp, sqrt } = Math;

/** Public constants of PrivUnit2. Plain data. */
export interface PrivUnit2 extends UnitMechanism {
  readonly name: 'PrivUnit2';
}

/**
 * PrivUnit2 with the jointly best keep probability and threshold. Every report has the same length 1/m, and its error
 * is the least of all pure ε-locally private unbiased randomizers of the unit sphere of R^d.
 *
 * Law: z = V/m, V uniform on the cap ⟨V, u⟩ ≥ γ of the sphere with probability p, on the rest otherwise. With
 * q = ½·I_{1−γ²}((d−1)/2, ½) the probability of the cap and
 * A = E[⟨V, u⟩; cap] = Γ(d/2)(1−γ²)^((d−1)/2)/(2√π·Γ((d+1)/2)), m = A(p/q − (1 − p)/(1 − q)) and
 * E⟨V, u⟩² = (1 + (d−1)γm)/d. At the best threshold, where γ = m, the covariance is a multiple of I.
 *
 * Guarantee: pure ε; the density takes two values, in the ratio p(1 − q)/(q(1 − p)). No part of ε is lost to bounds.
 *
 * Source: Bhowmick, Duchi, Freudiger, Kapoor, Rogers (2018), arXiv 1812.00984, algorithm 1; its optimality and the
 * joint choice: Asi, Feldman, Talwar (2022).
 * @throws TypeError or RangeError unless 1e-9 ≤ ε ≤ 32 and the dimension is a whole number ≥ 2.
 */
export function privUnit2(request: UnitRequest): PrivUnit2 {
  const epsilon = checkEpsilonRange(request.epsilon, 32);
  const dimension = checkInteger('dimension', request.dimension, 2);
  const half = (dimension - 1) / 2;
  const floor = 1 / Math.expm1(epsilon);
  const best = bestThreshold((gamma) => {
    return capMoment(half, gamma, sqrt((1 - gamma) * (1 + gamma))) / (floor + capProbability(half, gamma));
  });
  const split = splitCap(capProbability(half, best), epsilon);
  const { keep, cap } = split;
  // The constants below belong to the sampled law, whose cap was rounded to the safe side.
  const [threshold, across] = fillCoordinate(cap, half);
  const mean = (capMoment(half, threshold, across) * (keep - cap)) / (cap * (1 - cap));
  const secondMoment = (1 + (dimension - 1) * threshold * mean) / dimension;
  const squaredScale = 1 / (mean * mean);
  return {
    name: 'PrivUnit2',
    epsilon,
    dimension,
    ...split,
    threshold,
    mean,
    scale: 1 / mean,
    guarantee: pure(epsilon),
    squaredError: (1 - mean) * (1 + mean) * squaredScale,
    coordinateVariance: ((1 - secondMoment) / (dimension - 1)) * squaredScale,
    alongVariance: (secondMoment - mean * mean) * squaredScale,
  };
}

/** P(⟨V, u⟩ ≥ γ), γ ≥ 0, for V uniform on the sphere of R^(2a+1). */
function capProbability(a: number, gamma: number): number {
  const within = incompleteBeta(gamma * gamma, 0.5, a);
  // Two ways to compute the same probability: by the complement near the equator, where 1 − γ² loses the digits of γ,
  // and directly in the tail.
  return within < 0.5 ? 0.5 * (1 - within) : 0.5 * incompleteBeta((1 - gamma) * (1 + gamma), a, 0.5);
}

/** E[⟨V, u⟩; ⟨V, u⟩ ≥ γ] for the same V, from γ and √(1 − γ²). */
function capMoment(a: number, gamma: number, across: number): number {
  // Γ(a + ½)/(2√π·Γ(a + 1)) by Stirling's formula with its corrections: no logarithm of size a log a is ever computed.
  const ratio = exp(stirlingCorrection(a + 0.5) - stirlingCorrection(a) + a * Math.log1p(0.5 / a) - 0.5) / sqrt(a);
  const power = gamma * gamma < 0.5 ? a * Math.log1p(-gamma * gamma) : 2 * a * Math.log(across);
  return (ratio / (2 * sqrt(Math.PI))) * exp(power);
}

// Scratch of the kernel, kept between calls and overwritten by each.
const coordinate = /* @__PURE__ */ createScratch(2);
const spheres = /* @__PURE__ */ createScratch(256);

/** The coordinate t ≥ 0 that V exceeds with a probability `tail` ≤ ½, and √(1 − t²), into the scratch. */
function fillCoordinate(tail: number, a: number): Float64Array {
  const { values } = coordinate;
  // Compute the smaller of t² and 1 − t²: its root and the root of its complement keep all digits.
  if (tail <= 0.25) {
    const square = inverseIncompleteBeta(2 * tail, a, 0.5);
    values[0] = sqrt(1 - square);
    values[1] = sqrt(square);
  } else {
    const square = inverseIncompleteBeta(1 - 2 * tail, 0.5, a);
    values[0] = sqrt(square);
    values[1] = sqrt(1 - square);
  }
  return values;
}

/**
 * One report of a unit vector, written into the first `dimension` entries of `target`; `unit` may be longer as well.
 *
 * Law: see {@link privUnit2}; the coordinate along `unit` by inversion of the beta law, without retries. Allocates
 * nothing. The law is stated for real numbers; no proof covers the grid of doubles on which the normals lie.
 * @throws RangeError for a vector that is not of norm 1 (to 1e-9), without its values.
 */
export function randomizePrivUnit2(
  parameters: PrivUnit2,
  unit: ArrayLike<number>,
  target: Float64Array | Float32Array,
  random: Random,
): void {
  const { dimension, keep, cap, scale } = parameters;
  const g = reserve(spheres, dimension);
  const half = (dimension - 1) / 2;
  const inCap = bernoulli(keep, random);
  // The probability beyond the coordinate, on its own side of the equator, at most ½.
  const mass = (inCap ? cap : 1 - cap) * uniform(random);
  const positive = inCap || mass > 0.5;
  const tail = inCap || !positive ? mass : 1 - mass;
  const coordinates = fillCoordinate(tail, half);
  const along = coordinates[0];
  const across = coordinates[1];
  let rest = 0;
  do {
    fillNormal(g, random, 0, dimension);
    let dot = 0;
    let squared = 0;
    for (let i = 0; i < dimension; i++) {
      dot += g[i] * unit[i];
      squared += unit[i] * unit[i];
    }
    checkUnitNorm(squared);
    rest = 0;
    // The component orthogonal to u; its norm is computed from its entries, since a difference of squares could cancel.
    for (let i = 0; i < dimension; i++) {
      g[i] -= dot * unit[i];
      rest += g[i] * g[i];
    }
  } while (rest === 0);
  const alongScale = (positive ? along : -along) * scale;
  const acrossScale = (across * scale) / sqrt(rest);
  for (let i = 0; i < dimension; i++) target[i] = alongScale * unit[i] + acrossScale * g[i];
}

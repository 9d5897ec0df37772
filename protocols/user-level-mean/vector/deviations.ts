import { logGamma } from '../../../src/numeric/gamma.ts';
import type { LocationModel } from './model.ts';

const { ceil, exp, log, max, min, sqrt } = Math;

/** Ratio of neighbouring candidates for a deviation, before they are refined. */
const RATIO = 1.5;

/** How far below the middle of the prior candidates begin, whatever was asked. */
const LEAST_DEVIATION = 1 / 16;

/** Thresholds so many deviations from each other tell all smaller deviations alike: signs are certain on each side. */
const CERTAIN = 4;

/** ν: from 1, local means along one direction, to so many that candidates hardly tell it from infinitely many. */
const DEGREES: readonly number[] = [1, 2, 4, 8, 16, 32, 64, 128];

/** The number of coordinates that tell the law: with a thousand it is as good as known. */
const MOST_COORDINATES = 1024;

/** Parts of less weight are left out of the law. */
const NEGLIGIBLE = 1e-6;

/** One (τ₀, ν) of a law of deviations. */
interface Part {
  /** log τ₀². */
  readonly centre: number;
  /** ν. */
  readonly degrees: number;
  /** The logarithm of its weight, times the normaliser of its density of log τ. */
  readonly scale: number;
}

/** The law of the deviations τ_j of coordinates: ν·τ_j²/τ₀² has χ² of ν degrees, and (τ₀, ν) the posterior of the parts. */
export type DeviationLaw = readonly Part[];

/**
 * Candidates for the deviations of coordinates, from the largest possible downwards: to a quarter of the smallest
 * distance of two thresholds that were asked, since smaller deviations cannot be told from each other.
 */
export function deviationCandidates(model: LocationModel, smallestGap: number, size: number): number[] {
  const { deviation, halfRange } = model;
  if (isKnown(model) && size === 1) return [deviation];
  // If the mean of τ_j² is known, no single one exceeds their sum.
  const largest = isKnown(model) ? min(halfRange, deviation * sqrt(size)) : halfRange;
  const least = min(LEAST_DEVIATION * deviation, smallestGap / CERTAIN);
  const candidates = [deviation];
  while (candidates[0] < largest) candidates.unshift(candidates[0] * RATIO);
  for (let tau = deviation / RATIO; tau >= least; tau /= RATIO) candidates.push(tau);
  return candidates;
}

/** Whether the root mean square of all deviations is public. */
function isKnown({ deviation, largestDeviation }: LocationModel): boolean {
  return largestDeviation <= deviation;
}

/**
 * The posterior of (τ₀, ν) given the evidence of every coordinate for every candidate.
 *
 * Law: coordinate j of a local mean rotated by a row h of H·diag(s)/√D has the variance τ_j² = hᵀΣh. Over random signs it
 * has the mean τ₀² = tr Σ/D for every j, and the variance 2·Σ_{i≠k} Σ_ik²/D²: none where coordinates are uncorrelated,
 * and 2τ₀⁴ where local means vary along one direction (ρ → 1). So one τ holds for uncorrelated coordinates only. A
 * quadratic form with these two moments is τ₀²·χ²_ν/ν with ν ≥ 1 (Satterthwaite), exactly so for equal eigenvalues as D
 * grows. Which ν is not public; the signs tell: P(signs | τ₀, ν) = Π_j Σ_k P(signs of j | τ_k)·p(τ_k | τ₀, ν). A priori
 * log ν is uniform, and log τ₀ normal with deviation 1 around its middle, or public.
 *
 * Shape: evidence is size × candidates, row-major, as logarithms; −Infinity for a candidate that was left out.
 *
 * Source: F. E. Satterthwaite (1946), An approximate distribution of estimates of variance components.
 */
export function deviationLaw(
  model: LocationModel,
  candidates: readonly number[],
  evidence: Float64Array,
): DeviationLaw {
  const count = candidates.length;
  const likelihood = likelihoods(evidence, count);
  const known = isKnown(model);
  // Evenly among all coordinates.
  const step = count * ceil(likelihood.length / count / MOST_COORDINATES);
  const middles = known ? [model.deviation] : candidates.flatMap((tau) => [tau, tau / sqrt(RATIO)]);
  const parts: Part[] = [];
  for (const degrees of DEGREES) {
    for (const middle of middles) {
      const part = { centre: 2 * log(middle), degrees, scale: 0 };
      // Of the largest density 1, so that narrow laws between two candidates do not vanish.
      const logs = candidates.map((tau) => logPart(part, log(tau)));
      const highest = max(...logs);
      const density = logs.map((value) => exp(value - highest));
      const total = density.reduce((sum, value) => sum + value, 0);
      let scale = known ? 0 : -0.5 * log(middle / model.deviation) ** 2;
      for (let row = 0; row < likelihood.length; row += step) {
        let share = 0;
        for (let k = 0; k < count; k++) share += density[k] * likelihood[row + k];
        scale += log(max(share / total, Number.MIN_VALUE));
      }
      parts.push({ ...part, scale });
    }
  }
  const highest = parts.reduce((most, { scale }) => max(most, scale), -Infinity);
  return parts
    .filter(({ scale }) => exp(scale - highest) >= NEGLIGIBLE)
    .map((part) => ({ ...part, scale: part.scale - highest + logNormaliser(part.degrees) }));
}

/** The logarithm of the law's density of log τ, up to a constant. */
export function logDensity(law: DeviationLaw, tau: number): number {
  const x = log(tau);
  const logs = law.map((part) => logPart(part, x));
  const highest = max(...logs);
  return highest + log(logs.reduce((sum, value) => sum + exp(value - highest), 0));
}

/** log of u^{ν/2}·e^{−νu/2}, where u is τ²/τ₀². */
function logPart({ centre, degrees, scale }: Part, logTau: number): number {
  const logRatio = 2 * logTau - centre;
  return scale + 0.5 * degrees * (logRatio - exp(logRatio));
}

/** What makes this a density of log τ: 2·(ν/2)^{ν/2}/Γ(ν/2). */
function logNormaliser(degrees: number): number {
  const shape = 0.5 * degrees;
  return Math.LN2 + shape * log(shape) - logGamma(shape);
}

/** Each row of evidence as likelihoods, the largest 1. */
function likelihoods(evidence: Float64Array, count: number): Float64Array {
  const result = evidence.slice();
  for (let row = 0; row < result.length; row += count) {
    let highest = -Infinity;
    for (let k = row; k < row + count; k++) highest = max(highest, result[k]);
    for (let k = row; k < row + count; k++) result[k] = exp(result[k] - highest);
  }
  return result;
}

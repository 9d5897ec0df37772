import type { LocationModel } from './location.ts';

const { exp, log, max, min, sqrt } = Math;

/** Ratio of neighbouring candidates for a deviation, before they are refined. */
const RATIO = 1.5;

/** How far below the middle of the prior candidates begin, whatever was asked. */
const LEAST_DEVIATION = 1 / 16;

/** Thresholds at this many deviations from each other tell all smaller deviations alike: signs are certain on each side. */
const CERTAIN = 4;

/** ω: from a tenth, which two neighbouring candidates hardly tell from 0, to more than any covariance makes likely. */
const WIDTHS: readonly number[] = [0.1, 0.2, 0.4, 0.8, 1.6];

/** Parts of less weight are left out of the law. */
const NEGLIGIBLE = 1e-6;

/**
 * The law of the deviations τ_j of coordinates: log τ_j is normal around log τ₀ with the deviation ω, and (τ₀, ω) has the
 * posterior of these parts.
 */
export type DeviationLaw = readonly {
  /** log τ₀. */
  readonly centre: number;
  /** ω. */
  readonly width: number;
  /** The logarithm of the part's weight, less that of its normaliser. */
  readonly scale: number;
}[];

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
  const candidates: number[] = [];
  for (let tau = max(largest, deviation); tau >= least; tau /= RATIO) candidates.push(tau);
  return candidates;
}

/** Whether the root mean square of all deviations is public. */
function isKnown({ deviation, largestDeviation }: LocationModel): boolean {
  return largestDeviation <= deviation;
}

/**
 * The posterior of (τ₀, ω) given the evidence of every coordinate for every candidate.
 *
 * Law: coordinate j of local means rotated by a row h of H·diag(s)/√D has the variance τ_j² = hᵀΣh. Over random signs its
 * mean is tr Σ/D for every j, and its variance is 2·Σ_{i≠k} Σ_ik²/D²: nothing where coordinates are uncorrelated, and
 * twice its squared mean where local means vary along one direction (ρ → 1), as for χ² of one degree. So one τ for all
 * coordinates holds for uncorrelated ones only. How far they are apart is not public; it is the width ω, which the
 * coordinates' own signs tell: P(signs | τ₀, ω) = Π_j Σ_k P(signs of j | τ_k)·φ((log τ_k − log τ₀)/ω). log τ₀ is normal
 * with deviation 1 around the middle of its prior; if the mean of τ_j² is public, E τ_j² = τ₀²e^{2ω²} is that mean.
 *
 * Shape: evidence is size × candidates, row-major, as logarithms; −Infinity for a candidate that was left out.
 */
export function deviationLaw(
  model: LocationModel,
  candidates: readonly number[],
  evidence: Float64Array,
): DeviationLaw {
  const count = candidates.length;
  const logs = candidates.map(log);
  const likelihood = scaled(evidence, count);
  const parts: { centre: number; width: number; scale: number }[] = [];
  const scores: number[] = [];
  for (const width of WIDTHS) {
    const middle = log(model.deviation);
    for (const centre of isKnown(model) ? [middle - width * width] : logs) {
      const density = logs.map((x) => exp(-0.5 * ((x - centre) / width) ** 2));
      const total = density.reduce((sum, value) => sum + value, 0);
      let score = isKnown(model) ? 0 : -0.5 * (centre - middle) ** 2;
      for (let row = 0; row < likelihood.length; row += count) {
        let share = 0;
        for (let k = 0; k < count; k++) share += density[k] * likelihood[row + k];
        score += log(share / total);
      }
      parts.push({ centre, width, scale: -log(total) });
      scores.push(score);
    }
  }
  const highest = max(...scores);
  return parts.flatMap((part, i) => {
    const score = scores[i] - highest;
    return exp(score) < NEGLIGIBLE ? [] : [{ ...part, scale: part.scale + score }];
  });
}

/** The logarithm of the law's density of log τ, up to a constant. */
export function logDensity(law: DeviationLaw, tau: number): number {
  const x = log(tau);
  let density = 0;
  for (const { centre, width, scale } of law) density += exp(scale - 0.5 * ((x - centre) / width) ** 2);
  return log(max(density, Number.MIN_VALUE));
}

/** Each row as likelihoods, the largest 1. */
function scaled(evidence: Float64Array, count: number): Float64Array {
  const result = evidence.slice();
  for (let row = 0; row < result.length; row += count) {
    let highest = -Infinity;
    for (let k = row; k < row + count; k++) highest = max(highest, result[k]);
    for (let k = row; k < row + count; k++) result[k] = exp(result[k] - highest);
  }
  return result;
}

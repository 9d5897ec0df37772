import { logGamma } from '../../../src/numeric/beta.ts';
import { normalize } from '../../../src/numeric/matrix.ts';
import { logSigns, type SignLikelihood } from './coordinate-round.ts';
import type { LocationModel } from './location.ts';

const { abs, ceil, exp, log, max, min, sqrt } = Math;

/** All signs about one coordinate: thresholds that somebody answered, and the signs reported below and above each. */
export interface CoordinateSigns {
  readonly thresholds: readonly number[];
  readonly below: readonly number[];
  readonly above: readonly number[];
}

/** The posterior of a coordinate on a grid that is fine where the posterior is. */
export interface Posterior {
  readonly nodes: Float64Array;
  /** The probability of each node's part of the line; the sum is 1. */
  readonly masses: Float64Array;
  /** The logarithm of the integral of likelihood times prior, up to a constant that no τ changes. */
  readonly logTotal: number;
}

const FIRST_INTERVALS = 16;

/** An interval stays as it is if a parabola within it rises by at most an eighth of this over its ends. */
const FLAT = 0.7;

/** e^−CUT: the share of the posterior that an interval may hold and yet stay as wide as it is. */
const CUT = 13;

/** Beyond this many τ from a threshold its signs bend the likelihood by nothing that counts. */
const BEND_RANGE = 5.5;

/** The grid never has more nodes than this; a normal posterior takes about a hundred. */
const MOST_NODES = 20_000;

/**
 * The posterior of one coordinate of deviation τ, given its signs. A priori it is normal around 0 with the deviation
 * `spread`, within ±halfRange.
 *
 * Law: a sign at the threshold t is reported as + with probability ½ + κ(Φ((θ − t)/τ) − ½). The logarithm of the
 * likelihood of one sign bends downwards by at most `steepest`/τ² near its threshold, and not at all far from it. So in an
 * interval of length h it exceeds its larger end by at most bend·h²/8. Intervals are halved until they are flat by this
 * bound, or hold too little of the posterior by this bound to matter: no peak can be missed, however narrow, and none
 * is smeared out. A grid of equal cells cannot do that: a thousand signs share one θ, so that adding the deviation of
 * a wide cell to τ once for each sign makes a likelihood that is far too sharp, and in the wrong place.
 */
export function posteriorOf(
  likelihood: SignLikelihood,
  { thresholds, below, above }: CoordinateSigns,
  tau: number,
  { spread, halfRange }: { readonly spread: number; readonly halfRange: number },
): Posterior {
  const { length } = thresholds;
  const inverse = 1 / tau;
  const bendOfPrior = 1 / (spread * spread);
  const bendOfSign = likelihood.steepest * inverse * inverse;
  const height = (x: number): number => {
    let sum = -0.5 * x * x * bendOfPrior;
    for (let q = 0; q < length; q++) sum += logSigns(likelihood, (x - thresholds[q]) * inverse, above[q], below[q]);
    return sum;
  };
  const range = BEND_RANGE * tau;
  const bends = new Float64Array(length);
  let bendOfAll = bendOfPrior;
  for (let q = 0; q < length; q++) {
    bends[q] = (above[q] + below[q]) * bendOfSign;
    bendOfAll += bends[q];
  }
  const bendBetween = (a: number, b: number): number => {
    let bend = bendOfPrior;
    for (let q = 0; q < length; q++) if (max(a - thresholds[q], thresholds[q] - b) < range) bend += bends[q];
    return bend;
  };
  // Nodes in the order in which they are made, and for each which one is next on the line.
  const nodes = firstNodes(thresholds, halfRange);
  const heights = nodes.map(height);
  const after = nodes.map((_, i) => i + 1);
  const last = nodes.length - 1;
  // The intervals that may still be halved, by their lower nodes: the floor only rises, so that what is done stays done.
  let open = after.slice(0, last).map((next) => next - 1);
  let highest = heights.reduce((most, value) => max(most, value), -Infinity);
  while (open.length > 0 && nodes.length < MOST_NODES) {
    // The highest peak is at least as wide as if all signs bent it.
    const floor = highest - 0.5 * log(bendOfAll) - CUT;
    const halves: number[] = [];
    for (const low of open) {
      const high = after[low];
      const [a, b] = [nodes[low], nodes[high]];
      const h = b - a;
      // By the bend of all signs, which is no less, most are known to be done.
      const most = bendOfAll * h * h;
      if (!(most > FLAT)) continue;
      const [top, width] = [max(heights[low], heights[high]), log(h)];
      if (!(top + most / 8 + width > floor)) continue;
      const rise = bendBetween(a, b) * h * h;
      const middle = 0.5 * (a + b);
      if (!(rise > FLAT && top + rise / 8 + width > floor && middle > a && middle < b)) continue;
      const made = nodes.length;
      const value = height(middle);
      nodes.push(middle);
      heights.push(value);
      highest = max(highest, value);
      after[low] = made;
      after.push(high);
      halves.push(low, made);
    }
    open = halves;
  }
  const ordered = new Float64Array(nodes.length);
  const masses = new Float64Array(nodes.length);
  for (let i = 0, node = 0; i < nodes.length; i++, node = after[node]) {
    ordered[i] = nodes[node];
    masses[i] = heights[node];
  }
  for (let i = 0; i < nodes.length; i++) masses[i] = widthOf(ordered, i) * exp(masses[i] - highest);
  return { nodes: ordered, logTotal: highest + log(normalize(masses)), masses };
}

/** The ends, places between them at equal distances, and every threshold. */
function firstNodes(thresholds: readonly number[], halfRange: number): number[] {
  const nodes = Array.from({ length: FIRST_INTERVALS + 1 }, (_, i) => halfRange * ((2 * i) / FIRST_INTERVALS - 1));
  for (const threshold of thresholds) if (abs(threshold) < halfRange) nodes.push(threshold);
  return nodes.sort((a, b) => a - b).filter((x, i, all) => i === 0 || x > all[i - 1]);
}

/** The part of the line that belongs to a node: to the middle of the interval on each side. */
function widthOf(nodes: Float64Array, i: number): number {
  return 0.5 * (nodes[min(nodes.length - 1, i + 1)] - nodes[max(0, i - 1)]);
}

/** The same posterior for a prior of another deviation. */
export function withSpread({ nodes, masses, logTotal }: Posterior, before: number, after: number): Posterior {
  const change = 0.5 * (1 / (before * before) - 1 / (after * after));
  const changed = new Float64Array(nodes.length);
  for (let i = 0; i < nodes.length; i++) changed[i] = masses[i] * exp(change * nodes[i] * nodes[i]);
  return { nodes, logTotal: logTotal + log(normalize(changed)), masses: changed };
}

export function momentsOf(
  parts: readonly Posterior[],
  weights: readonly number[],
): { readonly mean: number; readonly variance: number } {
  const mean = centralMoment(parts, weights, 0, 1);
  return { mean, variance: centralMoment(parts, weights, mean, 2) };
}

/** E(x − centre)^power of a mixture. Densities are straight between nodes: Simpson's rule is exact for mean and variance. */
export function centralMoment(
  parts: readonly Posterior[],
  weights: readonly number[],
  centre: number,
  power: 1 | 2 | 4,
): number {
  let sum = 0;
  for (let k = 0; k < parts.length; k++) {
    const { nodes, masses } = parts[k];
    let part = 0;
    let [before, at] = [0, 0];
    for (let i = 0; i < nodes.length; i++) {
      const density = masses[i] / widthOf(nodes, i);
      const here = powerOf(nodes[i] - centre, power);
      if (i > 0) {
        const middle = powerOf(0.5 * (nodes[i - 1] + nodes[i]) - centre, power);
        const both = before * at + 2 * (before + density) * middle + density * here;
        part += ((nodes[i] - nodes[i - 1]) * both) / 6;
      }
      before = density;
      at = here;
    }
    sum += weights[k] * part;
  }
  return sum;
}

function powerOf(x: number, power: 1 | 2 | 4): number {
  return power === 1 ? x : power === 2 ? x * x : x ** 4;
}

/** The place below which a mixture of posteriors has a share `level`, by bisection within ±halfRange. */
export function quantileOf(
  parts: readonly Posterior[],
  weights: readonly number[],
  level: number,
  halfRange: number,
): number {
  const sums = parts.map(({ masses }) => {
    let total = 0;
    return masses.map((mass) => {
      total += mass;
      return total;
    });
  });
  const below = (x: number): number =>
    parts.reduce((total, part, k) => total + weights[k] * shareBelow(part, sums[k], x), 0);
  let [low, high] = [-halfRange, halfRange];
  // Until doubles end.
  for (let middle = 0; middle > low && middle < high; middle = 0.5 * (low + high)) {
    if (below(middle) < level) low = middle;
    else high = middle;
  }
  return 0.5 * (low + high);
}

/** The share below x; the mass of a node is half on each side of it, spread evenly to the middle of each interval. */
function shareBelow({ nodes, masses }: Posterior, sums: Float64Array, x: number): number {
  let [low, high] = [0, nodes.length - 1];
  if (x <= nodes[low]) return 0;
  if (x >= nodes[high]) return 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (nodes[middle] <= x) low = middle;
    else high = middle;
  }
  const part = (x - nodes[low]) / (nodes[high] - nodes[low]);
  const [from, to] = [sums[low] - ownAbove(nodes, masses, low), sums[high] - ownAbove(nodes, masses, high)];
  return from + part * (to - from);
}

/** What of the mass of a node lies above it. */
function ownAbove(nodes: Float64Array, masses: Float64Array, i: number): number {
  const before = i === 0 ? 0 : nodes[i] - nodes[i - 1];
  const after = i === nodes.length - 1 ? 0 : nodes[i + 1] - nodes[i];
  return (masses[i] * after) / (before + after);
}

/** The law whose density is a power of a posterior's, normalised: flatter, if the power is less than 1. */
export function tempered({ nodes, masses, logTotal }: Posterior, power: number): Posterior {
  const changed = new Float64Array(nodes.length);
  for (let i = 0; i < nodes.length; i++) {
    const width = widthOf(nodes, i);
    changed[i] = (masses[i] / width) ** power * width;
  }
  normalize(changed);
  return { nodes, masses: changed, logTotal };
}

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

/**
 * The law of the deviations τ_j: ν·τ_j²/τ₀² has χ² of ν degrees, and (τ₀, ν) the posterior of the parts. The centre is
 * log τ₀², and the scale the logarithm of the weight, times the normaliser of the part's density of log τ.
 */
export type DeviationLaw = readonly Part[];

type Part = { readonly centre: number; readonly degrees: number; readonly scale: number };

/** Candidates for deviations, from the largest down to a quarter of the smallest distance of two thresholds asked. */
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
export function isKnown({ deviation, largestDeviation }: LocationModel): boolean {
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
 * log ν is uniform, and log τ₀ public, or by default normal with deviation 1 around its middle.
 *
 * Shape: evidence is size × candidates, row-major, as logarithms; −Infinity for a candidate that was left out.
 *
 * Source: F. E. Satterthwaite (1946), An approximate distribution of estimates of variance components.
 */
export function deviationLaw(
  model: LocationModel,
  candidates: readonly number[],
  evidence: Float64Array,
  logPrior: (middle: number) => number = (middle) => -0.5 * log(middle / model.deviation) ** 2,
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
      let scale = known ? 0 : logPrior(middle);
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
  return logSum(law.map((part) => logPart(part, x)));
}

export function logSum(logs: ArrayLike<number>): number {
  let highest = -Infinity;
  for (let i = 0; i < logs.length; i++) highest = max(highest, logs[i]);
  let total = 0;
  for (let i = 0; i < logs.length; i++) total += exp(logs[i] - highest);
  return highest + log(total);
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

function likelihoods(evidence: Float64Array, count: number): Float64Array {
  const result = evidence.slice();
  for (let row = 0; row < result.length; row += count) {
    let highest = -Infinity;
    for (let k = row; k < row + count; k++) highest = max(highest, result[k]);
    for (let k = row; k < row + count; k++) result[k] = exp(result[k] - highest);
  }
  return result;
}

import { normalCdf, normalDensity } from '../../../src/numeric/normal.ts';
import { type DeviationLaw, deviationCandidates, deviationLaw, logDensity } from './deviations.ts';
import type { LocationModel } from './model.ts';

const { exp, log, max, min, round, sqrt } = Math;

/** Ratio of neighbouring candidates for τ at first, and how far below the middle of the prior they begin. */
const RATIO = 2.2;
const LEAST_DEVIATION = 1 / 16;

/** The positions of finer candidates, in distances of the coarser ones. */
const FINER: readonly number[] = [1.2, 0.8, 0.4, 0, -0.4, -0.8, -1.2];

/** How often the prior's deviation is estimated again from the posterior. */
const SPREAD_LOOKS = 1;

/** Candidates with less weight than this are dropped: they only cost time. */
const UNLIKELY = 1e-4;

/**
 * The posterior of all coordinates given the signs of all rounds. If `shared`, τ is one number for all of them;
 * otherwise every coordinate has its own, by a law that all coordinates tell together ({@link deviationLaw}).
 *
 * Law: a sign at the threshold t is reported as + with probability ½ + κ(Φ((θ_j − t)/τ_j) − ½). A shared log τ is normal
 * with deviation 1 around its middle. θ_j is normal around 0 within its range, as the coordinates of a randomly rotated
 * vector nearly are; its deviation is estimated from all coordinates together. The integration uses grids that narrow
 * to what the signs leave possible; while a cell is wider than the likelihood, the deviation of a point within it,
 * h/√12, is added to τ. The result depends on the counts alone, so every server gets the same.
 */
export function locate(model: LocationModel, rounds: readonly SignCounts[], size: number, shared: boolean): Location {
  const location: Location = {
    mean: new Float64Array(size),
    error: new Float64Array(size),
    fourth: new Float64Array(size),
    quartiles: new Float64Array(2 * size),
    deviation: new Float64Array(size),
  };
  const deviations = shared ? firstDeviations(model) : deviationCandidates(model, smallestGap(model, rounds), size);
  const work: PosteriorWork = {
    model,
    likelihood: signLikelihood(model.contrast),
    rounds,
    support: new Float64Array(2 * size),
    spread: model.largestSpread,
    table: new Float64Array(max(deviations.length, FINER.length) * POSTERIOR_CELLS),
    cells: new Float64Array(POSTERIOR_CELLS),
  };
  // The full range each time: a grid around the last thresholds would miss a round that contradicts the rounds before.
  for (let j = 0; j < size; j++) {
    work.support[2 * j] = -model.halfRange;
    work.support[2 * j + 1] = model.halfRange;
  }
  const choices = shared ? sharedDeviation(work, size, deviations) : ownDeviations(work, size, deviations);
  for (let look = 0; ; look++) {
    for (let j = 0; j < size; j++) summarize(work, choices[j], j, location);
    // Only a rotation makes coordinates alike; without one their range is that of a single one, and nothing is shared.
    if (look === SPREAD_LOOKS || model.halfRange <= model.largestSpread) break;
    work.spread = likelySpread(model, location, size);
  }
  return location;
}

/** The smallest distance of two thresholds of one round that a coordinate was asked. */
function smallestGap({ halfRange }: LocationModel, rounds: readonly SignCounts[]): number {
  let smallest = halfRange;
  for (const { thresholds } of rounds) {
    for (let q = 0; q < thresholds.length; q += 2) {
      const gap = thresholds[q + 1] - thresholds[q];
      if (gap > 0) smallest = min(smallest, gap);
    }
  }
  return smallest;
}

/** Candidates for a τ that all coordinates share, closer and closer, and their posterior. */
function sharedDeviation(work: PosteriorWork, size: number, first: readonly number[]): readonly Choice[] {
  let choice: Choice = { deviations: first, weights: first.map(() => 1) };
  for (let finer: readonly number[] | undefined = first; finer !== undefined; finer = finerDeviations(choice)) {
    // A normal law of log τ; with one candidate there is nothing to choose.
    const scores = finer.map((tau) => -0.5 * log(tau / work.model.deviation) ** 2);
    for (let j = 0; j < size; j++) {
      closeIn(work, finer, j);
      for (let k = 0; k < finer.length; k++) scores[k] += logTotal(work.table, k);
    }
    choice = { deviations: finer, weights: normalized(scores) };
  }
  return new Array(size).fill(likely(choice));
}

/** Candidates for the τ of each coordinate and their posterior, by its own signs and by the law of all deviations. */
function ownDeviations(work: PosteriorWork, size: number, candidates: readonly number[]): readonly Choice[] {
  const count = candidates.length;
  const evidence = new Float64Array(size * count).fill(-Infinity);
  const kept: (readonly number[])[] = new Array(size).fill(candidates.map((_, k) => k));
  for (let law: DeviationLaw | undefined; ; ) {
    let narrowed = false;
    for (let j = 0; j < size; j++) {
      const chosen = kept[j].map((k) => candidates[k]);
      narrowed = closeIn(work, chosen, j) || narrowed;
      evidence.fill(-Infinity, j * count, (j + 1) * count);
      kept[j].forEach((k, i) => {
        evidence[j * count + k] = logTotal(work.table, i);
      });
    }
    law = deviationLaw(work.model, candidates, evidence);
    const prior = candidates.map((tau) => logDensity(law!, tau));
    const weights = kept.map((some, j) => normalized(some.map((k) => prior[k] + evidence[j * count + k])));
    if (!narrowed) {
      return kept.map((some, j) =>
        refined(work, law!, j, { deviations: some.map((k) => candidates[k]), weights: weights[j] }),
      );
    }
    for (let j = 0; j < size; j++) {
      // Cells wider than a deviation cannot tell it from smaller ones: such candidates stay.
      const cell = (work.support[2 * j + 1] - work.support[2 * j]) / POSTERIOR_CELLS;
      const likely = (i: number): boolean => weights[j][i] > UNLIKELY;
      // Neighbours stay, since the truth may lie between two candidates.
      kept[j] = kept[j].filter((k, i) => likely(i - 1) || likely(i) || likely(i + 1) || candidates[k] < cell);
    }
  }
}

/** Closer candidates for the τ of coordinate j, as far as its signs can tell them. */
function refined(work: PosteriorWork, law: DeviationLaw, j: number, found: Choice): Choice {
  let choice = found;
  for (;;) {
    const finer = finerDeviations(choice);
    if (finer === undefined) return likely(choice);
    closeIn(work, finer, j);
    const scores = finer.map((tau, k) => logDensity(law, tau) + logTotal(work.table, k));
    choice = { deviations: finer, weights: normalized(scores) };
  }
}

/** The prior's deviation by the second moment of the posterior, and four added coordinates of the largest deviation. */
function likelySpread({ largestSpread }: LocationModel, { mean, error }: Location, size: number): number {
  let sum = 4 * largestSpread * largestSpread;
  for (let j = 0; j < size; j++) sum += mean[j] * mean[j] + error[j] * error[j];
  return min(largestSpread, sqrt(sum / (size + 4)));
}

function firstDeviations({ deviation, largestDeviation }: LocationModel): number[] {
  if (largestDeviation <= deviation) return [deviation];
  const candidates: number[] = [];
  for (let tau = largestDeviation; tau >= LEAST_DEVIATION * deviation; tau /= RATIO) candidates.push(tau);
  return candidates;
}

/**
 * Closer candidates, if only about two of the last ones have weight; undefined otherwise, or if they are close enough.
 */
function finerDeviations({ deviations, weights }: Choice): readonly number[] | undefined {
  const last = deviations.length - 1;
  const spacing = log(deviations[last - 1] / deviations[last]);
  if (last === 0 || spacing < 0.02) return undefined;
  const effective = 1 / weights.reduce((sum, weight) => sum + weight * weight, 0);
  if (effective > 2.5) return undefined;
  const centre = weights.reduce((sum, weight, k) => sum + weight * log(deviations[k]), 0);
  return FINER.map((step) => exp(centre + step * spacing));
}

function normalized(scores: readonly number[]): number[] {
  const highest = max(...scores);
  const total = scores.reduce((sum, score) => sum + exp(score - highest), 0);
  return scores.map((score) => exp(score - highest) / total);
}

/** A choice without the candidates of almost no weight, which only cost time. */
function likely({ deviations, weights }: Choice): Choice {
  const kept = weights.map((weight) => weight > UNLIKELY);
  const left = weights.filter((_, k) => kept[k]);
  const total = left.reduce((sum, weight) => sum + weight, 0);
  return { deviations: deviations.filter((_, k) => kept[k]), weights: left.map((weight) => weight / total) };
}

/** The signs reported at the two thresholds of every coordinate, in one round. */
export interface SignCounts {
  /** Two thresholds for each coordinate, one after the other. */
  readonly thresholds: ArrayLike<number>;
  /** For each threshold, in the same order, the number of signs reported below it and above it. */
  readonly counts: ArrayLike<number>;
}

/** The location of the coordinates, by all signs so far. */
export interface Location {
  /** Posterior mean of each coordinate. */
  readonly mean: Float64Array;
  /** Posterior standard deviation of each coordinate. */
  readonly error: Float64Array;
  /** Posterior fourth central moment of each coordinate, if it was computed. */
  readonly fourth?: Float64Array;
  /** The quartiles of each coordinate: lower, upper. */
  readonly quartiles: Float64Array;
  /** Posterior mean of τ for each coordinate. */
  readonly deviation: Float64Array;
}

/** Cells of a grid over one coordinate. */
const POSTERIOR_CELLS: number = 40;

/** Cells with less of the posterior than this are left out of the next, finer grid. */
const NEGLIGIBLE = 1e-6;

/** Candidates for the τ of a coordinate, descending, and their posterior. */
interface Choice {
  readonly deviations: readonly number[];
  readonly weights: readonly number[];
}

/** The data for the computation of all coordinates. */
interface PosteriorWork {
  readonly model: LocationModel;
  readonly likelihood: SignLikelihood;
  readonly rounds: readonly SignCounts[];
  /** Ends of the grid of each coordinate. */
  readonly support: Float64Array;
  /** Standard deviation of the normal prior of the coordinates. */
  spread: number;
  /** Logarithms of the posterior on the grid of one coordinate, candidate after candidate. */
  readonly table: Float64Array;
  /** Posterior of the cells of one coordinate. */
  readonly cells: Float64Array;
}

/**
 * Narrows the grid of coordinate j until no more cells are negligible, and leaves its posterior for each τ in the table.
 * Returns whether the grid is narrower than before.
 */
function closeIn(work: PosteriorWork, deviations: readonly number[], j: number): boolean {
  const { support, table, cells } = work;
  const at = 2 * j;
  for (let narrowed = false; ; narrowed = true) {
    const low = support[at];
    const width = (support[at + 1] - low) / POSTERIOR_CELLS;
    fillTable(work, deviations, j);
    cells.fill(0);
    for (let k = 0; k < deviations.length; k++) addCandidate(table, k, 1, cells);
    let total = 0;
    for (let i = 0; i < POSTERIOR_CELLS; i++) total += cells[i];
    let first = 0;
    let last = POSTERIOR_CELLS - 1;
    while (cells[first] < NEGLIGIBLE * total) first++;
    while (cells[last] < NEGLIGIBLE * total) last--;
    // One cell more on both sides: the posterior of the coarse grid is not exact.
    first = max(0, first - 1);
    last = min(POSTERIOR_CELLS - 1, last + 1);
    if (last - first + 1 > 0.7 * POSTERIOR_CELLS) return narrowed;
    support[at] = low + first * width;
    support[at + 1] = low + (last + 1) * width;
  }
}

/** The logarithm of the posterior of coordinate j in all cells, for every candidate. */
function fillTable(
  { spread, likelihood, rounds, support, table }: PosteriorWork,
  deviations: readonly number[],
  j: number,
): void {
  const low = support[2 * j];
  const width = (support[2 * j + 1] - low) / POSTERIOR_CELLS;
  for (let k = 0; k < deviations.length; k++) {
    const inverse = 1 / sqrt(deviations[k] * deviations[k] + (width * width) / 12);
    const row = k * POSTERIOR_CELLS;
    for (let i = 0; i < POSTERIOR_CELLS; i++) {
      const scaled = (low + (i + 0.5) * width) / spread;
      table[row + i] = -0.5 * scaled * scaled;
    }
    for (const { thresholds, counts } of rounds) {
      for (let q = 2 * j; q < 2 * j + 2; q++) {
        const below = counts[2 * q];
        const above = counts[2 * q + 1];
        if (below + above === 0) continue;
        const start = (low + 0.5 * width - thresholds[q]) * inverse;
        for (let i = 0; i < POSTERIOR_CELLS; i++) {
          table[row + i] += logSigns(likelihood, start + i * width * inverse, above, below);
        }
      }
    }
  }
}

/** log Σ exp over the cells of one candidate. */
function logTotal(table: Float64Array, candidate: number): number {
  const row = candidate * POSTERIOR_CELLS;
  let highest = -Infinity;
  for (let i = row; i < row + POSTERIOR_CELLS; i++) highest = max(highest, table[i]);
  let total = 0;
  for (let i = row; i < row + POSTERIOR_CELLS; i++) total += exp(table[i] - highest);
  return highest + log(total);
}

function addCandidate(table: Float64Array, candidate: number, weight: number, cells: Float64Array): void {
  const row = candidate * POSTERIOR_CELLS;
  const shift = logTotal(table, candidate);
  for (let i = 0; i < POSTERIOR_CELLS; i++) cells[i] += weight * exp(table[row + i] - shift);
}

/** Mean, deviation, quartiles and τ of coordinate j, over all candidates. */
function summarize(work: PosteriorWork, { deviations, weights }: Choice, j: number, location: Location): void {
  const { support, table, cells } = work;
  const low = support[2 * j];
  const width = (support[2 * j + 1] - low) / POSTERIOR_CELLS;
  fillTable(work, deviations, j);
  cells.fill(0);
  for (let k = 0; k < deviations.length; k++) if (weights[k] > 0) addCandidate(table, k, weights[k], cells);
  let mean = 0;
  let second = 0;
  for (let i = 0; i < POSTERIOR_CELLS; i++) {
    mean += cells[i] * i;
    second += cells[i] * i * i;
  }
  let fourth = 0;
  for (let i = 0; i < POSTERIOR_CELLS; i++) fourth += cells[i] * (i - mean) ** 4;
  location.mean[j] = low + (mean + 0.5) * width;
  location.fourth![j] = width ** 4 * fourth;
  location.error[j] = width * sqrt(max(0, second - mean * mean) + 1 / 12);
  location.quartiles[2 * j] = low + quantile(cells, 0.25) * width;
  location.quartiles[2 * j + 1] = low + quantile(cells, 0.75) * width;
  location.deviation[j] = deviations.reduce((sum, tau, k) => sum + weights[k] * tau, 0);
}

/** The position of a quantile in cells whose probabilities add up to 1. */
function quantile(cells: Float64Array, level: number): number {
  let below = 0;
  for (let i = 0; i < POSTERIOR_CELLS; i++) {
    if (below + cells[i] >= level) return i + (level - below) / cells[i];
    below += cells[i];
  }
  return POSTERIOR_CELLS;
}

/** Beyond this many standard deviations a sign is certain up to 1e-12. */
const RANGE = 7;

/** The number of nodes per standard deviation. */
const NODES = 128;

/**
 * log(½ + κ(Φ(z) − ½)) and its first two derivatives at −7, −7 + 1/128 … 7: the likelihood of a randomized sign.
 * Taylor's formula around the nearest node has an error of at most 2e-8, so that a million signs have an error of at
 * most a fiftieth of a nat.
 */
export interface SignLikelihood {
  /** κ, the probability that a sign is reported unchanged, less that of a reversed sign. */
  readonly contrast: number;
  /** Value, slope and half the curvature for each node. */
  readonly nodes: Float64Array;
}

// The last table made: every round of a plan needs the same.
let latest: SignLikelihood | undefined;

/** The table for a contrast in (0, 1]. */
export function signLikelihood(contrast: number): SignLikelihood {
  if (latest?.contrast === contrast) return latest;
  const count = 2 * RANGE * NODES + 1;
  const nodes = new Float64Array(3 * count);
  // At κ = 1, up to rounding, a wrong sign has probability 0; a floor keeps its logarithm finite.
  const kept = contrast * (1 - 2 ** -40);
  for (let i = 0; i < count; i++) {
    const z = i / NODES - RANGE;
    const probability = 0.5 + kept * (normalCdf(z) - 0.5);
    const slope = (kept * normalDensity(z)) / probability;
    nodes[3 * i] = log(probability);
    nodes[3 * i + 1] = slope;
    nodes[3 * i + 2] = -0.5 * slope * (z + slope);
  }
  latest = { contrast, nodes };
  return latest;
}

/** The log probability of `above` signs +1 and `below` signs −1 reported at the distance z from the threshold. */
export function logSigns({ nodes }: SignLikelihood, z: number, above: number, below: number): number {
  const inside = z < -RANGE ? -RANGE : z > RANGE ? RANGE : z;
  const node = round((inside + RANGE) * NODES);
  const step = inside - (node / NODES - RANGE);
  const up = 3 * node;
  // For the other sign the table is read backwards: node −z.
  const down = nodes.length - 3 - up;
  return (
    above * (nodes[up] + step * (nodes[up + 1] + step * nodes[up + 2])) +
    below * (nodes[down] - step * (nodes[down + 1] - step * nodes[down + 2]))
  );
}

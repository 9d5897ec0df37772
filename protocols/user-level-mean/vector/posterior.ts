import { logSigns, type SignLikelihood } from './likelihood.ts';

const { exp, log, max, min, sqrt } = Math;

/** Signs reported at the two thresholds of every coordinate, in one round. */
export interface SignCounts {
  /** Two thresholds for each coordinate, one after the other. */
  readonly thresholds: ArrayLike<number>;
  /** For each threshold, in the same order, the number of signs reported below it and above it. */
  readonly counts: ArrayLike<number>;
}

/** What is known in public before anybody answers, and how signs are reported. */
export interface LocationModel {
  /** κ, how much likelier a sign is reported as it is than turned. */
  readonly contrast: number;
  /** The largest standard deviation that the coordinates can have among themselves, around 0. */
  readonly largestSpread: number;
  /** No coordinate is farther from 0. */
  readonly halfRange: number;
  /** τ, standard deviation of a coordinate of a local mean: where it is known that, otherwise the middle of its prior. */
  readonly deviation: number;
  /** The largest τ can be; `deviation` where it is known. */
  readonly largestDeviation: number;
}

/** Where the coordinates are, by all signs so far. */
export interface Location {
  /** Posterior mean of each coordinate. */
  readonly mean: Float64Array;
  /** Posterior standard deviation of each coordinate. */
  readonly error: Float64Array;
  /** The quartiles of each coordinate: lower, upper. */
  readonly quartiles: Float64Array;
  /** Posterior mean of τ for each coordinate. */
  readonly deviation: Float64Array;
}

/** Cells of a grid over one coordinate. */
export const POSTERIOR_CELLS: number = 40;

/** Cells with less of the posterior than this are left out of the next, finer grid. */
const NEGLIGIBLE = 1e-6;

/** Everything that the coordinates of one group are computed with. */
export interface PosteriorWork {
  readonly model: LocationModel;
  readonly likelihood: SignLikelihood;
  readonly rounds: readonly SignCounts[];
  /** Ends of the grid of each coordinate. */
  readonly support: Float64Array;
  /** Candidates for τ. */
  deviations: number[];
  /** Their posterior probabilities, by all coordinates of the group. */
  weights: number[];
  /** Standard deviation of the normal prior of the coordinates. */
  spread: number;
  /** Logarithms of the posterior on the grid of one coordinate, candidate after candidate. */
  readonly table: Float64Array;
  /** Posterior of the cells of one coordinate. */
  readonly cells: Float64Array;
}

/** Narrows the grid of coordinate j until nothing more is negligible, and adds its evidence for each τ to the scores. */
export function closeIn(work: PosteriorWork, from: number, j: number, scores: number[]): void {
  const { support, table, cells, deviations } = work;
  const at = 2 * (j - from);
  for (;;) {
    const low = support[at];
    const width = (support[at + 1] - low) / POSTERIOR_CELLS;
    fillTable(work, from, j);
    cells.fill(0);
    for (let k = 0; k < deviations.length; k++) addCandidate(table, k, 1, cells);
    let total = 0;
    for (let i = 0; i < POSTERIOR_CELLS; i++) total += cells[i];
    let first = 0;
    let last = POSTERIOR_CELLS - 1;
    while (cells[first] < NEGLIGIBLE * total) first++;
    while (cells[last] < NEGLIGIBLE * total) last--;
    // A cell more on both sides: the posterior of the coarse grid is not exact.
    first = max(0, first - 1);
    last = min(POSTERIOR_CELLS - 1, last + 1);
    if (last - first + 1 > 0.7 * POSTERIOR_CELLS) break;
    support[at] = low + first * width;
    support[at + 1] = low + (last + 1) * width;
  }
  for (let k = 0; k < deviations.length; k++) scores[k] += logTotal(table, k);
}

/** The logarithm of the posterior of coordinate j in all cells, for every candidate. */
function fillTable(
  { spread, likelihood, rounds, support, deviations, table }: PosteriorWork,
  from: number,
  j: number,
): void {
  const low = support[2 * (j - from)];
  const width = (support[2 * (j - from) + 1] - low) / POSTERIOR_CELLS;
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
export function summarize(work: PosteriorWork, from: number, j: number, location: Location): void {
  const { support, table, cells, deviations, weights } = work;
  const low = support[2 * (j - from)];
  const width = (support[2 * (j - from) + 1] - low) / POSTERIOR_CELLS;
  fillTable(work, from, j);
  cells.fill(0);
  for (let k = 0; k < deviations.length; k++) if (weights[k] > 0) addCandidate(table, k, weights[k], cells);
  let mean = 0;
  let second = 0;
  for (let i = 0; i < POSTERIOR_CELLS; i++) {
    mean += cells[i] * i;
    second += cells[i] * i * i;
  }
  location.mean[j] = low + (mean + 0.5) * width;
  location.error[j] = width * sqrt(max(0, second - mean * mean) + 1 / 12);
  location.quartiles[2 * j] = low + quantile(cells, 0.25) * width;
  location.quartiles[2 * j + 1] = low + quantile(cells, 0.75) * width;
  location.deviation[j] = deviations.reduce((sum, tau, k) => sum + weights[k] * tau, 0);
}

/** The place of a quantile in cells, whose probabilities add up to 1. */
function quantile(cells: Float64Array, level: number): number {
  let below = 0;
  for (let i = 0; i < POSTERIOR_CELLS; i++) {
    if (below + cells[i] >= level) return i + (level - below) / cells[i];
    below += cells[i];
  }
  return POSTERIOR_CELLS;
}

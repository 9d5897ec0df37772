import { checkOpenUnit, checkPositive, checkWord, RefusedKind, RefusedValue } from '../../../src/check/refusal.ts';
import type { TwoLevels } from '../../../src/mechanism/exact-coin.ts';
import type { PlanFields, RoundOfVectors, SampleDomain, UserLevelPlan } from '../shape.ts';
import { logSigns, type SignLikelihood, signLikelihood } from './coordinate-round.ts';

const { exp, log, max, min, sqrt } = Math;

/** The public knowledge before anybody answers, and how signs are reported. */
export interface LocationModel {
  /** κ, the probability that a sign is reported unchanged, less that of a reversed sign. */
  readonly contrast: number;
  /** The largest standard deviation that the coordinates can have among themselves, around 0. */
  readonly largestSpread: number;
  /** The largest possible distance of a coordinate from 0. */
  readonly halfRange: number;
  /** τ, standard deviation of a coordinate of a local mean, if it is known; otherwise the middle of its prior. */
  readonly deviation: number;
  /** The largest possible τ; `deviation` if τ is known. */
  readonly largestDeviation: number;
}

/** The largest norm of a mean, ‖mean‖₂ ≤ B√d in the box; a random rotation spreads it evenly over the coordinates. */
export function longestOf(
  domain: SampleDomain,
  { bound, dimension }: Pick<UserLevelPlan, 'bound' | 'dimension'>,
): number {
  return domain === 'box' ? bound * sqrt(dimension) : bound;
}

/**
 * The seed of the rotation.
 * @throws TypeError for anything but a text.
 */
export function seedOf({ seed = 'ldpkit' }: { readonly seed?: string }): string {
  if (typeof seed !== 'string') throw new RefusedKind('seed', 'a text', seed);
  return seed;
}

/** The domain of the samples. */
export function domainOf({ domain = 'box' }: { readonly domain?: SampleDomain }): SampleDomain {
  return checkWord('domain', domain, ['box', 'ball']);
}

/** s, if it was given. */
export function spreadOf({ spread }: { readonly spread?: number }, bound: number): number | undefined {
  if (spread === undefined) return undefined;
  if (checkPositive('spread', spread) > bound) throw new RefusedValue('spread', `a number <= ${bound}`, spread);
  return spread;
}

/** δ, if it was given; the form `gaussian` needs it. */
export function deltaOf({ delta, form }: { readonly delta?: number; readonly form?: string }): number | undefined {
  if (delta !== undefined) return checkOpenUnit('delta', delta);
  if (form !== 'gaussian') return undefined;
  throw new RefusedValue('delta', 'a number strictly between 0 and 1 for the form gaussian', delta);
}

/**
 * The public prior of the coordinates that are located; it holds for all data.
 *
 * `longest` is the largest norm of the vector of `among` coordinates that is rotated. All samples of one player may be
 * equal, so that its local mean can vary as much as a sample; usually it varies √m times less.
 */
export function locationModel(
  longest: number,
  among: number,
  { bound, samples, dimension }: PlanFields,
  coin: TwoLevels,
  domain: SampleDomain,
  spread: number | undefined,
): LocationModel {
  const largestSpread = longest / sqrt(among);
  // A Rademacher sum exceeds 6.5 deviations once in 10⁹.
  const halfRange = longest * min(1, 6.5 / sqrt(among));
  const largest = domain === 'ball' && among > 1 ? bound / sqrt(dimension) : bound;
  const deviation = (spread ?? largest / 2) / sqrt(samples);
  return {
    contrast: coin.contrast,
    largestSpread,
    halfRange,
    deviation,
    largestDeviation: spread === undefined ? largest : deviation,
  };
}

/** The largest ℓ₂ distance between the local means of two data: 2B√d in the box, 2B in the ball. */
export function neighbourDistance({
  domain,
  bound,
  dimension,
}: Pick<RoundOfVectors, 'domain' | 'bound' | 'dimension'>): number {
  return 2 * bound * (domain === 'box' ? sqrt(dimension) : 1);
}

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
 * The posterior of all coordinates given the signs of all rounds, where one τ, the same for all of them, is found or
 * known: {@link locateEach} finds one for each.
 *
 * Law: a sign at the threshold t is reported as + with probability ½ + κ(Φ((θ_j − t)/τ) − ½). log τ is normal with
 * deviation 1 around its middle. θ_j is normal around 0 within its range, as the coordinates of a randomly rotated
 * vector nearly are; its deviation is estimated from all coordinates together. The integration uses grids that narrow
 * to what the signs leave possible; while a cell is wider than the likelihood, the deviation of a point within it,
 * h/√12, is added to τ. The result depends on the counts alone, so every server gets the same.
 */
export function locate(model: LocationModel, rounds: readonly SignCounts[], size: number): Location {
  const location: Location = {
    mean: new Float64Array(size),
    error: new Float64Array(size),
    fourth: new Float64Array(size),
    quartiles: new Float64Array(2 * size),
    deviation: new Float64Array(size),
  };
  const deviations = firstDeviations(model);
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
  const choice = sharedDeviation(work, size, deviations);
  for (let look = 0; ; look++) {
    for (let j = 0; j < size; j++) summarize(work, choice, j, location);
    // Only a rotation makes coordinates alike; without one their range is that of a single one, and nothing is shared.
    if (look === SPREAD_LOOKS || model.halfRange <= model.largestSpread) break;
    work.spread = likelySpread(model, location, size);
  }
  return location;
}

/** Candidates for a τ that all coordinates share, closer and closer, and their posterior. */
function sharedDeviation(work: PosteriorWork, size: number, first: readonly number[]): Choice {
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
  return likely(choice);
}

/** The prior's deviation by the second moment of the posterior, and four added coordinates of the largest deviation. */
export function likelySpread(
  { largestSpread }: LocationModel,
  { mean, error }: Pick<Location, 'mean' | 'error'>,
  size: number,
): number {
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

/** Closer candidates, if only about two of the last ones have weight; undefined otherwise, or if close enough. */
export function finerDeviations({ deviations, weights }: Choice): readonly number[] | undefined {
  const last = deviations.length - 1;
  const spacing = log(deviations[last - 1] / deviations[last]);
  if (last === 0 || spacing < 0.02) return undefined;
  const effective = 1 / weights.reduce((sum, weight) => sum + weight * weight, 0);
  if (effective > 2.5) return undefined;
  const centre = weights.reduce((sum, weight, k) => sum + weight * log(deviations[k]), 0);
  return FINER.map((step) => exp(centre + step * spacing));
}

export function normalized(scores: readonly number[]): number[] {
  const highest = max(...scores);
  const total = scores.reduce((sum, score) => sum + exp(score - highest), 0);
  return scores.map((score) => exp(score - highest) / total);
}

/** A choice without the candidates of almost no weight, which only cost time. */
export function likely({ deviations, weights }: Choice): Choice {
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

const POSTERIOR_CELLS: number = 40;

/** Cells with less of the posterior than this are left out of the next, finer grid. */
const NEGLIGIBLE = 1e-6;

/** Candidates for the τ of a coordinate, descending, and their posterior. */
export interface Choice {
  readonly deviations: readonly number[];
  readonly weights: readonly number[];
}

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

/** Narrows the grid of coordinate j until no more cells are negligible. Returns whether it is narrower than before. */
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

function quantile(cells: Float64Array, level: number): number {
  let below = 0;
  for (let i = 0; i < POSTERIOR_CELLS; i++) {
    if (below + cells[i] >= level) return i + (level - below) / cells[i];
    below += cells[i];
  }
  return POSTERIOR_CELLS;
}

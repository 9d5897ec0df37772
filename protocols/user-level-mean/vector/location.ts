import { signLikelihood } from './likelihood.ts';
import {
  closeIn,
  type Location,
  type LocationModel,
  POSTERIOR_CELLS,
  type PosteriorWork,
  type SignCounts,
  summarize,
} from './posterior.ts';

export type { Location, LocationModel, SignCounts };

const { exp, log, max, min, sqrt } = Math;

/** Ratio of neighbouring candidates for τ, at first, and how far below its middle they begin. */
const RATIO = 2.2;
const LEAST_DEVIATION = 1 / 16;

/** Where finer candidates are, in distances of the coarser ones. */
const FINER: readonly number[] = [1.2, 0.8, 0.4, 0, -0.4, -0.8, -1.2];

/** How often the prior's deviation is found again from the posterior. */
const SPREAD_LOOKS = 1;

/**
 * The posterior of all coordinates from the signs of all rounds; τ is one number for all of them where it is `shared`, otherwise
 * every coordinate has its own.
 *
 * Law: a sign at the threshold t is reported as + with probability ½ + κ(Φ((θ_j − t)/τ) − ½); log τ is normal with deviation 1
 * around its middle; θ_j is normal around 0 within its range, as the coordinates of a randomly rotated vector nearly are, with a
 * deviation that all coordinates tell together. Integrated on grids that close in on what the signs leave
 * possible; while a cell is wider than the likelihood, the deviation of a point within it, h/√12, is added to τ. A function
 * of the counts alone: every server has the same.
 */
export function locate(model: LocationModel, rounds: readonly SignCounts[], size: number, shared: boolean): Location {
  const location: Location = {
    mean: new Float64Array(size),
    error: new Float64Array(size),
    quartiles: new Float64Array(2 * size),
    deviation: new Float64Array(size),
  };
  const group = shared ? size : 1;
  for (let from = 0; from < size; from += group) locateGroup(model, rounds, from, from + group, location);
  return location;
}

function locateGroup(
  model: LocationModel,
  rounds: readonly SignCounts[],
  from: number,
  to: number,
  location: Location,
): void {
  const deviations = firstDeviations(model);
  const work: PosteriorWork = {
    model,
    likelihood: signLikelihood(model.contrast),
    rounds,
    support: new Float64Array(2 * (to - from)),
    deviations,
    weights: [],
    spread: model.largestSpread,
    table: new Float64Array(max(deviations.length, FINER.length) * POSTERIOR_CELLS),
    cells: new Float64Array(POSTERIOR_CELLS),
  };
  // The whole range each time: a grid around the last thresholds would miss that a round has contradicted those before.
  for (let j = 0; j < to - from; j++) {
    work.support[2 * j] = -model.halfRange;
    work.support[2 * j + 1] = model.halfRange;
  }
  for (let finer: number[] | undefined = deviations; finer !== undefined; finer = finerDeviations(work)) {
    work.deviations = finer;
    // A normal law of log τ; one candidate has no rival.
    const scores = finer.map((tau) => -0.5 * log(tau / model.deviation) ** 2);
    for (let j = from; j < to; j++) closeIn(work, from, j, scores);
    work.weights = normalized(scores);
  }
  leaveOutUnlikely(work);
  for (let look = 0; ; look++) {
    for (let j = from; j < to; j++) summarize(work, from, j, location);
    if (look === SPREAD_LOOKS) break;
    work.spread = likelySpread(model, location, from, to);
  }
}

/** The prior's deviation by the second moment of the posterior, and four coordinates' worth of the largest one. */
function likelySpread({ largestSpread }: LocationModel, { mean, error }: Location, from: number, to: number): number {
  let sum = 4 * largestSpread * largestSpread;
  for (let j = from; j < to; j++) sum += mean[j] * mean[j] + error[j] * error[j];
  return min(largestSpread, sqrt(sum / (to - from + 4)));
}

function firstDeviations({ deviation, largestDeviation }: LocationModel): number[] {
  if (largestDeviation <= deviation) return [deviation];
  const candidates: number[] = [];
  for (let tau = largestDeviation; tau >= LEAST_DEVIATION * deviation; tau /= RATIO) candidates.push(tau);
  return candidates;
}

/** Candidates closer together, where fewer than two of the last ones are left; undefined where they are close enough. */
function finerDeviations({ deviations, weights }: PosteriorWork): number[] | undefined {
  const spacing = log(deviations[0] / deviations[1]);
  if (deviations.length === 1 || spacing < 0.02) return undefined;
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

/** Candidates of next to no weight cost time only. */
function leaveOutUnlikely(work: PosteriorWork): void {
  const { deviations, weights } = work;
  const kept = weights.map((weight) => weight > 1e-4);
  work.deviations = deviations.filter((_, k) => kept[k]);
  work.weights = weights.filter((_, k) => kept[k]);
  const total = work.weights.reduce((sum, weight) => sum + weight, 0);
  work.weights = work.weights.map((weight) => weight / total);
}

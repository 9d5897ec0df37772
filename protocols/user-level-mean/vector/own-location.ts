import { type DeviationLaw, deviationCandidates, deviationLaw, logDensity } from './deviations.ts';
import {
  type Choice,
  finerDeviations,
  type Location,
  likely,
  likelySpread,
  normalized,
  type SignCounts,
} from './location.ts';
import type { LocationModel } from './model.ts';
import {
  type CoordinateSigns,
  momentsOf,
  type Posterior,
  posteriorOf,
  quantileOf,
  tempered,
  withSpread,
} from './posterior.ts';
import { type SignLikelihood, signLikelihood } from './sign-round.ts';

const { max, min, sqrt } = Math;

/**
 * With k rounds of signs left, the next thresholds are the quartiles of the posterior density to the power k/(k + 2).
 * Those of the density itself tell the most bits, and lose a coordinate that a run of false signs has hidden: a place far
 * away of probability 1 % has more of the squared error than all the rest, and is never asked about. Before the last
 * round the cube root is best (as where a quantizer puts its levels, for the squared error), and the bits with many rounds
 * left. Of the powers that were tried, constant ones from .33 to 1 too, these had the least error where s/B is from .005 to .05,
 * and no larger one elsewhere.
 *
 * Source: P. F. Panter, W. Dite (1951), Quantization distortion in pulse-count modulation with nonuniform spacing of
 * levels.
 */
function powerBefore(left: number): number {
  return left / (left + 2);
}

/** A coordinate with the candidates for its τ, and its posterior for each. */
interface Found extends Choice {
  readonly posteriors: readonly Posterior[];
}

/**
 * The posterior of all coordinates given the signs of all rounds, where every coordinate has its own τ, by a law that
 * all coordinates tell together ({@link deviationLaw}).
 *
 * Law: a sign at the threshold t is reported as + with probability ½ + κ(Φ((θ_j − t)/τ_j) − ½). θ_j is normal around 0
 * within its range, as the coordinates of a randomly rotated vector nearly are; its deviation is estimated from all
 * coordinates together. `left` rounds of signs are still to come. The integration is that of {@link posteriorOf}. The result depends on the counts alone, so every
 * server gets the same.
 */
export function locateEach(model: LocationModel, rounds: readonly SignCounts[], size: number, left: number): Location {
  const { largestSpread, halfRange } = model;
  const likelihood = signLikelihood(model.contrast);
  const signs = Array.from({ length: size }, (_, j) => signsOf(rounds, j));
  let found = findEach(model, likelihood, signs, deviationCandidates(model, smallestGap(model, rounds), size));
  let moments = mapAlike(found, ({ posteriors, weights }) => momentsOf(posteriors, weights));
  // Only a rotation makes coordinates alike; without one their range is that of a single one, and nothing is shared.
  if (halfRange > largestSpread) {
    const mean = Float64Array.from(moments, (moment) => moment.mean);
    const error = Float64Array.from(moments, ({ variance }) => sqrt(variance));
    const spread = likelySpread(model, { mean, error }, size);
    found = mapAlike(found, ({ posteriors, ...choice }) => ({
      ...choice,
      posteriors: posteriors.map((posterior) => withSpread(posterior, largestSpread, spread)),
    }));
    moments = mapAlike(found, ({ posteriors, weights }) => momentsOf(posteriors, weights));
  }
  const power = powerBefore(max(1, left));
  const quartiles = mapAlike(found, ({ posteriors, weights }) => {
    const flatter = posteriors.map((posterior) => tempered(posterior, power));
    return [0.25, 0.75].map((share) => quantileOf(flatter, weights, share, halfRange));
  });
  return {
    mean: Float64Array.from(moments, ({ mean }) => mean),
    error: Float64Array.from(moments, ({ variance }) => sqrt(variance)),
    fourth: Float64Array.from(moments, ({ fourth }) => fourth),
    quartiles: Float64Array.from(quartiles.flat()),
    deviation: Float64Array.from(found, ({ deviations, weights }) =>
      deviations.reduce((sum, tau, k) => sum + weights[k] * tau, 0),
    ),
  };
}

/** One function of many items, computed once for those that are the same object: coordinates that nobody was asked are all alike. */
function mapAlike<Item extends object, Result>(
  items: readonly Item[],
  of: (item: Item, place: number) => Result,
): readonly Result[] {
  const known = new Map<Item, Result>();
  return items.map((item, place) => {
    if (!known.has(item)) known.set(item, of(item, place));
    return known.get(item)!;
  });
}

/** The signs about a coordinate that nobody was asked. */
const NO_SIGNS: CoordinateSigns = { thresholds: [], below: [], above: [] };

/** The signs about coordinate j; thresholds that nobody was asked are left out. */
function signsOf(rounds: readonly SignCounts[], j: number): CoordinateSigns {
  const signs = { thresholds: [] as number[], below: [] as number[], above: [] as number[] };
  for (const { thresholds, counts } of rounds) {
    for (let q = 2 * j; q < 2 * j + 2; q++) {
      if (counts[2 * q] + counts[2 * q + 1] === 0) continue;
      signs.thresholds.push(thresholds[q]);
      signs.below.push(counts[2 * q]);
      signs.above.push(counts[2 * q + 1]);
    }
  }
  return signs.thresholds.length === 0 ? NO_SIGNS : signs;
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

/** Candidates for the τ of each coordinate and their posterior, by its own signs and by the law of all deviations. */
function findEach(
  model: LocationModel,
  likelihood: SignLikelihood,
  signs: readonly CoordinateSigns[],
  candidates: readonly number[],
): readonly Found[] {
  const prior = { spread: model.largestSpread, halfRange: model.halfRange };
  const count = candidates.length;
  const all = mapAlike(signs, (one) => candidates.map((tau) => posteriorOf(likelihood, one, tau, prior)));
  const evidence = Float64Array.from(all.flatMap((posteriors) => posteriors.map(({ logTotal }) => logTotal)));
  const law: DeviationLaw = deviationLaw(model, candidates, evidence);
  const densities = candidates.map((tau) => logDensity(law, tau));
  return mapAlike(signs, (one, j) => {
    let choice: Choice = {
      deviations: candidates,
      weights: normalized(densities.map((density, k) => density + evidence[j * count + k])),
    };
    let posteriors: readonly Posterior[] = all[j];
    // Closer candidates, as far as the signs can tell them.
    for (let finer = finerDeviations(choice); finer !== undefined; finer = finerDeviations(choice)) {
      posteriors = finer.map((tau) => posteriorOf(likelihood, one, tau, prior));
      choice = {
        deviations: finer,
        weights: normalized(finer.map((tau, k) => logDensity(law, tau) + posteriors[k].logTotal)),
      };
    }
    const kept = likely(choice);
    return { ...kept, posteriors: posteriors.filter((_, k) => kept.deviations.includes(choice.deviations[k])) };
  });
}

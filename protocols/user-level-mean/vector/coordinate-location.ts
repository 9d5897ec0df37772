import { frequencyVariance } from '../../../src/mechanism/frequency.ts';
import { normalCdf, normalDensity } from '../../../src/numeric/normal.ts';
import { type BinCounts, type BinQuestion, binFrequencies } from '../scalar/question.ts';
import { type SignLikelihood, signLikelihood } from './coordinate-round.ts';
import type { Location, LocationModel, SignCounts } from './location.ts';
import {
  type CoordinateSigns,
  centralMoment,
  type DeviationLaw,
  deviationCandidates,
  deviationLaw,
  isKnown,
  logDensity,
  logSum,
  momentsOf,
  type Posterior,
  posteriorOf,
  quantileOf,
  tempered,
  withSpread,
} from './posterior.ts';

const { ceil, exp, floor, log, max, min, sqrt } = Math;

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

/** Candidates for the τ of a coordinate, descending, and their posterior. */
type Choice = { readonly deviations: readonly number[]; readonly weights: readonly number[] };

type Found = Choice & { readonly posteriors: readonly Posterior[] };

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
  let moments = momentsOfAll(found);
  // Only a rotation makes coordinates alike; without one their range is that of a single one, and nothing is shared.
  if (halfRange > largestSpread) {
    const spread = likelySpread(model, moments, size);
    found = mapAlike(found, ({ posteriors, ...choice }) => ({
      ...choice,
      posteriors: posteriors.map((posterior) => withSpread(posterior, largestSpread, spread)),
    }));
    moments = momentsOfAll(found);
  }
  const { mean } = moments;
  const deviation = Float64Array.from(found, ({ deviations, weights }) =>
    deviations.reduce((sum, tau, k) => sum + weights[k] * tau, 0),
  );
  const common = { ...moments, deviation };
  // Quartiles are thresholds of rounds to come; the fourth moment is asked of the end only.
  if (left === 0) {
    const fourth = mapAlike(found, ({ posteriors, weights }, j) => centralMoment(posteriors, weights, mean[j], 4));
    return { ...common, fourth: Float64Array.from(fourth), quartiles: new Float64Array(0) };
  }
  const quartiles = mapAlike(found, ({ posteriors, weights }) => {
    const flatter = posteriors.map((posterior) => tempered(posterior, powerBefore(left)));
    return [0.25, 0.75].map((share) => quantileOf(flatter, weights, share, halfRange));
  });
  return { ...common, quartiles: Float64Array.from(quartiles.flat()) };
}

function momentsOfAll(found: readonly Found[]): Pick<Location, 'mean' | 'error'> {
  const moments = mapAlike(found, ({ posteriors, weights }) => momentsOf(posteriors, weights));
  return {
    mean: Float64Array.from(moments, ({ mean }) => mean),
    error: Float64Array.from(moments, ({ variance }) => sqrt(variance)),
  };
}

/** One function of many items, computed once for the same object: coordinates that nobody was asked are all alike. */
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
  // Without signs the posterior is the prior, whatever τ.
  const unasked = posteriorOf(likelihood, NO_SIGNS, candidates[0], prior);
  const posteriorsOf = (one: CoordinateSigns, taus: readonly number[]): Posterior[] =>
    taus.map((tau) => (one === NO_SIGNS ? unasked : posteriorOf(likelihood, one, tau, prior)));
  const all = mapAlike(signs, (one) => posteriorsOf(one, candidates));
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
      posteriors = posteriorsOf(one, finer);
      choice = {
        deviations: finer,
        weights: normalized(finer.map((tau, k) => logDensity(law, tau) + posteriors[k].logTotal)),
      };
    }
    const kept = likely(choice);
    return { ...kept, posteriors: posteriors.filter((_, k) => kept.deviations.includes(choice.deviations[k])) };
  });
}

/** The positions of finer candidates, in distances of the coarser ones. */
const FINER: readonly number[] = [1.2, 0.8, 0.4, 0, -0.4, -0.8, -1.2];

/** Candidates with less weight than this are dropped: they only cost time. */
const UNLIKELY = 1e-4;

/** The prior's deviation by the second moment of the posterior, and four added coordinates of the largest deviation. */
function likelySpread(
  { largestSpread }: LocationModel,
  { mean, error }: Pick<Location, 'mean' | 'error'>,
  size: number,
): number {
  let sum = 4 * largestSpread * largestSpread;
  for (let j = 0; j < size; j++) sum += mean[j] * mean[j] + error[j] * error[j];
  return min(largestSpread, sqrt(sum / (size + 4)));
}

/** Closer candidates, if only about two of the last ones have weight; undefined otherwise, or if close enough. */
function finerDeviations({ deviations, weights }: Choice): readonly number[] | undefined {
  const last = deviations.length - 1;
  const spacing = log(deviations[last - 1] / deviations[last]);
  if (last === 0 || spacing < 0.02) return undefined;
  const effective = 1 / weights.reduce((sum, weight) => sum + weight * weight, 0);
  if (effective > 2.5) return undefined;
  const centre = weights.reduce((sum, weight, k) => sum + weight * log(deviations[k]), 0);
  return FINER.map((step) => exp(centre + step * spacing));
}

/** Weights of sum 1, from logarithms up to a constant. */
function normalized(scores: readonly number[]): number[] {
  const highest = max(...scores);
  const total = scores.reduce((sum, score) => sum + exp(score - highest), 0);
  return scores.map((score) => exp(score - highest) / total);
}

function likely({ deviations, weights }: Choice): Choice {
  const kept = weights.map((weight) => weight > UNLIKELY);
  const left = weights.filter((_, k) => kept[k]);
  const total = left.reduce((sum, weight) => sum + weight, 0);
  return { deviations: deviations.filter((_, k) => kept[k]), weights: left.map((weight) => weight / total) };
}

/** Places in a bin that a forecast averages over. */
const PLACES = 8;

/** The least and the largest number of places in a bin: closer than frequencies tell, which change by 1.7 a bin. */
const FEWEST_PLACES = 8;
const MOST_PLACES = 128;

/** Ratio of neighbouring candidates for τ, and how far they extend from the expected τ. */
const RATIO = 1.25;
const FURTHEST = 16;

/** Along one direction a coordinate has more than so many times the root mean square deviation once in 10⁵. */
const LARGEST_SHARE = 4.5;

const RANGE = 5;

/** The variance of the frequency of a bin with half of the local means, or of an empty one if that is larger. */
export function binVariance({ mechanism }: BinQuestion, reports: number): number {
  const { categories } = mechanism;
  const share = Float64Array.from({ length: categories }, (_, i) => (i < 2 ? 0.5 : 0));
  const full = frequencyVariance(mechanism, 0, share, reports) + 0.25 / reports;
  return max(full, frequencyVariance(mechanism, categories - 1, share, reports));
}

/** The information in bins of width w about a normal law with deviation τ, by the place of its mean in a bin. */
export interface BinContrast {
  /** Σp² over the bins, for each place: squared distance from empty bins. */
  readonly powers: readonly number[];
  /** Σ(dp/dθ)² over the bins, for each place. */
  readonly slopes: readonly number[];
}

export function binContrast(width: number, deviation: number): BinContrast {
  const powers: number[] = [];
  const slopes: number[] = [];
  const beyond = ceil((RANGE * deviation) / width) + 1;
  for (let place = 0; place < PLACES; place++) {
    const at = ((place + 0.5) / PLACES) * width;
    let [squares, changes] = [0, 0];
    for (let bin = -beyond; bin <= beyond; bin++) {
      const [low, high] = [(bin * width - at) / deviation, ((bin + 1) * width - at) / deviation];
      squares += (normalCdf(high) - normalCdf(low)) ** 2;
      // Of no deviation all lie in one bin, wherever in it.
      if (deviation > 0) changes += ((normalDensity(high) - normalDensity(low)) / deviation) ** 2;
    }
    powers.push(squares);
    slopes.push(changes);
  }
  return { powers, slopes };
}

/**
 * The posterior of every coordinate given the bins that players reported.
 *
 * Law: the unbiased frequency of bin b is p_b(θ, τ) = P(N(θ, τ²) in b), with normal noise of one variance v for all
 * bins, so that the logarithm of the likelihood is (Σf_b·p_b − ½Σp_b²)/v. θ_j is normal around 0 within its range, and
 * every coordinate has its own τ, by a law that all coordinates tell together ({@link deviationLaw}). Its log τ₀ is public, or
 * uniform as far as bins can tell it: where all local means lie in one bin, a place near its edge is as likely as a
 * small τ. The result depends on the counts alone, so every server gets the same. A coordinate without answers has its prior.
 */
export function locateBins(question: BinQuestion, tallies: readonly BinCounts[], model: LocationModel): Location {
  const { largestSpread, deviation } = model;
  const { categories } = question.mechanism;
  const width = (question.upper - question.lower) / categories;
  const most = tallies.reduce((largest, { players }) => max(largest, players), 1);
  const places = min(MOST_PLACES, max(FEWEST_PLACES, ceil(3.4 / sqrt(binVariance(question, most)))));
  const evidence = tallies.map((tally) => ({
    frequencies: binFrequencies(question, tally),
    // For bins of four deviations, frequencies change by up to 1.6/places from one place to the next.
    variance: binVariance(question, tally.players) + 2.56 / (12 * places * places),
    known: tally.players > 0,
  }));
  const prior = Float64Array.from({ length: categories * places }, (_, i) => {
    const place = question.lower + ((i + 0.5) * width) / places;
    return -0.5 * (place / largestSpread) ** 2;
  });
  const table = new Float64Array(prior.length);
  const templates = new Map<number, BinTemplate>();
  const fill = (tau: number, j: number): number => {
    const { frequencies, variance, known } = evidence[j];
    const template = templates.get(tau) ?? binTemplate(width, tau, places);
    templates.set(tau, template);
    table.set(prior);
    if (known) addBins(table, template, frequencies, variance);
    return logSum(table);
  };
  const candidates = candidatesOf(model, width, tallies.length);
  const scores = Float64Array.from(tallies.flatMap((_, j) => candidates.map((tau) => fill(tau, j))));
  const law = deviationLaw(model, candidates, scores, () => 0);
  const densities = candidates.map((tau) => logDensity(law, tau));
  const size = tallies.length;
  const location = { mean: new Float64Array(size), error: new Float64Array(size) };
  const found = new Float64Array(size);
  for (let j = 0; j < size; j++) {
    const chosen = likely({
      deviations: candidates,
      weights: normalized(densities.map((density, k) => density + scores[j * candidates.length + k])),
    });
    // The place that follows from the share of a neighbouring bin depends on τ, whose uncertainty is part of that of the place.
    let [mean, second] = [0, 0];
    for (const [k, tau] of chosen.deviations.entries()) {
      const total = fill(tau, j);
      for (let i = 0; i < table.length; i++) {
        const probability = chosen.weights[k] * exp(table[i] - total);
        mean += probability * i;
        second += probability * i * i;
      }
      found[j] += chosen.weights[k] * tau * tau;
    }
    location.mean[j] = question.lower + ((mean + 0.5) * width) / places;
    location.error[j] = (width / places) * sqrt(max(0, second - mean * mean) + 1 / 12);
    // The root mean square: with too small a deviation, the clip of round 2 would cut off information.
    found[j] = isKnown(model) ? deviation : sqrt(found[j]);
  }
  return { ...location, quartiles: new Float64Array(0), deviation: found };
}

/**
 * Candidates for the τ of a coordinate, descending, as far as bins can tell it from 0 and from more than eight bins; one where it is public,
 * which it is of a single coordinate alone.
 */
function candidatesOf(model: LocationModel, width: number, size: number): number[] {
  const { deviation, largestDeviation, halfRange } = model;
  const known = isKnown(model);
  if (known && size === 1) return [deviation];
  const most = known
    ? min(halfRange, deviation * min(sqrt(size), LARGEST_SHARE))
    : max(deviation, min(largestDeviation, 8 * width));
  const candidates = [known ? deviation : most];
  while (candidates[0] * RATIO <= most) candidates.unshift(candidates[0] * RATIO);
  const least = max(deviation / FURTHEST, min(deviation, width / 32));
  for (let tau = candidates[candidates.length - 1] / RATIO; tau > least; tau /= RATIO) candidates.push(tau);
  return candidates;
}

/** p_b for the bins around that of θ, for each place of θ in its bin. */
type BinTemplate = { readonly beyond: number; readonly shares: readonly Float64Array[] };

function binTemplate(width: number, deviation: number, places: number): BinTemplate {
  const beyond = ceil((RANGE * deviation) / width);
  const shares = Array.from({ length: places }, (_, place) => {
    const at = ((place + 0.5) / places) * width;
    return Float64Array.from(
      { length: 2 * beyond + 1 },
      (_, i) =>
        normalCdf(((i - beyond + 1) * width - at) / deviation) - normalCdf(((i - beyond) * width - at) / deviation),
    );
  });
  return { beyond, shares };
}

function addBins(
  table: Float64Array,
  { beyond, shares }: BinTemplate,
  frequencies: Float64Array,
  variance: number,
): void {
  const last = frequencies.length - 1;
  for (let i = 0; i < table.length; i++) {
    const share = shares[i % shares.length];
    const bin = floor(i / shares.length);
    let [product, squares] = [0, 0];
    // The mass beyond an end counts for the last bin there.
    let [low, high] = [0, 0];
    for (let k = 0; k < share.length; k++) {
      const b = bin + k - beyond;
      if (b <= 0) low += share[k];
      else if (b >= last) high += share[k];
      else {
        product += frequencies[b] * share[k];
        squares += share[k] * share[k];
      }
    }
    product += frequencies[0] * low + frequencies[last] * high;
    squares += low * low + high * high;
    table[i] += (product - 0.5 * squares) / variance;
  }
}

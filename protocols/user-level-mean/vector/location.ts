import { checkOpenUnit, checkPositive, checkWord, RefusedKind, RefusedValue } from '../../../src/check/refusal.ts';
import type { TwoLevels } from '../../../src/mechanism/exact-coin.ts';
import type { PlanFields, RoundOfVectors, SampleDomain, UserLevelPlan } from '../shape.ts';

const { min, sqrt } = Math;

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
  /** Posterior fourth central moment of each coordinate, where no round of signs is left. */
  readonly fourth?: Float64Array;
  /** The quartiles of each coordinate, lower, upper, where rounds of signs are left: their thresholds. */
  readonly quartiles: Float64Array;
  /** Posterior mean of τ for each coordinate. */
  readonly deviation: Float64Array;
}

import { checkOpenUnit, checkPositive, checkWord, refusal } from '../../../src/check/number.ts';
import { RefusedKind, RefusedValue } from '../../../src/check/refusal.ts';
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
 *
 * @throws TypeError for anything but a text.
 */
export function seedOf({ seed = 'ldpkit' }: { readonly seed?: string }): string {
  if (typeof seed !== 'string') throw new RefusedKind(refusal('seed', 'a text', seed));
  return seed;
}

/**
 * The domain of the samples.
 *
 * @throws TypeError or RangeError naming the field.
 */
export function domainOf({ domain = 'box' }: { readonly domain?: SampleDomain }): SampleDomain {
  return checkWord('domain', domain, ['box', 'ball']);
}

/**
 * s, if it was given.
 *
 * @throws TypeError or RangeError naming the field.
 */
export function spreadOf({ spread }: { readonly spread?: number }, bound: number): number | undefined {
  if (spread === undefined) return undefined;
  if (checkPositive('spread', spread) > bound)
    throw new RefusedValue(refusal('spread', `a number <= ${bound}`, spread));
  return spread;
}

/**
 * δ, if it was given; the form `gaussian` needs it.
 *
 * @throws TypeError or RangeError naming the field.
 */
export function deltaOf({ delta, form }: { readonly delta?: number; readonly form?: string }): number | undefined {
  if (delta !== undefined) return checkOpenUnit('delta', delta);
  if (form !== 'gaussian') return undefined;
  throw new RefusedValue(refusal('delta', 'a number strictly between 0 and 1 for the form gaussian', delta));
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

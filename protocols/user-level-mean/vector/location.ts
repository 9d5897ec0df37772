import { checkOpenUnit, checkWord, RefusedKind, RefusedValue } from '../../../src/check/refusal.ts';
import type { TwoLevels } from '../../../src/mechanism/exact-coin.ts';
import { checkSpread, type OfVectors, type PlanFields, type SampleDomain, type UserLevelPlan } from '../shape.ts';

const { min, sqrt } = Math;

/** What is public before anybody answers, and how signs are reported. */
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

export function seedOf({ seed = 'ldpkit' }: { readonly seed?: string }): string {
  if (typeof seed !== 'string') throw new RefusedKind('seed', 'a text', seed);
  return seed;
}

export function domainOf({ domain = 'box' }: { readonly domain?: SampleDomain }): SampleDomain {
  return checkWord('domain', domain, ['box', 'ball']);
}

export function spreadOf({ spread }: { readonly spread?: number }, bound: number): number | undefined {
  return spread === undefined ? undefined : checkSpread(spread, bound);
}

/** δ, if it was given; the form `gaussian` needs it. */
export function deltaOf({ delta, form }: { readonly delta?: number; readonly form?: string }): number | undefined {
  if (delta !== undefined) return checkOpenUnit('delta', delta);
  if (form !== 'gaussian') return undefined;
  throw new RefusedValue('delta', 'a number strictly between 0 and 1 for the form gaussian', delta);
}

/**
 * The public prior of the D coordinates of a rotation, or of each coordinate alone if none is rotated; it holds for all
 * data. All samples of one player may be equal, so that its local mean can vary as much as a sample; usually it varies
 * √m times less.
 */
export function locationModel(
  fields: PlanFields,
  { contrast }: TwoLevels,
  domain: SampleDomain,
  spread: number | undefined,
  size?: number,
): LocationModel {
  const { bound, samples, dimension } = fields;
  const [longest, among] = size === undefined ? [bound, 1] : [longestOf(domain, fields), size];
  const largest = domain === 'ball' && among > 1 ? bound / sqrt(dimension) : bound;
  const each = spread === undefined || size === undefined ? spread : spread * sqrt(dimension / size);
  const deviation = (each ?? largest / 2) / sqrt(samples);
  // A Rademacher sum exceeds 6.5 deviations once in 10⁹.
  const halfRange = longest * min(1, 6.5 / sqrt(among));
  const largestDeviation = each === undefined ? largest : deviation;
  return { contrast, largestSpread: longest / sqrt(among), halfRange, deviation, largestDeviation };
}

/** The largest ℓ₂ distance between the local means of two data: 2B√d in the box, 2B in the ball. */
export function neighbourDistance(plan: UserLevelPlan & OfVectors): number {
  return 2 * longestOf(plan.domain, plan);
}

/** The signs reported at the two thresholds of every coordinate, in one round: below and above each threshold. */
export interface SignCounts {
  readonly thresholds: ArrayLike<number>;
  readonly counts: ArrayLike<number>;
}

/** The posterior of each coordinate, by all signs so far. */
export interface Location {
  readonly mean: Float64Array;
  /** Standard deviation. */
  readonly error: Float64Array;
  /** Its fourth central moment, where no round of signs is left. */
  readonly fourth?: Float64Array;
  /** Lower and upper quartile, where rounds of signs are left: their thresholds. */
  readonly quartiles: Float64Array;
  /** The mean of τ. */
  readonly deviation: Float64Array;
}

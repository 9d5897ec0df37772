import { checkPositive, checkWord, refusal } from '../../../src/check/number.ts';
import type { UserLevelPlan, UserLevelRequest } from '../scalar/types.ts';
import type { VectorForm } from './design.ts';
import type { SampleDomain } from './model.ts';

const { sqrt } = Math;

/** What is asked of a plan whose players answer all coordinates, one bit each. */
export interface CoordinatesRequest extends UserLevelRequest {
  /** Where samples lie; `box` by default. */
  readonly domain?: SampleDomain;
  /** How often thresholds are moved, plus one: rounds of disjoint players. 3 or more, 8 by default. */
  readonly rounds?: number;
  /** s where it is public: standard deviation of a coordinate of a sample, in the mean over coordinates. */
  readonly spread?: number;
}

/** What is asked of a plan of `vector`. */
export interface VectorRequest extends CoordinatesRequest {
  /** What the last round asks; by default what has the least error by closed forms. */
  readonly form?: VectorForm | 'automatic';
  /** δ, for the form `gaussian` only. */
  readonly delta?: number;
  /** Public seed of the rotation; any text. */
  readonly seed?: string;
}

/** The largest norm of a mean, ‖mean‖₂ ≤ B√d in the box; a random rotation shares it out evenly. */
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
export function seedOf({ seed = 'ldpkit' }: Pick<VectorRequest, 'seed'>): string {
  if (typeof seed !== 'string') throw new TypeError(refusal('seed', 'a text', seed));
  return seed;
}

/**
 * Where samples lie.
 *
 * @throws TypeError or RangeError naming the field.
 */
export function domainOf({ domain = 'box' }: Pick<CoordinatesRequest, 'domain'>): SampleDomain {
  return checkWord('domain', domain, ['box', 'ball']);
}

/**
 * s where it was given.
 *
 * @throws TypeError or RangeError naming the field.
 */
export function spreadOf({ spread }: Pick<CoordinatesRequest, 'spread'>, bound: number): number | undefined {
  if (spread === undefined) return undefined;
  if (checkPositive('spread', spread) > bound) throw new RangeError(refusal('spread', `a number <= ${bound}`, spread));
  return spread;
}

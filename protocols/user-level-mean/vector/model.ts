import type { Precision } from '../../../src/core/frame.ts';
import type { TwoLevels } from '../../../src/mechanism/exact-coin.ts';
import type { SeveralMaker } from '../scalar/kind.ts';
import type { PlanFields } from '../scalar/plan.ts';
import type { UserLevelRound } from '../scalar/types.ts';
import type { LocationModel } from './posterior.ts';

const { min, sqrt } = Math;

/** Where a sample lies: every coordinate within ±B, or its ℓ₂ norm at most B. */
export type SampleDomain = 'box' | 'ball';

/** What rounds in several dimensions share. */
export interface RoundOfVector extends UserLevelRound {
  readonly variant: SeveralMaker;
  /** Where samples lie. */
  readonly domain: SampleDomain;
  /** Numbers in a report. */
  readonly length: number;
  /** How they travel. */
  readonly precision: Precision;
}

/**
 * What is public about the coordinates that are located, whatever the players hold.
 *
 * `longest` is the largest norm of the vector of `among` coordinates that is rotated. Samples of one player may all be equal, so
 * that its local mean varies as much as a sample does; usually it varies √m times less.
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
  // Beyond 6.5 deviations a Rademacher sum comes once in 10⁹.
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

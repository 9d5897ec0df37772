import { straightSlope } from '../../src/optimize/corrected-regression.ts';
import type { CorrectedRiskQuery } from '../../src/optimize/corrected-risk.ts';
import type { MarginLoss } from '../../src/risk/margin-loss.ts';
import type { MarginParameters } from './margin/parameters.ts';
import type { MarginQuery } from './margin/query.ts';
import { servingOf } from './margin/serving.ts';

/**
 * How margins at a w of which nothing is known yet are spread at least, for a smooth loss: a model that such a loss asks for
 * has margins of a few units, where the loss levels off. And how dear the noise of the slope is taken. Both chosen on the
 * Adult benchmark (docs/generalized-linear.md).
 */
const SMOOTH = { leastSpread: 2.4, noiseFactors: [0, 10, 10] };

/** What stands for f′: itself where it is a straight line, and for a smooth loss a fit over margins of a few units. */
export function fitOf(
  { variant, degree: highest }: MarginParameters,
  query: MarginQuery,
  loss: MarginLoss,
  radius: number,
): Pick<CorrectedRiskQuery, 'coefficients' | 'leastSpread' | 'noiseFactors'> {
  const { degree = 'automatic', coefficients } = query;
  const steps = (variant === 'printed' || variant === 'copies') && servingOf(variant, query).server !== 'newton';
  if (coefficients !== undefined || steps) return {};
  const line = highest > 0 && degree !== 0 ? straightSlope(loss, radius) : undefined;
  if (line !== undefined) return { coefficients: line };
  return loss.kinks.length === 0 ? SMOOTH : {};
}

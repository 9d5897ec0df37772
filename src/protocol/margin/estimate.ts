import { checkPositive, checkWord, refusal } from '../../check/number.ts';
import {
  type CorrectedMoments,
  type CorrectedRisk,
  type CorrectedRiskQuery,
  minimizeCorrectedRisk,
} from '../../optimize/corrected-risk.ts';
import type { MarginLoss } from '../../risk/margin-loss.ts';
import { averagedMoments, momentsOf, riskDeviation } from './moments.ts';
import type { CopiesParameters, MarginParameters } from './parameters.ts';
import type { MarginEstimate, MarginQuery } from './query.ts';
import { checkTally, type MarginTally, type ReportTally } from './tally.ts';

/** A protocol's own way to decode noisy copies report by report. */
export type ProductDecoder = (parameters: CopiesParameters, tally: ReportTally, query: MarginQuery) => MarginEstimate;

/** A query with what a protocol decides about the fit of the polynomial. */
export type MarginFitQuery = MarginQuery & Pick<CorrectedRiskQuery, 'leastSpread' | 'noiseFactors'>;

/**
 * The model that minimises the reconstructed risk E f(y⟨w, x⟩) over ‖w‖ ≤ R, and that risk.
 *
 * @throws TypeError or RangeError naming the field; RangeError for a tally without reports.
 */
export function estimateMargin(
  parameters: MarginParameters,
  tally: MarginTally,
  query: MarginFitQuery,
  loss: MarginLoss,
  products: ProductDecoder,
): MarginEstimate {
  if (tally.players < 1) throw new RangeError(refusal('tally.players', 'at least one report', tally.players));
  checkTally('tally', tally, parameters);
  checkPositive('radius', query.radius ?? 1);
  if (parameters.maker === 'lifted' || parameters.maker === 'gaussian') {
    if (query.decoder !== undefined) {
      throw new RangeError(refusal('decoder', `none for maker ${parameters.maker}, which has one only`, query.decoder));
    }
    if (tally.kind !== 'moments') throw new TypeError(refusal('tally', 'a tally of moments', tally.kind));
    return fromMoments(parameters, tally, momentsOf(parameters, tally), query, loss);
  }
  if (tally.kind !== 'reports') throw new TypeError(refusal('tally', 'a tally of reports', tally.kind));
  const usual = parameters.maker === 'printed' ? 'product' : 'averaged';
  const decoder = checkWord('decoder', query.decoder ?? usual, ['product', 'averaged']);
  if (decoder === 'product') return products(parameters, tally, query);
  return fromMoments(parameters, tally, averagedMoments(parameters, tally), query, loss);
}

function fromMoments(
  parameters: MarginParameters,
  tally: MarginTally,
  moments: CorrectedMoments,
  query: MarginFitQuery,
  loss: MarginLoss,
): MarginEstimate {
  const risk: CorrectedRisk = minimizeCorrectedRisk(moments, { ...query, loss });
  const { w, radius, degree, coefficients, ridge, bias, riskAt } = risk;
  return {
    players: moments.players,
    w,
    radius,
    degree,
    coefficients,
    ridge,
    bias,
    risk: riskAt(w),
    standardError: riskDeviation(parameters, moments, coefficients, w, tally),
    riskAt,
  };
}

import { checkPositive, refusal } from '../../../src/check/number.ts';
import {
  type CorrectedMoments,
  type CorrectedRisk,
  type CorrectedRiskQuery,
  minimizeCorrectedRisk,
} from '../../../src/optimize/corrected-risk.ts';
import type { MarginLoss } from '../../../src/risk/margin-loss.ts';
import { averagedMoments, momentsOf, riskDeviation } from './moments.ts';
import type { CopiesParameters, MarginParameters } from './parameters.ts';
import type { CopiesDecoder, MarginEstimate, MarginQuery } from './query.ts';
import { refuseServing, servingOf } from './serving.ts';
import { checkTally, type MarginTally, type ReportTally } from './tally.ts';

/** A protocol's own way through the reports of noisy copies, step by step. */
export type ReportWalk = (parameters: CopiesParameters, tally: ReportTally, query: MarginQuery) => MarginEstimate;

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
  walk: ReportWalk,
): MarginEstimate {
  if (tally.players < 1) throw new RangeError(refusal('tally.players', 'at least one report', tally.players));
  checkTally('tally', tally, parameters);
  checkPositive('radius', query.radius ?? 1);
  if (parameters.variant === 'lifted' || parameters.variant === 'gaussian') {
    refuseServing(parameters.variant, query);
    if (tally.kind !== 'moments') throw new TypeError(refusal('tally', 'a tally of moments', tally.kind));
    return fromMoments(parameters, tally, momentsOf(parameters, tally), query, loss);
  }
  if (tally.kind !== 'reports') throw new TypeError(refusal('tally', 'a tally of reports', tally.kind));
  const { decoder, server } = servingOf(parameters.variant, query);
  if (server !== 'newton') return walk(parameters, tally, query);
  return fromMoments(parameters, tally, averagedMoments(parameters, tally, { decoder }), query, loss, decoder);
}

function fromMoments(
  parameters: MarginParameters,
  tally: MarginTally,
  moments: CorrectedMoments,
  query: MarginFitQuery,
  loss: MarginLoss,
  decoder?: CopiesDecoder,
): MarginEstimate {
  const risk: CorrectedRisk = minimizeCorrectedRisk(moments, { ...query, loss });
  const { w, radius, degree, coefficients, ridge, bias, riskAt } = risk;
  return {
    players: moments.players,
    w,
    radius,
    server: 'newton',
    degree,
    coefficients,
    ridge,
    bias,
    risk: riskAt(w),
    standardError: riskDeviation(parameters, moments, coefficients, w, tally, decoder),
    riskAt,
  };
}

import { checkPositive, refusal } from '../../../src/check/number.ts';
import { minimizeCorrectedRegression, straightSlope } from '../../../src/optimize/corrected-regression.ts';
import type { MarginLoss } from '../../../src/risk/margin-loss.ts';
import { momentsOf, riskDeviation } from './moments.ts';
import type { GaussianParameters, LiftedParameters } from './parameters.ts';
import type { MarginEstimate, MarginQuery } from './query.ts';
import { refuseServing } from './serving.ts';
import { checkTally, type MarginTally } from './tally.ts';

/**
 * The model that minimises the reconstructed risk E ρ(y − ⟨w, x⟩) over ‖w‖ ≤ R, and that risk, from reports of (x, y)/√2.
 * `coefficients` and `bias` are those of the polynomial in the place of ρ′; `ridge` is one on E zzᵀ, z = (x, y)/√2, which is half
 * of one on E xxᵀ.
 *
 * Law: where ρ′ is a straight line, as in least squares, it stands for itself and the reconstruction is unbiased.
 *
 * @throws TypeError or RangeError naming the field; RangeError for a tally without reports.
 */
export function estimateRegression(
  parameters: LiftedParameters | GaussianParameters,
  tally: MarginTally,
  query: MarginQuery,
  residualLoss: MarginLoss,
): MarginEstimate {
  if (tally.players < 1) throw new RangeError(refusal('tally.players', 'at least one report', tally.players));
  checkTally('tally', tally, parameters);
  if (tally.kind !== 'moments') throw new TypeError(refusal('tally', 'a tally of moments', tally.kind));
  refuseServing(parameters.variant, query);
  const radius = checkPositive('radius', query.radius ?? 1);
  const moments = momentsOf(parameters, tally);
  const automatic = query.degree === undefined || query.degree === 'automatic';
  const line = automatic && query.coefficients === undefined ? straightSlope(residualLoss, 1 + radius) : undefined;
  const asked = { ...query, ...(line === undefined ? {} : { coefficients: line }), loss: residualLoss };
  const { w, degree, coefficients, ridge, bias, riskAt } = minimizeCorrectedRegression(moments, asked);
  // In the margin ⟨ŵ, z⟩ = r/√2 the coefficient of power k is √2^(k + 1) times that of the residual.
  const inner = coefficients.map((c, k) => c * Math.SQRT2 ** (k + 1));
  const extended = Float64Array.of(...w.map((entry) => -entry), 1);
  const standardError = riskDeviation(parameters, moments, inner, extended, tally);
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
    standardError,
    riskAt,
  };
}

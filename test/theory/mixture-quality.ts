import {
  type MixtureDecoding,
  mixtureSlope,
  mixtureVariance,
  smoothedStepCoefficients,
} from '../../protocols/generalized-linear/algorithm-2.ts';
import type { GradientSetting } from '../../protocols/generalized-linear/margin/channels.ts';
import type { CopiesParameters } from '../../protocols/generalized-linear/margin/parameters.ts';
import { largestGap } from '../../src/optimize/corrected-risk.ts';
import { convexMixture } from '../../src/risk/convex-mixture.ts';
import { constantsOn, type MarginLoss } from '../../src/risk/margin-loss.ts';
import type { OracleQuality } from '../evidence/shared/oracle-quality.ts';

/**
 * The quality of the oracle of algorithm 2 at a record: inexactness γ = 2R·sup|P − f′|, P the polynomial that the decoding
 * expects; deviation the root of the closed-form variance; smoothness that of the loss.
 *
 * Source: Wang, Smith, Xu 2020, theorem 14, with constants.
 */
export function mixtureQuality(
  parameters: CopiesParameters,
  loss: MarginLoss,
  decoding: MixtureDecoding,
  setting: Omit<GradientSetting, 'coefficients'> & { readonly beta: number; readonly radius: number },
): OracleQuality {
  const { beta, radius } = setting;
  const mixture = convexMixture(loss, { radius });
  const coefficients = smoothedStepCoefficients(parameters.degree, beta);
  const gap = largestGap(mixtureSlope(mixture, coefficients, decoding), loss.derivative, radius);
  const variance = mixtureVariance(parameters, mixture, decoding, { ...setting, coefficients });
  const own = constantsOn(loss, radius).smoothness;
  const smoothness = Number.isFinite(own) ? own : mixture.scale / (2 * radius * beta);
  return { smoothness, deviation: Math.sqrt(variance), inexactness: 2 * radius * gap };
}

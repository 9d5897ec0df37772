import type { Theory } from '../../src/core/contract.ts';
import { inexactnessOfBias, type OracleQuality } from '../../src/optimize/oracle.ts';
import { largestGap } from '../../src/optimize/settled-fit.ts';
import { convexMixture } from '../../src/risk/convex-mixture.ts';
import { constantsOn, type MarginLoss } from '../../src/risk/margin-loss.ts';
import { mixtureSlope, smoothedStepCoefficients } from './algorithm-2.ts';
import { fitOf } from './fit.ts';
import { DEFAULT_LOSS, marginLossOf } from './loss.ts';
import { excessExpectation, forecastMargin } from './margin/forecast.ts';
import { forecastSpherical } from './margin/spherical-forecast.ts';
import { marginTheory } from './margin/theory.ts';
import type { GradientSetting } from './margin/variance.ts';
import { type MixtureDecoding, mixtureVariance } from './mixture-variance.ts';
import type { CopiesParameters, GeneralizedLinearParameters } from './parameters.ts';

export { type PureForecasts, pureForecasts, sphericalVariance } from './margin/spherical-forecast.ts';
export { type PrintedBudget, printedBudget, transcriptMu } from './margin/theory.ts';
export { type Decoder, type GradientSetting, gradientVariance } from './margin/variance.ts';

/** The guarantee of one player's whole transcript: pure ε for `lifted` and `sphericalLaplace`, else as in algorithm 1. */
export const guarantee: Theory<GeneralizedLinearParameters>['guarantee'] = marginTheory.guarantee;

/**
 * Every release of one player's transcript, and the total under every accounting that applies.
 *
 * @theorem noninteractive Theorem 14
 */
export const certificate: Theory<GeneralizedLinearParameters>['certificate'] = marginTheory.certificate;

/** The theory of the generalized-linear protocol: guarantee, certificate and neighbour distance of every variant. */
export const theory: Theory<GeneralizedLinearParameters> = {
  ...marginTheory,
  forecast(parameters, { players }) {
    const loss = marginLossOf(DEFAULT_LOSS);
    return excessExpectation(
      parameters.variant === 'sphericalLaplace'
        ? forecastSpherical(parameters, { players, loss })
        : forecastMargin(parameters, { players, loss, fit: (some) => fitOf(some, {}, loss, 1), decoder: 'signs' }),
      loss.name,
    );
  },
};

/**
 * The quality of the oracle of algorithm 2 at a record: inexactness γ = 2R·sup|P − f′|, P the polynomial that the decoding
 * expects; deviation the root of the closed-form variance; smoothness that of the loss.
 *
 * Source: Wang, Smith, Xu 2020, theorem 14, with constants.
 * @theorem noninteractive Theorem 14
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
  return { smoothness, deviation: Math.sqrt(variance), inexactness: inexactnessOfBias(gap, radius) };
}

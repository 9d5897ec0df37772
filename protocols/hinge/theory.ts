import type { Theory } from '../../src/core/contract.ts';
import { inexactnessOfBias, type OracleQuality } from '../../src/optimize/oracle.ts';
import { hingeLoss, smoothedHinge } from '../../src/risk/hinge.ts';
import { excessExpectation, forecastMargin } from '../generalized-linear/margin/forecast.ts';
import { marginTheory } from '../generalized-linear/margin/theory.ts';
import { type Decoder, type GradientSetting, gradientVariance } from '../generalized-linear/margin/variance.ts';
import { chebyshevCoefficients } from './algorithm-1.ts';
import type { HingeParameters } from './parameters.ts';

export { type PrintedBudget, printedBudget, transcriptMu } from '../generalized-linear/margin/theory.ts';
export { type Decoder, type GradientSetting, gradientVariance } from '../generalized-linear/margin/variance.ts';

const { sqrt } = Math;

/** The theory of the hinge protocol: guarantee, certificate, neighbour distance and forecast of every variant. */
export const theory: Theory<HingeParameters> = {
  ...marginTheory,
  forecast: (parameters, { players }) =>
    excessExpectation(forecastMargin(parameters, { players, loss: hingeLoss(), decoder: 'signs' }), 'hinge'),
};

/**
 * Every release of one player's transcript, and the total under every accounting that applies.
 *
 * @theorem noninteractive Theorem 11
 */
export const certificate: Theory<HingeParameters>['certificate'] = marginTheory.certificate;

/** The guarantee of one player's whole transcript. */
export const guarantee: Theory<HingeParameters>['guarantee'] = marginTheory.guarantee;

/**
 * The quality of a variant's oracle for f_β at a record: inexactness γ = 2R·sup|P − f′_β|, smoothness 1/(2β), deviation the
 * root of the closed-form variance.
 *
 * Source: Wang, Smith, Xu 2020, theorem 10, with constants.
 * @theorem noninteractive Theorem 10
 */
export function oracleQuality(
  parameters: HingeParameters,
  decoder: Decoder,
  setting: Omit<GradientSetting, 'coefficients'> & { readonly beta: number; readonly radius: number },
): OracleQuality {
  const { beta, radius } = setting;
  const loss = smoothedHinge({ beta });
  const coefficients = chebyshevCoefficients(parameters.degree, beta, radius);
  let gap = 0;
  for (let i = 0; i <= 4000; i++) {
    const t = radius * (i / 2000 - 1);
    const value = coefficients.reduceRight((sum, c) => sum * t + c, 0);
    gap = Math.max(gap, Math.abs(value - loss.derivative(t)));
  }
  const variance = gradientVariance(parameters, decoder, { ...setting, coefficients });
  return { smoothness: loss.smoothness, deviation: sqrt(variance), inexactness: inexactnessOfBias(gap, radius) };
}

/**
 * How many players one decoder needs for the gradient variance that another reaches with `players`: their number times
 * the ratio of the variances of one report.
 */
export function playersForSameVariance(players: number, variance: number, reference: number): number {
  return (players * variance) / reference;
}

import type { Expectation, ForecastSetting, Theory } from '../../src/core/contract.ts';
import { discreteGaussianRelease, unitRelease } from '../../src/core/releases.ts';
import { inexactnessOfBias, type OracleQuality } from '../../src/optimize/oracle.ts';
import { evaluatePolynomial } from '../../src/polynomial/monomial.ts';
import { type Certificate, certificate as certificateOf } from '../../src/privacy/certificate.ts';
import { approximate, type Guarantee, gdp, pure } from '../../src/privacy/guarantee.ts';
import { gaussianRelease } from '../../src/privacy/totals.ts';
import { sphereConstant } from '../../src/risk/convex-mixture.ts';
import { stepCoefficients } from './algorithm-3.ts';
import { forecastMedian } from './forecast.ts';
import { influence } from './influence.ts';
import { type CopiesParameters, type EuclideanMedianParameters, NEIGHBOUR_DISTANCE } from './parameters.ts';
import { productSecondMoment } from './variance.ts';

export { type GradientSetting, gradientVariance, productSecondMoment } from './variance.ts';

const { log, sqrt } = Math;

/** μ of one player's whole transcript of copies, by composition of Gaussian DP: 2√L/σ. */
export function transcriptMu({ copies, sigma }: CopiesParameters): number {
  return (NEIGHBOUR_DISTANCE * sqrt(copies)) / sigma;
}

/**
 * μ of algorithm 3 as printed: ε/√(2L·ln(1.25/δ)), L = d(d + 1)/2; far within (ε, δ) for ε ≤ 1.
 *
 * @theorem noninteractive Theorem 17
 */
export function printedMu(request: {
  readonly epsilon: number;
  readonly delta: number;
  readonly degree: number;
}): number {
  const { epsilon, delta, degree } = request;
  return epsilon / sqrt(degree * (degree + 1) * log(1.25 / delta));
}

/**
 * The guarantee of one player's whole transcript. `lifted`: pure ε. `gaussian` and `copies`: the (ε, δ) asked for. `printed`:
 * the μ-GDP that holds; the certificate has the paper's claim beside it.
 */
export function guarantee(parameters: EuclideanMedianParameters): Guarantee {
  if (parameters.variant === 'lifted') return pure(parameters.epsilon);
  if (parameters.variant === 'printed') return gdp(transcriptMu(parameters));
  return approximate(parameters.budget);
}

/**
 * Every release of one player's transcript, and the total under every accounting that applies. Each copy of `printed` carries
 * the (ε/L, δ) that the classical Gaussian mechanism gives it: ε adds up, δ grows to L·δ.
 *
 * Source: Wang, Smith, Xu 2020, theorem 17.
 * @theorem noninteractive Theorem 17
 */
export function certificate(parameters: EuclideanMedianParameters): Certificate {
  const { protocol, variant } = parameters;
  if (parameters.variant === 'lifted') {
    const { epsilon, mechanism } = parameters;
    const release = unitRelease('features of x', mechanism);
    return certificateOf({ protocol, variant, releases: [release], claimed: pure(epsilon) });
  }
  const { budget, sigma } = parameters;
  const claimed = approximate(budget);
  const shared = { sensitivity: NEIGHBOUR_DISTANCE, sigma };
  if (parameters.variant === 'gaussian') {
    const { noise } = parameters;
    const release =
      noise === undefined ? gaussianRelease({ what: 'x', count: 1, ...shared }) : discreteGaussianRelease('x', noise);
    return certificateOf({ protocol, variant, releases: [release], claimed });
  }
  const { copies } = parameters;
  const each =
    variant === 'printed' ? { claimed: approximate({ epsilon: budget.epsilon / copies, delta: budget.delta }) } : {};
  const release = gaussianRelease({ what: `copies 1 to ${copies} of x`, count: copies, ...shared, ...each });
  return certificateOf({ protocol, variant, releases: [release], claimed });
}

/** Largest ℓ₂ distance between what two neighbouring points make the player randomize: 2, times √L for copies. */
export function neighbourDistance(parameters: EuclideanMedianParameters): number {
  return 'copies' in parameters ? NEIGHBOUR_DISTANCE * sqrt(parameters.copies) : NEIGHBOUR_DISTANCE;
}

/**
 * The quality of the oracle of algorithm 3 (variant `copies`) for the smoothed risk C·E h̄_β(⟨u, w − x⟩/2): inexactness 2R·C·sup |P −
 * h′_β|, smoothness C/(4β), deviation the root of the second moment at the largest distance, 1 + R.
 *
 * Source: Wang, Smith, Xu 2020, proof of theorem 17, with constants.
 * @theorem noninteractive Theorem 17
 */
export function oracleQuality(parameters: CopiesParameters, beta: number, radius: number = 1): OracleQuality {
  const coefficients = stepCoefficients(parameters.degree, beta, radius);
  const constant = sphereConstant(parameters.dimension);
  let gap = 0;
  for (let i = -2000; i <= 2000; i++) {
    const t = (i / 2000) * ((1 + radius) / 2);
    const exact = (1 + t / sqrt(t * t + beta * beta)) / 2;
    gap = Math.max(gap, Math.abs(evaluatePolynomial(coefficients, t) - exact));
  }
  return {
    inexactness: inexactnessOfBias(constant * gap, radius),
    smoothness: constant / (4 * beta),
    deviation: sqrt(productSecondMoment(parameters, coefficients, (1 + radius) ** 2)),
  };
}

/** The theory of the Euclidean median protocol: guarantee, certificate and neighbour distance of every variant. */
export const theory: Theory<EuclideanMedianParameters> = {
  guarantee,
  certificate,
  neighbourDistance,
  influence,
  forecast,
};

function forecast(parameters: EuclideanMedianParameters, { players }: ForecastSetting): Expectation {
  const { excessRisk, floor } = forecastMedian(parameters, { players });
  return {
    what: 'excess mean distance of the median in the unit ball',
    assumption: 'four fifths of the points uniform in a ball of radius 1/4 around 0.7e1, a fifth at -e1',
    error: excessRisk,
    floor,
  };
}

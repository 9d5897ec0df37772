import { checkInteger, checkOpenUnit, checkPositive } from 'ldpkit';
import { smoothedHinge, sphereConstant } from 'ldpkit/optimize';
import { evaluatePolynomial } from 'ldpkit/polynomial';
import { type copies as medianCopies, productSecondMoment, stepCoefficients } from 'ldpkit/protocols/euclidean-median';
import { gradientVariance, type MarginParameters } from 'ldpkit/protocols/generalized-linear';
import { chebyshevCoefficients } from 'ldpkit/protocols/hinge';

/** What the proofs need of a stochastic oracle: see the oracle of the library's optimizers. */
export interface OracleQuality {
  /** L. */
  readonly smoothness: number;
  /** σ, the root of the variance of one answer at most. */
  readonly deviation: number;
  /** γ. */
  readonly inexactness: number;
}

/**
 * The quality of a variant's oracle for f_β at a record: inexactness γ = 2R·sup|P − f′_β|, smoothness 1/(2β), deviation the
 * root of the closed-form variance.
 *
 * Source: Wang, Smith, Xu 2020, theorem 10, with constants.
 * @theorem noninteractive Theorem 10
 */
export function oracleQuality(
  parameters: MarginParameters,
  decoder: Parameters<typeof gradientVariance>[1],
  setting: Omit<Parameters<typeof gradientVariance>[2], 'coefficients'> & {
    readonly beta: number;
    readonly radius: number;
  },
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
  return { smoothness: loss.smoothness, deviation: Math.sqrt(variance), inexactness: 2 * radius * gap };
}

/**
 * The quality of the oracle of algorithm 3 (variant `copies`) for the smoothed risk C·E h̄_β(⟨u, w − x⟩/2): inexactness 2R·C·sup |P −
 * h′_β|, smoothness C/(4β), deviation the root of the second moment at the largest distance, 1 + R.
 *
 * Source: Wang, Smith, Xu 2020, proof of theorem 17, with constants.
 * @theorem noninteractive Theorem 17
 */
export function directionQuality(
  parameters: ReturnType<typeof medianCopies>,
  beta: number,
  radius: number = 1,
): OracleQuality {
  const coefficients = stepCoefficients(parameters.degree, beta, radius);
  const constant = sphereConstant(parameters.dimension);
  let gap = 0;
  for (let i = -2000; i <= 2000; i++) {
    const t = (i / 2000) * ((1 + radius) / 2);
    const exact = (1 + t / Math.sqrt(t * t + beta * beta)) / 2;
    gap = Math.max(gap, Math.abs(evaluatePolynomial(coefficients, t) - exact));
  }
  return {
    inexactness: 2 * radius * constant * gap,
    smoothness: constant / (4 * beta),
    deviation: Math.sqrt(productSecondMoment(parameters, coefficients, (1 + radius) ** 2)),
  };
}

/** What the budget of algorithm 1 as printed adds up to. */
export interface PrintedBudget {
  /** ε by basic composition: 2ε (ε for degree 0). */
  readonly basicEpsilon: number;
  /** δ by basic composition: (d(d + 1) + 2)·δ. */
  readonly basicDelta: number;
  /** μ by composition of Gaussian DP: μ² = ε²/(4L) + ε²/(2L·d(d + 1)), L = ln(1.25/δ). */
  readonly mu: number;
}

/**
 * The budget of algorithm 1 as printed, by both accountings. Each of copy 0's two releases is (ε/2, δ), each of the
 * d(d + 1) others (ε/(d(d + 1)), δ): they add up to 2ε, not ε.
 *
 * Source: Wang, Smith, Xu 2020, algorithm 1 and theorem 11; Dong, Roth, Su 2022, corollary 3.3.
 *
 * @throws TypeError or RangeError naming the field.
 * @theorem noninteractive Theorem 11
 */
export function printedBudget(request: {
  readonly epsilon: number;
  readonly delta: number;
  readonly degree: number;
}): PrintedBudget {
  const epsilon = checkPositive('epsilon', request.epsilon);
  const delta = checkOpenUnit('delta', request.delta);
  const degree = checkInteger('degree', request.degree, 0);
  const releases = degree * (degree + 1);
  const scale = Math.log(1.25 / delta);
  const others = degree === 0 ? 0 : epsilon ** 2 / (2 * scale * releases);
  return {
    basicEpsilon: degree === 0 ? epsilon : 2 * epsilon,
    basicDelta: (releases + 2) * delta,
    mu: Math.sqrt(epsilon ** 2 / (4 * scale) + others),
  };
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
  return epsilon / Math.sqrt(degree * (degree + 1) * Math.log(1.25 / delta));
}

import { checkNonNegative, checkOpenUnit, checkPositive } from '../check/number.ts';

const { abs, exp, log, log1p, max, min, sqrt } = Math;

/** Relative size of the rounding allowed for in the exponents below: sixteen units in the last place. */
const SLACK: number = 2 ** -48;

/**
 * The least δ that Proposition 12 gives for ρ-zero-concentrated differential privacy at ε, rounded up:
 *
 *     δ = inf over α > 1 of  exp((α − 1)(αρ − ε))/(α − 1) · (1 − 1/α)^α
 *
 * Every α gives a valid δ, so an inexact minimiser costs tightness and never safety; 0 only by underflow. A Gaussian release has a smaller δ
 * than this: convert its μ by `gdpDelta` instead.
 *
 * Source: Canonne, Kamath, Steinke (2020), The discrete Gaussian for differential privacy, Proposition 12.
 *
 * @throws TypeError or RangeError unless ρ > 0 and ε ≥ 0 are finite.
 */
export function zcdpDelta(rho: number, epsilon: number): number {
  checkPositive('rho', rho);
  checkNonNegative('epsilon', epsilon);
  const t = bestOrder(rho, epsilon);
  const exponent = t * ((1 + t) * rho - epsilon) - t * log1p(1 / t) - log1p(t);
  // Below the smallest double; here the product t·ε may have overflowed.
  if (exponent < -750) return 0;
  return min(1, exp(exponent + SLACK * (1 + t * epsilon)));
}

/**
 * The least ε ≥ 0 that the same proposition gives for ρ-zero-concentrated differential privacy at δ, rounded up.
 *
 * Source: Canonne, Kamath, Steinke (2020), Proposition 12, solved for ε.
 *
 * @throws TypeError or RangeError unless ρ > 0 is finite and 0 < δ < 1.
 */
export function zcdpEpsilon(rho: number, delta: number): number {
  checkPositive('rho', rho);
  const logDelta = log(checkOpenUnit('delta', delta));
  // The older bound ρ + 2√(ρ·ln(1/δ)) (Bun, Steinke 2016) lies above the answer. As a lower envelope of straight lines,
  // log δ is concave in ε, so Newton's steps from there descend to the answer and never pass it.
  let epsilon = rho + 2 * sqrt(-rho * logDelta);
  for (;;) {
    const t = bestOrder(rho, epsilon);
    const spent = (logDelta + log1p(t)) / t;
    const next = (1 + t) * rho - log1p(1 / t) - spent;
    if (!(next < epsilon * (1 - SLACK))) return max(0, epsilon + SLACK * ((1 + t) * rho + abs(spent)));
    if (next <= 0) return 0;
    epsilon = next;
  }
}

/** The minimising α − 1, the root of the increasing function (2t + 1)ρ − ε − log(1 + 1/t), bisected in log t. */
function bestOrder(rho: number, epsilon: number): number {
  let low = -700;
  let high = 700;
  // 2⁻⁴⁴ of the range is 8e-11; the error in δ is the square of the error here.
  for (let step = 0; step < 44; step++) {
    const middle = (low + high) / 2;
    const t = exp(middle);
    if ((2 * t + 1) * rho - epsilon - log1p(1 / t) > 0) high = middle;
    else low = middle;
  }
  return exp((low + high) / 2);
}

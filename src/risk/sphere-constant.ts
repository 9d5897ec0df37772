import { checkInteger } from '../check/number.ts';
import { stirlingCorrection } from '../numeric/gamma.ts';

const { exp, log, log1p, PI, sqrt } = Math;

/**
 * C = √π·Γ((p + 1)/2)/Γ(p/2), with which ‖x‖ = C·E|⟨u, x⟩| for u uniform on the unit sphere of R^p: π/2 for p = 2, 2 for
 * p = 3, about √(πp/2) for large p. Accurate to 1e-14, whatever the p.
 *
 * Source: Wang, Smith, Xu 2020, lemma 16, whose printed constant is {@link printedSphereConstant}.
 *
 * @throws TypeError or RangeError unless p is a whole number from 1 to 1e9.
 * @theorem noninteractive Lemma 16
 */
export function sphereConstant(dimension: number): number {
  const z = checkInteger('dimension', dimension, 1, 1_000_000_000) / 2;
  // log Γ(z + ½) − log Γ(z) by Stirling's formula with its exact remainder: two large logarithms would cancel.
  const stirling = z * log1p(0.5 / z) - 0.5 + 0.5 * log(z);
  return sqrt(PI) * exp(stirling + stirlingCorrection(z + 0.5) - stirlingCorrection(z));
}

/**
 * The constant as printed, √π·p·Γ((p − 1)/2)/(2Γ(p/2)), which is too large by the factor p/(p − 1): twice what it should be
 * for p = 2. For comparison only.
 *
 * Source: Wang, Smith, Xu 2020, lemma 16 and algorithm 3.
 *
 * @throws TypeError or RangeError unless p is a whole number from 2 to 1e9; at p = 1 the formula is not defined.
 * @theorem noninteractive Lemma 16
 */
export function printedSphereConstant(dimension: number): number {
  const p = checkInteger('dimension', dimension, 2, 1_000_000_000);
  // Γ((p + 1)/2) = ((p − 1)/2)·Γ((p − 1)/2).
  return (sphereConstant(p) * p) / (p - 1);
}

import { checkInteger } from '../check/number.ts';

const { abs, SQRT2, sqrt } = Math;

/**
 * Σ_k |b_mk|, b_mk the coefficient of x^k in T_m: |T_m(i)| = ½|(1 + √2)^m + (1 − √2)^m|, since i^k turns the alternating signs into one.
 * No coefficient is larger, and the largest is at least this over ⌊m/2⌋ + 1.
 *
 * @throws RangeError for a degree that is not a whole number ≥ 0.
 * @theorem noninteractive Theorem 10
 */
export function monomialCoefficientBound(degree: number): number {
  checkInteger('degree', degree, 0);
  return abs((1 + SQRT2) ** degree + (1 - SQRT2) ** degree) / 2;
}

/**
 * The bound √m·2^m of the proof of theorem 10, without the constant of its O. No constant makes it one: |b_mk| grows like
 * (1 + √2)^m.
 *
 * Source: Wang, Smith, Xu 2020, appendix A.
 *
 * @throws RangeError for a degree that is not a whole number ≥ 0.
 * @theorem noninteractive Theorem 10
 */
export function printedMonomialBound(degree: number): number {
  checkInteger('degree', degree, 0);
  return sqrt(degree) * 2 ** degree;
}

const { SQRT2, abs, acosh, cosh, hypot, sqrt } = Math;

/**
 * The Chebyshev polynomial T_n(x) at any real x. Source: definition 3.
 *
 * @theorem noninteractive Definition 3
 */
export function chebyshevPolynomial(n: number, x: number): number {
  if (x > 1) return cosh(n * acosh(x));
  if (x < -1) return n % 2 === 0 ? cosh(n * acosh(-x)) : -cosh(n * acosh(-x));
  // The recurrence, not cos(n·arccos x): arccos loses half the digits of 1 − |x| near the ends.
  let previous = 1;
  let value = x;
  if (n === 0) return 1;
  for (let k = 1; k < n; k++) {
    const next = 2 * x * value - previous;
    previous = value;
    value = next;
  }
  return value;
}

/** What Lemma 6 knows of f (analytic inside and on the ellipse Γ_ρ, where |f| ≤ M), and a degree. */
export interface EllipseBound {
  /** M, the largest |f| on the ellipse. */
  readonly bound: number;
  /** ρ > 0: the ellipse has foci ±1 and major semi-axis 1 + ρ (definition 4). */
  readonly rho: number;
  /** n of the truncated series P_n, or k of the coefficient a_k. */
  readonly degree: number;
}

/**
 * The sum 1 + ρ + √(2ρ + ρ²) of the two semi-axes of Γ_ρ: the geometric rate of Lemma 6.
 *
 * @theorem noninteractive Definition 4
 * @theorem noninteractive Lemma 6
 */
export function ellipseRate(rho: number): number {
  return 1 + rho + sqrt(rho * (2 + rho));
}

/**
 * The ρ of the ellipse with foci ±1 through the complex point re + i·im: half the sum of its distances to the foci, less
 * 1. For the smoothed hinge the branch points ½ ± iβ set the largest ellipse on which Lemma 6 applies.
 *
 * @theorem noninteractive Definition 4
 * @theorem noninteractive Lemma 6
 */
export function ellipseThrough(re: number, im: number): number {
  return (hypot(re - 1, im) + hypot(re + 1, im)) / 2 - 1;
}

/**
 * Lemma 6, upper bound of max |f − P_n| on [−1, 1] for the degree-n truncated Chebyshev series:
 * `2M/(r − 1)·r^{−n}` with r = 1 + ρ + √(2ρ + ρ²).
 *
 * Source: Wang, Smith, Xu 2020, lemma 6 (Trefethen 2013, theorem 8.2).
 * @theorem noninteractive Lemma 6
 */
export function chebyshevTruncationBound({ bound, rho, degree }: EllipseBound): number {
  const rate = ellipseRate(rho);
  return ((2 * bound) / (rate - 1)) * rate ** -degree;
}

/**
 * Lemma 6, upper bound of |a_k|: M for k = 0, else `2M·r^{−k}`.
 *
 * Source: Wang, Smith, Xu 2020, lemma 6 (Trefethen 2013, theorem 8.1).
 * @theorem noninteractive Lemma 6
 */
export function chebyshevCoefficientBound({ bound, rho, degree }: EllipseBound): number {
  return degree === 0 ? bound : 2 * bound * ellipseRate(rho) ** -degree;
}

/**
 * Σ_k |b_mk|, b_mk the coefficient of x^k in T_m: |T_m(i)| = ½|(1 + √2)^m + (1 − √2)^m|, since i^k turns the alternating signs into one.
 * No coefficient is larger, and the largest is at least this over ⌊m/2⌋ + 1.
 *
 * @theorem noninteractive Theorem 10
 */
export function monomialCoefficientBound(degree: number): number {
  return abs((1 + SQRT2) ** degree + (1 - SQRT2) ** degree) / 2;
}

/**
 * The bound √m·2^m of the proof of theorem 10, without the constant of its O. No constant makes it one: |b_mk| grows like
 * (1 + √2)^m.
 *
 * Source: Wang, Smith, Xu 2020, appendix A.
 *
 * @theorem noninteractive Theorem 10
 */
export function printedMonomialBound(degree: number): number {
  return sqrt(degree) * 2 ** degree;
}

/**
 * The antiderivative of P that is 0 at 0. If P approximates f′, this is the surrogate risk of one margin.
 *
 * Shape: one entry more, the first of them 0.
 */
export function polynomialIntegral(coefficients: ArrayLike<number>): Float64Array {
  const integral = new Float64Array(coefficients.length + 1);
  for (let k = 0; k < coefficients.length; k++) integral[k + 1] = coefficients[k] / (k + 1);
  return integral;
}

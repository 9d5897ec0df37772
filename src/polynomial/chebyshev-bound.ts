import { checkInteger, checkNonNegative, checkPositive } from '../check/number.ts';

const { hypot, sqrt } = Math;

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
  checkNonNegative('bound', bound);
  checkPositive('rho', rho);
  checkInteger('degree', degree, 0);
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
  checkNonNegative('bound', bound);
  checkPositive('rho', rho);
  checkInteger('degree', degree, 0);
  return degree === 0 ? bound : 2 * bound * ellipseRate(rho) ** -degree;
}

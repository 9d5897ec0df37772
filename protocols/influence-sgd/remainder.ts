import { checkInteger, checkNonNegative, checkPositive } from '../../src/check/number.ts';

/** The constants of Theorem 4. */
export interface RemainderConstants {
  /** Number of records n. */
  readonly records: number;
  /** G: bound on the gradient of a record. */
  readonly lipschitz: number;
  /** L: bound on the Hessian of a record. */
  readonly smoothness: number;
  /** C: Lipschitz constant of the Hessian of a record. */
  readonly hessianLipschitz: number;
  /** ζ > 0: a number below every eigenvalue of the Hessian, with or without the record. */
  readonly curvature: number;
}

/**
 * E of Theorem 4: the influence of leaving out a record is off by at most (2LG + CG²/ζ)/(ζ²n²) in the ℓ₂ norm.
 *
 * Law: proved with the smallest eigenvalue of H for the printed ‖H‖₂ ≥ ζ, which bounds the largest and says nothing of H⁻¹. The
 * proof leaves out the ½ of Taylor's remainder, so that the bound is twice too large; that also pays for the Hessian of n − 1
 * records, whose curvature is (n − 1)ζ/n, from n = 5 on.
 *
 * Source: Kang, Li, Liu, Wang, Theorem 4.
 *
 * @throws TypeError or RangeError naming the field.
 * @theorem influence Theorem 4
 */
export function remainderBound(constants: RemainderConstants): number {
  const n = checkInteger('records', constants.records, 2);
  const g = checkPositive('lipschitz', constants.lipschitz);
  const l = checkNonNegative('smoothness', constants.smoothness);
  const c = checkNonNegative('hessianLipschitz', constants.hessianLipschitz);
  const zeta = checkPositive('curvature', constants.curvature);
  return (2 * l * g + (c * g * g) / zeta) / (zeta * n * (zeta * n));
}

import { checkPositive, checkWord } from '../../../src/check/number.ts';
import { fillNormal } from '../../../src/random/normal.ts';
import type { Random } from '../../../src/random/random.ts';

const { SQRT2 } = Math;

/** How noise on a matrix is calibrated: to the exact sensitivity √2·B̄/n, or to the printed 2B̄/n. */
export const MATRIX_CALIBRATIONS = ['exact', 'printed'] as const;

/** One of {@link MATRIX_CALIBRATIONS}. */
export type MatrixCalibration = (typeof MATRIX_CALIBRATIONS)[number];

/**
 * sup ‖vech(a·aᵀ − b·bᵀ)‖₂ over ‖a‖², ‖b‖² ≤ bound: √2·bound, reached by multiples of two coordinate axes. In Frobenius norm,
 * which is not below that of the distinct entries, ‖aaᵀ − bbᵀ‖² = ‖a‖⁴ + ‖b‖⁴ − 2⟨a, b⟩² ≤ 2·bound².
 *
 * @throws TypeError or RangeError unless the bound is finite and > 0.
 */
export function squareSensitivity(bound: number): number {
  return SQRT2 * checkPositive('bound', bound);
}

/**
 * The sensitivity that a calibration believes in: {@link squareSensitivity}, or the printed 2·bound, which is √2 times more noise
 * than needed.
 *
 * Source: slides of Avella-Medina (2023), noisy Newton, for the printed one.
 *
 * @throws TypeError or RangeError for a bound that is not finite and > 0, or another word.
 */
export function calibratedSensitivity(bound: number, calibration: MatrixCalibration): number {
  checkWord('matrixCalibration', calibration, MATRIX_CALIBRATIONS);
  return calibration === 'printed' ? 2 * checkPositive('bound', bound) : squareSensitivity(bound);
}

/**
 * The symmetric-matrix mechanism: adds independent N(0, σ²) to each of the p(p + 1)/2 distinct entries of a packed symmetric
 * matrix. Simulation-grade normals.
 */
export function addSymmetricNoise(packed: Float64Array, sigma: number, random: Random): void {
  const noise = new Float64Array(packed.length);
  fillNormal(noise, random);
  for (let k = 0; k < packed.length; k++) packed[k] += sigma * noise[k];
}

import { checkInteger, checkNonNegative } from '../../src/check/number.ts';

const { cos, PI } = Math;

/**
 * Laplacian smoothing: a function that replaces a vector by A⁻¹ of it, A = I − s·Δ with the periodic second difference Δ of the
 * coordinates. It leaves the mean as it is and shrinks what changes from one coordinate to the next, by 1 + 4s at most; applied
 * to a noisy gradient it is post-processing and costs no privacy.
 *
 * Law: A is circulant with eigenvalues 1 + 2s(1 − cos(2πk/m)); A⁻¹ is applied as a circular convolution, m² operations.
 *
 * Source: Wang, Gu, Boedihardjo, Barekat, Osher (2019), DP-LSSGD.
 * @theorem influence Figure 1
 */
export function laplacianSmoothing(dimension: number, strength: number): (vector: Float64Array) => void {
  const m = checkInteger('dimension', dimension, 1);
  const s = checkNonNegative('strength', strength);
  if (s === 0 || m === 1) return () => {};
  const kernel = new Float64Array(m);
  for (let j = 0; j < m; j++) {
    for (let k = 0; k < m; k++) {
      kernel[j] += cos((2 * PI * ((j * k) % m)) / m) / (1 + 2 * s * (1 - cos((2 * PI * k) / m))) / m;
    }
  }
  const copy = new Float64Array(m);
  return (vector) => {
    copy.set(vector);
    for (let i = 0; i < m; i++) {
      let sum = 0;
      for (let j = 0; j < m; j++) sum += kernel[j > i ? m + i - j : i - j] * copy[j];
      vector[i] = sum;
    }
  };
}

import type { Lift } from './lift.ts';

const { SQRT2 } = Math;

/**
 * Writes the corrected symmetric powers of z into `target`: the lift of v, estimated without bias from one Gaussian copy
 * z ~ N(v, σ²I), variance = σ². The entry with exponents m is `√(j!/∏ m_i!)·∏ σ^{m_i}·He_{m_i}(z_i/σ)`.
 *
 * Law: entry = z_i·parent − (m_i − 1)·σ²·grandparent (both raw, i the factor), E = sym^j(v).
 *
 * Shape: `lift.size` entries, in the unscaled orthonormal basis of the lift.
 */
export function fillHermiteLift(lift: Lift, z: ArrayLike<number>, variance: number, target: Float64Array): void {
  const { dimension, degree, size, weight } = lift;
  for (let i = 0; i < dimension; i++) target[i] = z[i];
  if (degree === 1) return;
  if (degree === 2) {
    // The weight of every mixed product of two is √2, of every square 1.
    for (let i = 0, entry = dimension; i < dimension; i++) {
      const left = z[i];
      target[entry++] = left * left - variance;
      const row = SQRT2 * left;
      for (let j = i + 1; j < dimension; j++, entry++) target[entry] = row * z[j];
    }
    return;
  }
  const { parent, factor, multiplicity, grandparent } = lift;
  for (let entry = dimension; entry < size; entry++) {
    const up = target[parent[entry]] * z[factor[entry]];
    const m = multiplicity[entry];
    // With m = 1 the factor is new to the monomial and there is nothing to correct.
    if (m === 1) target[entry] = up;
    else target[entry] = up - (m - 1) * variance * (grandparent[entry] < 0 ? 1 : target[grandparent[entry]]);
  }
  for (let entry = dimension; entry < size; entry++) target[entry] *= weight[entry];
}

/**
 * Adds the corrected symmetric powers of z ({@link fillHermiteLift}) to `sums`: divided by the number of reports, the
 * sums are the moments T_j = E[sym^j(v)].
 *
 * Shape: `sums` and `scratch` have `lift.size` entries; `scratch` is overwritten when J > 2 and not touched otherwise.
 */
export function addHermiteLift(
  lift: Lift,
  z: ArrayLike<number>,
  variance: number,
  sums: Float64Array,
  scratch: Float64Array,
): void {
  const { dimension, degree, size } = lift;
  if (degree > 2) {
    fillHermiteLift(lift, z, variance, scratch);
    for (let entry = 0; entry < size; entry++) sums[entry] += scratch[entry];
    return;
  }
  for (let i = 0; i < dimension; i++) sums[i] += z[i];
  if (degree === 1) return;
  for (let i = 0, entry = dimension; i < dimension; i++) {
    const left = z[i];
    sums[entry++] += left * left - variance;
    const row = SQRT2 * left;
    for (let j = i + 1; j < dimension; j++, entry++) sums[entry] += row * z[j];
  }
}

import type { RadialBlock } from './blocks.ts';

/**
 * The coefficient of ‖w‖^{2α}·⟨sym^b(w), ‖x‖^{2a}sym^b(x)⟩ in r^m = (‖w‖² − 2⟨w, x⟩ + ‖x‖²)^m, α = m − a − b:
 * m!/(α!·b!·a!)·(−2)^b; 0 when a + b > m.
 */
export function blockCoefficient(m: number, { radial, power }: Pick<RadialBlock, 'radial' | 'power'>): number {
  const alpha = m - radial - power;
  if (alpha < 0) return 0;
  let coefficient = (-2) ** power;
  // m!/(α!·a!·b!) factor by factor: whole at every step.
  for (let i = 1; i <= radial; i++) coefficient *= (alpha + i) / i;
  for (let i = 1; i <= power; i++) coefficient *= (alpha + radial + i) / i;
  return Math.round(coefficient);
}

/**
 * Coefficients of the potential S with S′ = Q/2, so that the gradient of S(‖w − x‖²) in w is Q(r)(w − x): s_m = c_{m−1}/(2m);
 * s_0 is given.
 */
export function potential(gradient: ArrayLike<number>, constant: number = 0): Float64Array {
  return Float64Array.from({ length: gradient.length + 1 }, (_, m) => (m === 0 ? constant : gradient[m - 1] / (2 * m)));
}

/**
 * ⟨noise of one gradient, noise of another⟩ in mean, from noise of variance 1 in every entry of one block, for gradients
 * Q(r)(w − x) with the coefficients `left` and `right`, at ‖w‖² = ρ.
 *
 * Law: the block's part of a gradient is ∇(A(ρ)·⟨sym^b(w), M⟩), A = Σ_m s_m·coefficient·ρ^α. With
 * ⟨sym^b, ∇sym^b⟩ = bρ^{b−1}·w and `‖∇sym^b‖² = b(p + b − 1)ρ^{b−1}`, a pair of powers α, α′ brings
 * `ρ^{α+α′+b−1}·(4αα′ + 2(α + α′)b + b(p + b − 1))`.
 */
export function liftedGradientNoise(
  block: RadialBlock,
  left: ArrayLike<number>,
  right: ArrayLike<number>,
  dimension: number,
  squaredNorm: number,
): number {
  const { radial, power } = block;
  let sum = 0;
  for (let m = 1; m <= left.length; m++) {
    const alpha = m - radial - power;
    if (alpha < 0 || left[m - 1] === 0) continue;
    for (let n = 1; n <= right.length; n++) {
      const beta = n - radial - power;
      if (beta < 0 || right[n - 1] === 0) continue;
      const bracket = 4 * alpha * beta + 2 * (alpha + beta) * power + power * (dimension + power - 1);
      if (bracket === 0) continue;
      const coefficients = ((blockCoefficient(m, block) * left[m - 1]) / (2 * m)) * blockCoefficient(n, block);
      sum += ((coefficients * right[n - 1]) / (2 * n)) * bracket * squaredNorm ** (alpha + beta + power - 1);
    }
  }
  return sum;
}

/** Variance of the value from noise of variance 1 in every entry of one block, for a potential Σ s_m r^m, at ‖w‖² = ρ. */
export function liftedValueNoise(block: RadialBlock, values: ArrayLike<number>, squaredNorm: number): number {
  const { radial, power } = block;
  let factor = 0;
  for (let m = radial + power; m < values.length; m++) {
    factor += values[m] * blockCoefficient(m, block) * squaredNorm ** (m - radial - power);
  }
  return factor * factor * squaredNorm ** power;
}

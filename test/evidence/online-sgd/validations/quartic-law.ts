const { sqrt } = Math;

/** From where on the quartic risk is taken to have forgotten its start. */
export const SETTLED = 2000;

/**
 * E F(θ_n) of the quartic risk. With s = η_n·(1 + 4C₀²/μ²): E θ_n² falls by 2η·E θ⁴ − η·s a step, and E θ⁴ = s/2 but for that; a law
 * like exp(−θ⁴) has E θ² = .676·√(E θ⁴), which falls like n^(−α/2).
 */
export function quarticLaw(decay: number, n: number): number {
  const size = 0.5 * n ** -decay;
  const noise = size * 1.5;
  const square = 0.676 * sqrt(noise / 2);
  return (noise + (decay * square) / (2 * n * size)) / 8;
}

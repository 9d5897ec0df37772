const { log, log1p, sqrt } = Math;

/** What the slides' bound on the error of all gradients of a descent speaks of. */
export interface GradientRadiusFields {
  /** ε of one player's transcript. */
  readonly epsilon: number;
  /** δ of it. */
  readonly delta: number;
  /** n. */
  readonly players: number;
  /** m. */
  readonly samples: number;
  /** d. */
  readonly dimension: number;
  /** B. */
  readonly gradientBound: number;
  /** τ: gradients are τ-Lipschitz in θ. */
  readonly smoothness: number;
  /** ξ, the probability that the bound does not hold. */
  readonly failure: number;
}

/**
 * ln of the size of a Δ-net of a ball of radius R in R^d, at most d·ln(1 + 2R/Δ): every point of the ball is within Δ of one of the net.
 *
 * Law: balls of radius Δ/2 around the points of a largest packing are disjoint, and lie in the ball of radius R + Δ/2.
 * @theorem slides Bounding the noise term: key steps, net
 */
export function logNetSize(dimension: number, radius: number, distance: number): number {
  return dimension * log1p((2 * radius) / distance);
}

/**
 * r_{n,m} with the constant 1: (B√d/(√(mn)·ε))·(ln(nd/ξ) + d·ln(1 + τ√(mn)·ε/d²))^1.5·ln(d/δ), what the slides bound ‖ĝ_t − g(θ_t)‖ by
 * for all t at once, up to a constant: gradients at the data's own iterates are those of a net of all models.
 *
 * Law: the d·ln(…) is that of `logNetSize` with a distance at which gradients differ by the error of one; it makes r_{n,m} grow like d²
 * where the first logarithm is small. Fresh players in every round need no net: their data are independent of θ_t.
 *
 * Source: slides of Avella Medina (2023), bounding the noise term.
 * @theorem slides Bounding the noise term: key steps, r_{n,m}
 */
export function gradientRadius(fields: GradientRadiusFields): number {
  const { epsilon, delta, players, samples, dimension, gradientBound, smoothness, failure } = fields;
  const scale = sqrt(samples * players) * epsilon;
  const logarithms =
    log((players * dimension) / failure) + dimension * log1p((smoothness * scale) / (dimension * dimension));
  return ((gradientBound * sqrt(dimension)) / scale) * logarithms ** 1.5 * log(dimension / delta);
}

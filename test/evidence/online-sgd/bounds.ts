import { checkOpenUnit, RefusedValue } from 'ldpkit';
import type { OnlinePlan } from 'ldpkit/protocols/online-sgd';

const { expm1, floor, log, max, min, SQRT2, sqrt } = Math;

/** What the bounds on the error of noisy gradient descent speak of. */
export interface BoundFields {
  /** n ≥ 1, the number of steps. */
  readonly steps: number;
  /** η = γ, the first step size. */
  readonly rate: number;
  /** α in (0, 1). */
  readonly decay: number;
  /** C₀ = B₀, the bound on a gradient. */
  readonly gradientBound: number;
  /** Ω of the noise C₀·ω. */
  readonly omega: number;
  /** δ₀ = ‖θ₀ − θ*‖². */
  readonly start: number;
}

/** ψ_β(t) = (t^β − 1)/β, and log t for β = 0: ∫₁^t s^{β−1} ds. */
export function powerIntegral(exponent: number, t: number): number {
  return exponent === 0 ? log(t) : expm1(exponent * log(t)) / exponent;
}

/** E‖g̃‖² at most: C₀²(1 + Ω). */
export function secondMoment({ gradientBound, omega }: BoundFields): number {
  return gradientBound * gradientBound * (1 + omega);
}

/**
 * The leading term of the bound of theorem 3 as printed: C₀²(1 + Ω)·η/(m·n^α), m the strong convexity.
 *
 * Source: non-asymptotic paper, theorem 3.
 *
 * @theorem online-rates Theorem 3
 */
export function lastIterateRate(fields: BoundFields, strongConvexity: number): number {
  const { rate, decay, steps } = fields;
  return (secondMoment(fields) * rate) / (strongConvexity * steps ** decay);
}

/**
 * Theorem 3 without a remainder: the bound on E‖θ_n − θ*‖² from the recursion
 * δ_i ≤ max(0, 1 − 2mη_i)·δ_{i−1} + η_i²·C₀²(1 + Ω), which holds step by step where F is m-strongly convex along the path. Its
 * limit is half the printed leading term. O(n).
 *
 * Source: non-asymptotic paper, theorem 3 and the first lines of its proof.
 *
 * @theorem online-inference Condition 2
 * @theorem online-inference Theorem 1
 * @theorem online-rates Condition 2
 * @theorem online-rates Theorem 3
 */
export function lastIterateBound(fields: BoundFields, strongConvexity: number): number {
  const m = strongConvexity;
  const { steps, rate, decay } = fields;
  const moment = secondMoment(fields);
  let bound = fields.start;
  for (let i = 1; i <= steps; i++) {
    const size = rate * i ** -decay;
    bound = max(0, 1 - 2 * m * size) * bound + size * size * moment;
  }
  return bound;
}

/**
 * The two leading terms of theorem 4 that have explicit constants: tr(A⁻¹SA⁻¹)/n + C₀²(1 + Ω)/(mn). `trace` is tr(A⁻¹SA⁻¹) with
 * the noise in S. The third term and the remainder have constants of a supplement.
 *
 * Source: non-asymptotic paper, theorem 4.
 *
 * @theorem online-rates Theorem 4
 */
export function averageRate(fields: BoundFields, strongConvexity: number, trace: number): number {
  return (trace + secondMoment(fields) / strongConvexity) / fields.steps;
}

/** Exponents e of errors that fall like n^(−e). */
export interface RateExponents {
  /** E‖θ_n − θ*‖², theorem 3. */
  readonly last: number;
  /** E‖θ̄_n − θ*‖², theorem 4. */
  readonly average: number;
  /** E F(θ_n) − F(θ*) without strong convexity, theorem 5; undefined for α < 1/3, where nothing is claimed. */
  readonly lastLoss: number | undefined;
  /** E F(θ̄_n) − F(θ*) without strong convexity, theorem 6. */
  readonly averageLoss: number;
}

/**
 * The printed exponents at α in (0, 1).
 *
 * Source: non-asymptotic paper, table 1.
 *
 * @throws TypeError or RangeError for α outside (0, 1); at 1 nothing is claimed.
 * @theorem online-inference Theorem 1
 * @theorem online-rates Theorem 3
 * @theorem online-rates Remark 2
 * @theorem online-rates Theorem 4
 * @theorem online-rates Remark 3
 * @theorem online-rates Theorem 5
 * @theorem online-rates Remark 4
 * @theorem online-rates Theorem 6
 * @theorem online-rates Remark 5
 * @theorem online-rates Table 1
 * @theorem online-rates Figure 3
 */
export function rateExponents(decay: number): RateExponents {
  checkOpenUnit('decay', decay);
  return {
    last: decay,
    average: min(1, 2 * decay),
    lastLoss: lastLossExponent(decay),
    averageLoss: min(decay, 1 - decay),
  };
}

function lastLossExponent(decay: number): number | undefined {
  if (decay < 1 / 3) return undefined;
  if (decay <= 1 / 2) return (3 * decay - 1) / 2;
  return decay <= 2 / 3 ? decay / 2 : 1 - decay;
}

/** δ₀ + C₀²(1 + Ω)η²(1 + ψ_{1−2α}(n)), which no E‖θ_i − θ*‖² exceeds up to i = n: Σ i^{−2α} is at most 1 + ψ. */
function distanceBound(fields: BoundFields): number {
  const { steps, rate, decay, start } = fields;
  return start + secondMoment(fields) * rate * rate * (1 + powerIntegral(1 - 2 * decay, steps));
}

/**
 * What holds of theorem 5: the bound on E F(θ_n) − F(θ*) of the last iterate for a convex, M-smooth risk and every α in (0, 1),
 * max(2D/Ση_i, √(M·B²·D·η_k) + M·B²·η_k²/2), the sum and k = ⌊n/2⌋ + 1 over the second half of the steps, B² = C₀²(1 + Ω) and
 * D = δ₀ + B²η²(1 + ψ_{1−2α}(n)); and never more than M·D/2.
 *
 * Law: with u = E F(θ_i) − F(θ*), smoothness and u² ≤ D·E‖∇F‖² say u_i ≤ u_{i−1} − η_i·u²_{i−1}/D + M·B²·η_i²/2. While
 * u² ≥ M·B²·D·η_k, half of the decrease is left and 1/u grows by η_i/(2D); once it is below, it stays below the second term. It
 * falls like n^{−min(1−α, α/2)} above α = ½, like n^{−(3α−1)/2} below, and at ½ like (1 + log n)^{1/2}·n^{−1/4}.
 *
 * Source: derived here, in place of theorem 5 of the non-asymptotic paper; see docs/errata.md.
 *
 * @theorem online-inference Condition 2
 * @theorem online-rates Condition 2
 * @theorem online-rates Theorem 5
 */
export function lastLossBound(fields: BoundFields, smoothness: number): number {
  const { steps, rate, decay } = fields;
  const distance = distanceBound(fields);
  const noise = smoothness * secondMoment(fields);
  const first = floor(steps / 2) + 1;
  // Σ i^{−α} over i = first … n is at least the integral from first to n + 1.
  const descent = rate * (powerIntegral(1 - decay, steps + 1) - powerIntegral(1 - decay, first));
  const step = rate * first ** -decay;
  const bound = max((2 * distance) / descent, sqrt(noise * distance * step) + (noise * step * step) / 2);
  return min(bound, (smoothness * distance) / 2);
}

/**
 * Theorem 5 exactly as printed, for α in [1/3, 1): infinite at α = ½, where it divides by (1 − 2α)^{1/2}. Above ½ it is too small
 * for a start far away, since the factor 2√G·H loses a root of G: it is not homogeneous in the units of θ. The reference to
 * measure against; {@link lastLossBound} is what holds.
 *
 * Source: non-asymptotic paper, theorem 5.
 *
 * @throws RangeError for α < 1/3.
 * @theorem online-rates Theorem 5
 */
export function printedLastLossBound(fields: BoundFields, smoothness: number): number {
  const { steps, rate, decay, start } = fields;
  if (!(decay >= 1 / 3)) throw new RefusedValue('decay', 'a number in [1/3, 1)', decay);
  const moment = secondMoment(fields);
  const G = start + moment * rate * rate * powerIntegral(1 - 2 * decay, steps);
  const H = (1 + 4 * sqrt(smoothness * moment) * rate ** 1.5) / rate;
  if (decay > 2 / 3) return (2 * sqrt(G) * H) / powerIntegral(1 - decay, steps);
  if (decay > 1 / 2) return (2 * sqrt(G) * H) / powerIntegral(decay / 2, steps);
  const J = start + moment * rate * rate;
  return (2 * J * H) / (sqrt(1 - 2 * decay) * powerIntegral(1.5 * decay - 0.5, steps));
}

/**
 * What holds of theorem 6: the bound on E F(θ̄_n) − F(θ*) of the average of θ_1 … θ_n for a convex risk,
 * (n + 1)^α·D/(2ηn) + B²η·ψ_{1−α}(n + 1)/(2n), with B² = C₀²(1 + Ω) and D = δ₀ + B²η²(1 + ψ_{1−2α}(n)).
 *
 * Law: E F(θ_i) − F(θ*) ≤ (δ_i − δ_{i+1})/(2η_{i+1}) + η_{i+1}B²/2, summed by parts over i = 1 … n with δ_i ≤ D.
 *
 * Source: non-asymptotic paper, theorem 6, with the sums that the integrals ψ stand for; see docs/errata.md.
 *
 * @theorem online-rates Theorem 6
 */
export function averageLossBound(fields: BoundFields): number {
  const { steps, rate, decay } = fields;
  const second = secondMoment(fields) * rate * powerIntegral(1 - decay, steps + 1);
  return (((steps + 1) ** decay * distanceBound(fields)) / rate + second) / (2 * steps);
}

/**
 * Theorem 6 exactly as printed, with ψ(n) where sums up to n are needed, which are up to 1 larger: 0 at n = 1 for a start at the
 * minimiser, though the first step leaves it. {@link averageLossBound} is what holds.
 *
 * Source: non-asymptotic paper, theorem 6.
 *
 * @theorem online-rates Theorem 6
 */
export function printedAverageLossBound(fields: BoundFields): number {
  const { steps, rate, decay, start } = fields;
  const moment = secondMoment(fields);
  const first = start + moment * rate * rate * powerIntegral(1 - 2 * decay, steps);
  const second = (moment * rate * powerIntegral(1 - decay, steps)) / (2 * steps);
  return first / (2 * rate * steps ** (1 - decay)) + second;
}

/**
 * Ω = max_i E‖ω_i‖² of the noise B₀·ω_i, as both papers define it: p times the largest variance, over B₀².
 *
 * Law: 8p²/ε² for `laplace` (printed: of the order p³(ln p)²/ε²), 4p/μ² for `gdp` and Δ = 2B₀, pσ²/B₀² for `gaussian`.
 *
 * Source: non-asymptotic paper, Section 4.1; docs/errata.md for the rate of the Laplace mechanism.
 * @theorem online-rates Ω, after Theorem 3
 * @theorem online-rates Remark 2
 */
export function omega({ model, noise }: OnlinePlan): number {
  return (model.dimension * noise.deviation ** 2) / model.gradientBound ** 2;
}

/**
 * p³(ln p)²/ε², the rate printed for Ω of the Laplace mechanism; it grows faster than what holds, 8p²/ε².
 *
 * @theorem online-rates Ω, after Theorem 3
 */
export function printedLaplaceRate(dimension: number, epsilon: number): number {
  return dimension ** 3 * (log(dimension) / epsilon) ** 2;
}

/**
 * B₁, the sensitivity √2·B₁ of a released Hessian, and the one printed for it, 2B₁.
 *
 * @theorem online-inference Proposition 4
 */
export function hessianSensitivity(bound: number): { readonly exact: number; readonly printed: number } {
  return { exact: SQRT2 * bound, printed: 2 * bound };
}

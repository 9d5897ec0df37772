import { checkPositive, refusal } from '../../src/check/number.ts';
import { type BoundFields, checkFields, powerIntegral, secondMoment } from './bounds.ts';

const { floor, max, min, sqrt } = Math;

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
 * @throws TypeError or RangeError naming the field.
 * @theorem online-inference Condition 2
 * @theorem online-rates Condition 2
 * @theorem online-rates Theorem 5
 */
export function lastLossBound(fields: BoundFields, smoothness: number): number {
  checkFields(fields);
  const { steps, rate, decay } = fields;
  const distance = distanceBound(fields);
  const noise = checkPositive('smoothness', smoothness) * secondMoment(fields);
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
 * @throws TypeError or RangeError naming the field; RangeError for α < 1/3.
 * @theorem online-rates Theorem 5
 */
export function printedLastLossBound(fields: BoundFields, smoothness: number): number {
  checkFields(fields);
  const { steps, rate, decay, start } = fields;
  if (!(decay >= 1 / 3)) throw new RangeError(refusal('decay', 'a number in [1/3, 1)', decay));
  const moment = secondMoment(fields);
  const G = start + moment * rate * rate * powerIntegral(1 - 2 * decay, steps);
  const H = (1 + 4 * sqrt(checkPositive('smoothness', smoothness) * moment) * rate ** 1.5) / rate;
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
 * @throws TypeError or RangeError naming the field.
 * @theorem online-rates Theorem 6
 */
export function averageLossBound(fields: BoundFields): number {
  checkFields(fields);
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
 * @throws TypeError or RangeError naming the field.
 * @theorem online-rates Theorem 6
 */
export function printedAverageLossBound(fields: BoundFields): number {
  checkFields(fields);
  const { steps, rate, decay, start } = fields;
  const moment = secondMoment(fields);
  const first = start + moment * rate * rate * powerIntegral(1 - 2 * decay, steps);
  const second = (moment * rate * powerIntegral(1 - decay, steps)) / (2 * steps);
  return first / (2 * rate * steps ** (1 - decay)) + second;
}

import { checkInteger, checkNonNegative, checkOpenUnit, checkPositive, refusal } from '../../check/number.ts';

const { log, max, min, sqrt } = Math;

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

function checkFields(fields: BoundFields): void {
  checkInteger('steps', fields.steps, 1);
  checkPositive('rate', fields.rate);
  checkOpenUnit('decay', fields.decay);
  checkPositive('gradientBound', fields.gradientBound);
  checkNonNegative('omega', fields.omega);
  checkNonNegative('start', fields.start);
}

/** ψ_β(t) = (t^β − 1)/β, and log t for β = 0: ∫₁^t s^{β−1} ds. */
export function powerIntegral(exponent: number, t: number): number {
  return exponent === 0 ? log(t) : Math.expm1(exponent * log(t)) / exponent;
}

/** E‖g̃‖² at most: C₀²(1 + Ω). */
function secondMoment({ gradientBound, omega }: BoundFields): number {
  return gradientBound * gradientBound * (1 + omega);
}

/**
 * The leading term of the bound of theorem 3 as printed: C₀²(1 + Ω)·η/(m·n^α), m the strong convexity.
 *
 * @throws TypeError or RangeError naming the field.
 *
 * Source: non-asymptotic paper, theorem 3.
 */
export function lastIterateRate(fields: BoundFields, strongConvexity: number): number {
  checkFields(fields);
  const { rate, decay, steps } = fields;
  return (secondMoment(fields) * rate) / (checkPositive('strongConvexity', strongConvexity) * steps ** decay);
}

/**
 * Theorem 3 without a remainder: the bound on E‖θ_n − θ*‖² from the recursion
 * δ_i ≤ max(0, 1 − 2mη_i)·δ_{i−1} + η_i²·C₀²(1 + Ω), which holds step by step where F is m-strongly convex along the path. Its
 * limit is half the printed leading term. O(n).
 *
 * @throws TypeError or RangeError naming the field.
 *
 * Source: non-asymptotic paper, theorem 3 and the first lines of its proof.
 */
export function lastIterateBound(fields: BoundFields, strongConvexity: number): number {
  checkFields(fields);
  const m = checkPositive('strongConvexity', strongConvexity);
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
 * @throws TypeError or RangeError naming the field.
 *
 * Source: non-asymptotic paper, theorem 4.
 */
export function averageRate(fields: BoundFields, strongConvexity: number, trace: number): number {
  checkFields(fields);
  checkPositive('strongConvexity', strongConvexity);
  return (checkNonNegative('trace', trace) + secondMoment(fields) / strongConvexity) / fields.steps;
}

/**
 * Theorem 5: the bound on E F(θ_n) − F(θ*) of the last iterate for a convex, M-smooth risk and α in [1/3, 1).
 *
 * @throws TypeError or RangeError naming the field; RangeError for α < 1/3.
 *
 * Source: non-asymptotic paper, theorem 5.
 */
export function lastLossBound(fields: BoundFields, smoothness: number): number {
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
 * Theorem 6: the bound on E F(θ̄_n) − F(θ*) of the average for a convex risk.
 *
 * @throws TypeError or RangeError naming the field.
 *
 * Source: non-asymptotic paper, theorem 6.
 */
export function averageLossBound(fields: BoundFields): number {
  checkFields(fields);
  const { steps, rate, decay, start } = fields;
  const moment = secondMoment(fields);
  const first = start + moment * rate * rate * powerIntegral(1 - 2 * decay, steps);
  const second = (moment * rate * powerIntegral(1 - decay, steps)) / (2 * steps);
  return first / (2 * rate * steps ** (1 - decay)) + second;
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
 * @throws TypeError or RangeError for α outside (0, 1); at 1 nothing is claimed.
 *
 * Source: non-asymptotic paper, table 1.
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

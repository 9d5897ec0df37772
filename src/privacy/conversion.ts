import { checkNonNegative, checkOpenUnit, checkPositive, RefusedValue } from '../check/refusal.ts';
import { logNormalCdf, logNormalQuantile, normalCdf, normalDensity, normalQuantile } from '../numeric/normal.ts';
import { gdpDelta, gdpEpsilon } from './gaussian.ts';
import {
  type ApproximateGuarantee,
  approximate,
  CLAIM_TOLERANCE,
  checkGuarantee,
  deltaOf,
  type GdpGuarantee,
  type Guarantee,
  gdp,
  type PureGuarantee,
  type ZcdpGuarantee,
  zcdp,
} from './guarantee.ts';
import { halfSquareAbove, upward } from './rounding.ts';

const { PI, abs, exp, expm1, log, log1p, max, min, sqrt, tanh } = Math;

/** Relative allowance for rounding in the exponents below: sixteen units in the last place. */
const SLACK: number = 2 ** -48;

/** A guarantee below this is stated as this one: it promises less, and has all digits of a double. */
const LEAST = 1e-290;

/**
 * The least δ that Proposition 12 gives for ρ-zero-concentrated differential privacy at ε, rounded up:
 *
 *     δ = inf over α > 1 of  exp((α − 1)(αρ − ε))/(α − 1) · (1 − 1/α)^α
 *
 * Every α gives a valid δ, so an inexact minimiser is less tight but never unsafe. The result is 0 only by underflow. A Gaussian release
 * has a smaller δ: convert its μ with `gdpDelta` instead.
 *
 * Source: Canonne, Kamath, Steinke (2020), The discrete Gaussian for differential privacy, Proposition 12.
 */
export function zcdpDelta(rho: number, epsilon: number): number {
  checkPositive('rho', rho);
  checkNonNegative('epsilon', epsilon);
  const t = bestOrder(rho, epsilon);
  const exponent = t * ((1 + t) * rho - epsilon) - t * log1p(1 / t) - log1p(t);
  // The result is below the smallest double; the product t·ε may have overflowed.
  if (exponent < -750) return 0;
  return min(1, exp(exponent + SLACK * (1 + t * epsilon + log1p(t))));
}

/** The least ε ≥ 0 that the same proposition, solved for ε, gives for ρ-zero-concentrated differential privacy at δ, rounded up. */
export function zcdpEpsilon(rho: number, delta: number): number {
  checkPositive('rho', rho);
  const logDelta = log(checkOpenUnit('delta', delta));
  // The older bound ρ + 2√(ρ·ln(1/δ)) (Bun, Steinke 2016) lies above the answer. log δ is a lower envelope of straight
  // lines, so it is concave in ε. Newton's steps from that bound therefore descend to the answer and never pass it.
  let epsilon = rho + 2 * sqrt(-rho * logDelta);
  for (;;) {
    const t = bestOrder(rho, epsilon);
    const spent = (logDelta + log1p(t)) / t;
    const next = (1 + t) * rho - log1p(1 / t) - spent;
    if (!(next < epsilon * (1 - SLACK))) return max(0, epsilon + SLACK * ((1 + t) * rho + abs(spent)));
    if (next <= 0) return 0;
    epsilon = next;
  }
}

/** The minimising α − 1, the root of the increasing function (2t + 1)ρ − ε − log(1 + 1/t), bisected in log t. */
function bestOrder(rho: number, epsilon: number): number {
  let low = -700;
  let high = 700;
  // 2⁻⁴⁴ of the range is 8e-11; the error in δ is the square of the error here.
  for (let step = 0; step < 44; step++) {
    const middle = (low + high) / 2;
    const t = exp(middle);
    if ((2 * t + 1) * rho - epsilon - log1p(1 / t) > 0) high = middle;
    else low = middle;
  }
  return exp((low + high) / 2);
}

/**
 * The least μ for which pure ε-differential privacy implies μ-Gaussian differential privacy, rounded up:
 * μ = 2·Φ⁻¹(e^ε/(1 + e^ε)), accurate for small and large ε; 1e-290 where μ is less.
 *
 * The Gaussian trade-off curve touches the broken line of randomized response at its corner and lies below it
 * elsewhere, by convexity; so no smaller μ is possible.
 *
 * Source: Dong, Roth, Su (2022), Gaussian differential privacy, section 2 (trade-off functions).
 */
export function pureToGdpMu(epsilon: number): number {
  checkPositive('epsilon', epsilon);
  if (epsilon > 0.5) return upward(-2 * logNormalQuantile(-epsilon - log1p(exp(-epsilon))));
  // Near ½ the probability itself keeps too few digits: solve Φ(z) − ½ = ½·tanh(ε/2) instead. Left of the root the curve lies under its
  // tangent at 0, so Newton's steps increase towards it: four reach rounding accuracy for ε ≤ ½.
  const excess = 0.5 * tanh(epsilon / 2);
  let z = excess * sqrt(2 * PI);
  for (let step = 0; step < 4; step++) z += excess / normalDensity(z) - centralSeries(z);
  return max(LEAST, upward(2 * z));
}

/** The inverse of `pureToGdpMu`, log(Φ(μ/2)/Φ(−μ/2)), a billionth lower, which is more than its rounding for μ ≥ 1e-6. */
export function pureWithinGdp(mu: number): number {
  return (logNormalCdf(mu / 2) - logNormalCdf(-mu / 2)) * (1 - 1e-9);
}

/** (Φ(z) − ½)/φ(z) = z + z³/3 + z⁵/15 + …, for small z. */
function centralSeries(z: number): number {
  let term = z;
  let sum = z;
  for (let k = 3; k <= 31; k += 2) sum += term *= (z * z) / k;
  return sum;
}

/**
 * The least ρ for which pure ε-differential privacy implies ρ-zero-concentrated differential privacy, rounded up:
 * ρ = ε·(e^ε − 1)/(e^ε + 1) = ε·tanh(ε/2), below the older ε²/2 for every ε > 0; 1e-290 where ρ is less.
 *
 * Every ε-private channel is a post-processing of binary randomized response (Kairouz, Oh, Viswanath 2015), whose Rényi
 * divergence of order α, divided by α, is largest as α → 1: the Kullback–Leibler divergence ε·tanh(ε/2).
 *
 * Source: "Tight RDP and zCDP bounds from pure DP", differentialprivacy.org/pdp-to-zcdp; Bun, Steinke (2016),
 * Proposition 1.4, for ε²/2.
 */
export function pureToZcdpRho(epsilon: number): number {
  checkPositive('epsilon', epsilon);
  return max(LEAST, upward(epsilon * tanh(epsilon / 2)));
}

/** A pure guarantee as a Gaussian one. The other kinds imply none: they do not bound the trade-off curve near its ends. */
export function toGdp(given: PureGuarantee | GdpGuarantee): GdpGuarantee {
  return given.kind === 'gdp' ? given : gdp(pureToGdpMu(given.epsilon));
}

/**
 * A pure or Gaussian guarantee as a zero-concentrated one; ρ = μ²/2, rounded up. An (ε, δ) guarantee implies none.
 *
 * Source: Bun, Steinke (2016), Concentrated differential privacy, Proposition 1.6, and Dong, Roth, Su (2022), Corollary B.6, for μ²/2.
 */
export function toZcdp(given: Exclude<Guarantee, ApproximateGuarantee>): ZcdpGuarantee {
  if (given.kind === 'zcdp') return given;
  return zcdp(given.kind === 'pure' ? pureToZcdpRho(given.epsilon) : halfSquareAbove(given.mu));
}

/**
 * A δ for which the guarantee implies (ε, δ)-differential privacy. It is exactly the least one for pure, (ε₀, δ₀) and
 * Gaussian guarantees, and an upper bound for a zero-concentrated one. It is 0 where a pure guarantee covers ε.
 *
 * Source: Kairouz, Oh, Viswanath (2015), The composition theorem for differential privacy (the worst (ε₀, δ₀) pair).
 * @throws TypeError or RangeError unless ε ≥ 0 is finite.
 * @theorem influence Definition 4
 *
 * @example
 * ```ts
 * import { deltaAt, gdp } from 'ldpkit/privacy';
 * console.log(deltaAt(gdp(1), 4).toExponential(2)); // 4.71e-5
 * ```
 */
export function deltaAt(guarantee: Guarantee, epsilon: number): number {
  checkNonNegative('epsilon', epsilon);
  const given = checkGuarantee('guarantee', guarantee);
  switch (given.kind) {
    case 'pure':
    case 'approximate':
      return worstDelta(given.epsilon, deltaOf(given), epsilon);
    case 'gdp':
      return gdpDelta(given.mu, epsilon);
    case 'zcdp':
      return zcdpDelta(given.rho, epsilon);
  }
}

/** δ₀ + (1 − δ₀)·(e^(ε₀) − e^ε)/(e^(ε₀) + 1) below ε₀, δ₀ from there on. */
function worstDelta(epsilon0: number, delta0: number, epsilon: number): number {
  if (epsilon >= epsilon0) return delta0;
  return delta0 + ((1 - delta0) * -expm1(epsilon - epsilon0)) / (1 + exp(-epsilon0));
}

/**
 * The guarantee as (ε, δ)-differential privacy at a chosen δ. The ε is rounded up; it may be 0.
 *
 * A pure guarantee gains a little from δ, ε + log(1 − δ(1 + e^(−ε))); an (ε₀, δ₀) guarantee can be read at any larger
 * δ.
 *
 * Source: as for {@link deltaAt} and {@link gdpEpsilon}; for ρ Canonne, Kamath, Steinke (2020), Proposition 12, and
 * Bun, Steinke (2016).
 * @throws TypeError or RangeError unless 0 < δ < 1, RangeError for an (ε₀, δ₀) guarantee with δ₀ > δ.
 *
 * @example
 * ```ts
 * import { pure, toApproximate, zcdp } from 'ldpkit/privacy';
 * console.log(toApproximate(pure(1), 1e-6).epsilon); // 0.9999986321196801
 * console.log(toApproximate(zcdp(0.05), 1e-6).epsilon.toFixed(3)); // 1.472
 * ```
 */
export function toApproximate(guarantee: Guarantee, delta: number): ApproximateGuarantee {
  checkOpenUnit('delta', delta);
  const given = checkGuarantee('guarantee', guarantee);
  switch (given.kind) {
    case 'pure':
      return approximate({ epsilon: worstEpsilon(given.epsilon, 0, delta), delta });
    case 'approximate':
      if (delta === given.delta) return given;
      if (delta < given.delta) {
        throw new RefusedValue(`"delta" expected a number >= ${given.delta}, that of the guarantee, got ${delta}`);
      }
      return approximate({ epsilon: worstEpsilon(given.epsilon, given.delta, delta), delta });
    case 'gdp':
      return approximate({ epsilon: gdpEpsilon(given.mu, delta), delta });
    case 'zcdp':
      return approximate({ epsilon: zcdpEpsilon(given.rho, delta), delta });
  }
}

/** The inverse of `worstDelta` at δ ≥ δ₀, never above ε₀, which is a bound without any rounding. */
function worstEpsilon(epsilon0: number, delta0: number, delta: number): number {
  const gone = ((delta - delta0) / (1 - delta0)) * (1 + exp(-epsilon0));
  // Where little of 1 − `gone` = e^(ε − ε₀) is left, it comes from 1 − δ, which no rounding touches; its logarithm and ε₀ may cancel.
  const left = (1 - delta - (delta - delta0) * exp(-epsilon0)) / (1 - delta0);
  if (!(left > 0)) return 0;
  const logLeft = gone < 0.5 ? log1p(-gone) : log(left) + 2 ** -49 * epsilon0;
  return min(epsilon0, upward(max(0, epsilon0 + logLeft)));
}

/**
 * Whether a guarantee implies a claim, up to `CLAIM_TOLERANCE`: an (ε, δ) claim on the whole curve of the guarantee, not by comparing ε
 * with ε. Where no theorem leads from the guarantee to the claim, the answer is false.
 */
export function implies(guarantee: Guarantee, claim: Guarantee): boolean {
  const given = checkGuarantee('guarantee', guarantee);
  const wanted = checkGuarantee('claim', claim);
  const loose = 1 + CLAIM_TOLERANCE;
  switch (wanted.kind) {
    case 'pure':
      return given.kind === 'pure' && given.epsilon <= wanted.epsilon * loose;
    case 'approximate':
      return deltaAt(given, wanted.epsilon * loose) <= wanted.delta * loose;
    case 'gdp':
      return (given.kind === 'pure' || given.kind === 'gdp') && toGdp(given).mu <= wanted.mu * loose;
    case 'zcdp':
      return given.kind !== 'approximate' && toZcdp(given).rho <= wanted.rho * loose;
  }
}

/**
 * The (ε, δ) that a guarantee gives at this δ, or null if there is none: an (ε₀, δ₀) guarantee gives no ε below its own
 * δ₀ (up to a relative difference of 1e-12).
 * @throws TypeError or RangeError unless 0 < δ < 1, and for what is no guarantee.
 */
export function readAt(guarantee: Guarantee, delta: number): ApproximateGuarantee | null {
  checkOpenUnit('delta', delta);
  const given = checkGuarantee('guarantee', guarantee);
  if (given.kind === 'approximate' && given.delta > delta) {
    return given.delta <= delta * (1 + CLAIM_TOLERANCE) ? given : null;
  }
  return toApproximate(given, delta);
}

/** How many ε the envelope of a concentrated guarantee is made of. */
const ENVELOPE = 240;

/**
 * The trade-off function of a guarantee: the least type II error of any test, of two data of a player on all that the player sends, whose
 * type I error is at most `typeOne`. No attacker can go below.
 *
 * For (ε, δ) it is max(0, 1 − δ − e^ε·α, e^(−ε)·(1 − δ − α)), for Gaussian privacy Φ(Φ⁻¹(1 − α) − μ). A concentrated guarantee implies an
 * (ε, δ) for every ε; the result is the largest of these bounds over a grid of ε.
 *
 * Source: Dong, Roth, Su (2022), Gaussian differential privacy, Propositions 2.4 (Wasserman, Zhou 2010) and 2.12, Definition 2.6.
 */
export function leastTypeTwo(guarantee: Guarantee, typeOne: number): number {
  const given = checkGuarantee('guarantee', guarantee);
  if (checkNonNegative('typeOne', typeOne) > 1) throw new RefusedValue('typeOne', 'a number <= 1', typeOne);
  switch (given.kind) {
    case 'pure':
    case 'approximate':
      return brokenLine(given.epsilon, deltaOf(given), typeOne);
    case 'gdp':
      if (typeOne === 0 || typeOne === 1) return 1 - typeOne;
      return normalCdf(-normalQuantile(typeOne) - given.mu);
    case 'zcdp': {
      const { rho } = given;
      // δ is below 1e-13 at the far end, where a further line says no more.
      const furthest = rho + 2 * sqrt(30 * rho);
      let bound = 0;
      for (let i = 0; i <= ENVELOPE; i++) {
        const epsilon = (furthest * i) / ENVELOPE;
        bound = max(bound, brokenLine(epsilon, zcdpDelta(rho, epsilon), typeOne));
      }
      return bound;
    }
  }
}

function brokenLine(epsilon: number, delta: number, typeOne: number): number {
  // Beyond ε = 709 the factor is Infinity.
  return max(0, 1 - delta - (typeOne && exp(epsilon) * typeOne), exp(-epsilon) * (1 - delta - typeOne));
}

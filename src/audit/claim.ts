import { checkUnit, RefusedValue } from '../check/refusal.ts';
import { normalQuantile } from '../numeric/normal.ts';
import type { Guarantee } from '../privacy/guarantee.ts';

const { abs, expm1, log, log1p, max, min } = Math;

/** The orders at which the Rényi divergence of two outcomes is read; 1 is the Kullback–Leibler divergence. */
const ORDERS: readonly number[] = [1, 1.125, 1.25, 1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128];

/** The number a claim is about: ε of a pure or (ε, δ) claim, μ of a Gaussian, ρ of a concentrated one. */
export function claimedParameter(claim: Guarantee): number {
  if (claim.kind === 'gdp') return claim.mu;
  return claim.kind === 'zcdp' ? claim.rho : claim.epsilon;
}

/**
 * The least parameter of a claim that is consistent with an event, whose probability is at least `high` under one datum
 * and at most `low` under the other; 0 where the event gives no bound.
 * Law: ε ≥ log((high − δ)/low) and, by the complement of the event, ε ≥ log((1 − low − δ)/(1 − high)); μ ≥ Φ⁻¹(high) −
 * Φ⁻¹(low); ρ ≥ D_α/α, D_α the Rényi divergence of the two outcomes in either order, by data processing.
 * Source: Kairouz, Oh, Viswanath (2015) for ε; Dong, Roth, Su (2022) for μ; Bun, Steinke (2016), Lemma 2.2, for ρ.
 */
export function parameterAbove(claim: Guarantee, high: number, low: number): number {
  if (!(high > low)) return 0;
  switch (claim.kind) {
    case 'pure':
      return max(logRatio(high, low), logRatio(1 - low, 1 - high));
    case 'approximate':
      return max(0, logRatio(high - claim.delta, low), logRatio(1 - low - claim.delta, 1 - high));
    case 'gdp':
      return normalQuantile(high) - normalQuantile(low);
    case 'zcdp':
      return concentration([high, 1 - high], [low, 1 - low]);
  }
}

function logRatio(above: number, below: number): number {
  if (!(above > 0)) return 0;
  return below > 0 ? log(above / below) : Infinity;
}

/** The largest D_α/α of two laws, in both orders, over a grid of α: the channel is ρ-concentrated for no smaller ρ. */
export function concentration(first: ArrayLike<number>, second: ArrayLike<number>): number {
  let most = 0;
  for (const order of ORDERS) most = max(most, divergence(first, second, order), divergence(second, first, order));
  return most;
}

/** D_α(p ‖ q)/α. */
function divergence(p: ArrayLike<number>, q: ArrayLike<number>, order: number): number {
  let sum = 0;
  for (let i = 0; i < p.length; i++) {
    if (p[i] === 0) continue;
    if (q[i] === 0) return Infinity;
    const ratio = log(p[i] / q[i]);
    // A sum of differences from 1 avoids cancellation for nearly equal laws. Where it overflows it gives no bound.
    sum += order === 1 ? p[i] * ratio : p[i] * expm1((order - 1) * ratio);
  }
  const value = order === 1 ? sum : log1p(sum) / ((order - 1) * order);
  return value < Infinity ? max(0, value) : 0;
}

/** A bound as a number that JSON can carry: the largest double stands for "no finite parameter". */
export function finiteBound(bound: number): number {
  return min(bound, Number.MAX_VALUE);
}

/** How far the probabilities of a channel may be from summing to 1: rounding. */
const SUM_TOLERANCE = 1e-9;

/**
 * The least ε ≥ 0 with a hockey-stick divergence Σ max(0, p − e^ε·q) of at most δ, in this direction; Infinity where the outputs that only
 * the first law has are more probable than δ.
 *
 * Law: the divergence is piecewise linear in e^ε, so the equation is solved on its piece, without a search.
 * Shape: the probabilities of the same outputs in the same order, ≥ 0, with a sum of 1 under each law.
 * @throws TypeError or RangeError for anything but two such laws and a δ from 0 to 1.
 * @theorem noninteractive Definition 2
 * @theorem online-rates Definition 1
 * @theorem online-rates Definition 2
 *
 * @example
 * ```ts
 * import { exactEpsilon } from 'ldpkit/audit';
 * // A bit that is kept with probability 3/4.
 * console.log(Math.exp(exactEpsilon([0.75, 0.25], [0.25, 0.75], 0)).toFixed(6)); // 3.000000
 * ```
 */
export function exactEpsilon(first: ArrayLike<number>, second: ArrayLike<number>, delta: number): number {
  checkLaws(first, second);
  checkUnit('delta', delta);
  // Outputs sorted by falling ratio p/q: at factor f = e^ε only those with a ratio above f count.
  const order = Array.from(first, (_, i) => i).filter((i) => first[i] > 0);
  const ratio = (i: number): number => (second[i] > 0 ? first[i] / second[i] : Infinity);
  order.sort((a, b) => (ratio(a) === ratio(b) ? 0 : ratio(b) - ratio(a)));
  if (order.length === 0) return 0;
  let p = 0;
  let q = 0;
  for (let k = 0; k < order.length; k++) {
    p += first[order[k]];
    q += second[order[k]];
    const next = k + 1 < order.length ? ratio(order[k + 1]) : 0;
    // With the first k + 1 outputs, δ(f) = p − f·q for f from `next` to the ratio of output k.
    if (p - next * q >= delta) {
      if (q === 0) {
        if (p > delta) return Infinity;
        continue;
      }
      return max(0, min(log((p - delta) / q), log(ratio(order[k]))));
    }
  }
  return 0;
}

/** The least parameter of a claim that a finite channel meets at two data, in both directions; ρ over a grid of orders. */
export function exactParameter(claim: Guarantee, first: ArrayLike<number>, second: ArrayLike<number>): number {
  checkLaws(first, second);
  if (claim.kind === 'zcdp') return concentration(first, second);
  if (claim.kind === 'gdp') return exactMu(claim, first, second);
  const delta = claim.kind === 'approximate' ? claim.delta : 0;
  return max(exactEpsilon(first, second, delta), exactEpsilon(second, first, delta));
}

/** By Neyman–Pearson the trade-off curve is a broken line: a convex Gaussian curve lies below it if below its corners. */
function exactMu(claim: Guarantee, first: ArrayLike<number>, second: ArrayLike<number>): number {
  const order = Array.from(first, (_, i) => i).filter((i) => first[i] > 0 || second[i] > 0);
  order.sort((a, b) => second[a] * first[b] - second[b] * first[a]);
  let most = 0;
  let high = 0;
  let low = 0;
  for (const i of order) {
    high += first[i];
    low += second[i];
    // The last corner is (1, 1) up to rounding.
    if (high < 1 - SUM_TOLERANCE || low < 1 - SUM_TOLERANCE) {
      most = max(most, parameterAbove(claim, Math.min(1, high), Math.min(1, low)));
    }
  }
  return most;
}

/** Whether an exact parameter exceeds its claim by more than the rounding of sums of probabilities. */
export function exceedsClaim(exact: number, claim: Guarantee): boolean {
  return exact > claimedParameter(claim) * (1 + SUM_TOLERANCE);
}

function checkLaws(first: ArrayLike<number>, second: ArrayLike<number>): void {
  if (first.length !== second.length) {
    throw new RefusedValue('channel', `${first.length} probabilities at every datum`, second.length);
  }
  for (const law of [first, second]) {
    const sum = compensatedSum(law);
    let least = 0;
    for (let i = 0; i < law.length; i++) least = Math.min(least, law[i]);
    if (!(least >= 0 && abs(sum - 1) <= SUM_TOLERANCE)) {
      throw new RefusedValue('channel', 'probabilities >= 0 that sum to 1', least < 0 ? least : sum);
    }
  }
}

/**
 * Σ values to about a rounding of the result plus n²·1e-32 Σ|values|.
 * Source: Neumaier (1974), Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen, ZAMM 54.
 */
export function compensatedSum(values: ArrayLike<number>): number {
  let sum = 0;
  let lost = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    const next = sum + value;
    lost += Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum;
    sum = next;
  }
  return sum + lost;
}

import { refusal } from '../check/number.ts';
import { compensatedSum } from '../numeric/sum.ts';
import type { Guarantee } from '../privacy/guarantee.ts';
import { claimedParameter, concentration, parameterAbove } from './claim.ts';

const { abs, exp, log, max } = Math;

/** How far the probabilities of a channel may be from summing to 1: rounding. */
const SUM_TOLERANCE = 1e-9;

/**
 * The hockey-stick divergence Σ max(0, p − e^ε·q) of two laws on finitely many outputs: the least δ of this direction.
 *
 * @throws RangeError for laws of different lengths, or numbers that are no probabilities.
 * @theorem online-rates Definition 1
 * @theorem online-rates Definition 2
 */
export function hockeyStick(first: ArrayLike<number>, second: ArrayLike<number>, epsilon: number): number {
  checkLaws(first, second);
  const factor = exp(epsilon);
  return compensatedSum(Array.from(first, (p, i) => (second[i] === 0 ? p : max(0, p - factor * second[i]))));
}

/**
 * The least ε ≥ 0 with a hockey-stick divergence of at most δ, in this direction; Infinity where outputs that only the first law
 * has weigh more than δ.
 *
 * Law: the divergence is piecewise linear in e^ε, so it is solved on its piece and not searched for.
 *
 * @throws RangeError as `hockeyStick`.
 * @theorem noninteractive Definition 2
 */
export function exactEpsilon(first: ArrayLike<number>, second: ArrayLike<number>, delta: number): number {
  checkLaws(first, second);
  // Outputs by falling ratio p/q: at factor f = e^ε those with a ratio above f take part.
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
      return max(0, log((p - delta) / q) > log(ratio(order[k])) ? log(ratio(order[k])) : log((p - delta) / q));
    }
  }
  return 0;
}

/**
 * The least parameter of a claim that a finite channel meets at two data, in both directions: exact ε at the claim's δ,
 * exact μ, and for a concentrated claim the largest D_α/α over a grid of orders.
 *
 * @throws RangeError as `hockeyStick`.
 */
export function exactParameter(claim: Guarantee, first: ArrayLike<number>, second: ArrayLike<number>): number {
  checkLaws(first, second);
  if (claim.kind === 'zcdp') return concentration(first, second);
  if (claim.kind === 'gdp') return exactMu(claim, first, second);
  const delta = claim.kind === 'approximate' ? claim.delta : 0;
  return max(exactEpsilon(first, second, delta), exactEpsilon(second, first, delta));
}

/** By Neyman–Pearson the trade-off curve is a broken line, and a convex Gaussian curve below it must pass its corners only. */
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
    throw new RangeError(refusal('channel', `${first.length} probabilities at every datum`, second.length));
  }
  for (const law of [first, second]) {
    const sum = compensatedSum(law);
    let least = 0;
    for (let i = 0; i < law.length; i++) least = Math.min(least, law[i]);
    if (!(least >= 0 && abs(sum - 1) <= SUM_TOLERANCE)) {
      throw new RangeError(refusal('channel', 'probabilities >= 0 that sum to 1', least < 0 ? least : sum));
    }
  }
}

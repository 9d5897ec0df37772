import { normalQuantile } from '../numeric/normal.ts';
import type { Guarantee } from '../privacy/guarantee.ts';

const { expm1, log, log1p, max, min } = Math;

/** The orders at which the Rényi divergence of two outcomes is read; 1 is the Kullback–Leibler divergence. */
const ORDERS: readonly number[] = [1, 1.125, 1.25, 1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128];

/** The number a claim is about: ε of a pure or (ε, δ) claim, μ of a Gaussian, ρ of a concentrated one. */
export function claimedParameter(claim: Guarantee): number {
  if (claim.kind === 'gdp') return claim.mu;
  return claim.kind === 'zcdp' ? claim.rho : claim.epsilon;
}

/**
 * The least parameter of a claim (see {@link claimedParameter}) that an event allows whose probability is at least `high` under
 * one datum and at most `low` under the other. 0 where the event says nothing.
 *
 * Law: ε ≥ log((high − δ)/low) and, by the complement of the event, ε ≥ log((1 − low − δ)/(1 − high));
 * μ ≥ Φ⁻¹(high) − Φ⁻¹(low); ρ ≥ D_α/α, D_α the Rényi divergence of the two outcomes in either order, by data processing.
 * All of them grow with `high` and fall with `low`.
 *
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

/**
 * The largest D_α/α over a grid of orders α, of two laws on finitely many outcomes and in both orders: a lower bound of
 * every ρ for which the channel is ρ-zero-concentrated.
 */
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
    // As a sum of differences from 1, so that near-equal laws do not cancel; it may overflow, and then says nothing.
    sum += order === 1 ? p[i] * ratio : p[i] * expm1((order - 1) * ratio);
  }
  const value = order === 1 ? sum : log1p(sum) / ((order - 1) * order);
  return value < Infinity ? max(0, value) : 0;
}

/** A bound as a number that JSON can carry: the largest double stands for "no finite parameter". */
export function finiteBound(bound: number): number {
  return min(bound, Number.MAX_VALUE);
}

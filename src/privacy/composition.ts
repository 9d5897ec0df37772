import { checkInteger, checkPositive } from '../check/number.ts';
import { RefusedValue } from '../check/refusal.ts';
import { toGdp, toZcdp } from './conversion.ts';
import {
  type ApproximateGuarantee,
  approximate,
  checkGuarantee,
  describeGuarantee,
  type GdpGuarantee,
  type Guarantee,
  gdp,
  type PureGuarantee,
  pure,
  type ZcdpGuarantee,
  zcdp,
} from './guarantee.ts';
import { type CountedTerms, rootSumSquareAbove, sumAbove } from './rounding.ts';

/**
 * The joint guarantee of several releases, under every accounting that applies to all of them; the others are absent.
 *
 * Which one is best:
 * - Gaussian releases only: `gdp` is exact, and below `zcdp` at every δ.
 * - One pure release: `pure` (its own curve) is below both.
 * - Many pure releases: `zcdp` beats `gdp` for small ε (½ε² against .785·ε² a release, as ρ = μ²/2), and both beat the
 *   sum ε of `pure` once their number is large. Neither dominates in general, so all are given.
 */
export interface Composition {
  /** Σε, when every release is pure. */
  readonly pure?: PureGuarantee;
  /** (Σε, Σδ), when every release is pure or (ε, δ) and Σδ stays below 1; a pure guarantee when all are pure. */
  readonly basic?: PureGuarantee | ApproximateGuarantee;
  /** √Σμ², when every release is Gaussian or pure. */
  readonly gdp?: GdpGuarantee;
  /** Σρ, when no release is merely (ε, δ). */
  readonly zcdp?: ZcdpGuarantee;
}

/**
 * Composition of Gaussian differential privacy, adaptive and exact: √Σ counts·μ². Like all sums here, the result is
 * never below its exact value.
 *
 * `counts` gives how often each release occurs; by default each occurs once. The same holds in the functions below.
 *
 * Source: Dong, Roth, Su (2022), Corollary 3.3.
 *
 * @throws TypeError or RangeError for an empty list, μ ≤ 0, or counts that do not match.
 * @theorem slides Composition, product
 */
export function composeGdp(mus: readonly number[], counts?: readonly number[]): number {
  return rootSumSquareAbove(counted('mus', mus, counts, (mu, name) => checkPositive(name, mu)));
}

/**
 * Composition of zero-concentrated differential privacy: Σ counts·ρ.
 *
 * Source: Bun, Steinke (2016), Concentrated differential privacy, Lemma 1.7.
 *
 * @throws TypeError or RangeError for an empty list, ρ ≤ 0, or counts that do not match.
 */
export function composeZcdp(rhos: readonly number[], counts?: readonly number[]): number {
  return sumAbove(counted('rhos', rhos, counts, (rho, name) => checkPositive(name, rho)));
}

/**
 * Basic composition of pure and (ε, δ) guarantees: (Σ counts·ε, Σ counts·δ), a pure guarantee when all of them are.
 *
 * Source: Dwork, Roth (2014), Theorem 3.16.
 *
 * @throws TypeError or RangeError for an empty list or counts that do not match; RangeError for a Gaussian or
 * zero-concentrated guarantee (choose a δ first, with `toApproximate`) and when Σδ ≥ 1, which promises nothing.
 */
export function composeBasic(
  guarantees: readonly Guarantee[],
  counts?: readonly number[],
): PureGuarantee | ApproximateGuarantee {
  const stated = guarantees.map((guarantee, i) => {
    const given = checkGuarantee(`guarantees[${i}]`, guarantee);
    if (given.kind === 'pure' || given.kind === 'approximate') return given;
    throw new RefusedValue(`"guarantees[${i}]" expected a pure or (ε, δ) guarantee, got ${describeGuarantee(given)}`);
  });
  const epsilon = sumAbove(counted('guarantees', stated, counts, (given) => given.epsilon));
  const delta = sumAbove(counted('guarantees', stated, counts, (given) => (given.kind === 'pure' ? 0 : given.delta)));
  return delta === 0 ? pure(epsilon) : approximate({ epsilon, delta });
}

/**
 * The joint guarantee of the releases of *one* player, of any kinds, under every accounting that applies.
 *
 * @throws TypeError or RangeError for an empty list or counts that do not match.
 *
 * @example
 * ```ts
 * import { compose, pure } from 'ldpkit/privacy';
 * // Two surveys about the same record.
 * console.log(Object.keys(compose([pure(1), pure(0.5)]))); // [ 'pure', 'basic', 'gdp', 'zcdp' ]
 * ```
 */
export function compose(guarantees: readonly Guarantee[], counts?: readonly number[]): Composition {
  if (guarantees.length === 0) throw new RefusedValue('"guarantees" expected at least one entry, got none');
  const all = guarantees.map((guarantee, i) => checkGuarantee(`guarantees[${i}]`, guarantee));
  const stated = all.filter((given) => given.kind === 'pure' || given.kind === 'approximate');
  const deltas = counted('guarantees', all, counts, (given) => ('delta' in given ? given.delta : 0));
  const basic = stated.length === all.length && sumAbove(deltas) < 1 ? composeBasic(stated, counts) : undefined;
  const gaussian = all.every((given) => given.kind === 'pure' || given.kind === 'gdp');
  const concentrated = all.every((given) => given.kind !== 'approximate');
  const mus = () => all.map((given) => toGdp(given).mu);
  const rhos = () => all.map((given) => toZcdp(given).rho);
  return {
    ...(basic?.kind === 'pure' ? { pure: basic } : {}),
    ...(basic ? { basic } : {}),
    ...(gaussian ? { gdp: gdp(composeGdp(mus(), counts)) } : {}),
    ...(concentrated ? { zcdp: zcdp(composeZcdp(rhos(), counts)) } : {}),
  };
}

/** The terms of a sum with their counts; refuses lists that do not match or have wrong entries. */
function counted<Item>(
  name: string,
  items: readonly Item[],
  counts: readonly number[] | undefined,
  weight: (item: Item, name: string) => number,
): CountedTerms {
  if (items.length === 0) throw new RefusedValue(`"${name}" expected at least one entry, got none`);
  if (counts !== undefined && counts.length !== items.length) {
    throw new RefusedValue(`"counts" expected ${items.length} entries, got ${counts.length}`);
  }
  return items.map((item, i) => {
    const count = counts === undefined ? 1 : checkInteger(`counts[${i}]`, counts[i], 1);
    return [weight(item, `${name}[${i}]`), count] as const;
  });
}

import { checkInteger, checkOpenUnit, checkPositive } from '../check/number.ts';
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
 * What several releases guarantee together, under every accounting that applies to all of them; the others are absent.
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
 * Composition of Gaussian differential privacy, adaptive and exact: √Σ counts·μ², like all sums here never below its exact value.
 *
 * `counts` says how often each release occurs, once each when it is left out; so in the functions below.
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
    throw new RangeError(`"guarantees[${i}]" expected a pure or (ε, δ) guarantee, got ${describeGuarantee(given)}`);
  });
  const epsilon = sumAbove(counted('guarantees', stated, counts, (given) => given.epsilon));
  const delta = sumAbove(counted('guarantees', stated, counts, (given) => (given.kind === 'pure' ? 0 : given.delta)));
  return delta === 0 ? pure(epsilon) : approximate({ epsilon, delta });
}

/**
 * What the releases of *one* player guarantee together, whatever their kinds: every accounting that applies.
 *
 * @throws TypeError or RangeError for an empty list or counts that do not match.
 */
export function compose(guarantees: readonly Guarantee[], counts?: readonly number[]): Composition {
  return underEach(guarantees, {
    basic: (stated) => {
      const spent = sumAbove(counted('guarantees', stated, counts, (given) => ('delta' in given ? given.delta : 0)));
      return spent < 1 ? composeBasic(stated, counts) : undefined;
    },
    gdp: (mus) => composeGdp(mus, counts),
    zcdp: (rhos) => composeZcdp(rhos, counts),
  });
}

/**
 * What a protocol guarantees to each of *different* players, one guarantee a player: the largest. One player's data
 * touch one transcript only.
 *
 * Source: McSherry (2009), Privacy integrated queries, Theorem 4 (parallel composition).
 *
 * @throws TypeError or RangeError for an empty list.
 * @theorem online-inference Proposition 3
 * @theorem online-rates Proposition 1
 */
export function composeParallel(guarantees: readonly Guarantee[]): Composition {
  return underEach(guarantees, {
    basic: (stated) => {
      const epsilon = largest(stated.map((given) => given.epsilon));
      const delta = largest(stated.map((given) => ('delta' in given ? given.delta : 0)));
      return delta === 0 ? pure(epsilon) : approximate({ epsilon, delta });
    },
    gdp: largest,
    zcdp: largest,
  });
}

interface Rules {
  readonly basic: (
    stated: readonly (PureGuarantee | ApproximateGuarantee)[],
  ) => PureGuarantee | ApproximateGuarantee | undefined;
  readonly gdp: (mus: readonly number[]) => number;
  readonly zcdp: (rhos: readonly number[]) => number;
}

/** Applies each accounting to the guarantees converted to it, where all of them can be. */
function underEach(guarantees: readonly Guarantee[], rules: Rules): Composition {
  if (guarantees.length === 0) throw new RangeError('"guarantees" expected at least one entry, got none');
  const all = guarantees.map((guarantee, i) => checkGuarantee(`guarantees[${i}]`, guarantee));
  const stated = all.filter((given) => given.kind === 'pure' || given.kind === 'approximate');
  const basic = stated.length === all.length ? rules.basic(stated) : undefined;
  const gaussian = all.every((given) => given.kind === 'pure' || given.kind === 'gdp');
  const concentrated = all.every((given) => given.kind !== 'approximate');
  return {
    ...(basic?.kind === 'pure' ? { pure: basic } : {}),
    ...(basic ? { basic } : {}),
    ...(gaussian ? { gdp: gdp(rules.gdp(all.map((given) => toGdp(given).mu))) } : {}),
    ...(concentrated ? { zcdp: zcdp(rules.zcdp(all.map((given) => toZcdp(given).rho))) } : {}),
  };
}

function largest(values: readonly number[]): number {
  let result = 0;
  for (const value of values) if (value > result) result = value;
  return result;
}

/** The terms of a sum with their counts, with one message for every way in which the two lists can be wrong. */
function counted<Item>(
  name: string,
  items: readonly Item[],
  counts: readonly number[] | undefined,
  weight: (item: Item, name: string) => number,
): CountedTerms {
  if (items.length === 0) throw new RangeError(`"${name}" expected at least one entry, got none`);
  if (counts !== undefined && counts.length !== items.length) {
    throw new RangeError(`"counts" expected ${items.length} entries, got ${counts.length}`);
  }
  return items.map((item, i) => {
    const count = counts === undefined ? 1 : checkInteger(`counts[${i}]`, counts[i], 1);
    return [weight(item, `${name}[${i}]`), count] as const;
  });
}

/** Equal releases to be added up by the advanced composition theorem. */
interface AdvancedComposition {
  /** ε₀ > 0 of each release. */
  readonly epsilon: number;
  /** δ₀ of each release, in (0, 1). */
  readonly delta: number;
  /** k ≥ 1, how many there are. */
  readonly count: number;
  /** δ′ in (0, 1): what the theorem itself may fail with. */
  readonly slack: number;
}

/**
 * What k releases of (ε₀, δ₀) guarantee together by the advanced composition theorem: ε₀√(2k ln(1/δ′)) + kε₀(e^{ε₀} − 1) at
 * δ = kδ₀ + δ′. Kept to compare with: for Gaussian noise, composition of Gaussian DP is exact and never worse.
 *
 * Source: Dwork, Rothblum, Vadhan 2010, theorem III.3.
 *
 * @throws TypeError or RangeError naming the field; RangeError when kδ₀ + δ′ is not below 1.
 * @theorem noninteractive Remark 12
 */
export function composeAdvanced(releases: AdvancedComposition): ApproximateGuarantee {
  const epsilon = checkPositive('epsilon', releases.epsilon);
  const delta = checkOpenUnit('delta', releases.delta);
  const count = checkInteger('count', releases.count, 1);
  const slack = checkOpenUnit('slack', releases.slack);
  const total = epsilon * Math.sqrt(2 * count * Math.log(1 / slack)) + count * epsilon * Math.expm1(epsilon);
  return approximate({ epsilon: total, delta: count * delta + slack });
}

import { checkInteger, checkList, checkPositive, RefusedKind } from '../check/refusal.ts';
import { implies, readAt, toGdp, toZcdp } from './conversion.ts';
import { gdpEpsilon } from './gaussian.ts';
import {
  type ApproximateGuarantee,
  approximate,
  checkGuarantee,
  deltaOf,
  describeGuarantee,
  type GdpGuarantee,
  type Guarantee,
  gdp,
  type PureGuarantee,
  pure,
  type ZcdpGuarantee,
  zcdp,
} from './guarantee.ts';
import { checkCounts, composeNumeric, MOST_RELEASES } from './numeric-composition.ts';
import { type CountedTerms, partWithin, quotientAbove, rootSumSquareAbove, sumAbove } from './rounding.ts';

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
 * The joint guarantee of the releases of *one* player, chosen adaptively or not, of any kinds, under every accounting that applies. Each
 * release occurs once by default. No sum is below its exact value.
 *
 * Source: for (Σε, Σδ) Dwork, Roth (2014), Theorem 3.16; for √Σμ², which is exact, Dong, Roth, Su (2022), Corollary 3.3; for Σρ Bun,
 * Steinke (2016), Lemma 1.7.
 * @throws TypeError or RangeError for an empty list or counts that do not match.
 * @theorem slides Composition, product
 *
 * @example
 * ```ts
 * import { compose, pure } from 'ldpkit/privacy';
 * // Two surveys about the same record.
 * console.log(Object.keys(compose([pure(1), pure(0.5)]))); // [ 'pure', 'basic', 'gdp', 'zcdp' ]
 * ```
 */
export function compose(guarantees: readonly Guarantee[], counts?: readonly number[]): Composition {
  checkList('guarantees', guarantees);
  const all = guarantees.map((guarantee, i) => checkGuarantee(`guarantees[${i}]`, guarantee));
  const occurrences = checkCounts(counts, all.length);
  const counted = (values: readonly number[]): CountedTerms => values.map((value, i) => [value, occurrences[i]]);
  const composition: { -readonly [accounting in keyof Composition]: Composition[accounting] } = {};
  if (all.every((given) => given.kind === 'pure' || given.kind === 'approximate')) {
    const epsilon = sumAbove(counted(all.map((given) => given.epsilon)));
    const delta = sumAbove(counted(all.map(deltaOf)));
    if (delta === 0) composition.pure = pure(epsilon);
    if (delta < 1) composition.basic = composition.pure ?? approximate({ epsilon, delta });
  }
  if (all.every((given) => given.kind === 'pure' || given.kind === 'gdp')) {
    composition.gdp = gdp(rootSumSquareAbove(counted(all.map((given) => toGdp(given).mu))));
  }
  if (all.every((given) => given.kind !== 'approximate')) {
    composition.zcdp = zcdp(sumAbove(counted(all.map((given) => toZcdp(given).rho))));
  }
  return composition;
}

/** The ways of adding up what a transcript spends. */
export type Accounting = 'pure' | 'basic' | 'gdp' | 'zcdp' | 'numeric';

/** What the whole transcript guarantees under one accounting. */
export interface Total {
  /** Which accounting; `basic` may occur twice, for claimed and for exact parts, distinguished by `theorem`. */
  readonly accounting: Accounting;
  readonly guarantee: Guarantee;
  /** Which theorem gives it, in words. */
  readonly theorem: string;
  /** The least ε that this total certifies at the reporting δ, null if it certifies none; absent without such a δ. */
  readonly epsilonAtDelta?: number | null;
  /** Whether this total implies what was claimed for the protocol; absent where nothing was claimed. */
  readonly withinClaim?: boolean;
}

/** An accounting that does not apply to this transcript, and why. */
export interface Silence {
  readonly accounting: Accounting;
  readonly reason: string;
}

/** The totals that apply, in the order in which they are printed and before they are compared with a claim, and the others. */
export interface Sums {
  readonly lines: Pick<Total, 'accounting' | 'guarantee' | 'theorem'>[];
  readonly silent: Silence[];
}

/** Adds up the releases of one transcript under every accounting. Basic composition of exact curves reads them at δ, if it is given. */
export function addUp(releases: readonly CertifiedRelease[], delta: number | undefined): Sums {
  const counts = releases.map((release) => release.count);
  const exact = compose(
    releases.map((release) => release.guarantee),
    counts,
  );
  // A release may be zero-concentrated by a separate theorem, although this does not follow from the (ε, δ) it states.
  const { zcdp: concentrated } = compose(
    releases.map((release) => (release.concentrated === undefined ? release.guarantee : zcdp(release.concentrated))),
    counts,
  );
  const sums: Sums = { lines: [], silent: [] };
  const state = (
    accounting: Accounting,
    guarantee: Guarantee | undefined,
    theorem: string,
    otherwise: string,
  ): void => {
    if (guarantee) sums.lines.push({ accounting, guarantee, theorem });
    else sums.silent.push({ accounting, reason: otherwise });
  };
  state(
    'pure',
    exact.pure,
    'basic composition of pure releases: the sum of ε (Dwork, Roth 2014, Theorem 3.14)',
    'not every release is pure',
  );
  basicSums(sums, releases, counts, exact, delta);
  state(
    'gdp',
    exact.gdp,
    'Gaussian composition: root of the sum of μ² (Dong, Roth, Su 2022, Corollary 3.3)',
    'a release has no Gaussian guarantee',
  );
  state(
    'zcdp',
    concentrated,
    'concentrated composition: the sum of ρ (Bun, Steinke 2016, Lemma 1.7)',
    'a release has no concentrated guarantee',
  );
  numericSum(sums, releases, delta);
  return sums;
}

/**
 * The composition of the worst privacy losses, read at δ. It is left out if there is no δ, for a single release (its
 * own guarantee is exact), and if all releases are Gaussian (Gaussian composition is exact).
 */
function numericSum(sums: Sums, releases: readonly CertifiedRelease[], delta: number | undefined): void {
  const guarantees = releases.map((release) => release.guarantee);
  const count = releases.reduce((sum, release) => sum + release.count, 0);
  if (delta === undefined || count === 1 || guarantees.every(({ kind }) => kind === 'gdp')) return;
  const silence = (reason: string): void => void sums.silent.push({ accounting: 'numeric', reason });
  if (guarantees.some(({ kind }) => kind === 'zcdp')) {
    silence('a release has a concentrated guarantee only, and no pair of laws dominates all that have it');
  } else if (count > MOST_RELEASES) silence('there are more than 1e9 releases');
  else {
    const counts = releases.map((release) => release.count);
    const epsilon = composeNumeric(guarantees, counts).epsilonAt(delta);
    const spent = sumAbove(guarantees.map((given, i) => [deltaOf(given), counts[i]]));
    const together = gaussianTogether(guarantees, counts, delta);
    // The grid of losses is coarse beside a large ε, and ends above a small δ.
    if (together !== undefined && (epsilon === null || together.guarantee.epsilon < epsilon)) sums.lines.push(together);
    if (epsilon === null) {
      const small = 'the δ reported at is too small for sums of losses in doubles';
      silence(spent < delta ? small : 'the δ of the releases together reach the δ reported at');
    } else {
      const theorem =
        'numeric composition of the worst privacy losses, rounded up ' +
        '(Zhu, Dong, Wang 2022, Theorem 10; discretised as by Doroshenko et al. 2022)';
      sums.lines.push({ accounting: 'numeric', guarantee: approximate({ epsilon, delta }), theorem });
    }
  }
}

/** Basic composition of pure releases with several Gaussian ones, which have all of δ together; undefined of others. */
function gaussianTogether(guarantees: readonly Guarantee[], counts: readonly number[], delta: number) {
  const mus: [number, number][] = [];
  const pures: [number, number][] = [];
  for (const [i, given] of guarantees.entries()) {
    if (given.kind === 'gdp') mus.push([given.mu, counts[i]]);
    else if (given.kind === 'pure') pures.push([given.epsilon, counts[i]]);
    else return undefined;
  }
  if (mus.reduce((sum, [, count]) => sum + count, 0) < 2) return undefined;
  const epsilon = sumAbove([...pures, [gdpEpsilon(rootSumSquareAbove(mus), delta), 1]]);
  const theorem = `basic composition of the pure releases and of the Gaussian ones together ${BASIC}`;
  return { accounting: 'basic', guarantee: approximate({ epsilon, delta }), theorem } as const;
}

const BASIC = '(Dwork, Roth 2014, Theorem 3.16)';

/** Basic composition of the stated or claimed guarantees, and of the exact curves at an even share of δ. */
function basicSums(
  sums: Sums,
  releases: readonly CertifiedRelease[],
  counts: readonly number[],
  exact: Composition,
  delta: number | undefined,
): void {
  const silence = (reason: string): void => void sums.silent.push({ accounting: 'basic', reason });
  const parts: Guarantee[] = [];
  let claims = false;
  for (const { what, guarantee, claimed, claimHolds } of releases) {
    if (guarantee.kind === 'pure' || guarantee.kind === 'approximate') parts.push(guarantee);
    else if (claimed?.kind === 'pure' || claimed?.kind === 'approximate') {
      claims = true;
      if (claimHolds) parts.push(claimed);
      else silence(`the claim for ${what} does not hold (${describeGuarantee(claimed)})`);
    }
  }
  if (parts.length === releases.length) {
    const basic = claims ? compose(parts, counts).basic : exact.basic;
    const which = claims ? 'the claimed guarantees, each checked against the exact one' : 'the stated guarantees';
    if (basic) {
      sums.lines.push({ accounting: 'basic', guarantee: basic, theorem: `basic composition of ${which} ${BASIC}` });
    } else silence('the δ of the releases add up to 1 or more');
  } else if (delta === undefined) silence('a release has no (ε, δ) of its own, and no δ is given to read it at');

  const curved = releases.some(({ guarantee }) => guarantee.kind === 'gdp' || guarantee.kind === 'zcdp');
  if (delta === undefined || !curved) return;
  const epsilon = evenShares(releases, delta);
  if (epsilon === null) silence('a release has a δ above an even share of the δ reported at');
  else {
    const theorem = `basic composition of the exact guarantees, each at an even share of δ ${BASIC}`;
    sums.lines.push({ accounting: 'basic', guarantee: approximate({ epsilon, delta }), theorem });
  }
}

/** Σε when every copy that is not pure is read at the same share of δ; null if one of them cannot be read there. */
function evenShares(releases: readonly CertifiedRelease[], delta: number): number | null {
  const spending = releases.reduce((sum, { guarantee, count }) => sum + (guarantee.kind === 'pure' ? 0 : count), 0);
  // Lowered by one unit in the last place if the shares together would exceed δ.
  const share = partWithin(delta, spending);
  const terms: [number, number][] = [];
  for (const { guarantee, count } of releases) {
    const part = guarantee.kind === 'pure' ? guarantee : readAt(guarantee, share);
    if (part === null) return null;
    terms.push([part.epsilon, count]);
  }
  return sumAbove(terms);
}

/** One thing that a player's transcript contains, possibly in several independent copies. */
export interface Release {
  /** What is released, for example `copies 1 to 3 of x`. */
  readonly what: string;
  /** How many independent copies, at least 1. */
  readonly count: number;
  /** The mechanism, for example `Gaussian`. */
  readonly mechanism: string;
  /** Largest distance between the values at two data of the player, in the norm the mechanism is calibrated for. */
  readonly sensitivity: number;
  /** Scale of the noise of one copy: σ for a Gaussian, the scale parameter otherwise. */
  readonly scale: number;
  /** What *one* copy guarantees, by the best theorem known. */
  readonly guarantee: Guarantee;
  /** What the paper claims for one copy; checked against `guarantee`, and used for basic composition if it holds. */
  readonly claimed?: Guarantee;
  /** ρ of one copy if a separate theorem shows that it is also zero-concentrated, beside an (ε, δ) `guarantee`. */
  readonly concentrated?: number;
}

/** A release together with the verdict on its claim. */
export interface CertifiedRelease extends Release {
  /** Whether `guarantee` implies `claimed`; absent where nothing was claimed. */
  readonly claimHolds?: boolean;
}

/**
 * The release of a vector with Gaussian noise: each copy guarantees μ = sensitivity/σ, rounded up.
 *
 * Source: Dong, Roth, Su (2022), Theorem 2.7.
 * @theorem slides Gaussian mechanism
 * @theorem influence Definition 7
 */
export function gaussianRelease(
  release: Pick<Release, 'what' | 'count' | 'sensitivity' | 'claimed'> & { readonly sigma: number },
): Release {
  const sensitivity = checkPositive('sensitivity', release.sensitivity);
  const scale = checkPositive('sigma', release.sigma);
  const { what, count, claimed } = release;
  const guarantee = gdp(quotientAbove(sensitivity, scale));
  return { what, count, mechanism: 'Gaussian', sensitivity, scale, guarantee, ...(claimed ? { claimed } : {}) };
}

/** A release with every field checked and the verdict on its claim. */
export function checkRelease(name: string, release: Release): CertifiedRelease {
  const guarantee = checkGuarantee(`${name}.guarantee`, release.guarantee);
  const claimed = release.claimed === undefined ? undefined : checkGuarantee(`${name}.claimed`, release.claimed);
  return {
    what: checkText(`${name}.what`, release.what),
    count: checkInteger(`${name}.count`, release.count, 1),
    mechanism: checkText(`${name}.mechanism`, release.mechanism),
    sensitivity: checkPositive(`${name}.sensitivity`, release.sensitivity),
    scale: checkPositive(`${name}.scale`, release.scale),
    guarantee,
    ...(release.concentrated === undefined
      ? {}
      : { concentrated: checkPositive(`${name}.concentrated`, release.concentrated) }),
    ...(claimed === undefined ? {} : { claimed, claimHolds: implies(guarantee, claimed) }),
  };
}

/** A text that is not empty. */
export function checkText(name: string, value: unknown): string {
  if (typeof value !== 'string' || value.length === 0) throw new RefusedKind(name, 'a text', value);
  return value;
}

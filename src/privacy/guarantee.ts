import {
  checkNonNegative,
  checkOpenUnit,
  checkPositive,
  checkWord,
  RefusedKind,
  RefusedValue,
} from '../check/refusal.ts';
import { decimalAbove } from './rounding.ts';

/** Pure ε-local differential privacy: no output is more than e^ε times likelier under one datum than under another. */
export interface PureGuarantee {
  readonly kind: 'pure';
  /** ε > 0, in nats. */
  readonly epsilon: number;
}

/** (ε, δ)-differential privacy: P(S) ≤ e^ε·P′(S) + δ for every event S and any two data of the player. */
export interface ApproximateGuarantee {
  readonly kind: 'approximate';
  /** ε ≥ 0, in nats; at ε = 0 this bounds the total variation distance by δ. */
  readonly epsilon: number;
  /** δ, strictly between 0 and 1. */
  readonly delta: number;
}

/** μ-Gaussian differential privacy: telling two data apart is at least as hard as telling N(0, 1) from N(μ, 1). */
export interface GdpGuarantee {
  readonly kind: 'gdp';
  /** μ > 0, the signal-to-noise ratio Δ/σ of a Gaussian release. */
  readonly mu: number;
}

/** ρ-zero-concentrated differential privacy: every Rényi divergence of order α > 1 is at most α·ρ. */
export interface ZcdpGuarantee {
  readonly kind: 'zcdp';
  /** ρ > 0, in nats. */
  readonly rho: number;
}

/** What is promised to one player about any two data of theirs, as plain data. */
export type Guarantee = PureGuarantee | ApproximateGuarantee | GdpGuarantee | ZcdpGuarantee;

/**
 * The guarantee of pure ε-differential privacy.
 * @throws TypeError or RangeError unless ε is a finite number > 0.
 * @theorem noninteractive Definition 2
 * @theorem slides Local Differential Privacy
 * @theorem online-rates Definition 2
 *
 * @example
 * ```ts
 * import { pure } from 'ldpkit/privacy';
 * console.log(pure(1).epsilon); // 1
 * ```
 */
export function pure(epsilon: number): PureGuarantee {
  return { kind: 'pure', epsilon: checkPositive('epsilon', epsilon) };
}

/**
 * The guarantee of (ε, δ)-differential privacy. ε = 0 is allowed, since a conversion at a large δ can give it.
 * @throws TypeError or RangeError unless ε is finite and ≥ 0 and δ lies strictly between 0 and 1.
 * @theorem slides Local Differential Privacy
 * @theorem online-rates Definition 1
 * @theorem online-rates Definition 2
 * @theorem influence Definition 4
 *
 * @example
 * ```ts
 * import { approximate } from 'ldpkit/privacy';
 * console.log(approximate({ epsilon: 1, delta: 1e-6 }).delta); // 0.000001
 * ```
 */
export function approximate(budget: { readonly epsilon: number; readonly delta: number }): ApproximateGuarantee {
  const epsilon = checkNonNegative('epsilon', budget.epsilon);
  return { kind: 'approximate', epsilon, delta: checkOpenUnit('delta', budget.delta) };
}

/**
 * The guarantee of μ-Gaussian differential privacy.
 * @throws TypeError or RangeError unless μ is a finite number > 0.
 * @theorem slides Gaussian differential privacy
 * @theorem online-inference Proposition 1
 *
 * @example
 * ```ts
 * import { gdp } from 'ldpkit/privacy';
 * console.log(gdp(1).mu); // 1
 * ```
 */
export function gdp(mu: number): GdpGuarantee {
  return { kind: 'gdp', mu: checkPositive('mu', mu) };
}

/**
 * The guarantee of ρ-zero-concentrated differential privacy.
 * @throws TypeError or RangeError unless ρ is a finite number > 0.
 *
 * @example
 * ```ts
 * import { zcdp } from 'ldpkit/privacy';
 * console.log(zcdp(0.5).rho); // 0.5
 * ```
 */
export function zcdp(rho: number): ZcdpGuarantee {
  return { kind: 'zcdp', rho: checkPositive('rho', rho) };
}

/** How far, relatively, a guarantee may exceed a claim and still meet it: the rounding of a budget that was split and added up again. */
export const CLAIM_TOLERANCE = 1e-12;

const MAKERS: { readonly [kind in Guarantee['kind']]: (given: never) => Guarantee } = {
  pure: ({ epsilon }: PureGuarantee) => pure(epsilon),
  approximate,
  gdp: ({ mu }: GdpGuarantee) => gdp(mu),
  zcdp: ({ rho }: ZcdpGuarantee) => zcdp(rho),
};

/** A guarantee from outside (a file, a caller), checked and reduced to its own fields. */
export function checkGuarantee(name: string, guarantee: Guarantee): Guarantee {
  if (guarantee === null || typeof guarantee !== 'object') {
    throw new RefusedKind(name, 'a guarantee', guarantee);
  }
  const kind = checkWord(`${name}.kind`, guarantee.kind, Object.keys(MAKERS) as Guarantee['kind'][]);
  return MAKERS[kind](guarantee as never);
}

/** A guarantee in one line, its numbers to six digits and rounded up, so that the line is still true. */
export function describeGuarantee(guarantee: Guarantee): string {
  switch (guarantee.kind) {
    case 'pure':
      return `pure, ε = ${decimalAbove(guarantee.epsilon)}`;
    case 'approximate':
      return `approximate, ε = ${decimalAbove(guarantee.epsilon)}, δ = ${decimalAbove(guarantee.delta)}`;
    case 'gdp':
      return `Gaussian, μ = ${decimalAbove(guarantee.mu)}`;
    case 'zcdp':
      return `zero-concentrated, ρ = ${decimalAbove(guarantee.rho)}`;
  }
}

/**
 * The guarantees of players who each choose their own level, all of one kind: each player has the personal one, and all of them have the
 * maximal one, since a player's datum affects only that player's report.
 *
 * The levels are public. They must not depend on the data: a level that depends on the datum reveals something about it.
 *
 * Source: Jorgensen, Yu, Cormode (2015), Conservative or liberal? Personalized differential privacy; McSherry (2009),
 * Theorem 4 (parallel composition).
 * @theorem online-inference Proposition 3
 * @theorem online-rates Proposition 1
 */
export function personalGuarantees(levels: readonly Guarantee[]): {
  readonly personal: readonly Guarantee[];
  readonly maximal: Guarantee;
} {
  if (levels.length === 0) throw new RefusedValue('"levels" expected at least one entry, got none');
  const personal = levels.map((level, i) => checkGuarantee(`levels[${i}]`, level));
  personal.forEach((level, i) => {
    if (level.kind === personal[0].kind) return;
    const before = describeGuarantee(weakest(personal.slice(0, i)));
    throw new RefusedValue(`"levels" expected guarantees of one kind, got ${before} and ${describeGuarantee(level)}`);
  });
  return { personal, maximal: weakest(personal) };
}

/** The δ that a guarantee itself spends. */
export const deltaOf = (given: Guarantee): number => ('delta' in given ? given.delta : 0);

/** The weakest of several guarantees of one kind, or of pure and (ε, δ) guarantees. */
export function weakest(parts: readonly Guarantee[]): Guarantee {
  const largest = (value: (part: Guarantee) => number): number =>
    parts.reduce((most, part) => Math.max(most, value(part)), 0);
  const { kind } = parts[0];
  if (kind === 'gdp') return gdp(largest((part) => (part.kind === 'gdp' ? part.mu : Infinity)));
  if (kind === 'zcdp') return zcdp(largest((part) => (part.kind === 'zcdp' ? part.rho : Infinity)));
  const epsilon = largest((part) => ('epsilon' in part ? part.epsilon : Infinity));
  const delta = largest(deltaOf);
  return delta === 0 ? pure(epsilon) : approximate({ epsilon, delta });
}

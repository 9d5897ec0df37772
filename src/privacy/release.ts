import { checkInteger, checkPositive, refusal } from '../check/number.ts';
import { checkGuarantee, type Guarantee, gdp } from './guarantee.ts';
import { implies } from './implication.ts';
import { quotientAbove } from './rounding.ts';

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
  /** ρ of one copy where it is also zero-concentrated by a theorem of its own, beside an (ε, δ) `guarantee`. */
  readonly concentrated?: number;
}

/** A release together with the verdict on its claim. */
export interface CertifiedRelease extends Release {
  /** Whether `guarantee` implies `claimed`; absent where nothing was claimed. */
  readonly claimHolds?: boolean;
}

/**
 * The release of a vector with Gaussian noise, its exact guarantee derived from sensitivity and noise.
 *
 * Guarantee: μ = sensitivity/σ for each copy, rounded up.
 *
 * Source: Dong, Roth, Su (2022), Theorem 2.7.
 *
 * @throws TypeError or RangeError unless sensitivity and σ are finite and > 0.
 * @theorem slides Gaussian mechanism
 * @theorem influence Definition 7
 */
export function gaussianRelease(release: {
  readonly what: string;
  readonly count: number;
  readonly sensitivity: number;
  readonly sigma: number;
  readonly claimed?: Guarantee;
}): Release {
  const sensitivity = checkPositive('sensitivity', release.sensitivity);
  const scale = checkPositive('sigma', release.sigma);
  const { what, count, claimed } = release;
  const guarantee = gdp(quotientAbove(sensitivity, scale));
  return { what, count, mechanism: 'Gaussian', sensitivity, scale, guarantee, ...(claimed ? { claimed } : {}) };
}

/**
 * A release with every field checked and the verdict on its claim.
 *
 * @throws TypeError or RangeError naming the field.
 */
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

/**
 * A text that is not empty.
 *
 * @throws TypeError otherwise.
 */
export function checkText(name: string, value: unknown): string {
  if (typeof value !== 'string' || value.length === 0) throw new TypeError(refusal(name, 'a text', value));
  return value;
}

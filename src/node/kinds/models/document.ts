import type { Certificate } from '../../../privacy/certificate.ts';
import type { Guarantee } from '../../../privacy/guarantee.ts';
import type { Uncertainty } from '../../../simulation/uncertainty.ts';
import type { RefutedDocument } from '../../commands/answer.ts';
import type { StudyHead } from '../document.ts';

/** How far a private fit is from the non-private one. */
export interface ModelErrors {
  /** ℓ₂ distance of the coefficients, in the unit of the document. */
  readonly distance: number;
  /** Mean loss on the same records, in the unit of the model; every player counts once. */
  readonly risk: number;
  /** The risk minus that of the non-private fit. */
  readonly excessRisk: number;
  /** The share of intervals that contain the non-private fit; null where no intervals are released. */
  readonly coverage: number | null;
  /** Mean over coefficients of half the length of an interval; null where no intervals are released. */
  readonly halfWidth: number | null;
}

/** A fit as plain data, in the unit of the document. */
export interface ModelEstimate {
  readonly theta: readonly number[];
  readonly intervals: readonly (readonly [number, number])[] | null;
}

/** One run: one variant, one budget, one set of coins. */
export interface ModelRunRecord {
  readonly variant: string;
  readonly budget: number;
  /** From 1. */
  readonly repetition: number;
  readonly estimate: ModelEstimate;
  /** What the noise leaves open about the fit, in the unit of the document, from what was released alone. */
  readonly uncertainty: Uncertainty;
  readonly metrics: ModelErrors;
  /** Wall-clock time of the fit. */
  readonly seconds: number;
}

/**
 * What `ldpkit run` of a fitted model reports: the headline run (first variant, budget closest to 1, first repetition),
 * then every run. `metrics` and `baselines` are computed from the records without privacy. Only the fits are private,
 * and for a refuted claim even they are not.
 */
export interface ModelRunDocument extends Omit<StudyHead, 'guarantee' | 'grade'> {
  /** Whether budgets are `ε` or `μ`. */
  readonly symbol: 'ε' | 'μ';
  readonly budget: number;
  /** δ of each, where the budget has one. */
  readonly delta?: number;
  /** Who holds the records: players who answer in rounds, or a trusted curator. */
  readonly setting: 'rounds' | 'central';
  /** Records of all players. */
  readonly records: number;
  /** Number of records of every player that plans rely on. */
  readonly samples: number;
  readonly dimension: number;
  /** A name for each coefficient. */
  readonly features: readonly string[];
  /** Unit of coefficients and distances, and how many such units are 1 in the model. */
  readonly unit: string;
  readonly scale: number;
  /** The guarantee for one player, or for one record; null where the claim is refuted. */
  readonly guarantee: Guarantee | null;
  /** Claims that do not hold, one for each variant; absent where there is a guarantee. */
  readonly refuted?: readonly RefutedDocument[];
  readonly estimate: ModelEstimate;
  readonly uncertainty: Uncertainty;
  readonly metrics: ModelErrors;
  readonly baselines: {
    /** The non-private fit with the least risk. */
    readonly nonPrivate: { readonly theta: readonly number[]; readonly risk: number };
    /** The best model without features, and the model of zeros: neither needs any player. */
    readonly constant: { readonly risk: number; readonly excessRisk: number };
    readonly zero: { readonly distance: number; readonly risk: number; readonly excessRisk: number };
  };
  readonly seconds: number;
  readonly repetitions: number;
  /** What was public beforehand, and which conditions of a theorem do not hold. */
  readonly notes: readonly string[];
  readonly runs: readonly ModelRunRecord[];
  /** One for each budget and variant; empty where the claim is refuted. */
  readonly certificates: readonly { readonly budget: number; readonly certificate: Certificate }[];
}

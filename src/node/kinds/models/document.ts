import type { Certificate } from '../../../privacy/certificate.ts';
import type { Guarantee } from '../../../privacy/guarantee.ts';
import type { RefutedDocument } from '../../commands/answer.ts';

/** How far a private fit is from the one in the clear. */
export interface ModelErrors {
  /** ℓ₂ distance of the coefficients, in the unit of the document. */
  readonly distance: number;
  /** Mean loss on the same records, in the unit of the model; every player counts once. */
  readonly risk: number;
  /** Risk minus that of the fit in the clear. */
  readonly excessRisk: number;
  /** The share of intervals that hold the fit in the clear; null where none are released. */
  readonly coverage: number | null;
  /** Half the length of an interval, the mean over coefficients; null likewise. */
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
  readonly metrics: ModelErrors;
  /** Wall-clock time of the fit. */
  readonly seconds: number;
}

/**
 * What `ldpkit run` of a fitted model reports: the headline run (first variant, budget closest to 1, first repetition), then every run.
 * `metrics` and `baselines` come from the records in the clear; only the fits are private, and of a refuted claim not even those.
 */
export interface ModelRunDocument {
  readonly protocol: string;
  readonly variant: string;
  /** Whether budgets are `ε` or `μ`. */
  readonly symbol: 'ε' | 'μ';
  readonly budget: number;
  /** δ of each, where the budget has one. */
  readonly delta?: number;
  /** Who holds the records: players who answer in rounds, or a trusted curator. */
  readonly setting: 'rounds' | 'central';
  readonly players: number;
  /** Records of all players. */
  readonly records: number;
  /** Records that plans count on of every player. */
  readonly samples: number;
  readonly dimension: number;
  /** A name for each coefficient. */
  readonly features: readonly string[];
  /** Unit of coefficients and distances, and how many of it are 1 in the model. */
  readonly unit: string;
  readonly scale: number;
  /** What one player, or one record, is promised; null where the claim is refuted. */
  readonly guarantee: Guarantee | null;
  /** Claims that do not hold, one for each variant; absent where there is a guarantee. */
  readonly refuted?: readonly RefutedDocument[];
  readonly estimate: ModelEstimate;
  readonly metrics: ModelErrors;
  readonly baselines: {
    /** The fit of least risk in the clear. */
    readonly nonPrivate: { readonly theta: readonly number[]; readonly risk: number };
    /** The best model that ignores the features, and the model of zeros: neither asks anybody. */
    readonly constant: { readonly risk: number; readonly excessRisk: number };
    readonly zero: { readonly distance: number; readonly risk: number; readonly excessRisk: number };
  };
  readonly seconds: number;
  readonly repetitions: number;
  readonly seed: string;
  readonly title: string;
  readonly summary: string;
  /** What was public beforehand, and what of a theorem's conditions does not hold. */
  readonly notes: readonly string[];
  readonly runs: readonly ModelRunRecord[];
  /** One for each budget and variant; empty where the claim is refuted. */
  readonly certificates: readonly { readonly budget: number; readonly certificate: Certificate }[];
  readonly version: string;
  readonly command: string;
}

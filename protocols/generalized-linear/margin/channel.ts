import type { Values } from '../../../src/core/frame.ts';
import type { LogRatio } from '../../../src/core/likelihood.ts';
import type { ReportLimits } from '../../../src/core/report-limits.ts';
import type { Certificate } from '../../../src/privacy/certificate.ts';
import type { Guarantee } from '../../../src/privacy/guarantee.ts';
import type { CopiesDecoder } from './query.ts';
import type { MarginDatum } from './shape.ts';

/** How a report is decoded; `product`, `averaged` and `signs` are for noisy copies, the others for the variant of their name. */
export type Decoder = CopiesDecoder | 'gaussian' | 'lifted';

/** What the variance of one report's gradient estimate depends on: record and point by their products. */
export interface GradientPoint {
  /** c_0 … c_d of the polynomial in the place of f′. */
  readonly coefficients: ArrayLike<number>;
  /** ⟨w, x⟩. */
  readonly inner: number;
  /** ‖w‖. */
  readonly norm: number;
  /** ‖x‖. */
  readonly recordNorm: number;
  /** y. */
  readonly label: number;
  /** Length of the mean gradient, with the sign of its slope. */
  readonly mean: number;
}

/**
 * One mechanism on a signed record, bound to its public parameters: what a server, a certificate and an audit know of its reports. They
 * come from one object so that they cannot diverge. The draw itself is in `player.ts`: a server reaches no coin.
 */
export interface MarginChannel {
  /** The guarantee of one player's whole transcript. */
  guarantee(): Guarantee;
  /** Every release of one player's transcript. */
  certificate(): Certificate;
  /** Largest ℓ₂ distance between two of what the player randomizes. */
  neighbourDistance(): number;
  /** What an accepted report may contain, and how far it can move a tally. */
  limits(): ReportLimits;
  /** How many moments a tally sums; absent where it keeps the reports. */
  readonly moments?: number;
  /** Adds what one report says of the moments. */
  add?(values: Values, sums: Float64Array): void;
  /** What an audit looks at; an array that the next call may overwrite. */
  view(values: Values): ArrayLike<number>;
  /** Logarithm of the ratio of the densities of a report under two records. */
  logRatio(first: MarginDatum, second: MarginDatum): LogRatio;
  /** E‖G − E G‖² of the gradient estimate from one report; undefined where the decoder does not fit. */
  variance(decoder: Decoder, at: GradientPoint): number | undefined;
}

/** The same values. */
export function asTheyAre(values: Values): ArrayLike<number> {
  return values;
}

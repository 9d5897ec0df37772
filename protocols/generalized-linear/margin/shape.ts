import type { PublicParameters } from '../../../src/core/contract.ts';
import type { Precision, Values } from '../../../src/core/frame.ts';

/** One player's private record. */
export interface MarginDatum {
  /** x: p numbers with ‖x‖₂ ≤ 1. */
  readonly features: ArrayLike<number>;
  /** y in [−1, 1], usually −1 or 1. */
  readonly label: number;
}

/**
 * One player's report: dense numbers in the precision of the wire, so that encoding loses nothing.
 *
 * Shape, by variant: `lifted`, the randomized lifted vector with its padding; `gaussian`, the noisy v; `printed` and
 * `copies`, copy after copy, each the noisy x and then the noisy y; `sphericalLaplace`, the noisy v.
 */
export interface MarginReport {
  /** As many numbers as the parameters' `length`. */
  readonly values: Values;
}

/** What a report's bytes depend on. */
export interface ReportParameters extends PublicParameters {
  /** Numbers in a report. */
  readonly length: number;
  /** How the numbers travel. */
  readonly precision: Precision;
}

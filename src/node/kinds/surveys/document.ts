import type { Guarantee } from '../../../privacy/guarantee.ts';
import type { SurveyQuantity } from '../../../simulation/study.ts';
import type { EpsilonHead } from '../document.ts';

/** What was measured of one run. */
export interface SurveyMetrics {
  /** Root mean squared error of the quantities of the first group. */
  readonly error: number;
  /** The widest of their intervals. */
  readonly widest: number;
  /** How many of all intervals hold the number in the clear. */
  readonly held: number;
}

/** One run: one variant, one ε, one set of coins. */
export interface SurveyRun {
  readonly variant: string;
  readonly epsilon: number;
  /** From 0. */
  readonly repetition: number;
  readonly guarantee: Guarantee;
  readonly quantities: readonly SurveyQuantity[];
  readonly metrics: SurveyMetrics;
  readonly seconds: number;
}

/**
 * What `ldpkit run` of a survey reports: the headline run (ε closest to 1, first variant and repetition), then every
 * run. `metrics` and `truth` are computed from the records without privacy; only estimates are private.
 */
export interface SurveyDocument extends EpsilonHead {
  /** Probability that all intervals of one run and one group hold at once. */
  readonly confidence: number;
  readonly estimate: { readonly quantities: readonly SurveyQuantity[] };
  readonly metrics: SurveyMetrics;
  /** The quantities in the clear, in the same order. */
  readonly truth: readonly number[];
  readonly runs: readonly SurveyRun[];
}

/** What grows from cell to cell: n, μ, K or p, p with features as they are instead of scaled. */
export const ERROR_AXES = ['records', 'mu', 'steps', 'dimension', 'unscaled'] as const;

/** One of {@link ERROR_AXES}. */
export type ErrorAxis = (typeof ERROR_AXES)[number];

/** Replications of one plan. */
export type PrivacyErrorSetting = {
  readonly axis: ErrorAxis;
  readonly dimension: number;
  readonly records: number;
  readonly mu: number;
  /** K, 0 for what the rule says. */
  readonly steps: number;
  /** Steps whose coins are left out before the first, so that cells of different K have the same last coins. */
  readonly skipped: number;
  readonly size: number;
};

/** By replication: ‖θ⁽ᴷ⁾ − θ̂‖², what is expected of it by hand from the Hessian at θ̂, and by the library's function; K. */
export type PrivacyErrorChunk = {
  readonly squared: readonly number[];
  readonly expected: readonly number[];
  readonly claimed: readonly number[];
  readonly steps: number;
};

/** What is known of the slope in one of the axes. */
export interface AxisLaw {
  readonly symbol: string;
  /** The exponent of √K·p/(μn), where K does not grow too. */
  readonly slope: number;
  /** What finite n and p may add: curvatures of few records, and E min(‖x‖², p) below p for small p. */
  readonly slack: number;
  /** Whether cells share their coins, so that chance is the same in all of them and the slope is nearly exact. */
  readonly paired: boolean;
}

export const LAWS: Readonly<Record<ErrorAxis, AxisLaw>> = {
  records: { symbol: 'n', slope: -1, slack: 0.05, paired: true },
  mu: { symbol: 'μ', slope: -1, slack: 0.03, paired: true },
  steps: { symbol: 'K', slope: 0.5, slack: 0.05, paired: true },
  dimension: { symbol: 'p', slope: 1, slack: 0.15, paired: false },
  unscaled: { symbol: 'p, features as they are', slope: 1, slack: 0.15, paired: false },
};

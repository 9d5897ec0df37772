/**
 * How noisy copies are decoded. `product`: the paper's estimator, a copy for each factor; `averaged`: the copies averaged first and
 * corrected by Hermite polynomials, of all unbiased estimators the one of least variance (the average is a complete sufficient
 * statistic); `signs`: the same where every label is known to be −1 or 1, so that even powers of it need no report.
 */
export type CopiesDecoder = 'product' | 'averaged' | 'signs';

/**
 * How a server finds the model. `newton`: all reports at once, from the moments in the tally. The others take one stochastic step a
 * report: `sigm` (the stochastic intermediate gradient method) and `average` (averaged projected gradient steps) in one pass
 * without replacement, `sigm-with-replacement` as algorithms 1 and 2 are printed.
 */
export type MarginServer = 'sigm' | 'sigm-with-replacement' | 'average' | 'newton';

/** How stochastic steps are taken; what a query does not say is chosen by forecast, see `planWalk`. */
export interface WalkPlan {
  /** Degree of the polynomial in the place of f′. */
  readonly degree: number;
  /** Width β of the smoothed loss whose derivative is expanded in Chebyshev polynomials. */
  readonly beta: number;
  /** The share of the reports, in [0, 1), that is spent on the point where the steps start; 0: they start at the origin. */
  readonly start: number;
  /** D > 0, what the steps take the distance from the start to the minimiser for. */
  readonly distance: number;
}

/** What is asked of a tally after collection. Everything has a default. */
export interface MarginQuery {
  /** R > 0: the server's constraint is ‖w‖ ≤ R. Default 1, the paper's. */
  readonly radius?: number;
  /** Degree of the polynomial in the place of f′, up to the parameters' degree. Default `automatic`. */
  readonly degree?: number | 'automatic';
  /** The polynomial itself, monomial coefficients c_0 … c_d; it replaces the fit. */
  readonly coefficients?: ArrayLike<number>;
  /** Added to the second moment as ridge·I. Default `automatic`: 0.3 times its noise operator norm. */
  readonly ridge?: number | 'automatic';
  /** Project the second moment on where it must lie. Default true. */
  readonly semidefinite?: boolean;
  /** For noisy copies. Default: `product` for `printed`, `averaged` for `copies`. */
  readonly decoder?: CopiesDecoder;
  /**
   * Default: `newton`; for the product decoder `sigm`, or `sigm-with-replacement` (algorithm 1) for `printed`. Only noisy copies
   * have another one than `newton`.
   */
  readonly server?: MarginServer;
  /** β of a {@link WalkPlan}. Default 0.1 for `printed`, by forecast for `copies`. */
  readonly beta?: number;
  /** The share of a {@link WalkPlan}. Default 0 for `printed` and for the product decoder, by forecast otherwise. */
  readonly start?: number;
  /** D of a {@link WalkPlan}. Default R for `printed`, by forecast for `copies`. */
  readonly distance?: number;
  /** Seed of the server's own choice of the order of reports; public. Default: the parameters' digest. */
  readonly seed?: string;
}

/** What the reports say: a model, and the risk as a function of the model. */
export interface MarginEstimate {
  /** Number of reports. */
  readonly players: number;
  /** The model, ‖w‖ ≤ R. */
  readonly w: Float64Array;
  /** R. */
  readonly radius: number;
  /** Which server found it. */
  readonly server: MarginServer;
  /** How it took its steps; absent for `newton`. */
  readonly plan?: WalkPlan;
  /** Degree of the polynomial used. */
  readonly degree: number;
  /** Its monomial coefficients. */
  readonly coefficients: Float64Array;
  /** The ridge used; 0 where there is none. */
  readonly ridge: number;
  /** sup |P − f′| on [−R, R]: the systematic part of the error, which no number of players removes. */
  readonly bias: number;
  /** The reconstructed risk at w. */
  readonly risk: number;
  /** Standard error of the reconstruction at a w fixed in advance: the privacy noise, given the records. */
  readonly standardError: number;
  /** The reconstructed risk at any w. */
  riskAt(w: ArrayLike<number>): number;
}

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
  /**
   * How noisy copies are decoded. `product`: the paper's estimator, report by report; `averaged`: the copies averaged
   * first and corrected by Hermite polynomials. Default: `product` for `printed`, `averaged` for `copies`.
   */
  readonly decoder?: 'product' | 'averaged';
  /**
   * Width β of the smoothed hinge whose derivative the product decoder expands in Chebyshev polynomials. Default 0.1.
   */
  readonly beta?: number;
  /**
   * How the product decoder walks through the reports. Default: `sigm-with-replacement` for `printed` (algorithm 1),
   * `sigm` for `copies` (one pass without replacement).
   */
  readonly method?: 'sigm' | 'sigm-with-replacement' | 'averaged-sgd';
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

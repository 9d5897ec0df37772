/** What is asked of a tally after collection. Everything has a default. */
export interface EuclideanMedianQuery {
  /** R > 0: the server's constraint is ‖w‖ ≤ R. Default 1, the paper's. */
  readonly radius?: number;
  /** Degree of Q, up to the parameters'. Default: the parameters'; the fit weighs what a degree costs in noise. */
  readonly degree?: number;
  /**
   * Q itself, monomial coefficients in r = ‖w − x‖²; it replaces the fit. For the product decoder, coefficients in
   * ⟨u, w − x⟩/2.
   */
  readonly coefficients?: ArrayLike<number>;
  /** β > 0 in 1/(2√(r + β²)). Default 0.1. */
  readonly beta?: number;
  /** κ, the share of players that the fit expects to be far from the median, between 0 and ½. Default 0.2. */
  readonly share?: number;
  /**
   * How noisy copies are decoded. `product`: report by report with random directions u; `averaged`: the copies averaged first,
   * u integrated out. Default: `product` for `printed`, `averaged` for `copies`.
   */
  readonly decoder?: 'product' | 'averaged';
  /** How the product decoder walks. Default: `sigm-with-replacement` for `printed`, `sigm` for `copies`. */
  readonly method?: 'sigm' | 'sigm-with-replacement' | 'averaged-sgd';
  /** Seed of the server's own choices (order of reports, directions u); public. Default: the parameters' digest. */
  readonly seed?: string;
}

/** What the reports say: a median, and the risk as a function of w. */
export interface EuclideanMedianEstimate {
  /** Number of reports. */
  readonly players: number;
  /** The Euclidean median, ‖w‖ ≤ R. */
  readonly w: Float64Array;
  /** R. */
  readonly radius: number;
  /** Degree of the polynomial used. */
  readonly degree: number;
  /** Its monomial coefficients. */
  readonly coefficients: Float64Array;
  /** Largest |Q(r)·√r − ½| at the distances thought plausible: the systematic error of one unit of pull. */
  readonly bias: number;
  /** The reconstructed risk E ½‖w − x‖ at w. */
  readonly risk: number;
  /** Standard error of the reconstruction at a w fixed in advance: the privacy noise, given the points. */
  readonly standardError: number;
  /** The plain private mean from the same reports, projected on the ball: the baseline. */
  readonly mean: Float64Array;
  /** The reconstructed risk at any w, up to the systematic error. */
  riskAt(w: ArrayLike<number>): number;
}

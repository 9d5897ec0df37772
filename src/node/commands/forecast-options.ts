/** The options of `ldpkit forecast`, as they were typed. */
export interface ForecastOptions {
  readonly players: string;
  readonly epsilon: string;
  readonly delta: string;
  /** For streams. */
  readonly mu?: string;
  readonly dimension?: string;
  readonly degree?: string;
  readonly radius?: string;
  readonly loss?: string;
  readonly signal?: string;
  /** For protocols on players with several samples. */
  readonly samples?: string;
  readonly spread?: string;
  /** For protocols without a study. */
  readonly request?: string;
  readonly target?: string;
  readonly variant?: string;
  readonly json?: boolean;
}

/** Options about the player that a certificate or an audit is of, as they were typed. */
export interface PlayerOptions {
  readonly variant?: string;
  readonly epsilon: string;
  /** For streams. */
  readonly mu?: string;
  readonly delta: string;
  readonly degree: string;
  readonly dimension?: string;
  readonly players?: string;
  readonly samples?: string;
  readonly grade?: string;
  /** For protocols without a study. */
  readonly request?: string;
}

/** The options of `ldpkit certify`, as they were typed. */
export interface CertifyOptions extends PlayerOptions {
  readonly html?: string;
  readonly json?: boolean;
}

/** The options of `ldpkit audit`, as they were typed. */
export interface AuditCommandOptions extends PlayerOptions {
  /** For protocols in rounds. */
  readonly round?: string;
  readonly trials: string;
  readonly confidence: string;
  readonly seed: string;
  readonly threads?: string;
  readonly lastBits?: boolean;
  readonly json?: boolean;
}

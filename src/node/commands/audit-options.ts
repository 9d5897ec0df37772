/** The options of `ldpkit audit`, as they were typed. */
export interface AuditCommandOptions {
  readonly maker?: string;
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
  /** For protocols in rounds. */
  readonly round?: string;
  readonly trials: string;
  readonly confidence: string;
  readonly seed: string;
  readonly threads?: string;
  readonly lastBits?: boolean;
  readonly json?: boolean;
}

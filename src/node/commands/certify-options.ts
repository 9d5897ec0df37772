/** The options of `ldpkit certify`, as they were typed. */
export interface CertifyOptions {
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
  readonly html?: string;
  readonly json?: boolean;
}

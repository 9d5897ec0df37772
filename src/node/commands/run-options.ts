/** The options of `ldpkit run`, as they were typed. */
export interface RunOptions {
  readonly data?: string;
  readonly schema?: string;
  readonly epsilon?: string;
  readonly variant?: string;
  readonly delta?: string;
  readonly degree?: string;
  readonly grade?: string;
  readonly radius?: string;
  /** For protocols on labelled records. */
  readonly loss?: string;
  readonly server?: string;
  readonly decoder?: string;
  readonly players?: string;
  /** For protocols on points. */
  readonly moved?: string;
  /** For protocols on players with several samples. */
  readonly profile?: string;
  /** For streams. */
  readonly mu?: string;
  readonly hessianMu?: string;
  readonly method?: string;
  readonly level?: string;
  readonly hessianFloor?: string;
  readonly alpha?: string;
  readonly gamma?: string;
  readonly burnIn?: string;
  readonly ndjson?: boolean;
  readonly save?: string;
  readonly resume?: string;
  readonly train?: string;
  readonly repetitions?: string;
  readonly seed?: string;
  readonly threads?: string;
  readonly out?: string;
  readonly json?: boolean;
}

/** Options of `ldpkit reproduce`, as the command line gives them. */
export interface ReproduceOptions {
  readonly out?: string;
  readonly scale?: string;
  readonly threads?: string;
  readonly seed?: string;
  readonly json?: boolean;
}

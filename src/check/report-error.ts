/** A report that the parameters in force cannot have produced: damaged, truncated, or of another protocol. */
export class ReportError extends Error {
  override readonly name: string = 'ReportError';
}

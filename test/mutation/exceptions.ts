/** Mutants that no test can or should kill, with the reason. Everything that is given has to match. */
export interface Exception {
  readonly file: string;
  /** The declaration. */
  readonly name?: string;
  /** A part of the line. */
  readonly line?: string;
  /** Of `original → replacement`. */
  readonly edit?: RegExp;
  readonly reason: string;
}

/** Equivalent mutants (the value is the same, and why), and numbers that are choices of an algorithm and no claim. */
export const EXCEPTIONS: readonly Exception[] = [];

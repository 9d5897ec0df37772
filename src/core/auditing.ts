import type { Random } from '../random/random.ts';

/** Two data of one player that an audit tries to tell apart by the report. */
export interface AuditPair<Datum> {
  /** How the pair was made, for example `antipodal`; no value of a datum. */
  readonly name: string;
  /** One datum. */
  readonly first: Datum;
  /** The other. */
  readonly second: Datum;
}

/**
 * What a protocol tells whoever attacks its player. All of it is public knowledge: candidate pairs, the report as numbers, and
 * the densities where they are known. A protocol without these can still be audited with a pair and a view from the caller.
 */
export interface Auditing<Parameters, Datum, Report> {
  /** Candidate pairs, the likeliest to be the worst first: antipodal, orthogonal, boundary (zero, edge) and random ones. */
  pairs(parameters: Parameters, random: Random): readonly AuditPair<Datum>[];
  /** The whole report as numbers, for a score that is learned. */
  view(parameters: Parameters, report: Report): ArrayLike<number>;
  /**
   * log P(report | first)/P(report | second) for a pair, as a function of the report; infinities are allowed. Absent where no
   * closed form is known, undefined for parameters without one.
   */
  logLikelihoodRatio?(parameters: Parameters, pair: AuditPair<Datum>): ((report: Report) => number) | undefined;
  /**
   * The probabilities of all outputs of a finite channel at a datum, in one order for every datum; undefined for parameters
   * whose reports are not finitely many.
   */
  channel?(parameters: Parameters, datum: Datum): ArrayLike<number> | undefined;
}

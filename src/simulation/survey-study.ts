import type { PlainRequest, Protocol, PublicParameters } from '../core/contract.ts';
import type { Population } from './population.ts';

/** What is public about the columns that a survey asks for. */
export interface SurveyQuestion {
  /** Names of the categories, of the bins, or of the coordinates. */
  readonly names: readonly string[];
  /** The edges of the bins, where a number has bins. */
  readonly edges?: readonly number[];
  /** The bounds of each coordinate, where there are coordinates. */
  readonly bounds?: readonly (readonly [lower: number, upper: number])[];
}

/** One estimated number, with the interval that the estimate states. */
export interface SurveyQuantity {
  /** What it is of, in words; quantities of one group are shown together, and have one unit. */
  readonly group: string;
  readonly name: string;
  readonly value: number;
  readonly lower: number;
  readonly upper: number;
}

/**
 * What a one-shot protocol that estimates a few numbers, each with an interval, offers to the command line: enough for
 * `run`, `certify`, `audit` and `forecast` from its folder alone.
 */
export interface SurveyStudy<
  Parameters extends PublicParameters = PublicParameters,
  Datum = unknown,
  Report = unknown,
  Tally = unknown,
  Estimate = unknown,
  Query extends { readonly confidence?: number } = { readonly confidence?: number },
> {
  /** The kind of this study. */
  readonly kind: 'survey';
  /** The protocol. Its requests have `epsilon`, `grade` and, where one is named, `variant`. */
  readonly protocol: Protocol<Parameters, Datum, Report, Tally, Estimate, Query> & {
    /** Parameters from plain data. */
    make(request: PlainRequest): Parameters;
  };
  /** What it does, in one line. */
  readonly summary: string;
  /** Its variants; a request without one gets the best. */
  readonly variants: readonly string[];
  /** The form of the schemas of its records: a column of categories, or columns of bounded numbers. */
  readonly form: 'categories' | 'numbers';
  /** The records of a run without a file: a schema of this form for the columns of the flights. */
  readonly flights: object;
  /** What the protocol is asked for about these columns, besides ε, grade and variant. */
  request(question: SurveyQuestion): PlainRequest;
  /** The datum of a player: of its category or its bin's number, or of its coordinates. The array is overwritten. */
  datum(cells: ArrayLike<number>): Datum;
  /** The numbers of an estimate. */
  quantities(question: SurveyQuestion, estimate: Estimate): readonly SurveyQuantity[];
  /** The same numbers of all players in the clear, in the same order. */
  truth(question: SurveyQuestion, players: Population<ArrayLike<number>>): readonly number[];
}

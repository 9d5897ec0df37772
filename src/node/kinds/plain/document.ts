import type { PlainRequest } from '../../../core/contract.ts';
import type { Certificate } from '../../../privacy/certificate.ts';
import type { Guarantee } from '../../../privacy/guarantee.ts';
import type { RunHead } from '../document.ts';

/** What a run with so many of the players came to, over all repetitions. */
export interface PlainRunRow {
  readonly players: number;
  /** The numbers that are true of these players. */
  readonly truth: readonly number[];
  /** Their estimates in the first repetition. */
  readonly estimate: readonly number[];
  /** Mean estimates less the truth. */
  readonly bias: readonly number[];
  /** The mean square error of a number, on average over the numbers, and its standard error. */
  readonly squared: { readonly mean: number; readonly error: number };
  /** Its root. */
  readonly error: number;
  /** What the protocol forecasts for so many players; null where it has no forecast. */
  readonly forecast: number | null;
}

/** The document of a run of a protocol on made-up players. */
export interface PlainRunDocument extends RunHead {
  readonly request: PlainRequest;
  /** The players in words. */
  readonly about: string;
  readonly names: readonly string[];
  readonly guarantee: Guarantee;
  readonly certificate: Certificate;
  /** What the forecast is of; null without one. */
  readonly what: string | null;
  /** Ascending in the number of players; the last row is all of them. */
  readonly rows: readonly PlainRunRow[];
  /** The power of the number of players with which the mean square error falls; null where an error is 0. */
  readonly slope: { readonly slope: number; readonly error: number } | null;
  readonly repetitions: number;
  readonly seconds: number;
}

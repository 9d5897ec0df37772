import type { PlainRequest } from 'ldpkit';
import { type Measured, measuredMean } from 'ldpkit/testing';
import type { InsuranceEncoding } from './insurance-table.ts';

/** Which streams: model, plan and encoding of the columns. */
export type StreamKind = {
  readonly model: 'linear' | 'logistic';
  readonly request: PlainRequest;
  readonly encoding: InsuranceEncoding;
};

/** Streams of one kind, or least squares, which also works out the limits of kinds of streams. */
export type InsuranceSetting = {
  readonly model: StreamKind['model'] | 'least squares';
  readonly request: PlainRequest;
  readonly encoding: InsuranceEncoding;
  /** Rows of the table, and how many of them train; the others test. */
  readonly rows: number;
  readonly train: number;
  readonly checkpoints: readonly number[];
  readonly size: number;
  readonly limits: readonly StreamKind[];
};

/** The average at a checkpoint, and half-lengths of its 95 % intervals, by coefficient of standardised columns. */
export type InsurancePoint = {
  readonly theta: readonly number[];
  readonly scaling: readonly number[];
  readonly plugIn: readonly number[];
};

/** Replications: the average at the end, half-lengths of its intervals, and scores on the test rows by checkpoint. */
export type InsuranceChunk = readonly {
  readonly theta: readonly number[];
  readonly halves: readonly number[];
  /** Test MSE; or cross-entropy and accuracy. */
  readonly last: readonly (readonly number[])[];
  readonly average: readonly (readonly number[])[];
  /** By checkpoint, of linear streams with noise alone. */
  readonly path: readonly InsurancePoint[];
  /** Excess test MSE in the limit, by kind of streams. */
  readonly limits: readonly number[];
}[];

/** Which estimator: the last iterate or the average. */
export type Which = 'last' | 'average';
/** Both of them, and how they are called. */
export const WHICH: readonly Which[] = ['last', 'average'];
export const NAMES: Readonly<Record<Which, string>> = { last: 'LDP-SGD', average: 'LDP-ASGD' };

/** Printed test MSE, Section 6.2 of the inference paper. */
export const PRINTED_ERROR: { readonly private: number; readonly leastSquares: number } = {
  private: 0.0722,
  leastSquares: 0.0607,
};

/** All runs of one kind of streams. */
export interface Line {
  readonly model: InsuranceSetting['model'];
  readonly label: string;
  readonly runs: InsuranceChunk;
}

/** A score on the test rows after the last player, over replications. */
export function finalScore({ runs }: Line, which: Which, score: number): Measured {
  return measuredMean(runs.map((run) => run[which][run[which].length - 1][score]));
}

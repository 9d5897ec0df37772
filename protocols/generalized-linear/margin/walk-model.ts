import type { CorrectedRiskQuery } from '../../../src/optimize/corrected-risk.ts';
import type { MarginLoss } from '../../../src/risk/margin-loss.ts';
import type { ReportOracle } from './copies-oracle.ts';
import type { CopiesParameters } from './parameters.ts';
import type { Serving } from './serving.ts';
import type { ReportTally } from './tally.ts';

/** A polynomial in the place of f′, and what its estimates from single reports are like. */
export interface WalkPolynomial {
  /** The polynomial P that the estimates expect, monomials of the margin. */
  readonly slope: Float64Array;
  /** The derivative that P stands for, and the loss at a margin of 0. */
  readonly derivative: (t: number) => number;
  readonly origin: number;
  /** L of the steps: the smoothness of the loss that P stands for. */
  readonly smoothness: number;
  /** E‖G − E G‖² of one estimate at w, for a record with these features and the label 1. */
  variance(w: ArrayLike<number>, features: ArrayLike<number>): number;
  /** The estimates of single reports. */
  oracle(tally: ReportTally): ReportOracle;
}

/** An algorithm that takes a stochastic step a report: what it puts in the place of f′. */
export interface WalkModel {
  /** The loss whose risk is to be small. */
  readonly loss: MarginLoss;
  /** R. */
  readonly radius: number;
  /** The β there are to choose from; the first one is that of the printed algorithm. */
  readonly betas: readonly number[];
  /** How the model that the steps start from is fitted. */
  readonly fit?: Pick<CorrectedRiskQuery, 'coefficients' | 'leastSpread' | 'noiseFactors'>;
  /** The series of a degree and β that a polynomial is made of. */
  series(degree: number, beta: number): Float64Array;
  /** The polynomial of a series. */
  polynomial(series: Float64Array, beta: number): WalkPolynomial;
}

/** A {@link WalkModel} of parameters, a query and its decoder. */
export type WalkModelOf = (radius: number, serving: Serving) => WalkModel;

/**
 * The deviation that steps are sized by: that of one estimate on the sphere of radius R at a record along w, and at most 1 of the
 * records.
 */
export function walkDeviation({ dimension }: CopiesParameters, radius: number, { variance }: WalkPolynomial): number {
  const w = new Float64Array(dimension).fill(radius / Math.sqrt(dimension));
  const features = new Float64Array(dimension).fill(1 / Math.sqrt(dimension));
  return Math.sqrt(1 + variance(w, features));
}

/** Degree of the model that steps start from: no more than 1, so that its moments are few. */
export function startDegree({ degree }: CopiesParameters): number {
  return Math.min(1, degree);
}

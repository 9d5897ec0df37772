import type { Wire } from '../../src/core/contract.ts';
import { createValues, decodeValues, encodeValues, type Values } from '../../src/core/frame.ts';
import { reportLimits } from './influence.ts';
import type { EuclideanMedianParameters } from './parameters.ts';

/**
 * One player's report: dense numbers in the precision of the wire, so that encoding loses nothing.
 *
 * Shape, by variant: `lifted`, the randomized features with their padding; `gaussian`, the noisy x; `printed` and `copies`, copy
 * after copy of the noisy x.
 */
export interface EuclideanMedianReport {
  /** As many numbers as the parameters' `length`. */
  readonly values: Values;
}

/** A zeroed report to write into. */
export function createReport(parameters: EuclideanMedianParameters): EuclideanMedianReport {
  return { values: createValues(parameters.precision, parameters.length) };
}

/** The report as bytes: see the frame in src/core. */
export function encode(parameters: EuclideanMedianParameters, { values }: EuclideanMedianReport): Uint8Array {
  return encodeValues(parameters, parameters.precision, parameters.length, values);
}

/**
 * The report in the bytes.
 *
 * @throws ReportError for anything that these parameters cannot have produced, and for a norm that they produce but once in
 * 10¹² reports: see `influence`.
 */
export function decode(parameters: EuclideanMedianParameters, bytes: Uint8Array): EuclideanMedianReport {
  const values = decodeValues(parameters, parameters.precision, parameters.length, bytes);
  reportLimits(parameters).check(values);
  return { values };
}

/** The wire of the Euclidean median protocol. */
export const report: Wire<EuclideanMedianParameters, EuclideanMedianReport> = { encode, decode };

import type { PublicParameters, Wire } from '../../../src/core/contract.ts';
import { createValues, decodeValues, encodeValues, type Precision, type Values } from '../../../src/core/frame.ts';
import { type LimitedParameters, marginLimits } from './influence.ts';

/**
 * One player's report: dense numbers in the precision of the wire, so that encoding loses nothing.
 *
 * Shape, by maker: `lifted`, the randomized lifted vector with its padding; `gaussian`, the noisy v; `printed` and
 * `copies`, copy after copy, each the noisy x and then the noisy y; `sphericalLaplace`, the noisy v.
 */
export interface MarginReport {
  /** As many numbers as the parameters' `length`. */
  readonly values: Values;
}

/** What a report's bytes depend on. */
export interface ReportParameters extends PublicParameters {
  /** Numbers in a report. */
  readonly length: number;
  /** How the numbers travel. */
  readonly precision: Precision;
}

/** What reading a report depends on: what it may contain, too. */
export type WireParameters = ReportParameters & LimitedParameters;

/** A zeroed report to write into. */
export function createMarginReport(parameters: ReportParameters): MarginReport {
  return { values: createValues(parameters.precision, parameters.length) };
}

/** The report as bytes: see the frame in src/core. */
export function encodeMarginReport(parameters: ReportParameters, report: MarginReport): Uint8Array {
  return encodeValues(parameters, parameters.precision, parameters.length, report.values);
}

/**
 * The report in the bytes.
 *
 * @throws ReportError for anything that these parameters cannot have produced, and for a norm that they produce but once in
 * 10¹² reports: see `marginInfluence`.
 */
export function decodeMarginReport(parameters: WireParameters, bytes: Uint8Array): MarginReport {
  const values = decodeValues(parameters, parameters.precision, parameters.length, bytes);
  marginLimits(parameters).check(values);
  return { values };
}

/** The wire of every protocol with reports on a signed record. */
export const marginReport: Wire<WireParameters, MarginReport> = {
  encode: encodeMarginReport,
  decode: decodeMarginReport,
};

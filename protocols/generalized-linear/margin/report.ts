import type { Wire } from '../../../src/core/contract.ts';
import { createValues, decodeValues, encodeValues } from '../../../src/core/frame.ts';
import type { ChannelParameters } from './channels.ts';
import { marginLimits } from './influence.ts';
import type { MarginReport, ReportParameters } from './shape.ts';

export type { MarginReport, ReportParameters } from './shape.ts';

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
export function decodeMarginReport(parameters: ChannelParameters, bytes: Uint8Array): MarginReport {
  const values = decodeValues(parameters, parameters.precision, parameters.length, bytes);
  marginLimits(parameters).check(values);
  return { values };
}

/** The wire of every protocol with reports on a signed record. */
export const marginReport: Wire<ChannelParameters, MarginReport> = {
  encode: encodeMarginReport,
  decode: decodeMarginReport,
};

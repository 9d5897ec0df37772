import type { Wire } from '../../src/core/contract.ts';
import { decodeMarginReport, encodeMarginReport, type MarginReport, marginReport } from './margin/report.ts';
import type { GeneralizedLinearParameters } from './parameters.ts';

/** One player's report: see `MarginReport` for its shape, by variant. */
export type GeneralizedLinearReport = MarginReport;

export { createMarginReport as createReport } from './margin/report.ts';

/** The wire of the generalized-linear protocol. */
export const report: Wire<GeneralizedLinearParameters, GeneralizedLinearReport> = marginReport;

/** The report as bytes: see the frame in src/core. */
export const encode: Wire<GeneralizedLinearParameters, GeneralizedLinearReport>['encode'] = encodeMarginReport;

/**
 * The report in the bytes.
 *
 * @throws ReportError for anything that these parameters cannot have produced.
 */
export const decode: Wire<GeneralizedLinearParameters, GeneralizedLinearReport>['decode'] = decodeMarginReport;

import type { Wire } from '../../src/core/contract.ts';
import {
  decodeMarginReport,
  encodeMarginReport,
  type MarginReport,
  marginReport,
} from '../generalized-linear/margin/report.ts';
import type { HingeParameters } from './parameters.ts';

/** One player's report: see `MarginReport` for its shape, by variant. */
export type HingeReport = MarginReport;

export { createMarginReport as createReport } from '../generalized-linear/margin/report.ts';

/** The wire of the hinge protocol. */
export const report: Wire<HingeParameters, HingeReport> = marginReport;

/** The report as bytes: see the frame in src/core. */
export const encode: Wire<HingeParameters, HingeReport>['encode'] = encodeMarginReport;

/**
 * The report in the bytes.
 *
 * @throws ReportError for anything that these parameters cannot have produced.
 */
export const decode: Wire<HingeParameters, HingeReport>['decode'] = decodeMarginReport;

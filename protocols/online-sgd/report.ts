import type { Wire } from '../../src/core/contract.ts';
import type { OnlinePlan } from './stream/plan.ts';
import { type OnlineReport, onlineReport } from './stream/report.ts';

export { createOnlineReport as createReport, type OnlineReport } from './stream/report.ts';

/** The wire of the protocol. */
export const report: Wire<OnlinePlan, OnlineReport> = onlineReport;

/** The report as bytes: see the frame in src/core; the number of the step follows it. */
export const encode: Wire<OnlinePlan, OnlineReport>['encode'] = onlineReport.encode;

/**
 * The report in the bytes.
 *
 * @throws ReportError for anything that this plan cannot have produced.
 */
export const decode: Wire<OnlinePlan, OnlineReport>['decode'] = onlineReport.decode;

import type { Server } from '../../src/core/contract.ts';
import { hingeLoss } from '../../src/risk/hinge.ts';
import { estimateMargin } from '../generalized-linear/margin/estimate.ts';
import type { MarginEstimate, MarginQuery } from '../generalized-linear/margin/query.ts';
import type { MarginTally, MomentTally, ReportTally } from '../generalized-linear/margin/tally.ts';
import { marginTallying } from '../generalized-linear/margin/tallying.ts';
import { minimizeByReports } from './algorithm-1.ts';
import type { HingeParameters } from './parameters.ts';
import type { HingeReport } from './report.ts';

/** What a server keeps: moments for `lifted` and `gaussian`, the reports for `copies` and `printed`. */
export type HingeTally = MarginTally;

/** What is asked of a tally after collection. */
export type HingeQuery = MarginQuery;

/** What the reports say: a model, and the risk as a function of the model. */
export type HingeEstimate = MarginEstimate;

export { averagedGradients } from '../generalized-linear/margin/copies-oracle.ts';
export { averagedMoments, momentsOf, riskDeviation } from '../generalized-linear/margin/moments.ts';
export { productGradient, productGradients, productRisk } from '../generalized-linear/margin/product.ts';
export type { MomentTally, ReportTally };

/**
 * The model that minimises the reconstructed hinge risk over ‖w‖ ≤ R, and that risk.
 *
 * @throws TypeError or RangeError naming the field; RangeError for a tally without reports.
 */
export function estimate(parameters: HingeParameters, tally: HingeTally, query: HingeQuery = {}): HingeEstimate {
  return estimateMargin(parameters, tally, query, hingeLoss(), minimizeByReports);
}

/** The server of the hinge protocol. */
export const server: Server<HingeParameters, HingeReport, HingeTally, HingeEstimate, HingeQuery> = {
  ...marginTallying,
  estimate,
};

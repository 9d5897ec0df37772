import { checkPositive, refusal } from '../../src/check/number.ts';
import type { Server } from '../../src/core/contract.ts';
import { minimizeByMixture } from './algorithm-2.ts';
import { fitOf } from './fit.ts';
import { marginLossOf, type QueryLoss, residualLossOf } from './loss.ts';
import { estimateMargin } from './margin/estimate.ts';
import type { MarginEstimate, MarginQuery } from './margin/query.ts';
import { estimateRegression } from './margin/response.ts';
import { refuseServing, servingOf } from './margin/serving.ts';
import { estimateSpherical } from './margin/spherical-estimate.ts';
import type { MarginTally, MomentTally, ReportTally } from './margin/tally.ts';
import { marginTallying } from './margin/tallying.ts';
import type { GeneralizedLinearParameters } from './parameters.ts';
import { chooseRadius } from './radius.ts';
import type { GeneralizedLinearReport } from './report.ts';

/** What a server keeps: moments for `lifted` and `gaussian`, the reports for the other variants. */
export type GeneralizedLinearTally = MarginTally;

/** What is asked of a tally after collection: the loss too. */
export interface GeneralizedLinearQuery extends Omit<MarginQuery, 'radius'> {
  /** The loss, by name or as functions. Default `logistic`, for a regression `squared`. */
  readonly loss?: QueryLoss;
  /** R > 0: the constraint is ‖w‖ ≤ R. Default 1. `automatic`: chosen from the tally, see `chooseRadius`. */
  readonly radius?: number | 'automatic';
  /** For `sphericalLaplace`: answer even where lifted reports are forecast to be better. Default false. */
  readonly force?: boolean;
}

/** What the reports say: a model, and the risk as a function of the model. */
export type GeneralizedLinearEstimate = MarginEstimate;

export { averagedMoments, momentsOf, riskDeviation } from './margin/moments.ts';
export type { MomentTally, ReportTally };

/**
 * The model that minimises the reconstructed risk of the loss asked for over ‖w‖ ≤ R, and that risk.
 *
 * @throws TypeError or RangeError naming the field; RangeError for a tally without reports.
 */
export function estimate(
  parameters: GeneralizedLinearParameters,
  tally: GeneralizedLinearTally,
  query: GeneralizedLinearQuery = {},
): GeneralizedLinearEstimate {
  const { loss: wanted, radius: asked = 1, force, ...rest } = query;
  if (asked !== 'automatic') checkPositive('radius', asked);
  if (parameters.variant === 'sphericalLaplace') {
    for (const name of ['decoder', 'coefficients'] as const) {
      if (rest[name] !== undefined)
        throw new RangeError(refusal(name, 'none for variant sphericalLaplace', rest[name]));
    }
    refuseServing(parameters.variant, rest);
    if (asked === 'automatic') throw new RangeError(refusal('radius', 'a number for variant sphericalLaplace', asked));
    const loss = marginLossOf(wanted);
    const { degree = 'automatic', ridge = 'automatic' } = rest;
    return estimateSpherical(parameters, tally, { loss, radius: asked, degree, ridge, force: force ?? false });
  }
  const regression = 'task' in parameters && parameters.task === 'regression';
  const loss = regression ? residualLossOf(wanted) : marginLossOf(wanted);
  const at = (radius: number): GeneralizedLinearEstimate => {
    if (regression) return estimateRegression(parameters, tally, { ...rest, radius }, loss);
    const fit = fitOf(parameters, rest, loss, radius);
    return estimateMargin(parameters, tally, { ...rest, ...fit, radius }, loss, (made, reports, question) =>
      minimizeByMixture(made, reports, question, loss),
    );
  };
  if (asked !== 'automatic') return at(asked);
  if ('copies' in parameters && servingOf(parameters.variant, rest).server !== 'newton') {
    throw new RangeError(refusal('radius', 'a number where the server steps report by report', asked));
  }
  if (tally.players < 1) return at(1);
  return chooseRadius(parameters, tally, loss, at, rest.decoder);
}

/** The server of the generalized-linear protocol. */
export const server: Server<
  GeneralizedLinearParameters,
  GeneralizedLinearReport,
  GeneralizedLinearTally,
  GeneralizedLinearEstimate,
  GeneralizedLinearQuery
> = { ...marginTallying, estimate };

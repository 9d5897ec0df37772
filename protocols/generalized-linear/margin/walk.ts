import { checkFinite, checkInteger, checkPositive, refusal } from '../../../src/check/number.ts';
import { RefusedValue } from '../../../src/check/refusal.ts';
import type { ReportTally } from '../../../src/core/channel.ts';
import { canonicalOrder } from '../../../src/core/channel.ts';
import { averagedSgd } from '../../../src/optimize/averaged-sgd.ts';
import { minimizeCorrectedRisk } from '../../../src/optimize/corrected-risk.ts';
import { onePassOracle, type ReportGradients, withReplacementOracle } from '../../../src/optimize/oracle.ts';
import { largestGap } from '../../../src/optimize/settled-fit.ts';
import { sigm } from '../../../src/optimize/sigm.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { permutation } from '../../../src/random/uniform.ts';
import { momentsOf } from './channels.ts';
import { reportRisk } from './copies-oracle.ts';
import type { CopiesParameters } from './parameters.ts';
import type { MarginEstimate, MarginQuery, Serving } from './query.ts';
import { COPIES_FORMS, servingOf } from './query.ts';
import {
  estimatedMargins,
  type MarginPopulation,
  startDegree,
  type WalkModel,
  type WalkModelOf,
  walkDeviation,
} from './walk-model.ts';
import { planWalk } from './walk-plan.ts';

/**
 * The servers of algorithms 1 and 2: stochastic steps along the gradient estimates of single reports, each report used
 * once. A share of the reports may be used for the start: the model from the moments of these reports alone. The same
 * moments then decide the polynomial and the step size for the other reports, so that every step is an unbiased step of
 * a fixed polynomial.
 *
 * The reports are read in an order of the server's own choice (sorted, then drawn from the seed), so that the estimate
 * does not depend on the order of arrival. No step size depends on the reports that the steps use.
 *
 * Source: Wang, Smith, Xu 2020, algorithm 1, lines 10–20.
 *
 * @throws TypeError or RangeError naming the field.
 */
export function walkEstimate(
  parameters: CopiesParameters,
  tally: ReportTally,
  query: MarginQuery,
  modelOf: WalkModelOf,
): MarginEstimate {
  const { dimension, variant } = parameters;
  const { players } = tally;
  const radius = checkPositive('radius', query.radius ?? 1);
  const serving = servingOf(variant, query);
  const model = modelOf(radius, serving);
  const given = checkSeries(parameters, query);
  const setting = { ...query, ...serving, players };
  const prior = planWalk(parameters, setting, model, given);
  const random = seededRandom(query.seed ?? parameters.digest);
  let order = canonicalOrder(parameters.copies, tally);
  const first = Math.floor(prior.start * players);
  // The reports for the start are drawn as well: the sorted order depends on the reports.
  if (first > 0) order = permutation(players, random).map((place) => order[place]);
  const begin = first > 0 ? startOf(parameters, tally, { model, serving, rows: order.subarray(0, first) }) : undefined;
  // The share is that of `prior`. The rest is planned again from what the reports of the start say about the records.
  const plan =
    begin === undefined
      ? prior
      : planWalk(parameters, { ...setting, start: prior.start }, model, given, begin.population);
  const polynomial = model.polynomial(given ?? model.series(plan.degree, plan.beta), plan.beta);
  const oracle = polynomial.oracle(tally);
  const rest = order.subarray(first);
  const reports: ReportGradients = {
    dimension,
    reports: rest.length,
    gradient: (index, point, target) => oracle.gradient(rest[index], point, target),
  };
  const steps = {
    oracle:
      serving.server === 'sigm-with-replacement'
        ? withReplacementOracle(reports, random)
        : onePassOracle(reports, random),
    radius,
    smoothness: polynomial.smoothness,
    deviation: walkDeviation(parameters, radius, polynomial),
    distance: plan.distance,
    ...(begin === undefined ? {} : { start: begin.w }),
  };
  const { point: w } =
    serving.server === 'average'
      ? averagedSgd({ ...steps, steps: rest.length })
      : // The number of reports is known, so β_i need not grow, and the bound is smaller. As printed it grows.
        sigm({ ...steps, iterations: rest.length, order: 1, growth: COPIES_FORMS[variant].growth });
  const { slope, origin, derivative } = polynomial;
  const riskAt = (at: ArrayLike<number>): number => {
    if (at.length !== dimension) throw new RefusedValue(refusal('w', `${dimension} numbers`, at.length));
    return origin + reportRisk(oracle, at).mean;
  };
  const { mean, standardError } = reportRisk(oracle, w);
  const found = { players, w, radius, server: serving.server, plan, degree: slope.length - 1, coefficients: slope };
  const bias = largestGap(slope, derivative, radius);
  return { ...found, ridge: 0, bias, risk: origin + mean, standardError, riskAt };
}

/** The start from some of the reports: the model from their moments, and what they say about the records. */
function startOf(
  parameters: CopiesParameters,
  tally: ReportTally,
  { model, serving, rows }: { readonly model: WalkModel; readonly serving: Serving; readonly rows: Uint32Array },
): { readonly w: Float64Array; readonly population: MarginPopulation } {
  const moments = momentsOf(parameters, tally, {
    decoder: serving.decoder,
    degree: startDegree(parameters),
    rows,
  });
  const { w } = minimizeCorrectedRisk(moments, { ...model.fit, loss: model.loss, radius: model.radius });
  return { w, population: estimatedMargins(moments) };
}

// The series that a query contains; undefined where it contains none.
function checkSeries({ degree }: CopiesParameters, { coefficients }: MarginQuery): Float64Array | undefined {
  if (coefficients === undefined) return undefined;
  const series = Float64Array.from(coefficients);
  checkInteger('coefficients.length', series.length, 1, degree + 1);
  series.forEach((c, k) => {
    checkFinite(`coefficients[${k}]`, c);
  });
  return series;
}

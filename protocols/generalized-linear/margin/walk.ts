import { checkPositive } from '../../../src/check/refusal.ts';
import { canonicalOrder, type ReportTally } from '../../../src/core/channel.ts';
import { euclideanNorm } from '../../../src/numeric/matrix.ts';
import { givenCoefficients, largestGap, minimizeCorrectedRisk, riskOf } from '../../../src/optimize/corrected-risk.ts';
import { onePassOracle, type ReportGradients, withReplacementOracle } from '../../../src/optimize/oracle.ts';
import { averagedSgd, sigm } from '../../../src/optimize/stochastic-gradient.ts';
import { createLift, setMomentMatrix } from '../../../src/polynomial/lift.ts';
import { normal, permutation } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import { momentsOf } from './channels.ts';
import { coordinateNoises, noisyMoments } from './forecast.ts';
import type { CopiesParameters } from './parameters.ts';
import {
  COPIES_FORMS,
  type MarginEstimate,
  type MarginQuery,
  type Serving,
  servingOf,
  type WalkPlan,
} from './query.ts';
import {
  estimatedMargins,
  type MarginPopulation,
  populationGradient,
  populationLoss,
  referenceMargins,
  reportRisk,
  startDegree,
  type WalkModel,
  type WalkModelOf,
  type WalkPolynomial,
  walkDeviation,
} from './walk-model.ts';

const { floor, min, sqrt } = Math;

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
  const given = givenCoefficients(query, parameters.degree + 1);
  const setting = { ...query, ...serving, players };
  const prior = planWalk(parameters, setting, model, given);
  const random = seededRandom(query.seed ?? parameters.digest);
  let order = canonicalOrder(parameters.copies, tally);
  const first = Math.floor(prior.start * players);
  // The reports for the start are drawn as well: the sorted order depends on the reports.
  if (first > 0) order = permutation(players, random).map((place) => order[place]);
  const begin = first > 0 ? startOf(parameters, tally, model, serving, order.subarray(0, first)) : undefined;
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
  const riskAt = riskOf(dimension, (at) => origin + reportRisk(oracle, at).mean);
  const { mean, standardError } = reportRisk(oracle, w);
  const found = { players, w, radius, server: serving.server, plan, degree: slope.length - 1, coefficients: slope };
  const bias = largestGap(slope, derivative, radius);
  return { ...found, ridge: 0, bias, risk: origin + mean, standardError, riskAt };
}

/** The start from some of the reports: the model from their moments, and what they say about the records. */
function startOf(
  parameters: CopiesParameters,
  tally: ReportTally,
  model: WalkModel,
  { decoder }: Serving,
  rows: Uint32Array,
): { readonly w: Float64Array; readonly population: MarginPopulation } {
  const moments = momentsOf(parameters, tally, { decoder, degree: startDegree(parameters), rows });
  const { w } = minimizeCorrectedRisk(moments, { ...model.fit, loss: model.loss, radius: model.radius });
  return { w, population: estimatedMargins(moments) };
}

/** Shares of the reports that may be used for the start. */
const STARTS: readonly number[] = [0, 0.25, 0.5, 0.75];

/** With more features a start needs too many second moments: steps start at the origin, unless a share is set. */
const MOST_FEATURES = 100;

/** Values of D to try, in units of 2R, the largest distance between a start and a minimiser. */
const DISTANCES: readonly number[] = [1, 0.5, 0.25, 0.125];

/** P(right label) − P(wrong label) of the reference population that plans are tried on. */
const SIGNAL = 0.5;

/** Highest degree that is tried. */
const HIGHEST = 3;

/**
 * How the steps are taken. Choices of the query are kept. `printed` uses the printed ones; `copies` uses the degree, β,
 * share of the start and D with the least forecast risk on a population. By default this is the reference population:
 * then only public numbers are used (parameters, n, R) and no report. For a walk over part of the reports, it may come
 * from the other reports.
 *
 * Law: a pass over n reports is forecast by 64 steps, each with the noise of a mean of n/64 reports. Smoothness and the
 * bias of the polynomial act as in the pass; σD/√n, the noise in every bound, is the same.
 */
export function planWalk(
  parameters: CopiesParameters,
  setting: WalkSetting,
  model: WalkModel,
  series?: Float64Array,
  population: MarginPopulation = referenceMargins(parameters.dimension, SIGNAL),
): WalkPlan {
  const plans = candidates(parameters, setting, model, series?.length);
  if (plans.length === 1) return plans[0];
  const starts = new Map<number, readonly Float64Array[]>();
  for (const start of new Set(plans.map((plan) => plan.start))) {
    const players = floor(start * setting.players);
    if (players > 0) starts.set(start, forecastStarts(parameters, setting, model, population, start));
  }
  // Of equal plans, the first.
  let best: { readonly plan: WalkPlan; readonly risk: number } | undefined;
  for (const plan of plans) {
    const polynomial = model.polynomial(series ?? model.series(plan.degree, plan.beta), plan.beta);
    let risk = 0;
    for (let draw = 0; draw < DRAWS; draw++) {
      const random = seededRandom(`walk ${parameters.digest} ${draw}`);
      const start = starts.get(plan.start)?.[draw];
      const trial = { plan, polynomial, population, start, normal: () => normal(random) };
      risk += populationLoss(population, model, forecastWalk(parameters, setting, model, trial)) / DRAWS;
    }
    if (best === undefined || risk < best.risk) best = { plan, risk };
  }
  return (best as { readonly plan: WalkPlan }).plan;
}

function candidates(
  parameters: CopiesParameters,
  setting: WalkSetting,
  { radius, betas }: WalkModel,
  length: number | undefined,
): readonly WalkPlan[] {
  const { players, decoder } = setting;
  const { planned } = COPIES_FORMS[parameters.variant];
  const wanted = setting.degree === 'automatic' ? undefined : setting.degree;
  const highest = parameters.degree;
  const degree = length === undefined ? wanted : length - 1;
  // Products of copies start at the origin: a start would need another decoder.
  const origin = !planned || decoder === 'product' || parameters.dimension > MOST_FEATURES;
  const upTo = Array.from({ length: min(highest, HIGHEST) + 1 }, (_, k) => k);
  const degrees = degree !== undefined ? [degree] : !planned ? [highest] : upTo;
  const shares = setting.start !== undefined ? [setting.start] : origin ? [0] : STARTS;
  const plans: WalkPlan[] = [];
  for (const k of degrees) {
    const widths = setting.beta !== undefined ? [setting.beta] : !planned || k === 0 ? betas.slice(0, 1) : betas;
    for (const beta of widths) {
      for (const start of shares) {
        const first = floor(start * players);
        if (setting.start === undefined && start > 0 && first < 1) continue;
        const most = first < 1 ? [radius] : DISTANCES.map((part) => 2 * radius * part);
        for (const distance of setting.distance !== undefined ? [setting.distance] : !planned ? [radius] : most) {
          plans.push({ degree: k, beta, start, distance });
        }
      }
    }
  }
  return plans;
}

/** What a plan is made for: a query, whose own choices are kept, and n. */
export type WalkSetting = Pick<MarginQuery, 'degree' | 'beta' | 'start' | 'distance'> &
  Serving & {
    /** n. */
    readonly players: number;
  };

/** Steps of a forecast: each stands for an equal part of the reports, with the noise of their mean. */
const BATCHES = 64;

/** Draws of the noise that a forecast averages over, the same ones for every plan. */
const DRAWS = 8;

/** What one forecast of a pass needs. */
interface WalkTrial {
  readonly plan: WalkPlan;
  readonly polynomial: WalkPolynomial;
  readonly population: MarginPopulation;
  readonly start: Float64Array | undefined;
  readonly normal: () => number;
}

/** The end point of a pass of 64 steps, each with the noise of an equal part of the reports. */
function forecastWalk(
  parameters: CopiesParameters,
  { players, server }: WalkSetting,
  { radius }: WalkModel,
  { plan, polynomial, population, start, normal: draw }: WalkTrial,
): Float64Array {
  const { dimension } = parameters;
  const { slope, smoothness } = polynomial;
  const left = players - floor(plan.start * players);
  const steps = min(BATCHES, left);
  // The noise is that of a record along the mean.
  const length = euclideanNorm(population.mean);
  const record = population.mean.map((entry, i) => (length > 0 ? entry / length : i === 0 ? 1 : 0));
  const gradient = (w: Float64Array, target: Float64Array): void => {
    populationGradient(population, slope, w, target);
    const deviation = sqrt(((1 + polynomial.variance(w, record)) * steps) / (left * dimension));
    for (let j = 0; j < dimension; j++) target[j] += deviation * draw();
  };
  const deviation = walkDeviation(parameters, radius, polynomial) * sqrt(steps / left);
  const options = { oracle: { dimension, gradient }, radius, smoothness, deviation, distance: plan.distance };
  const from = start === undefined ? options : { ...options, start };
  if (server === 'average') return averagedSgd({ ...from, steps }).point;
  return sigm({ ...from, iterations: steps, order: 1, growth: 'constant' }).point;
}

/** The start of each draw: the server's own fit to exact moments of the population plus the noise of the reports. */
function forecastStarts(
  parameters: CopiesParameters,
  { players: all, decoder }: WalkSetting,
  { loss, radius, fit }: WalkModel,
  population: MarginPopulation,
  start: number,
): readonly Float64Array[] {
  const { dimension } = parameters;
  const players = floor(start * all);
  const lift = createLift(dimension, startDegree(parameters) + 1);
  // I/p where nothing else is known.
  const isotropic = (_: unknown, i: number): number => (i % (dimension + 1) === 0 ? 1 / dimension : 0);
  const second = population.second ?? Float64Array.from({ length: dimension * dimension }, isotropic);
  const exact = new Float64Array(lift.size);
  exact.set(population.mean);
  if (lift.degree > 1) setMomentMatrix(lift, second, exact);
  const noise = coordinateNoises(parameters, decoder)
    .map((variance) => variance / players)
    .subarray(0, lift.degree);
  return Array.from({ length: DRAWS }, (_, draw) => {
    const random = seededRandom(`start ${parameters.digest} ${start} ${draw}`);
    const values = noisyMoments(lift, exact, noise, () => normal(random));
    return minimizeCorrectedRisk({ lift, values, noise, players }, { ...fit, loss, radius }).w;
  });
}

import { checkInteger, checkNonNegative, checkPositive, refusal } from '../../check/number.ts';
import { averagedSgd } from '../../optimize/averaged-sgd.ts';
import { type CorrectedMoments, minimizeCorrectedRisk } from '../../optimize/corrected-risk.ts';
import { euclideanNorm } from '../../optimize/projection.ts';
import { sigm } from '../../optimize/sigm.ts';
import { createLift } from '../../polynomial/lift.ts';
import { evaluatePolynomial } from '../../polynomial/monomial.ts';
import { normal } from '../../random/normal.ts';
import { seededRandom } from '../../random/seeded.ts';
import { coordinateNoise, populationMoments } from './forecast.ts';
import type { CopiesParameters } from './parameters.ts';
import type { MarginQuery, WalkPlan } from './query.ts';
import { type ReferencePopulation, referencePopulation } from './reference-population.ts';
import type { Serving } from './serving.ts';
import { startDegree, type WalkModel, type WalkPolynomial, walkDeviation } from './walk-model.ts';

const { floor, min, sqrt } = Math;

/** What a plan is made for: a query, whose own choices are kept, and n. */
export type WalkSetting = Pick<MarginQuery, 'degree' | 'beta' | 'start' | 'distance'> &
  Serving & {
    /** n. */
    readonly players: number;
  };

/** Steps of a forecast: each stands for as many reports as make them n, with the noise of their mean. */
const BATCHES = 64;

/** Draws of the noise that a forecast averages over, the same ones for every plan. */
const DRAWS = 8;

/** Members of the reference population whose mean gradient a step takes, and whose risk is what a plan is judged by. */
const MEMBERS = 1000;

/** Shares of the reports that a start may be given. */
const STARTS: readonly number[] = [0, 0.25, 0.5, 0.75];

/** Beyond it the second moments that a start is made of are too many: steps start at the origin, unless a share is asked for. */
const MOST_FEATURES = 100;

/** What D may be, in units of 2R, the most that a start and a minimiser can be apart. */
const DISTANCES: readonly number[] = [1, 0.5, 0.25, 0.125];

/** P(right label) − P(wrong label) of the population that plans are tried on. */
const SIGNAL = 0.5;

/** Highest degree that is tried. */
const HIGHEST = 3;

/**
 * How the steps are taken: what the query says, the printed choices for `printed`, and for `copies` the degree, β, share of the
 * start and D with the least forecast risk. Only public numbers are used (parameters, n, R), no report.
 *
 * Law: a pass over n reports is forecast by 64 steps whose noise is that of means of n/64 reports, on the reference population. Smoothness
 * and the bias of the polynomial act as in the pass; σD/√n, the noise in every bound, is the same.
 *
 * @throws TypeError or RangeError naming the field.
 */
export function planWalk(
  parameters: CopiesParameters,
  setting: WalkSetting,
  model: WalkModel,
  series?: Float64Array,
): WalkPlan {
  const plans = candidates(parameters, setting, model, series?.length);
  return plans.length === 1 ? plans[0] : leastRisk(parameters, setting, model, plans, series);
}

function candidates(
  parameters: CopiesParameters,
  setting: WalkSetting,
  { radius, betas }: WalkModel,
  length: number | undefined,
): readonly WalkPlan[] {
  const { players, decoder } = setting;
  const printed = parameters.maker === 'printed';
  if (setting.start !== undefined) checkShare(setting.start, setting);
  const wanted = setting.degree === 'automatic' ? undefined : setting.degree;
  if (wanted !== undefined) checkInteger('degree', wanted, 0, parameters.degree);
  if (setting.beta !== undefined) checkPositive('beta', setting.beta);
  if (setting.distance !== undefined) checkPositive('distance', setting.distance);
  const highest = parameters.degree;
  const degree = length === undefined ? wanted : length - 1;
  // Products of copies start at the origin: a start would be of another decoder.
  const origin = printed || decoder === 'product' || parameters.dimension > MOST_FEATURES;
  const degrees = degree !== undefined ? [degree] : printed ? [highest] : upTo(min(highest, HIGHEST));
  const shares = setting.start !== undefined ? [setting.start] : origin ? [0] : STARTS;
  const plans: WalkPlan[] = [];
  for (const k of degrees) {
    const widths = setting.beta !== undefined ? [setting.beta] : printed || k === 0 ? betas.slice(0, 1) : betas;
    for (const beta of widths) {
      for (const start of shares) {
        const first = floor(start * players);
        if (setting.start === undefined && start > 0 && first < 1) continue;
        const most = first < 1 ? [radius] : DISTANCES.map((part) => 2 * radius * part);
        for (const distance of setting.distance !== undefined ? [setting.distance] : printed ? [radius] : most) {
          plans.push({ degree: k, beta, start, distance });
        }
      }
    }
  }
  return plans;
}

const upTo = (degree: number): number[] => Array.from({ length: degree + 1 }, (_, k) => k);

function checkShare(start: number, { decoder }: WalkSetting): void {
  checkNonNegative('start', start);
  if (!(start < 1)) throw new RangeError(refusal('start', 'a share in [0, 1)', start));
  if (start > 0 && decoder === 'product') throw new RangeError(refusal('start', '0 for the product decoder', start));
}

/** The plan of least forecast risk, the first of several. */
function leastRisk(
  parameters: CopiesParameters,
  setting: WalkSetting,
  model: WalkModel,
  plans: readonly WalkPlan[],
  series: Float64Array | undefined,
): WalkPlan {
  const { dimension, digest } = parameters;
  const population = referencePopulation(dimension, SIGNAL);
  const plane = planeOf(population);
  const starts = new Map<number, readonly Float64Array[]>();
  for (const start of new Set(plans.map((plan) => plan.start))) {
    if (floor(start * setting.players) > 0)
      starts.set(start, forecastStarts(parameters, setting, model, { population, start }));
  }
  let best: { readonly plan: WalkPlan; readonly risk: number } | undefined;
  for (const plan of plans) {
    const polynomial = model.polynomial(series ?? model.series(plan.degree, plan.beta), plan.beta);
    let risk = 0;
    for (let draw = 0; draw < DRAWS; draw++) {
      const random = seededRandom(`walk ${digest} ${draw}`);
      const start = starts.get(plan.start)?.[draw];
      const w = forecastWalk(parameters, setting, model, {
        plan,
        polynomial,
        plane,
        start,
        normal: () => normal(random),
      });
      risk += planeRisk(plane, model, w) / DRAWS;
    }
    if (best === undefined || risk < best.risk) best = { plan, risk };
  }
  return (best as { readonly plan: WalkPlan }).plan;
}

/** Signed records of the reference population, as far as a margin sees them: along e₁ and along one direction across it. */
interface Plane {
  readonly along: Float64Array;
  readonly across: Float64Array;
}

// Across e₁ the population is the same in every direction, so that coordinate 2 stands for that of w.
function planeOf({ dimension, records }: ReferencePopulation): Plane {
  const column = (j: number): Float64Array =>
    Float64Array.from({ length: MEMBERS }, (_, i) => (j < dimension ? records[i * dimension + j] : 0));
  return { along: column(0), across: column(1) };
}

function planeRisk({ along, across }: Plane, { loss }: WalkModel, w: Float64Array): number {
  const beside = euclideanNorm(w.subarray(1));
  let sum = 0;
  for (let i = 0; i < MEMBERS; i++) sum += loss.value(w[0] * along[i] + beside * across[i]);
  return sum / MEMBERS;
}

/** What one forecast of a pass needs. */
interface WalkTrial {
  readonly plan: WalkPlan;
  readonly polynomial: WalkPolynomial;
  readonly plane: Plane;
  readonly start: Float64Array | undefined;
  readonly normal: () => number;
}

function forecastWalk(
  parameters: CopiesParameters,
  { players, server }: WalkSetting,
  { radius }: WalkModel,
  { plan, polynomial, plane, start, normal: draw }: WalkTrial,
): Float64Array {
  const { dimension } = parameters;
  const { slope, smoothness } = polynomial;
  const left = players - floor(plan.start * players);
  const steps = min(BATCHES, left);
  const record = Float64Array.from({ length: dimension }, (_, i) => (i === 0 ? 1 : 0));
  const gradient = (w: Float64Array, target: Float64Array): void => {
    const beside = euclideanNorm(w.subarray(1));
    let [first, second] = [0, 0];
    for (let i = 0; i < MEMBERS; i++) {
      const value = evaluatePolynomial(slope, w[0] * plane.along[i] + beside * plane.across[i]);
      first += value * plane.along[i];
      second += value * plane.across[i];
    }
    const deviation = sqrt(((1 + polynomial.variance(w, record)) * steps) / (left * dimension));
    const turn = beside > 0 ? second / (MEMBERS * beside) : 0;
    target[0] = first / MEMBERS + deviation * draw();
    for (let j = 1; j < dimension; j++) target[j] = turn * w[j] + deviation * draw();
  };
  const deviation = walkDeviation(parameters, radius, polynomial) * sqrt(steps / left);
  const options = { oracle: { dimension, gradient }, radius, smoothness, deviation, distance: plan.distance };
  const from = start === undefined ? options : { ...options, start };
  if (server === 'average') return averagedSgd({ ...from, steps }).point;
  return sigm({ ...from, iterations: steps, order: 1, growth: 'constant' }).point;
}

// The start of each draw: exact moments of the reference population and the noise of so many reports, through the server's own fit.
function forecastStarts(
  parameters: CopiesParameters,
  { players: all, decoder }: WalkSetting,
  { loss, radius, fit }: WalkModel,
  { population, start }: { readonly population: ReferencePopulation; readonly start: number },
): readonly Float64Array[] {
  const players = floor(start * all);
  const lift = createLift(parameters.dimension, startDegree(parameters) + 1);
  const exact = populationMoments(population, lift);
  const noise = coordinateNoise(parameters, decoder)
    .map((variance) => variance / players)
    .subarray(0, lift.degree);
  return Array.from({ length: DRAWS }, (_, draw) => {
    const random = seededRandom(`start ${parameters.digest} ${start} ${draw}`);
    const values = Float64Array.from(exact);
    for (let j = 1; j <= lift.degree; j++) {
      const scale = sqrt(noise[j - 1]);
      for (let entry = lift.offsets[j - 1]; entry < lift.offsets[j]; entry++) values[entry] += scale * normal(random);
    }
    const moments: CorrectedMoments = { lift, values, noise, players };
    return minimizeCorrectedRisk(moments, { ...fit, loss, radius }).w;
  });
}

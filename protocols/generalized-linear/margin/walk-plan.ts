import { checkInteger, checkNonNegative, checkPositive, refusal } from '../../../src/check/number.ts';
import { normal } from '../../../src/random/normal.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import type { CopiesParameters } from './parameters.ts';
import type { WalkPlan } from './query.ts';
import { DRAWS, forecastStarts, forecastWalk, type WalkSetting } from './walk-forecast.ts';
import type { WalkModel } from './walk-model.ts';
import { type MarginPopulation, populationLoss, referenceMargins } from './walk-population.ts';

const { floor, min } = Math;

/** Shares of the reports that a start may be given. */
const STARTS: readonly number[] = [0, 0.25, 0.5, 0.75];

/** Beyond it the second moments that a start is made of are too many: steps start at the origin, unless a share is asked for. */
const MOST_FEATURES = 100;

/** What D may be, in units of 2R, the most that a start and a minimiser can be apart. */
const DISTANCES: readonly number[] = [1, 0.5, 0.25, 0.125];

/** P(right label) − P(wrong label) of the reference population that plans are tried on. */
const SIGNAL = 0.5;

/** Highest degree that is tried. */
const HIGHEST = 3;

/**
 * How the steps are taken: what the query says, the printed choices for `printed`, and for `copies` the degree, β, share of the
 * start and D with the least forecast risk on a population: by default the reference population, so that only public numbers
 * are used (parameters, n, R) and no report; or what some reports tell of the records, for a walk over the others.
 *
 * Law: a pass over n reports is forecast by 64 steps whose noise is that of means of n/64 reports. Smoothness and the bias of the
 * polynomial act as in the pass; σD/√n, the noise in every bound, is the same.
 *
 * @throws TypeError or RangeError naming the field.
 */
export function planWalk(
  parameters: CopiesParameters,
  setting: WalkSetting,
  model: WalkModel,
  series?: Float64Array,
  population: MarginPopulation = referenceMargins(parameters.dimension, SIGNAL),
): WalkPlan {
  const plans = candidates(parameters, setting, model, series?.length);
  return plans.length === 1 ? plans[0] : leastRisk(parameters, setting, model, { plans, series, population });
}

function candidates(
  parameters: CopiesParameters,
  setting: WalkSetting,
  { radius, betas }: WalkModel,
  length: number | undefined,
): readonly WalkPlan[] {
  const { players, decoder } = setting;
  const printed = parameters.variant === 'printed';
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
  {
    plans,
    series,
    population,
  }: {
    readonly plans: readonly WalkPlan[];
    readonly series: Float64Array | undefined;
    readonly population: MarginPopulation;
  },
): WalkPlan {
  const { digest } = parameters;
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
        population,
        start,
        normal: () => normal(random),
      });
      risk += populationLoss(population, model, w) / DRAWS;
    }
    if (best === undefined || risk < best.risk) best = { plan, risk };
  }
  return (best as { readonly plan: WalkPlan }).plan;
}

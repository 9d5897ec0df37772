import { checkInteger, checkPositive } from '../../../src/check/refusal.ts';
import type { Expectation } from '../../../src/core/contract.ts';
import type { CorrectedMoments } from '../../../src/optimize/corrected-risk.ts';
import { byPower, createLift, fillLift, type Lift } from '../../../src/polynomial/lift.ts';
import { normal } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import type { Forecast } from '../../../src/simulation/study.ts';
import { fitMoments } from '../fit.ts';
import { channelOf, gradientVariance } from './channels.ts';
import type { MarginParameters } from './parameters.ts';
import type { CopiesDecoder, Decoder } from './query.ts';
import {
  type ForecastQuery,
  populationOptimum,
  populationRisk,
  type ReferencePopulation,
  referencePopulation,
} from './reference-population.ts';

const { floor, max, min, sqrt } = Math;

/** A forecast in the common form, at radius 1 and for the reference population with a signal of one half. */
export function excessExpectation({ excessRisk, floor }: Forecast, loss: string): Expectation {
  return {
    what: `excess ${loss} risk of the model in the unit ball`,
    assumption: 'features on a sphere, three labels in four as a linear model has them',
    error: excessRisk,
    floor,
  };
}

/** A forecast averages over draws of the noise until the standard error of its mean is so small a share of it. */
const [LEAST_DRAWS, SHARE] = [8, 0.12];

/** The most draws. A few in a hundred make the mean where there are few features, and there a draw costs little. */
const mostDraws = (dimension: number): number => max(36, min(100, floor(300 / dimension)));

/** For each power j, the variance of one coordinate of T_j in one report. */
export function coordinateNoises(parameters: MarginParameters, copies: CopiesDecoder = 'averaged'): Float64Array {
  const { degree } = parameters;
  const { coordinateNoise } = channelOf(parameters);
  return Float64Array.from({ length: degree + 1 }, (_, k) => coordinateNoise(k + 1, copies));
}

/** Moments with noise of these variances, block by block; `draw` gives standard normals. */
export function noisyMoments(lift: Lift, exact: Float64Array, noise: Float64Array, draw: () => number): Float64Array {
  const scales = byPower(lift, (j) => sqrt(noise[j - 1]));
  return exact.map((value, entry) => value + scales[entry] * draw());
}

/** The exact moments of a population, to which a forecast adds the noise of the reports: T_1, T_2, … one after the other. */
export function populationMoments({ dimension, members, records }: ReferencePopulation, lift: Lift): Float64Array {
  const sums = new Float64Array(lift.size);
  const lifted = new Float64Array(lift.size);
  for (let i = 0; i < members; i++) {
    fillLift(lift, lift.weight, records.subarray(i * dimension, (i + 1) * dimension), lifted);
    for (let entry = 0; entry < lift.size; entry++) sums[entry] += lifted[entry] / members;
  }
  return sums;
}

/** Forecasts for one population, loss and radius: the parameters may differ in everything but the dimension. */
export type Forecaster = (parameters: MarginParameters, players: number) => Forecast;

/**
 * Forecasts for the reports of a variant without any data, from formulas and an artificial population
 * (`referencePopulation`). The exact moments of that population, plus noise drawn with the variances of the mechanism,
 * go through the server's own minimiser. The population and its optimum are computed once.
 *
 * For products of copies (those of `printed`), the excess risk is the bound of SIGM at the closed-form variance of the
 * product estimator, but at most that of w = 0. This is what the theorem promises, not what a run would show.
 * @throws TypeError or RangeError naming the field.
 */
export function createForecaster(dimension: number, query: Omit<ForecastQuery, 'players'>): Forecaster {
  const { loss } = query;
  const radius = checkPositive('radius', query.radius ?? 1);
  const population = query.population ?? referencePopulation(dimension, query.signal ?? 0.5);
  checkInteger('population.dimension', population.dimension, dimension, dimension);
  const best = populationOptimum(population, loss, radius);
  const { draws: asked } = query;
  if (asked !== undefined) checkInteger('draws', asked, 2);
  const { intercept, unitNorm } = query;
  const excessWith = (parameters: MarginParameters) => (moments: CorrectedMoments) => {
    const asked = { fit: query.fit?.(parameters), loss, radius, intercept, unitNorm };
    const estimate = fitMoments(parameters, moments, asked);
    return { estimate, excess: populationRisk(population, loss, estimate.w) - best };
  };
  return (parameters, players) => {
    checkPositive('players', players);
    checkInteger('dimension', parameters.dimension, dimension, dimension);
    const { degree } = parameters;
    const excessOf = excessWith(parameters);
    const lift = createLift(dimension, degree + 1);
    const exact = populationMoments(population, lift);
    const noise = coordinateNoises(parameters, query.decoder).map((variance) => variance / players);
    const random = seededRandom(`forecast ${parameters.digest}`);
    const clean = excessOf({ lift, values: exact, noise: new Float64Array(degree + 1), players });
    const draws: ReturnType<typeof excessOf>[] = [];
    let [mean, squares] = [0, 0];
    const settled = (count: number): boolean =>
      asked === undefined
        ? count >= mostDraws(dimension) ||
          (count >= LEAST_DRAWS && squares <= count * (count - 1) * (SHARE * mean) ** 2)
        : count >= asked;
    while (!settled(draws.length)) {
      const draw = excessOf({ lift, values: noisyMoments(lift, exact, noise, () => normal(random)), noise, players });
      const step = draw.excess - mean;
      mean += step / draws.push(draw);
      squares += step * (draw.excess - mean);
    }
    const count = draws.length;
    const decoder = channelOf(parameters).decoderOf(query.decoder ?? 'averaged');
    const perReport = varianceAtRadius(parameters, draws[0].estimate.coefficients, radius, decoder);
    const bias = draws.reduce((sum, { estimate }) => sum + estimate.bias, 0) / count;
    const shared = { bias, noise: sqrt(max(0, perReport) / players), floor: clean.excess };
    if (decoder === 'product') {
      const nothing = loss.value(0) - best;
      const bound = radius * shared.noise + 2 * radius * bias;
      return { ...shared, excessRisk: min(nothing, bound), deviation: 0, degree };
    }
    const chosen = Math.round(draws.reduce((sum, { estimate }) => sum + estimate.degree, 0) / count);
    return { ...shared, excessRisk: mean, deviation: sqrt(squares / (count - 1)), degree: chosen };
  };
}

/** One forecast: see {@link createForecaster}. */
export function forecastMargin(parameters: MarginParameters, query: ForecastQuery): Forecast {
  return createForecaster(parameters.dimension, query)(parameters, query.players);
}

// Variance of one report's gradient estimate at ‖w‖ = R, ‖v‖ = 1 and a margin of R/√p, that of a random direction.
function varianceAtRadius(
  parameters: MarginParameters,
  coefficients: ArrayLike<number>,
  radius: number,
  decoder: Decoder,
): number {
  const { dimension } = parameters;
  const along = radius / sqrt(dimension);
  const features = Float64Array.from({ length: dimension }, (_, i) => (i === 0 ? 1 : 0));
  const w = Float64Array.from({ length: dimension }, (_, i) =>
    i === 0 ? along : i === 1 ? sqrt(radius ** 2 - along ** 2) : 0,
  );
  return gradientVariance(parameters, decoder, { coefficients, w, features, label: 1 });
}

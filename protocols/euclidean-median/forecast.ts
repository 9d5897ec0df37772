import { checkInteger, checkPositive } from '../../src/check/number.ts';
import { weiszfeld } from '../../src/optimize/weiszfeld.ts';
import { type Forecast, playersUntil } from '../../src/simulation/forecast.ts';
import { stepCoefficients } from './algorithm-3.ts';
import { DEFAULT_BETA, estimateFromMoments } from './estimate.ts';
import { forecastNoise, type NoisyMoments } from './forecast-noise.ts';
import type { EuclideanMedianParameters } from './parameters.ts';
import { type PointPopulation, pointPopulation, pointRisk } from './reference-points.ts';
import { gradientVariance, productSecondMoment } from './variance.ts';

const { floor, round, sqrt } = Math;

/** As many players as make every noise vanish in the fit. */
const NOISELESS = 1e30;

/** A designer's assumptions before collecting. */
export interface MedianForecastSetting {
  /** R > 0. Default 1. */
  readonly radius?: number;
  /** Share of the reference population's points that are far, in [0, ½). Default 0.2. */
  readonly far?: number;
}

/** What a designer asks before collecting. */
export interface MedianForecastQuery extends MedianForecastSetting {
  /** n, the number of players; may be 1e9 and more. */
  readonly players: number;
}

/** Forecasts for one population and radius: the parameters may differ in everything but the dimension. */
export type MedianForecaster = (parameters: EuclideanMedianParameters, players: number) => Forecast;

/**
 * What to expect of the reports of a variant without any data: the exact moments of a population made up for the purpose
 * (`pointPopulation`) plus noise with the covariance of the mechanism, through the server's own estimate. Risks are counted
 * from the Weiszfeld median of that population. The population, its median and the noise of every variant are computed once.
 *
 * `noise` is the standard deviation of the gradient at the median of the population; `bias` the systematic error of one unit
 * of pull, as in an estimate. For `printed`, whose expected gradient is 0 whatever n, the excess risk is that of the start,
 * w = 0, about which a run is led by noise alone, and all of the pull, ½, is missing.
 *
 * @throws TypeError or RangeError naming the field.
 */
export function createMedianForecaster(dimension: number, setting: MedianForecastSetting = {}): MedianForecaster {
  const radius = checkPositive('radius', setting.radius ?? 1);
  const population = pointPopulation(dimension, setting.far);
  const median = weiszfeld({ dimension, points: population.points }, { tolerance: 1e-9 });
  // What the variance of the printed product is a function of: the mean of ‖m − x‖² about the median m.
  const squaredDistance = meanSquaredDistance(population, median.point);
  const excessOf = (w: ArrayLike<number>): number => pointRisk(population, w) - median.value;
  const noises = new Map<string, NoisyMoments>();
  const noiseOf = (parameters: EuclideanMedianParameters): NoisyMoments => {
    const known = noises.get(parameters.digest);
    if (known !== undefined) return known;
    const made = forecastNoise(parameters, population);
    noises.set(parameters.digest, made);
    return made;
  };
  return (parameters, players) => {
    checkPositive('players', players);
    checkInteger('dimension', parameters.dimension, dimension, dimension);
    if (parameters.variant === 'printed') {
      const excessRisk = excessOf(new Float64Array(dimension));
      const coefficients = stepCoefficients(parameters.degree, DEFAULT_BETA, radius);
      const noise = sqrt(productSecondMoment(parameters, coefficients, squaredDistance) / players);
      return { bias: 0.5, noise, excessRisk, deviation: 0, floor: excessRisk, degree: parameters.degree };
    }
    const { features, exact, draws, noise } = noiseOf(parameters);
    const estimated = (scale: number, draw: Float64Array, count: number) => {
      const values = exact.map((value, entry) => value + scale * draw[entry]);
      const estimate = estimateFromMoments({ features, values, players: count, noise: noise(count) }, { radius });
      return { estimate, excess: excessOf(estimate.w) };
    };
    const all = draws.map((draw) => estimated(1 / sqrt(players), draw, players));
    const average = (of: (each: (typeof all)[number]) => number): number =>
      all.reduce((sum, each) => sum + of(each), 0) / draws.length;
    const excessRisk = average(({ excess }) => excess);
    const variance = average(({ estimate }) => varianceAt(parameters, population, median.point, estimate.coefficients));
    return {
      bias: average(({ estimate }) => estimate.bias),
      noise: sqrt(variance / players),
      excessRisk,
      deviation: sqrt((average(({ excess }) => (excess - excessRisk) ** 2) * draws.length) / (draws.length - 1)),
      floor: estimated(0, draws[0], NOISELESS).excess,
      degree: round(average(({ estimate }) => estimate.degree)),
    };
  };
}

function meanSquaredDistance({ dimension, members, points }: PointPopulation, w: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < points.length; i++) sum += (points[i] - w[i % dimension]) ** 2;
  return sum / members;
}

// Variance of one report's gradient at a place, in the mean over a hundred members of the population.
function varianceAt(
  parameters: EuclideanMedianParameters,
  { dimension, members, points }: PointPopulation,
  w: Float64Array,
  coefficients: ArrayLike<number>,
): number {
  const asked = 100;
  let sum = 0;
  for (let i = 0; i < asked; i++) {
    const at = floor((i * members) / asked) * dimension;
    sum += gradientVariance(parameters, { coefficients, w, point: points.subarray(at, at + dimension) }) / asked;
  }
  return sum;
}

/**
 * One forecast: see {@link createMedianForecaster}.
 *
 * @throws TypeError or RangeError naming the field.
 */
export function forecastMedian(parameters: EuclideanMedianParameters, query: MedianForecastQuery): Forecast {
  return createMedianForecaster(parameters.dimension, query)(parameters, query.players);
}

/**
 * The least number of players for which the forecast excess risk of a variant is at most `target`; Infinity when its floor is
 * above it, as that of `printed` is unless the start is good enough. The search is to about 10 %, but the forecast itself
 * depends on its draws of heavy-tailed noise: at p = 2 the number is good to a factor of 2 to 3.
 *
 * @throws TypeError or RangeError naming the field.
 * @theorem noninteractive Table 1
 * @theorem noninteractive Theorem 17
 */
export function medianPlayersNeeded(
  parameters: EuclideanMedianParameters,
  target: number,
  setting: MedianForecastSetting = {},
): number {
  const forecast = createMedianForecaster(parameters.dimension, setting);
  return playersUntil(target, (players) => forecast(parameters, players).excessRisk);
}

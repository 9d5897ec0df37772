import { checkInteger, checkPositive } from '../../check/number.ts';
import { averagedNoise } from '../../mechanism/noisy-copies.ts';
import {
  type CorrectedMoments,
  type CorrectedRiskQuery,
  minimizeCorrectedRisk,
} from '../../optimize/corrected-risk.ts';
import { createLift, fillLift, type Lift } from '../../polynomial/lift.ts';
import { normal } from '../../random/normal.ts';
import { seededRandom } from '../../random/seeded.ts';
import type { MarginLoss } from '../../risk/margin-loss.ts';
import type { Expectation } from '../contract.ts';
import { correctedProducts } from './moments.ts';
import type { MarginParameters } from './parameters.ts';
import type { CopiesDecoder } from './query.ts';
import {
  populationOptimum,
  populationRisk,
  type ReferencePopulation,
  referencePopulation,
} from './reference-population.ts';
import { gradientVariance } from './variance.ts';

const { min, sqrt } = Math;

/** What a designer asks before collecting. */
export interface ForecastQuery {
  /** n, the number of players; may be 1e9 and more. */
  readonly players: number;
  /** The loss f of the margin. */
  readonly loss: MarginLoss;
  /** R > 0. Default 1. */
  readonly radius?: number;
  /** P(right label) − P(wrong label) of the reference population, in (0, 1]. Default 0.5. */
  readonly signal?: number;
  /** How noisy copies are decoded, all at once. Default `averaged`. */
  readonly decoder?: CopiesDecoder;
  /** Draws of the noise that are averaged. Default 24. */
  readonly draws?: number;
  /** How the protocol's server fits the polynomial, where it does not as `minimizeCorrectedRisk` does by default. */
  readonly fit?: (
    parameters: MarginParameters,
  ) => Pick<CorrectedRiskQuery, 'coefficients' | 'leastSpread' | 'noiseFactors'>;
}

/** What to expect from a maker's reports, before there are any. */
export interface Forecast {
  /** sup |P − f′| on [−R, R] of the polynomial the server would use: systematic, whatever n. */
  readonly bias: number;
  /** Standard deviation of the gradient at ‖w‖ = R, all coordinates together, in the mean over all players. */
  readonly noise: number;
  /** Expected excess risk of the model on the reference population. */
  readonly excessRisk: number;
  /** Its standard deviation from one collection to the next. */
  readonly deviation: number;
  /** Excess risk that no number of players removes: that of the same maker without noise. */
  readonly floor: number;
  /** Degree of the polynomial the server would choose. */
  readonly degree: number;
}

/** A forecast in the common form, at radius 1 and for the reference population with half the signal. */
export function excessExpectation({ excessRisk, floor }: Forecast, loss: string): Expectation {
  return {
    what: `excess ${loss} risk of the model in the unit ball`,
    assumption: 'features on a sphere, three labels in four as a linear model has them',
    error: excessRisk,
    floor,
  };
}

/** As many players as make every noise vanish beside the floor. */
const MOST_PLAYERS = 1e30;

/** Draws of the noise that a forecast averages over: its mean is then good to about 15 %. */
const DRAWS = 24;

/** Per power, the variance of one coordinate of T_j in one report. */
export function coordinateNoise(parameters: MarginParameters, copies: CopiesDecoder = 'averaged'): Float64Array {
  const { dimension, degree } = parameters;
  return Float64Array.from({ length: degree + 1 }, (_, k) => {
    if (parameters.maker === 'lifted') return parameters.mechanism.coordinateVariance / parameters.scales[k] ** 2;
    if (parameters.maker === 'gaussian') return correctedProducts(k + 1, parameters.sigma, 0, 1 / dimension);
    const { features, label } = averagedNoise(parameters.copies);
    return correctedProducts(k + 1, features, label, 1 / dimension, copies === 'signs');
  });
}

/** The exact moments of the reference population, to which a forecast adds the noise of the reports. */
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
 * What to expect of the reports of a maker, from formulas and a population made up for the purpose (`referencePopulation`),
 * without any data: the exact moments of that population, plus noise drawn with the variances of the mechanism, through
 * the server's own minimiser. The population and its optimum are computed once.
 *
 * For `printed` the excess risk is the bound of SIGM at the closed-form variance of the product estimator, at most that of
 * w = 0: it is what the theorem promises, not what a run would show.
 *
 * @throws TypeError or RangeError naming the field.
 */
export function createForecaster(dimension: number, query: Omit<ForecastQuery, 'players'>): Forecaster {
  const { loss } = query;
  const radius = checkPositive('radius', query.radius ?? 1);
  const population = referencePopulation(dimension, query.signal ?? 0.5);
  const best = populationOptimum(population, loss, radius);
  const count = checkInteger('draws', query.draws ?? DRAWS, 2);
  const excessWith = (fit: ReturnType<NonNullable<ForecastQuery['fit']>>) => (moments: CorrectedMoments) => {
    const estimate = minimizeCorrectedRisk(moments, { ...fit, loss, radius });
    return { estimate, excess: populationRisk(population, loss, estimate.w) - best };
  };
  return (parameters, players) => {
    checkPositive('players', players);
    checkInteger('dimension', parameters.dimension, dimension, dimension);
    const { degree } = parameters;
    const excessOf = excessWith(query.fit?.(parameters) ?? {});
    const lift = createLift(dimension, degree + 1);
    const exact = populationMoments(population, lift);
    const noise = coordinateNoise(parameters, query.decoder).map((variance) => variance / players);
    const random = seededRandom(`forecast ${parameters.digest}`);
    const clean = excessOf({ lift, values: exact, noise: new Float64Array(degree + 1), players });
    const draw = () => {
      const values = Float64Array.from(exact);
      for (let j = 1; j <= lift.degree; j++) {
        const scale = sqrt(noise[j - 1]);
        for (let entry = lift.offsets[j - 1]; entry < lift.offsets[j]; entry++) values[entry] += scale * normal(random);
      }
      return excessOf({ lift, values, noise, players });
    };
    const draws = Array.from({ length: count }, draw);
    const perReport = varianceAtRadius(parameters, draws[0].estimate.coefficients, radius, query.decoder);
    const bias = draws.reduce((sum, { estimate }) => sum + estimate.bias, 0) / count;
    const shared = { bias, noise: sqrt(perReport / players), floor: clean.excess };
    if (parameters.maker === 'printed') {
      const nothing = loss.value(0) - best;
      const bound = radius * sqrt(perReport / players) + 2 * radius * bias;
      return { ...shared, excessRisk: min(nothing, bound), deviation: 0, degree };
    }
    const mean = draws.reduce((sum, { excess }) => sum + excess, 0) / count;
    const spread = draws.reduce((sum, { excess }) => sum + (excess - mean) ** 2, 0) / (count - 1);
    const chosen = Math.round(draws.reduce((sum, { estimate }) => sum + estimate.degree, 0) / count);
    return { ...shared, excessRisk: mean, deviation: sqrt(spread), degree: chosen };
  };
}

/**
 * One forecast: see {@link createForecaster}.
 *
 * @throws TypeError or RangeError naming the field.
 */
export function forecastMargin(parameters: MarginParameters, query: ForecastQuery): Forecast {
  return createForecaster(parameters.dimension, query)(parameters, query.players);
}

// Variance of one report's gradient estimate at ‖w‖ = R, ‖v‖ = 1 and a margin of R/√p, that of a random direction.
function varianceAtRadius(
  parameters: MarginParameters,
  coefficients: ArrayLike<number>,
  radius: number,
  copies: CopiesDecoder = 'averaged',
): number {
  const { dimension, maker } = parameters;
  const along = radius / sqrt(dimension);
  const features = Float64Array.from({ length: dimension }, (_, i) => (i === 0 ? 1 : 0));
  const w = Float64Array.from({ length: dimension }, (_, i) =>
    i === 0 ? along : i === 1 ? sqrt(radius ** 2 - along ** 2) : 0,
  );
  const decoder = maker === 'printed' ? 'product' : maker === 'copies' ? copies : maker;
  return gradientVariance(parameters, decoder, { coefficients, w, features, label: 1 });
}

/**
 * The least number of players for which a forecast excess risk is at most `target`, to about 10 %; Infinity when no number of
 * players reaches it. The excess risk has to fall with the number of players.
 */
export function playersUntil(target: number, excessRisk: (players: number) => number): number {
  checkPositive('target', target);
  if (!(excessRisk(MOST_PLAYERS) <= target)) return Infinity;
  // A bracket by leaps, since an evaluation is dear, then halving.
  let high = 4;
  let low = 0;
  for (let leap = 1; excessRisk(10 ** high) > target; leap *= 2) {
    low = high;
    high += leap;
  }
  // Down as well, to the first that is not enough.
  for (let leap = 1; low === 0 && high > 0; leap *= 2) {
    const fewer = Math.max(0, high - leap);
    low = fewer;
    if (excessRisk(10 ** fewer) > target) break;
    [low, high] = [0, fewer];
  }
  while (high - low > 0.04) {
    const middle = (low + high) / 2;
    if (excessRisk(10 ** middle) <= target) high = middle;
    else low = middle;
  }
  return 10 ** high;
}

/**
 * The least number of players for which the forecast excess risk of a maker is at most `target`, to about 10 %; Infinity when
 * the maker's floor is above it.
 *
 * @throws TypeError or RangeError naming the field.
 * @theorem noninteractive Table 1
 */
export function playersNeeded(
  parameters: MarginParameters,
  target: number,
  query: Omit<ForecastQuery, 'players'>,
): number {
  const forecast = createForecaster(parameters.dimension, query);
  return playersUntil(target, (players) => forecast(parameters, players).excessRisk);
}

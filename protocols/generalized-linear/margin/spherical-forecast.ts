import { checkPositive } from '../../../src/check/number.ts';
import { privUnitG } from '../../../src/mechanism/priv-unit-gaussian.ts';
import { projectedGradient } from '../../../src/optimize/projected-gradient.ts';
import { innerProduct } from '../../../src/optimize/projection.ts';
import { noiseAwareFit } from '../../../src/polynomial/fit.ts';
import { liftSize, MAXIMUM_LIFT } from '../../../src/polynomial/lift.ts';
import { liftedNoiseNorm } from '../../../src/polynomial/lifted-polynomial.ts';
import {
  type SphericalDeconvolution,
  type SphericalGradientPoint,
  sphericalDeconvolution,
  sphericalGradientMoments,
} from '../../../src/polynomial/spherical-deconvolution.ts';
import { normal } from '../../../src/random/normal.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import type { MarginLoss } from '../../../src/risk/margin-loss.ts';
import type { Forecast } from '../../../src/simulation/forecast.ts';
import type { ForecastQuery } from './forecast.ts';
import {
  populationOptimum,
  populationRisk,
  type ReferencePopulation,
  referencePopulation,
} from './reference-population.ts';
import type { SphericalParameters } from './spherical.ts';

/** Highest degree of the lifted reports that spherical Laplace reports are compared with. */
const COMPARED_DEGREE = 2;

/** Expected squared errors of the gradient in the mean over all players, of the two pure-ε variants. */
export interface PureForecasts {
  /** Of spherical Laplace reports: noise alone. */
  readonly sphericalLaplace: number;
  /** Of lifted reports with the best degree up to 2: noise, and the squared error of the polynomial. */
  readonly lifted: number;
}

/**
 * A loss freed of the noise of the reports.
 *
 * @throws RangeError for a loss without derivatives of every order.
 */
export function deconvolutionOf({ mechanism }: SphericalParameters, loss: MarginLoss): SphericalDeconvolution {
  const { analyticDerivatives: derivatives, growthRate = 0 } = loss;
  if (derivatives === undefined) {
    throw new RangeError(`"loss" expected one with derivatives of every order for sphericalLaplace, got ${loss.name}`);
  }
  return sphericalDeconvolution({ noise: mechanism, derivatives, growthRate });
}

/**
 * The variance E‖G − E G‖² of the gradient estimate from one spherical Laplace report, by quadrature.
 *
 * @throws RangeError for a loss without derivatives of every order, or one that grows too fast for a variance.
 */
export function sphericalVariance(
  parameters: SphericalParameters,
  loss: MarginLoss,
  at: SphericalGradientPoint,
): number {
  const { secondMoment } = sphericalGradientMoments(deconvolutionOf(parameters, loss), at);
  const slope = loss.derivative(at.weightNorm * at.along);
  return secondMoment - slope * slope * at.squaredNorm;
}

/**
 * Forecasts of both pure-ε variants at ‖w‖ = R, ‖v‖ = 1 and a margin of R/2 for the noise, and margins anywhere in [−R, R] for
 * the polynomial: before any data, and for the same ε, p and n.
 */
export function pureForecasts(
  parameters: SphericalParameters,
  loss: MarginLoss,
  radius: number,
  players: number,
): PureForecasts {
  checkPositive('radius', radius);
  checkPositive('players', players);
  const { dimension, epsilon } = parameters;
  const at = { weightNorm: radius, along: 0.5, squaredNorm: 1 };
  const sphericalLaplace = sphericalVariance(parameters, loss, at) / players;
  let lifted = Infinity;
  for (let degree = 0; degree <= COMPARED_DEGREE && liftSize(dimension, degree + 1) <= MAXIMUM_LIFT; degree++) {
    const { coordinateVariance } = privUnitG({ epsilon, dimension: liftSize(dimension, degree + 1) + 1 });
    const total = 2 - 2 ** -degree;
    // The default shares of the variant: each power gets half of what the power before gets.
    const noise = Array.from(
      { length: degree + 1 },
      (_, k) => (coordinateVariance * total * 2 ** k * liftedNoiseNorm(dimension, k, radius)) / players,
    );
    const fit = noiseAwareFit({ target: loss.derivative, degree, lower: -radius, upper: radius, noise });
    lifted = Math.min(lifted, fit.objective);
  }
  return { sphericalLaplace, lifted };
}

/** Draws of the noise that a forecast averages over. */
const DRAWS = 8;

/**
 * What to expect of spherical Laplace reports: the exact risk of the reference population, plus a linear term of the size of
 * the gradient's noise at ‖w‖ = R in every direction, minimised over the ball.
 *
 * @throws TypeError or RangeError naming the field, or for a loss that these reports cannot serve.
 */
export function forecastSpherical(parameters: SphericalParameters, query: ForecastQuery): Forecast {
  const { loss } = query;
  const players = checkPositive('players', query.players);
  const radius = checkPositive('radius', query.radius ?? 1);
  const { dimension } = parameters;
  const population = referencePopulation(dimension, query.signal ?? 0.5);
  const best = populationOptimum(population, loss, radius);
  const variance = sphericalVariance(parameters, loss, { weightNorm: radius, along: 0.5, squaredNorm: 1 }) / players;
  const random = seededRandom(`forecast ${parameters.digest}`);
  const excesses = Array.from({ length: DRAWS }, () => {
    const pull = Float64Array.from({ length: dimension }, () => Math.sqrt(variance / dimension) * normal(random));
    const w = tiltedOptimum(population, loss, radius, pull);
    return populationRisk(population, loss, w) - best;
  });
  const excessRisk = excesses.reduce((sum, excess) => sum + excess, 0) / DRAWS;
  const spread = excesses.reduce((sum, excess) => sum + (excess - excessRisk) ** 2, 0) / (DRAWS - 1);
  const deviation = Math.sqrt(spread);
  return { bias: 0, noise: Math.sqrt(variance), excessRisk, deviation, floor: 0, degree: 0 };
}

// Where the mean loss of the population plus a linear term is least.
function tiltedOptimum(
  { dimension, members, records }: ReferencePopulation,
  loss: MarginLoss,
  radius: number,
  pull: Float64Array,
): Float64Array {
  const gradient = (w: Float64Array, target: Float64Array): number => {
    target.set(pull);
    let value = innerProduct(pull, w);
    for (let i = 0, at = 0; i < members; i++, at += dimension) {
      let t = 0;
      for (let j = 0; j < dimension; j++) t += w[j] * records[at + j];
      value += loss.value(t) / members;
      const slope = loss.derivative(t) / members;
      for (let j = 0; j < dimension; j++) target[j] += slope * records[at + j];
    }
    return value;
  };
  const unused = new Float64Array(dimension);
  const objective = { dimension, value: (w: Float64Array): number => gradient(w, unused), gradient };
  return projectedGradient({ objective, radius, iterations: 100, tolerance: 1e-6 }).point;
}

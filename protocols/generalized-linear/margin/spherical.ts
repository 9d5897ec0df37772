import { checkInteger, checkNonNegative, checkPositive, RefusedValue, refusedAs } from '../../../src/check/refusal.ts';
import { type ChannelTally, canonicalOrder, checkFilled, reportTally } from '../../../src/core/channel.ts';
import {
  checkNorms,
  GAUSSIAN_THEOREM,
  HONEST_REFUSAL,
  type NormLimit,
  type ReportLimits,
  sphericalNormLimit,
} from '../../../src/core/influence.ts';
import { agreementOf, checkGrade } from '../../../src/core/request.ts';
import { sphericalLogRatio } from '../../../src/core/vector-channel.ts';
import { type SphericalLaplace, sphericalLaplace } from '../../../src/mechanism/added-noise.ts';
import { privUnitG } from '../../../src/mechanism/unit-mechanism.ts';
import { innerProduct } from '../../../src/numeric/matrix.ts';
import { projectedGradient } from '../../../src/optimize/ball.ts';
import { riskOf } from '../../../src/optimize/corrected-risk.ts';
import { noiseAwareFit } from '../../../src/polynomial/fit.ts';
import { liftedNoiseNorm, liftSize, MAXIMUM_LIFT } from '../../../src/polynomial/lift.ts';
import {
  checkWeightNorm,
  deconvolvedGradient,
  MAXIMUM_DERIVATIVE_ORDER,
  type SphericalDeconvolution,
  type SphericalGradientPoint,
  sphericalDeconvolution,
  sphericalGradientMoments,
} from '../../../src/polynomial/spherical-deconvolution.ts';
import { pure } from '../../../src/privacy/guarantee.ts';
import { normal } from '../../../src/random/random.ts';
import { seededRandom } from '../../../src/random/seeded.ts';
import type { MarginLoss } from '../../../src/risk/margin-loss.ts';
import type { Forecast } from '../../../src/simulation/study.ts';
import {
  type MarginFamily,
  type MarginSphericalRequest,
  NEIGHBOUR_DISTANCE,
  precisionOf,
  type SphericalParameters,
} from './parameters.ts';
import type { MarginChannel, MarginEstimate, MarginQuery } from './query.ts';
import {
  type ForecastQuery,
  leastPoint,
  populationOptimum,
  populationRisk,
  referencePopulation,
} from './reference-population.ts';

/** Largest number of features whose noise can be undone: P + 2 derivatives of the loss are needed, P odd and ≥ p. */
const MAXIMUM_SPHERICAL_DIMENSION: number = MAXIMUM_DERIVATIVE_ORDER - 3;

/** One copy of v with spherical Laplace noise: see `sphericalLaplace` of the protocol. */
export function marginSpherical(family: MarginFamily, request: MarginSphericalRequest): SphericalParameters {
  const variant = 'sphericalLaplace';
  const epsilon = checkPositive('epsilon', request.epsilon);
  const grade = checkGrade(request.grade, variant, false);
  const dimension = checkInteger('dimension', request.dimension, 1, MAXIMUM_SPHERICAL_DIMENSION);
  const mechanism = sphericalLaplace({ epsilon, dimension, sensitivity: NEIGHBOUR_DISTANCE });
  const deviation = Math.sqrt(mechanism.coordinateVariance);
  // The tail is that of a gamma law: 8 deviations further out than a normal one.
  const precision = precisionOf(epsilon, deviation, 8 * deviation);
  const agreement = agreementOf(family, { variant, epsilon, dimension });
  return { ...family, variant, grade, ...agreement, epsilon, dimension, length: dimension, precision, mechanism };
}

/** The signed record with spherical Laplace noise: pure ε, and a tally of the reports. */
export function sphericalChannel(parameters: SphericalParameters): MarginChannel {
  const { epsilon, mechanism } = parameters;
  return {
    guarantee: pure(epsilon),
    // Its scale is 1/κ.
    releases() {
      const { sensitivity, rate, guarantee, name } = mechanism;
      return [{ what: 'v = y·x', count: 1, mechanism: name, sensitivity, scale: 1 / rate, guarantee }];
    },
    neighbourDistance: NEIGHBOUR_DISTANCE,
    limits: () => sphericalLimits(mechanism),
    logRatio: (first, second) => sphericalLogRatio(mechanism, first, second),
  };
}

function sphericalLimits(mechanism: SphericalLaplace): ReportLimits {
  const norm = sphericalNormLimit(mechanism, HONEST_REFUSAL);
  const limits: NormLimit[] = [{ from: 0, to: mechanism.dimension, norm }];
  return {
    influence: {
      reportNorm: norm,
      bound: norm,
      honestNorm: Math.sqrt(1 + mechanism.squaredError),
      honestRefusal: HONEST_REFUSAL,
      theorem: `${GAUSSIAN_THEOREM}, of twice a gamma variable`,
    },
    check: (values) => checkNorms(limits, values),
  };
}

/**
 * A query to spherical Laplace reports, with λ ≥ 0 of a penalty λ‖w‖²/2, by default 0. Degree 0 puts f′(0) in the place of f′,
 * which gives the direction of the mean; otherwise the loss needs `analyticDerivatives`, and the decoding is exact.
 */
interface SphericalQuery extends Pick<MarginQuery, 'degree' | 'ridge'> {
  readonly loss: MarginLoss;
  readonly radius: number;
  /** Answer even where lifted reports are forecast to be better. */
  readonly force: boolean;
}

/** Refuses a query that no spherical Laplace reports of these parameters can answer, however many there are. */
export function checkSphericalQuery(
  parameters: SphericalParameters,
  { loss, radius, degree = 'automatic', ridge = 'automatic', force }: SphericalQuery,
): void {
  if (ridge !== 'automatic') checkNonNegative('ridge', ridge);
  if (degree === 0) return;
  if (degree !== 'automatic') throw new RefusedValue('degree', '0 or automatic for variant sphericalLaplace', degree);
  const deconvolution = deconvolutionOf(parameters, loss);
  if (!force) checkWeightNorm('radius', deconvolution, radius);
}

/** Largest number of steps of the minimisation; each step is one or two passes over the reports. */
const STEPS = 300;

/**
 * The model that minimises the deconvolved risk (1/n)·Σ h̃(⟨w, Z_i⟩) over ‖w‖ ≤ R, and that risk. The risk is unbiased
 * for E f(⟨w, v⟩) at every w, without a polynomial. `coefficients` is empty, and `bias` and `degree` are 0. The
 * standard error is that of the mean and covers both records and noise. Unless forced, it is refused where lifted reports
 * are forecast to have a smaller error.
 */
export function estimateSpherical(
  parameters: SphericalParameters,
  tally: ChannelTally,
  query: SphericalQuery,
): MarginEstimate {
  checkFilled(tally, parameters);
  const { players } = tally;
  const reports = reportTally(tally);
  const { loss, radius, degree = 'automatic', ridge = 'automatic', force } = query;
  const penalty = ridge === 'automatic' ? 0 : ridge;
  // In the server's own order, so that sums do not depend on the order of arrival.
  const { dimension, length } = parameters;
  const sorted = Array.from(canonicalOrder({ length }, reports), (i) =>
    Float64Array.from(reports.values.subarray(i * length, (i + 1) * length)),
  );
  if (degree === 0) return meanEstimate(parameters, sorted, loss, radius);
  const deconvolution = deconvolutionOf(parameters, loss);
  if (!force) {
    const { sphericalLaplace, lifted } = pureForecasts(parameters, loss, radius, players);
    if (sphericalLaplace > lifted) {
      const [own, other] = [sphericalLaplace, lifted].map((error) => error.toPrecision(3));
      throw new RefusedValue(
        `"variant" expected one of a small error for these players: forecast squared error of a gradient ${own} for sphericalLaplace, ${other} for lifted (force: true answers all the same)`,
      );
    }
  }
  const part = new Float64Array(dimension);
  const meanAt = (w: ArrayLike<number>, gradient: Float64Array): { mean: number; squares: number } => {
    gradient.fill(0);
    let [mean, squares] = [0, 0];
    for (let i = 0; i < players; i++) {
      const value = deconvolvedGradient(deconvolution, w, sorted[i], part);
      for (let j = 0; j < dimension; j++) gradient[j] += part[j] / players;
      const step = value - mean;
      mean += step / (i + 1);
      squares += step * (value - mean);
    }
    return { mean, squares };
  };
  const unused = new Float64Array(dimension);
  const objective = {
    dimension,
    value: (w: Float64Array): number => meanAt(w, unused).mean + (penalty * innerProduct(w, w)) / 2,
    gradient(w: Float64Array, target: Float64Array): void {
      meanAt(w, target);
      for (let j = 0; j < dimension; j++) target[j] += penalty * w[j];
    },
  };
  const w = projectedGradient({ objective, radius, iterations: STEPS }).point;
  const { mean, squares } = meanAt(w, unused);
  const riskAt = riskOf(dimension, (at) => meanAt(at, unused).mean);
  const found = { players, w, radius, server: 'newton', degree: 0, coefficients: new Float64Array(0) } as const;
  return { ...found, ridge: penalty, bias: 0, risk: mean, standardError: deviationOfMean(squares, players), riskAt };
}

const deviationOfMean = (squares: number, players: number): number =>
  players > 1 ? Math.sqrt(squares / (players - 1) / players) : Infinity;

// The line f(0) + f′(0)·t in the place of f: its minimiser is the mean's direction, up to a sign.
function meanEstimate(
  { dimension }: SphericalParameters,
  reports: readonly Float64Array[],
  loss: MarginLoss,
  radius: number,
): MarginEstimate {
  const players = reports.length;
  const mean = new Float64Array(dimension);
  for (const report of reports) for (let j = 0; j < dimension; j++) mean[j] += report[j] / players;
  const slope = loss.derivative(0);
  const norm = Math.sqrt(innerProduct(mean, mean));
  const w = mean.map((entry) => (norm > 0 && slope !== 0 ? (-Math.sign(slope) * radius * entry) / norm : 0));
  const inner = (at: ArrayLike<number>): number => mean.reduce((sum, entry, j) => sum + entry * at[j], 0);
  const riskAt = riskOf(dimension, (at) => loss.value(0) + slope * inner(at));
  const squares = reports.reduce((sum, report) => sum + (slope * innerProduct(w, report)) ** 2, 0);
  const centred = Math.max(0, squares - players * (slope * innerProduct(w, mean)) ** 2);
  const bias = Math.max(...[-radius, radius].map((t) => Math.abs(loss.derivative(t) - slope)));
  const found = { players, w, radius, server: 'newton', degree: 0, coefficients: Float64Array.of(slope) } as const;
  return { ...found, ridge: 0, bias, risk: riskAt(w), standardError: deviationOfMean(centred, players), riskAt };
}

/** Highest degree of the lifted reports that spherical Laplace reports are compared with. */
const COMPARED_DEGREE = 2;

/** A loss corrected for the noise of the reports; it needs derivatives of every order. */
export function deconvolutionOf({ mechanism }: SphericalParameters, loss: MarginLoss): SphericalDeconvolution {
  const { analyticDerivatives: derivatives, growthRate = 0 } = loss;
  if (derivatives === undefined) {
    throw new RefusedValue(
      `"loss" expected one with derivatives of every order for sphericalLaplace, got ${loss.name}`,
    );
  }
  return sphericalDeconvolution({ noise: mechanism, derivatives, growthRate });
}

/** The variance E‖G − E G‖² of the gradient estimate from one spherical Laplace report, by quadrature. */
export function sphericalVariance(
  parameters: SphericalParameters,
  loss: MarginLoss,
  at: SphericalGradientPoint,
): number {
  const { secondMoment } = sphericalGradientMoments(deconvolutionOf(parameters, loss), at);
  const slope = loss.derivative(at.weightNorm * at.along);
  return secondMoment - slope * slope * at.squaredNorm;
}

/** That at ‖w‖ = R, ‖v‖ = 1 and a margin of R/2; a radius at which it cannot be integrated is refused by its name. */
function varianceWithin(radius: number, parameters: SphericalParameters, loss: MarginLoss): number {
  try {
    return sphericalVariance(parameters, loss, { weightNorm: radius, along: 0.5, squaredNorm: 1 });
  } catch (error) {
    if (refusedAs(error) !== 'value') throw error;
    throw new RefusedValue('radius', 'one at which the variance of sphericalLaplace can be integrated', radius);
  }
}

/**
 * Expected squared errors of the mean gradient of both pure-ε variants before any data, for the same ε, p and n: for spherical
 * Laplace reports noise alone, for lifted ones with the best degree up to 2 that of the polynomial too. The noise is that at
 * ‖w‖ = R, ‖v‖ = 1 and a margin of R/2; the polynomial is fitted over all margins in [−R, R].
 */
function pureForecasts(parameters: SphericalParameters, loss: MarginLoss, radius: number, players: number) {
  const { dimension, epsilon } = parameters;
  const sphericalLaplace = varianceWithin(radius, parameters, loss) / players;
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
 * A forecast for spherical Laplace reports. The exact risk of the reference population, plus a random linear term, is
 * minimised over the ball. In every direction the term has the size of the gradient's noise at ‖w‖ = R.
 * @throws TypeError or RangeError naming the field, or for a loss that these reports cannot serve.
 */
export function forecastSpherical(parameters: SphericalParameters, query: ForecastQuery): Forecast {
  const { loss } = query;
  const players = checkPositive('players', query.players);
  const radius = checkPositive('radius', query.radius ?? 1);
  checkSphericalQuery(parameters, { loss, radius, force: false });
  const { dimension } = parameters;
  const population = query.population ?? referencePopulation(dimension, query.signal ?? 0.5);
  const best = populationOptimum(population, loss, radius);
  const variance = varianceWithin(radius, parameters, loss) / players;
  const random = seededRandom(`forecast ${parameters.digest}`);
  const excesses = Array.from({ length: DRAWS }, () => {
    const pull = Float64Array.from({ length: dimension }, () => Math.sqrt(variance / dimension) * normal(random));
    const w = leastPoint(population, loss, { radius, pull, iterations: 100, tolerance: 1e-6 }).point;
    return populationRisk(population, loss, w) - best;
  });
  const excessRisk = excesses.reduce((sum, excess) => sum + excess, 0) / DRAWS;
  const spread = excesses.reduce((sum, excess) => sum + (excess - excessRisk) ** 2, 0) / (DRAWS - 1);
  const deviation = Math.sqrt(spread);
  return { bias: 0, noise: Math.sqrt(variance), excessRisk, deviation, floor: 0, degree: 0 };
}

import { checkNonNegative, checkPositive, refusal } from '../../../src/check/number.ts';
import { projectedGradient } from '../../../src/optimize/projected-gradient.ts';
import { innerProduct } from '../../../src/optimize/projection.ts';
import { deconvolvedGradient } from '../../../src/polynomial/spherical-deconvolution.ts';
import type { MarginLoss } from '../../../src/risk/margin-loss.ts';
import type { MarginEstimate } from './query.ts';
import type { SphericalParameters } from './spherical.ts';
import { deconvolutionOf, pureForecasts } from './spherical-forecast.ts';
import { canonicalOrder, checkTally, type MarginTally, type ReportTally } from './tally.ts';

/** What may be asked of spherical Laplace reports. */
export interface SphericalQuery {
  /** The loss; it needs `analyticDerivatives`. */
  readonly loss: MarginLoss;
  /** R > 0. Default 1. */
  readonly radius?: number;
  /** Degree 0 puts f′(0) in the place of f′, which gives the direction of the mean; otherwise the decoding is exact. */
  readonly degree?: number | 'automatic';
  /** λ ≥ 0 of a penalty λ‖w‖²/2. Default `automatic`: none. */
  readonly ridge?: number | 'automatic';
  /** Answer even where lifted reports are forecast to be better. */
  readonly force?: boolean;
}

/** Most steps of the minimisation, each a pass or two over the reports. */
const STEPS = 300;

/**
 * The model that minimises the deconvolved risk (1/n)·Σ h̃(⟨w, Z_i⟩) over ‖w‖ ≤ R, and that risk: unbiased for E f(⟨w, v⟩) at
 * every w, without a polynomial. `coefficients` is empty, and `bias` and `degree` are 0. The standard error is that of the
 * whole mean, records and noise.
 *
 * @throws TypeError or RangeError naming the field; RangeError for a tally without reports, for a loss without derivatives of
 * every order, and where lifted reports are forecast to have a smaller error (unless forced), naming both forecasts.
 */
export function estimateSpherical(
  parameters: SphericalParameters,
  tally: MarginTally,
  query: SphericalQuery,
): MarginEstimate {
  const { players } = tally;
  if (players < 1) throw new RangeError(refusal('tally.players', 'at least one report', players));
  checkTally('tally', tally, parameters);
  if (tally.kind !== 'reports') throw new TypeError(refusal('tally', 'a tally of reports', tally.kind));
  const { loss, degree = 'automatic', ridge = 'automatic', force = false } = query;
  const radius = checkPositive('radius', query.radius ?? 1);
  const penalty = ridge === 'automatic' ? 0 : checkNonNegative('ridge', ridge);
  if (degree !== 'automatic' && degree !== 0) {
    throw new RangeError(refusal('degree', '0 or automatic for variant sphericalLaplace', degree));
  }
  if (degree === 0) return meanEstimate(parameters, tally, loss, radius);
  const deconvolution = deconvolutionOf(parameters, loss);
  if (!force) {
    const { sphericalLaplace, lifted } = pureForecasts(parameters, loss, radius, players);
    if (sphericalLaplace > lifted) {
      const [own, other] = [sphericalLaplace, lifted].map((error) => error.toPrecision(3));
      throw new RangeError(
        `"variant" expected one of a small error for these players: forecast squared error of a gradient ${own} for sphericalLaplace, ${other} for lifted (force: true answers all the same)`,
      );
    }
  }
  const { dimension } = parameters;
  const sorted = inOrder(parameters, tally);
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
  const riskAt = (at: ArrayLike<number>): number => {
    if (at.length !== dimension) throw new RangeError(refusal('w', `${dimension} numbers`, at.length));
    return meanAt(at, unused).mean;
  };
  const standardError = deviationOfMean(squares, players);
  const coefficients = new Float64Array(0);
  return {
    players,
    w,
    radius,
    server: 'newton',
    degree: 0,
    coefficients,
    ridge: penalty,
    bias: 0,
    risk: mean,
    standardError,
    riskAt,
  };
}

// The reports in an order of the server's own, so that sums do not depend on how they arrived.
function inOrder({ length }: SphericalParameters, tally: ReportTally): Float64Array[] {
  return Array.from(canonicalOrder({ length }, tally), (i) =>
    Float64Array.from(tally.values.subarray(i * length, (i + 1) * length)),
  );
}

const deviationOfMean = (squares: number, players: number): number =>
  players > 1 ? Math.sqrt(squares / (players - 1) / players) : Infinity;

// The line f(0) + f′(0)·t in the place of f: its minimiser is the mean's direction, up to a sign.
function meanEstimate(
  parameters: SphericalParameters,
  tally: ReportTally,
  loss: MarginLoss,
  radius: number,
): MarginEstimate {
  const { dimension } = parameters;
  const { players } = tally;
  const reports = inOrder(parameters, tally);
  const mean = new Float64Array(dimension);
  for (const report of reports) for (let j = 0; j < dimension; j++) mean[j] += report[j] / players;
  const slope = loss.derivative(0);
  const norm = Math.sqrt(innerProduct(mean, mean));
  const w = mean.map((entry) => (norm > 0 && slope !== 0 ? (-Math.sign(slope) * radius * entry) / norm : 0));
  const riskAt = (at: ArrayLike<number>): number => {
    if (at.length !== dimension) throw new RangeError(refusal('w', `${dimension} numbers`, at.length));
    return loss.value(0) + slope * mean.reduce((sum, entry, j) => sum + entry * at[j], 0);
  };
  const squares = reports.reduce((sum, report) => sum + (slope * innerProduct(w, report)) ** 2, 0);
  const centred = Math.max(0, squares - players * (slope * innerProduct(w, mean)) ** 2);
  let bias = 0;
  for (const t of [-radius, radius]) bias = Math.max(bias, Math.abs(loss.derivative(t) - slope));
  return {
    players,
    w,
    radius,
    server: 'newton',
    degree: 0,
    coefficients: Float64Array.of(slope),
    ridge: 0,
    bias,
    risk: riskAt(w),
    standardError: deviationOfMean(centred, players),
    riskAt,
  };
}

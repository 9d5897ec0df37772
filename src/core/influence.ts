import { ReportError } from '../check/refusal.ts';
import { checkKClosestReport, type KClosest } from '../mechanism/k-closest.ts';
import type { PrivUnitG } from '../mechanism/unit-mechanism.ts';
import type { Lift } from '../polynomial/lift.ts';

const { log, sqrt } = Math;

/**
 * How far one report can move a tally, whoever made it. If a server counts each player once and refuses what `decode`
 * refuses, k hostile players move its tally by at most k times the bound.
 */
export interface Influence {
  readonly reportNorm: number;
  /**
   * Largest ℓ₂ norm that one accepted report adds to the sums behind the estimates: the tally itself where it holds
   * sums, and for noisy copies the corrected powers of their average. Infinity where the bound exceeds every double.
   */
  readonly bound: number;
  /** Upper bound on the root mean square norm of an honest report, in the units of `reportNorm`, to compare with. */
  readonly honestNorm: number;
  /** An upper bound on the probability that an honest report is refused for its norm. */
  readonly honestRefusal: number;
  /** The inequality behind the norm. */
  readonly theorem: string;
}

/** The largest probability with which an honest report may be refused for its norm: once in 10¹² reports. */
export const HONEST_REFUSAL = 1e-12;

/** Margin above a limit for what rounding adds to a norm: single precision is off by 2⁻²⁴ of a value. */
const ROUNDING = 1 + 1e-6;

/**
 * A number that a χ² variable with `freedom` degrees of freedom exceeds with probability at most e^{−x}: d + 2√(dx) + 2x.
 * By the same proof it bounds the squared norm of d independent subgaussians of variance proxy 1, as the discrete
 * Gaussian.
 * Source: Laurent, Massart 2000, lemma 1; Hsu, Kakade, Zhang 2012, theorem 1; Canonne, Kamath, Steinke 2020, corollary
 * 17.
 */
export function chiSquareLimit(freedom: number, x: number): number {
  return freedom + 2 * sqrt(freedom * x) + 2 * x;
}

/** A norm that v + σg exceeds with probability at most `refusal`, ‖v‖ ≤ `centre`, g normal or subgaussian in R^d. */
export function gaussianNormLimit(centre: number, sigma: number, freedom: number, refusal: number): number {
  return ROUNDING * (centre + sigma * sqrt(chiSquareLimit(freedom, -log(refusal))));
}

/** The same of a PrivUnitG report, of density at most keep/cap times that of `scale`·g, g standard normal in R^d. */
export function privUnitNormLimit(
  mechanism: { readonly dimension: number; readonly keep: number; readonly cap: number; readonly scale: number },
  refusal: number,
): number {
  const { dimension, keep, cap, scale } = mechanism;
  return ROUNDING * scale * sqrt(chiSquareLimit(dimension, log(keep / cap) - log(refusal)));
}

/** The same of v + η, ‖v‖ ≤ 1, ‖η‖ gamma of shape P and scale 1/rate: twice a gamma is χ² with 2P degrees of freedom. */
export function sphericalNormLimit(
  mechanism: { readonly noiseDimension: number; readonly rate: number },
  refusal: number,
): number {
  const { noiseDimension, rate } = mechanism;
  return ROUNDING * (1 + chiSquareLimit(2 * noiseDimension, -log(refusal)) / (2 * rate));
}

/** A limit on the norm of the entries `from` to `to` − 1 of a report, in its units. */
export interface NormLimit {
  readonly from: number;
  readonly to: number;
  readonly norm: number;
}

/** Refuses a report beyond a limit, in one pass over the values. */
export function checkNorms(limits: readonly NormLimit[], values: ArrayLike<number>): void {
  for (const { from, to, norm } of limits) checkNorm(squaredNorm(values, from, to), norm);
}

export function squaredNorm(values: ArrayLike<number>, from: number, to: number): number {
  let squared = 0;
  for (let i = from; i < to; i++) squared += values[i] * values[i];
  return squared;
}

/** Refuses a squared norm beyond the square of a limit; NaN too. */
export function checkNorm(squared: number, limit: number): void {
  if (!(squared <= limit * limit)) {
    throw new ReportError('"report" expected a norm that these parameters produce but once in 1e12 reports');
  }
}

/**
 * Upper bounds of max h_m(x)², m = 0 … `degree`, over |x| ≤ r, where h_m(x) = σ^m·He_m(x/σ) estimates the m-th power.
 * Law: h_m² + mσ²h_{m−1}² grows with |x|, since He_m″ = x·He_m′ − m·He_m (Sonin's argument), and is at least h_m².
 */
export function correctedPowerBounds(degree: number, sigma: number, r: number): Float64Array {
  const variance = sigma * sigma;
  const bounds = new Float64Array(degree + 1);
  let [before, current] = [0, 1];
  for (let m = 0; m <= degree; m++) {
    bounds[m] = current * current + m * variance * before * before;
    [before, current] = [current, r * current - m * variance * before];
  }
  return bounds;
}

/**
 * Upper bounds of the squared norms of the corrected symmetric powers 1 … `degree` of z, ‖z‖ ≤ r, in R^p: these are
 * what one Gaussian copy adds to the sums, block after block.
 * Law: the norm of block j depends on ‖z‖ only. At z = ‖z‖e₁ its square is Σ_m C(j, m)·h_m(‖z‖)²·q_{j−m}, q the squared
 * norm of the corrected powers of 0 in R^{p−1}: q_{2t} = (2t)!·σ^{4t}·((p − 1)/2)_t/t!, from
 * Σ q_s x^s/s! = (1 − σ⁴x²)^{−(p−1)/2}.
 */
export function correctedLiftBounds(
  { dimension, degree }: { readonly dimension: number; readonly degree: number },
  sigma: number,
  r: number,
): Float64Array {
  const along = correctedPowerBounds(degree, sigma, r);
  const across = new Float64Array(degree + 1);
  across[0] = 1;
  for (let t = 1; 2 * t <= degree; t++) {
    const rising = ((dimension - 1) / 2 + t - 1) / t;
    across[2 * t] = across[2 * t - 2] * (2 * t) * (2 * t - 1) * rising * sigma ** 4;
  }
  return Float64Array.from({ length: degree }, (_, block) => {
    const j = block + 1;
    let sum = 0;
    for (let m = 0, choose = 1; m <= j; choose = (choose * (j - m)) / (m + 1), m++) {
      // 0·∞ is no bound, so a term with factor 0 is left out.
      if (across[j - m] > 0) sum += choose * along[m] * across[j - m];
    }
    return sum;
  });
}

export function totalNorm(squares: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < squares.length; i++) sum += squares[i];
  return sqrt(sum);
}

/** What decode refuses besides damaged reports, and how much an accepted report can still do. */
export interface ReportLimits {
  readonly influence: Influence;
  /** Refuses reports that these parameters produce with probability at most 10⁻¹². */
  check(values: ArrayLike<number>): void;
}

export const GAUSSIAN_THEOREM = 'tail of chi-square, Laurent and Massart 2000, lemma 1';

/** Limits of a report of a unit vector: a norm for PrivUnitG; for k-closest encoding every norm is the same. */
export function unitLimits(mechanism: PrivUnitG | KClosest): ReportLimits {
  const { scale, dimension, squaredError } = mechanism;
  if (mechanism.name === 'k-closest') {
    // The direction is expanded in doubles: a unit vector up to their rounding.
    const norm = scale * (1 + 1e-9);
    const theorem = 'every codeword has the same norm';
    return {
      influence: { reportNorm: norm, bound: norm, honestNorm: scale, honestRefusal: 0, theorem },
      check: (values) => checkKClosestReport(mechanism, values),
    };
  }
  const norm = privUnitNormLimit(mechanism, HONEST_REFUSAL);
  return {
    influence: {
      reportNorm: norm,
      bound: norm,
      honestNorm: sqrt(1 + squaredError),
      honestRefusal: HONEST_REFUSAL,
      theorem: `${GAUSSIAN_THEOREM}, times keep/cap`,
    },
    check: (values) => checkNorm(squaredNorm(values, 0, dimension), norm),
  };
}

/** Limits of one Gaussian copy of a vector of the unit ball, whose corrected powers are added up. */
export function gaussianLimits(parameters: {
  readonly sigma: number;
  readonly length: number;
  readonly lift: Pick<Lift, 'dimension' | 'degree'>;
  readonly noise?: { readonly radius: number; readonly sigma: number; readonly step: number };
}): ReportLimits {
  const { sigma, length, lift, noise } = parameters;
  // A deployed report stands on a grid, whose integers and largest norm are in units of its step.
  const on = noise ?? { radius: 1, sigma, step: 1 };
  const norm = gaussianNormLimit(on.radius, on.sigma, length, HONEST_REFUSAL);
  const reportNorm = norm * on.step;
  return {
    influence: {
      reportNorm,
      bound: finiteOrInfinity(totalNorm(correctedLiftBounds(lift, sigma, reportNorm))),
      honestNorm: sqrt(1 + length * sigma * sigma),
      honestRefusal: HONEST_REFUSAL,
      theorem: GAUSSIAN_THEOREM,
    },
    check: (values) => checkNorm(squaredNorm(values, 0, length), norm),
  };
}

/** The bound itself, or Infinity where squares overflow and the recursions give NaN. */
export function finiteOrInfinity(bound: number): number {
  return Number.isNaN(bound) ? Infinity : bound;
}

import { checkInteger, checkNonNegative, checkPositive, RefusedValue } from '../check/refusal.ts';
import { permutation, type Random, uniformInteger } from '../random/random.ts';

/**
 * A stochastic first-order oracle: the answers about its objective that a server with only noisy reports can give.
 *
 * The oracle contains its randomness: its maker passes the random source, and every call is a fresh draw.
 *
 * Source: Wang, Smith and Xu (2020), Definition 7, the gradient half (no method here asks for the value half).
 */
export interface StochasticOracle {
  readonly dimension: number;
  /** Writes a gradient estimate at `point` into `target`; it neither keeps nor changes `point`. */
  gradient(point: Float64Array, target: Float64Array): void;
}

/** A differentiable function with exact values and gradients; as an oracle it has deviation 0. */
export interface SmoothFunction extends StochasticOracle {
  /** The value at `point`. */
  value(point: Float64Array): number;
}

/**
 * How good an oracle is: the (γ, β, σ) of Definition 7. There are f_γ and g with E G(w) = g(w),
 * E‖G(w) − g(w)‖² ≤ σ² and, for all v and w of the ball, 0 ≤ f(v) − f_γ(w) − ⟨g(w), v − w⟩ ≤ (β/2)‖v − w‖² + γ.
 *
 * Source: Wang, Smith and Xu (2020), Definition 7.
 */
export interface OracleQuality {
  /** The smoothness β (elsewhere L) ≥ 0. */
  readonly smoothness: number;
  /** The deviation σ ≥ 0: a bound on the root mean squared ℓ₂ error of one answer. */
  readonly deviation: number;
  /** The inexactness γ ≥ 0 of Definition 7, in units of the objective; 0 if left out. */
  readonly inexactness?: number;
  /** A bound Δ ≥ 0 on the ℓ₂ error of the *mean* answer as a gradient, on top of γ; 0 if left out. */
  readonly gradientBias?: number;
}

/**
 * The inexactness γ = 2R·Δ of an oracle whose mean is the gradient plus an error e(w) of norm at most Δ.
 * Law: with f_γ(w) = f(w) + ⟨e(w), w⟩ − RΔ the difference in Definition 7 is the exact one plus RΔ − ⟨e(w), v⟩, which
 * lies in [0, 2RΔ] for every v of the ball of radius R. Giving `gradientBias` instead is never worse: γ may accumulate
 * over the steps of a fast method, but an error of the gradient does not.
 * @theorem noninteractive Definition 7
 * @theorem noninteractive Theorem 10
 */
export function inexactnessOfBias(gradientBias: number, radius: number): number {
  return 2 * checkPositive('radius', radius) * checkNonNegative('gradientBias', gradientBias);
}

/**
 * The four numbers of an oracle's quality, each finite and ≥ 0.
 * @throws TypeError or RangeError naming the field; RangeError if smoothness and deviation are both 0, because then the
 * function is linear and known, and no method has a finite step.
 * @theorem noninteractive Definition 7
 */
export function checkQuality(quality: OracleQuality): Required<OracleQuality> {
  const smoothness = checkNonNegative('smoothness', quality.smoothness);
  const deviation = checkNonNegative('deviation', quality.deviation);
  if (smoothness === 0 && deviation === 0) {
    throw new RefusedValue('smoothness', 'a finite number > 0 when the deviation is 0', smoothness);
  }
  return {
    smoothness,
    deviation,
    inexactness: checkNonNegative('inexactness', quality.inexactness ?? 0),
    gradientBias: checkNonNegative('gradientBias', quality.gradientBias ?? 0),
  };
}

/** A sum over reports whose gradient estimates are taken one report at a time. */
export interface ReportGradients {
  readonly dimension: number;
  readonly reports: number;
  /** Writes the gradient estimate of report `index` at `point` into `target`. */
  gradient(index: number, point: Float64Array, target: Float64Array): void;
}

/**
 * The oracle that answers each call from one report, in a uniformly random order and without replacement.
 *
 * The player draws the noise of a report once. A report that is used again has the same noise, so the answer would
 * depend on the query point and Definition 7 would not hold. Therefore the call after the last report is refused.
 *
 * Law: on reports of independent, identically distributed players every answer is a fresh draw of one report.
 *
 * Source: the printed server loop (Wang, Smith and Xu 2020, Algorithms 1 to 3) samples with replacement.
 * @throws RangeError on the call after the last report.
 * @theorem noninteractive Definition 7
 */
export function onePassOracle(sum: ReportGradients, random: Random): StochasticOracle {
  const reports = checkInteger('reports', sum.reports, 1, 2 ** 32 - 1);
  const order = permutation(reports, random);
  let used = 0;
  return {
    dimension: checkInteger('dimension', sum.dimension, 1),
    gradient(point, target) {
      if (used === reports) {
        throw new RefusedValue('calls', `at most one call a report, ${reports} in all`, reports + 1);
      }
      sum.gradient(order[used++], point, target);
    },
  };
}

/**
 * The oracle that answers from a report drawn uniformly *with* replacement, as printed. A report drawn again repeats its
 * noise, and the query point already depends on this noise: those answers are not fresh draws. This oracle is only for
 * reproduction and comparison; the valid one is `onePassOracle`.
 *
 * Source: Wang, Smith and Xu (2020), Algorithm 1, line 12.
 * @theorem noninteractive Algorithm 1
 */
export function withReplacementOracle(sum: ReportGradients, random: Random): StochasticOracle {
  const reports = checkInteger('reports', sum.reports, 1, 0xffffffff);
  return {
    dimension: checkInteger('dimension', sum.dimension, 1),
    gradient: (point, target) => sum.gradient(uniformInteger(reports, random), point, target),
  };
}

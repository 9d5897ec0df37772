import { checkPositive } from '../../src/check/number.ts';
import type { ReportGradients } from '../../src/optimize/oracle.ts';
import { chebyshevSeries, chebyshevToMonomial } from '../../src/polynomial/chebyshev.ts';
import type { Random } from '../../src/random/random.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { type ConvexMixture, convexMixture, sampleConvexMixture } from '../../src/risk/convex-mixture.ts';
import { constantsOn, type MarginLoss } from '../../src/risk/margin-loss.ts';
import { fitOf } from './fit.ts';
import { averagedGradients } from './margin/copies-oracle.ts';
import type { CopiesParameters } from './margin/parameters.ts';
import { productGradients } from './margin/product.ts';
import type { CopiesDecoder, MarginEstimate, MarginQuery } from './margin/query.ts';
import type { ReportTally } from './margin/tally.ts';
import { gradientVariance } from './margin/variance.ts';
import { walkEstimate } from './margin/walk.ts';
import type { WalkModel } from './margin/walk-model.ts';
import { type MixtureDecoding, mixtureVariance } from './mixture-variance.ts';

/** Width of the smoothed step for `printed` where the query names none. */
export const DEFAULT_BETA = 0.1;

/** Widths that a forecast chooses from for `copies`. */
const BETAS: readonly number[] = [DEFAULT_BETA, 0.3, 1];

/**
 * c_0 … c_d: the Chebyshev series of the smoothed step h′_β(x) = (1 + x/√(x² + β²))/2 on [−1, 1], in monomials.
 *
 * Source: Wang, Smith, Xu 2020, algorithm 2, input.
 * @theorem noninteractive Algorithm 2
 */
export function smoothedStepCoefficients(degree: number, beta: number): Float64Array {
  checkPositive('beta', beta);
  const step = (x: number): number => (1 + x / Math.hypot(x, beta)) / 2;
  const interval = { lower: -1, upper: 1 };
  return chebyshevToMonomial(chebyshevSeries(step, degree, interval), interval);
}

/**
 * The polynomial in the place of f′ that the decoding expects, in monomials of the margin:
 * (f′(R) − f′(−R))·Σ_j c_j E∏((t − s_k)/2R) + f′(−R).
 *
 * Law: with one s ~ Q for all factors (`shared`) the mean is E((t − s)/2R)^j, and the polynomial approaches f′ as Σ c_j x^j
 * approaches a step. With an s_k for each factor, as printed, it is ((t − E s)/2R)^j: one smoothed step at E s, whatever f.
 * @theorem noninteractive Theorem 14
 * @theorem noninteractive Algorithm 2
 */
export function mixtureSlope(
  mixture: ConvexMixture,
  coefficients: ArrayLike<number>,
  decoding: MixtureDecoding,
): Float64Array {
  const { nodes, weights, radius, lowest, highest } = mixture;
  const slope = new Float64Array(coefficients.length);
  const mean = nodes.reduce((sum, node, i) => sum + weights[i] * node, 0);
  const places = decoding === 'shared' ? nodes : Float64Array.of(mean);
  for (let i = 0; i < places.length; i++) {
    const weight = decoding === 'shared' ? weights[i] : 1;
    // Horner's scheme in powers of t: Σ c_j ((t − s)/2R)^j.
    const polynomial = new Float64Array(coefficients.length);
    for (let j = coefficients.length - 1; j >= 0; j--) {
      for (let k = coefficients.length - 1; k >= 0; k--) {
        polynomial[k] = ((k > 0 ? polynomial[k - 1] : 0) - places[i] * polynomial[k]) / (2 * radius);
      }
      polynomial[0] += coefficients[j];
    }
    for (let k = 0; k < slope.length; k++) slope[k] += weight * (highest - lowest) * polynomial[k];
  }
  slope[0] += lowest;
  return slope;
}

/**
 * The gradient estimates of algorithm 2, one report at a time: (f′(R) − f′(−R))·(Σ_j c_j t_j)·y₀x₀ + f′(−R)·y₀x₀ with
 * t_j = ∏ (y_k⟨w, x_k⟩ − s)/2R, s ~ Q drawn anew for each gradient (`shared`) or for each factor (`independent`, as printed).
 *
 * The printed "+ f′(−1)" adds a number to a vector; what is meant is f′(−1)·y₀x₀.
 *
 * Source: Wang, Smith, Xu 2020, algorithm 2, lines 13–18, and lemma 13.
 * @theorem noninteractive Algorithm 2
 */
export function mixtureGradients(
  { copies }: CopiesParameters,
  mixture: ConvexMixture,
  coefficients: ArrayLike<number>,
  decoding: MixtureDecoding,
  tally: ReportTally,
  random: Random,
): ReportGradients {
  const { dimension, length } = copies;
  const { values } = tally;
  const { radius, lowest, highest } = mixture;
  const stride = dimension + 1;
  return {
    dimension,
    reports: tally.players,
    gradient(index, w, target) {
      const at = index * length;
      const shared = sampleConvexMixture(mixture, random);
      let sum = coefficients[0];
      for (let j = 1, copy = at + stride; j < coefficients.length; j++) {
        let product = 1;
        for (let k = 0; k < j; k++, copy += stride) {
          let inner = 0;
          for (let i = 0; i < dimension; i++) inner += w[i] * values[copy + i];
          const s = decoding === 'shared' ? shared : sampleConvexMixture(mixture, random);
          product *= (values[copy + dimension] * inner - s) / (2 * radius);
        }
        sum += coefficients[j] * product;
      }
      const factor = ((highest - lowest) * sum + lowest) * values[at + dimension];
      for (let i = 0; i < dimension; i++) target[i] = factor * values[at + i];
    },
  };
}

/**
 * The servers that take a step a report. Products of copies are those of algorithm 2, with one s for each gradient, or for
 * `printed` one for each factor; averaged copies carry the Chebyshev series of f′ itself, without s.
 *
 * The reported polynomial, bias and risk are those that the decoding expects, s integrated out: for `printed` the bias is
 * that of the algorithm, which no degree removes.
 *
 * Source: Wang, Smith, Xu 2020, algorithm 2, lines 10–21.
 * @theorem noninteractive Algorithm 2
 */
export function minimizeByMixture(
  parameters: CopiesParameters,
  tally: ReportTally,
  query: MarginQuery,
  loss: MarginLoss,
): MarginEstimate {
  return walkEstimate(parameters, tally, query, (radius, { decoder }) =>
    decoder === 'product'
      ? mixtureWalk(parameters, loss, radius, query.seed ?? parameters.digest)
      : chebyshevWalk(parameters, loss, radius, decoder),
  );
}

function mixtureWalk(parameters: CopiesParameters, loss: MarginLoss, radius: number, seed: string): WalkModel {
  const decoding: MixtureDecoding = parameters.variant === 'printed' ? 'independent' : 'shared';
  const mixture = convexMixture(loss, { radius });
  const own = constantsOn(loss, radius).smoothness;
  return {
    loss,
    radius,
    betas: BETAS,
    series: smoothedStepCoefficients,
    polynomial(coefficients, beta) {
      const slope = mixtureSlope(mixture, coefficients, decoding);
      return {
        slope,
        derivative: loss.derivative,
        origin: loss.value(0),
        // At most (f′(R) − f′(−R))·sup h″_β/2R, or that of the loss.
        smoothness: Math.min(Number.isFinite(own) ? own : Infinity, (mixture.scale / (2 * radius)) * (1 / beta)),
        variance: (w, features) =>
          mixtureVariance(parameters, mixture, decoding, { coefficients, w, features, label: 1 }),
        oracle: (tally) => ({
          ...mixtureGradients(parameters, mixture, coefficients, decoding, tally, seededRandom(`${seed} mixture`)),
          value: productGradients(parameters.copies, slope, tally).value,
        }),
      };
    },
  };
}

/** To how much of the largest |f′| a Chebyshev series of f′ is computed: f′ may jump. */
const SERIES_TOLERANCE = 1e-4;

function chebyshevWalk(
  parameters: CopiesParameters,
  loss: MarginLoss,
  radius: number,
  decoder: CopiesDecoder,
): WalkModel {
  const interval = { lower: -radius, upper: radius };
  return {
    loss,
    radius,
    betas: [DEFAULT_BETA],
    fit: fitOf(parameters, {}, loss, radius),
    series: (degree) =>
      chebyshevToMonomial(
        chebyshevSeries(loss.derivative, degree, { ...interval, tolerance: SERIES_TOLERANCE }),
        interval,
      ),
    polynomial: (slope) => ({
      slope,
      derivative: loss.derivative,
      origin: loss.value(0),
      // sup |P′| on [−R, R] is at most Σ k|c_k|R^{k−1}.
      smoothness: slope.reduce((sum, c, k) => sum + (k === 0 ? 0 : k * Math.abs(c) * radius ** (k - 1)), 0),
      variance: (w, features) => gradientVariance(parameters, decoder, { coefficients: slope, w, features, label: 1 }),
      oracle: (tally) => averagedGradients(parameters.copies, slope, tally, decoder),
    }),
  };
}

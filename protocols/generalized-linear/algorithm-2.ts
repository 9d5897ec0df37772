import { checkInteger, checkPositive } from '../../src/check/refusal.ts';
import type { ReportTally } from '../../src/core/channel.ts';
import { innerProduct } from '../../src/numeric/matrix.ts';
import type { ReportGradients } from '../../src/optimize/oracle.ts';
import { chebyshevSeries } from '../../src/polynomial/chebyshev.ts';
import { chebyshevToMonomial } from '../../src/polynomial/fit.ts';
import type { Random } from '../../src/random/random.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { type ConvexMixture, convexMixture, sampleConvexMixture } from '../../src/risk/convex-mixture.ts';
import { constantsOn, type MarginLoss } from '../../src/risk/margin-loss.ts';
import { fitOf } from './fit.ts';
import { type GradientSetting, gradientVariance } from './margin/channels.ts';
import type { CopiesParameters } from './margin/parameters.ts';
import { COPIES_FORMS, type CopiesDecoder, type MarginEstimate, type MarginQuery } from './margin/query.ts';
import { walkEstimate } from './margin/walk.ts';
import {
  averagedGradients,
  BETAS,
  copyProduct,
  DEFAULT_BETA,
  productGradients,
  type WalkModel,
} from './margin/walk-model.ts';

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
 * The polynomial in the place of f′, as the decoding estimates it in expectation, in monomials of the margin:
 * (f′(R) − f′(−R))·Σ_j c_j E∏((t − s_k)/2R) + f′(−R).
 *
 * Law: with one s ~ Q for all factors (`shared`) the mean is E((t − s)/2R)^j, and the polynomial approaches f′ as
 * Σ c_j x^j approaches a step. With a separate s_k for each factor, as printed, the mean is ((t − E s)/2R)^j: one
 * smoothed step at E s, whatever f is.
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
 * t_j = ∏ (y_k⟨w, x_k⟩ − s)/2R, s ~ Q drawn anew for each gradient (`shared`) or for each factor (`independent`, as
 * printed).
 *
 * The printed "+ f′(−1)" adds a number to a vector; the meaning is f′(−1)·y₀x₀.
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
          const s = decoding === 'shared' ? shared : sampleConvexMixture(mixture, random);
          product *= (copyProduct(values, copy, dimension, w) - s) / (2 * radius);
        }
        sum += coefficients[j] * product;
      }
      const factor = ((highest - lowest) * sum + lowest) * values[at + dimension];
      for (let i = 0; i < dimension; i++) target[i] = factor * values[at + i];
    },
  };
}

/**
 * The servers that take one step per report. Products of copies follow algorithm 2, with one s for each gradient, or
 * for `printed` one for each factor. Averaged copies use the Chebyshev series of f′ itself, without s.
 *
 * The polynomial, bias and risk of the estimate are those of the decoding in expectation over s. For `printed` the bias
 * is that of the algorithm; no degree removes it.
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
  const { mixture: decoding } = COPIES_FORMS[parameters.variant];
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
        // At most (f′(R) − f′(−R))·sup h″_β/2R, and at most that of the loss.
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

/** Tolerance of a Chebyshev series of f′, as a fraction of the largest |f′|: f′ may jump. */
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

/** Whether all factors of a gradient share one s ~ Q (correct), or each factor has its own (as printed). */
export type MixtureDecoding = 'shared' | 'independent';

/**
 * The variance E‖G − E G‖² of the gradient estimate of algorithm 2 from one report, over the noise and over s, in
 * closed form except for the quadrature of Q. The `coefficients` of the setting are those of the step, c_0 … c_d.
 *
 * Law: E‖G‖² = E((Δ·Σ c_j t_j + f′(−R))²)·E y_0²·E‖x_0‖², Δ = f′(R) − f′(−R). It is a product because copy 0 is
 * in no factor. Given a shared s, the t_j are independent with means m^j and mean squares q^j; with an s for each
 * factor, the same holds for m and q averaged over s.
 *
 * Source: Wang, Smith, Xu 2020, theorem 14 (its third oracle claim), with constants.
 * @throws TypeError or RangeError for a wrong number of coefficients or coordinates.
 * @theorem noninteractive Theorem 14
 */
export function mixtureVariance(
  parameters: CopiesParameters,
  mixture: ConvexMixture,
  decoding: MixtureDecoding,
  setting: GradientSetting,
): number {
  const { coefficients, w, features, label } = setting;
  const { copies, dimension } = parameters;
  checkInteger('coefficients.length', coefficients.length, 1, parameters.degree + 1);
  checkInteger('w.length', w.length, dimension, dimension);
  checkInteger('features.length', features.length, dimension, dimension);
  const { firstNoise, furtherNoise } = copies;
  const { nodes, weights, radius, lowest, highest } = mixture;
  const [point, x] = [Float64Array.from(w), Float64Array.from(features)];
  const inner = innerProduct(point, x);
  const margin = label * inner;
  // E (y_k⟨w, x_k⟩)² of one further copy.
  const square =
    (label ** 2 + furtherNoise.label ** 2) * (inner ** 2 + furtherNoise.features ** 2 * innerProduct(point, point));
  const width = 2 * radius;
  const total = highest - lowest;
  const meanOf = (s: number): number => (margin - s) / width;
  const squareOf = (s: number): number => (square - 2 * s * margin + s * s) / width ** 2;
  const moments = (m: number, q: number): { readonly mean: number; readonly second: number } => {
    let mean = lowest;
    let spread = 0;
    for (let j = 0; j < coefficients.length; j++) {
      mean += total * coefficients[j] * m ** j;
      spread += (total * coefficients[j]) ** 2 * (q ** j - m ** (2 * j));
    }
    return { mean, second: mean * mean + spread };
  };
  let [mean, second] = [0, 0];
  if (decoding === 'shared') {
    for (let i = 0; i < nodes.length; i++) {
      const given = moments(meanOf(nodes[i]), squareOf(nodes[i]));
      mean += weights[i] * given.mean;
      second += weights[i] * given.second;
    }
  } else {
    let [m, q] = [0, 0];
    for (let i = 0; i < nodes.length; i++) {
      m += weights[i] * meanOf(nodes[i]);
      q += weights[i] * squareOf(nodes[i]);
    }
    ({ mean, second } = moments(m, q));
  }
  const norm = innerProduct(x, x);
  const first = (label ** 2 + firstNoise.label ** 2) * (norm + dimension * firstNoise.features ** 2);
  return second * first - mean * mean * label * label * norm;
}

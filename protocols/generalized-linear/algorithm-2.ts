import { checkPositive } from '../../src/check/number.ts';
import type { ReportGradients } from '../../src/optimize/oracle.ts';
import { largestGap } from '../../src/optimize/settled-fit.ts';
import { chebyshevSeries, chebyshevToMonomial } from '../../src/polynomial/chebyshev.ts';
import type { CopiesParameters } from '../../src/protocol/margin/parameters.ts';
import { productCoefficients, productEstimate } from '../../src/protocol/margin/product.ts';
import type { MarginEstimate, MarginQuery } from '../../src/protocol/margin/query.ts';
import type { ReportTally } from '../../src/protocol/margin/tally.ts';
import { walkReports } from '../../src/protocol/margin/walk.ts';
import type { Random } from '../../src/random/random.ts';
import { seededRandom } from '../../src/random/seeded.ts';
import { type ConvexMixture, convexMixture, sampleConvexMixture } from '../../src/risk/convex-mixture.ts';
import { constantsOn, type MarginLoss } from '../../src/risk/margin-loss.ts';
import { type MixtureDecoding, mixtureVariance } from './mixture-variance.ts';

/** Width of the smoothed step where the query names none. */
export const DEFAULT_BETA = 0.1;

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
 * The server of algorithm 2: stochastic steps along the product estimates of single reports, with one s for each gradient, or
 * for `printed` one for each factor.
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
  const { dimension } = parameters;
  const radius = checkPositive('radius', query.radius ?? 1);
  const beta = checkPositive('beta', query.beta ?? DEFAULT_BETA);
  const step = productCoefficients(parameters, query, (degree) => smoothedStepCoefficients(degree, beta));
  const decoding: MixtureDecoding = parameters.maker === 'printed' ? 'independent' : 'shared';
  const mixture = convexMixture(loss, { radius });
  const coefficients = mixtureSlope(mixture, step, decoding);
  // What the steps are sized by: the smoothness of the smoothed loss, at most (f′(R) − f′(−R))·sup h″_β/2R or that of the
  // loss, and the deviation of one estimate on the sphere of radius R.
  const own = constantsOn(loss, radius).smoothness;
  const smoothness = Math.min(Number.isFinite(own) ? own : Infinity, (mixture.scale / (2 * radius)) * (1 / beta));
  const w = new Float64Array(dimension).fill(radius / Math.sqrt(dimension));
  const features = new Float64Array(dimension).fill(1 / Math.sqrt(dimension));
  const at = { coefficients: step, w, features, label: 1 };
  const deviation = Math.sqrt(1 + mixtureVariance(parameters, mixture, decoding, at));
  const seed = query.seed ?? parameters.digest;
  const gradients = mixtureGradients(parameters, mixture, step, decoding, tally, seededRandom(`${seed} mixture`));
  const point = walkReports(parameters, tally, gradients, { smoothness, deviation }, query, seededRandom(seed));
  const bias = largestGap(coefficients, loss.derivative, radius);
  return productEstimate(parameters, tally, { w: point, radius, coefficients, bias, origin: loss.value(0) });
}

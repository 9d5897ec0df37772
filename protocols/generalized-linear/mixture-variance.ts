import { checkInteger } from '../../src/check/number.ts';
import { innerProduct } from '../../src/optimize/projection.ts';
import type { ConvexMixture } from '../../src/risk/convex-mixture.ts';
import type { CopiesParameters } from './margin/parameters.ts';
import type { GradientSetting } from './margin/variance.ts';

/** Whether all factors of a gradient share one s ~ Q, which is right, or each has its own, as printed. */
export type MixtureDecoding = 'shared' | 'independent';

/**
 * The variance E‖G − E G‖² of the gradient estimate of algorithm 2 from one report, over the noise and over s, in closed
 * form but for the quadrature of Q. `coefficients` of the setting are those of the step, c_0 … c_d.
 *
 * Law: E‖G‖² = E((Δ·Σ c_j t_j + f′(−R))²)·E y_0²·E‖x_0‖², Δ = f′(R) − f′(−R): copy 0 is in no factor. Given a shared s the t_j
 * are independent with means m^j and mean squares q^j; with an s for each factor the same holds of m and q averaged over s.
 *
 * Source: Wang, Smith, Xu 2020, theorem 14 (its third oracle claim), with constants.
 *
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

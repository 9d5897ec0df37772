import type { ChannelTally } from '../../src/core/channel.ts';
import { quadraticValue } from '../../src/optimize/ball-newton.ts';
import { denoisedMatrix } from '../../src/optimize/corrected-risk.ts';
import { innerProduct } from '../../src/optimize/projection.ts';
import type { MarginLoss } from '../../src/risk/margin-loss.ts';
import { momentsOf } from './margin/channels.ts';
import type { MarginParameters } from './margin/parameters.ts';
import type { CopiesDecoder, MarginEstimate } from './margin/query.ts';

const { exp, max, min, sqrt } = Math;

/** The radii that `automatic` chooses from. */
export const RADII: readonly number[] = [0.5, 1, 2, 4, 8, 16];

/** What is known of the margins, or of the residuals, of a model. */
export interface MarginLaw {
  /** E t. */
  readonly mean: number;
  /** E t². */
  readonly second: number;
  /** Standard deviation of the privacy noise on `mean`. */
  readonly meanNoise: number;
  /** Standard deviation of the privacy noise on `second`. */
  readonly secondNoise: number;
  /** Largest |t| there can be. */
  readonly range: number;
}

/** Nodes of the trapezoidal rule over six deviations on each side. */
const NODES = 240;

/**
 * E f(t) for a normal t with these first two moments, cut off at ±`range`. For the squared loss it is exact for every
 * law of the margins, as long as no margin is cut off.
 */
export function normalRisk(loss: MarginLoss, law: Pick<MarginLaw, 'mean' | 'second' | 'range'>): number {
  const { mean, second, range } = law;
  const deviation = sqrt(max(0, second - mean * mean));
  let [mass, risk] = [0, 0];
  for (let i = 0; i <= NODES; i++) {
    const u = 12 * (i / NODES - 0.5);
    const weight = exp(-0.5 * u * u);
    mass += weight;
    risk += weight * loss.value(max(-range, min(range, mean + deviation * u)));
  }
  return risk / mass;
}

/**
 * The worst risk of a model whose moments are off by up to `factor` deviations of their privacy noise, kept within what
 * ‖v‖ ≤ 1 allows. For a loss that levels off, a forecast to first order would miss the noise.
 */
export function worstRisk(loss: MarginLoss, law: MarginLaw, factor: number): number {
  const { mean, second, meanNoise, secondNoise, range } = law;
  let worst = -Infinity;
  for (const side of [-1, 1]) {
    const shifted = max(-range, min(range, mean + side * factor * meanNoise));
    for (const spread of [-1, 1]) {
      const wide = max(shifted * shifted, min(range * range, second + spread * factor * secondNoise));
      worst = max(worst, normalRisk(loss, { mean: shifted, second: wide, range }));
    }
  }
  return worst;
}

/**
 * The estimate at the radius of `RADII` with the least worst risk. The minimiser follows the noise in p directions: √p
 * deviations in all. The two moments of its margins share them: √(p/2) deviations each. The same holds for the
 * residuals of a regression.
 */
export function chooseRadius(
  parameters: MarginParameters,
  tally: ChannelTally,
  loss: MarginLoss,
  at: (radius: number) => MarginEstimate,
  decoder: CopiesDecoder = 'averaged',
): MarginEstimate {
  const moments = momentsOf(parameters, tally, { decoder });
  const { matrix } = denoisedMatrix(moments, {});
  const p = moments.lift.dimension;
  const regression = 'task' in parameters && parameters.task === 'regression';
  const lawAt = (w: Float64Array, radius: number): MarginLaw => {
    // The residual is √2·⟨(−w, 1), z⟩.
    const factor = regression ? Math.SQRT2 : 1;
    const u = regression ? Float64Array.of(...w.map((entry) => -entry), 1) : w;
    const norm = sqrt(innerProduct(u, u));
    const mean = innerProduct(moments.values.subarray(0, p), u);
    const second = matrix === undefined ? norm ** 2 / p : 2 * quadraticValue(new Float64Array(p), matrix, u);
    return {
      mean: factor * mean,
      second: factor ** 2 * max(second, mean * mean),
      meanNoise: factor * norm * sqrt(moments.noise[0]),
      secondNoise: matrix === undefined ? 0 : (factor * norm) ** 2 * sqrt(moments.noise[1]),
      range: regression ? 1 + radius : radius,
    };
  };
  let best: { readonly estimate: MarginEstimate; readonly cost: number } | undefined;
  for (const radius of RADII) {
    const estimate = at(radius);
    const cost = worstRisk(loss, lawAt(estimate.w, radius), sqrt(p / 2));
    if (best === undefined || cost < best.cost) best = { estimate, cost };
  }
  return (best as { readonly estimate: MarginEstimate }).estimate;
}

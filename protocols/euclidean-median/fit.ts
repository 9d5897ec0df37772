import { evaluatePolynomial } from '../../src/polynomial/chebyshev.ts';
import { radialGradientCovariance, radialValueVariance } from '../../src/polynomial/heat.ts';
import { createMatrix, type Matrix, semidefiniteRows, solveLeastSquares } from '../../src/polynomial/least-squares.ts';
import { liftedGradientNoise, liftedValueNoise } from './blocks.ts';
import type { RadialMoments } from './moments.ts';

const { max, min, sqrt } = Math;

/** A plausible law of r = ‖w − x‖²: most players near, a share of them far. */
export interface DistanceLaw {
  /** Values of r, ascending. */
  readonly nodes: Float64Array;
  /** Their probabilities. */
  readonly masses: Float64Array;
  /** E r, brought within what is possible. */
  readonly mean: number;
  /** Mean of r among those near. */
  readonly near: number;
  /** r of those far. */
  readonly far: number;
}

/** What is known of r. */
export interface DistanceMoments {
  /** E r. */
  readonly mean: number;
  /** E r²; undefined where the tally has no such moment. */
  readonly square: number | undefined;
  /** Largest r there can be, (1 + ‖w‖)². */
  readonly most: number;
}

/** The r of those near is at least this fraction of the mean of r: two noisy moments cannot say more. */
const NEAREST = 0.05;

/** Where the near players are, as multiples of their mean r: the radial spread of a cloud. */
const SPREAD: readonly number[] = [0.25, 0.75, 1.25, 1.75];

/**
 * The law with the given moments in which a given share is far: near a = E r − s√(κ/(1 − κ)), far
 * b = E r + s√((1 − κ)/κ), brought within what ‖x‖ ≤ 1 allows. Here κ is the share and s the standard deviation of r.
 *
 * Why two scales: 1/(2√r) is steep near 0. One scale, matched to the mean, would give far players the weight of near
 * ones.
 */
export function plausibleLaw({ mean, square, most }: DistanceMoments, share: number): DistanceLaw {
  const first = min(most, max(1e-4 * most, mean));
  // One moment only: as if r had an exponential law.
  const second = min(first * most, max(first * first, square ?? 2 * first * first));
  const deviation = sqrt(second - first * first);
  const near = max(NEAREST * first, first - deviation * sqrt(share / (1 - share)));
  const far = min(most, (first - (1 - share) * near) / share);
  const nodes = Float64Array.from([...SPREAD.map((factor) => factor * near), far]);
  const masses = Float64Array.from([...SPREAD.map(() => (1 - share) / SPREAD.length), share]);
  return { nodes, masses, mean: first, near, far };
}

/** E g(r) under the law. */
export function lawMean({ nodes, masses }: DistanceLaw, g: (r: number) => number): number {
  let sum = 0;
  for (let i = 0; i < nodes.length; i++) sum += masses[i] * g(nodes[i]);
  return sum;
}

/** The weight of the noise in the fit, against the square of the systematic error. */
const NOISE_PRICE = 2;

/** 1/(2√(r + β²)): Q of the smoothed loss ½√(r + β²). */
export function smoothedWeight(r: number, beta: number): number {
  return 0.5 / Math.sqrt(r + beta * beta);
}

/**
 * Covariance of the gradients of the monomials, Γ_ij = E⟨noise of r^i(w − x), noise of r^j(w − x)⟩ for the mean of all
 * reports at ‖w‖² = ρ: exact for block noise, averaged over the plausible law of r for a Gaussian copy.
 *
 * Shape: row after row, (degree + 1)² numbers.
 */
export function gradientNoise(
  { features, noise, players }: RadialMoments,
  degree: number,
  squaredNorm: number,
  law: DistanceLaw,
): Float64Array {
  const { dimension, blocks } = features;
  const size = degree + 1;
  const gamma = new Float64Array(size * size);
  const unit = (k: number): Float64Array => Float64Array.from({ length: k + 1 }, (_, i) => (i === k ? 1 : 0));
  for (let i = 0; i < size; i++) {
    for (let j = 0; j <= i; j++) {
      let entry = 0;
      if (noise.kind === 'blocks') {
        for (let b = 0; b < blocks.length; b++) {
          entry += noise.variances[b] * liftedGradientNoise(blocks[b], unit(i), unit(j), dimension, squaredNorm);
        }
      } else {
        const covariance = radialGradientCovariance(unit(i), unit(j), { dimension, sigma: noise.sigma });
        entry = lawMean(law, (r) => evaluatePolynomial(covariance, r)) / players;
      }
      gamma[i * size + j] = gamma[j * size + i] = entry;
    }
  }
  return gamma;
}

/** Standard deviation of the privacy noise in the mean of a potential S(r), given the points. */
export function valueDeviation(
  { features, noise, players }: RadialMoments,
  potential: ArrayLike<number>,
  squaredNorm: number,
  law: DistanceLaw,
): number {
  if (noise.kind === 'blocks') {
    let sum = 0;
    features.blocks.forEach((block, b) => {
      sum += noise.variances[b] * liftedValueNoise(block, potential, squaredNorm);
    });
    return Math.sqrt(sum);
  }
  const variance = radialValueVariance(potential, { dimension: features.dimension, sigma: noise.sigma });
  return Math.sqrt(Math.max(0, lawMean(law, (r) => evaluatePolynomial(variance, r)) / players));
}

/**
 * The polynomial Q that minimises E r·(Q(r) − 1/(2√(r + β²)))² + λ·cᵀΓc over coefficients c_0 … c_d, with the mean over
 * the plausible law and λ = `NOISE_PRICE`. This is the squared error of the gradient Q(r)(w − x), systematic and
 * random. If Q has the wrong sign at some distance of the law, the next lower degree is taken: far players must not
 * push.
 */
export function fitWeight(law: DistanceLaw, gamma: Float64Array, degree: number, beta: number): Float64Array {
  for (let d = degree; ; d--) {
    const coefficients = fitDegree(law, gamma, degree + 1, d, beta);
    if (d === 0 || law.nodes.every((r) => evaluatePolynomial(coefficients, r) >= 0)) return coefficients;
  }
}

function fitDegree(law: DistanceLaw, gamma: Float64Array, stride: number, degree: number, beta: number): Float64Array {
  const { nodes, masses } = law;
  const size = degree + 1;
  const covariance = createMatrix(size, size);
  for (let i = 0; i < size; i++) {
    for (let j = 0; j < size; j++) covariance.entries[i * size + j] = NOISE_PRICE * gamma[i * stride + j];
  }
  const price = semidefiniteRows(covariance) ?? diagonalRows(covariance);
  const matrix = createMatrix(nodes.length + size, size);
  const right = new Float64Array(nodes.length + size);
  for (let i = 0; i < nodes.length; i++) {
    const root = Math.sqrt(masses[i] * nodes[i]);
    for (let j = 0; j < size; j++) matrix.entries[i * size + j] = root * nodes[i] ** j;
    right[i] = root * smoothedWeight(nodes[i], beta);
  }
  matrix.entries.set(price.entries, nodes.length * size);
  return solveLeastSquares(matrix, right);
}

/** Rows for the variances alone, for a covariance so small that, after rounding, it is not semidefinite. */
function diagonalRows({ rows, entries }: Matrix): Matrix {
  const diagonal = createMatrix(rows, rows);
  for (let i = 0; i < rows; i++) diagonal.entries[i * rows + i] = Math.sqrt(Math.max(0, entries[i * rows + i]));
  return diagonal;
}

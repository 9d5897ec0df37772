import { radialGradientCovariance, radialValueVariance } from '../../src/polynomial/heat.ts';
import { createMatrix, type Matrix, semidefiniteRows, solveLeastSquares } from '../../src/polynomial/least-squares.ts';
import { evaluatePolynomial } from '../../src/polynomial/monomial.ts';
import { liftedGradientNoise, liftedValueNoise } from './expansion.ts';
import { type DistanceLaw, lawMean } from './law.ts';
import type { RadialMoments } from './moments.ts';

/** The weight of the noise in the fit, against the square of the systematic error. */
export const NOISE_PRICE = 2;

/** 1/(2√(r + β²)): Q of the smoothed loss ½√(r + β²). */
export function smoothedWeight(r: number, beta: number): number {
  return 0.5 / Math.sqrt(r + beta * beta);
}

/**
 * Covariance of the gradients of the monomials, Γ_ij = E⟨noise of r^i(w − x), noise of r^j(w − x)⟩ for the mean of all reports
 * at ‖w‖² = ρ: exact for block noise, averaged over the plausible law of r for a Gaussian copy.
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
 * The polynomial Q that minimises E r·(Q(r) − 1/(2√(r + β²)))² + λ·cᵀΓc over coefficients c_0 … c_d, the mean taken over the
 * plausible law: the squared error of the gradient Q(r)(w − x), systematic and random. If it gives some distance of the law
 * the wrong sign, a degree lower is taken: far players must not push.
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

/** Rows for the variances alone: what is left of a covariance so small that its rounding is not semidefinite. */
function diagonalRows({ rows, entries }: Matrix): Matrix {
  const diagonal = createMatrix(rows, rows);
  for (let i = 0; i < rows; i++) diagonal.entries[i * rows + i] = Math.sqrt(Math.max(0, entries[i * rows + i]));
  return diagonal;
}

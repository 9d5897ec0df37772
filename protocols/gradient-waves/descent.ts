import { innerProduct, projectBall } from '../../src/optimize/projection.ts';
import { symmetricEigen } from '../../src/optimize/symmetric-eigen.ts';
import type { Over } from '../user-level-mean/course.ts';
import { type GradientWavesPlan, gradientBound, type Wave } from './parameters.ts';

const { max, SQRT2, sqrt } = Math;

/** Eigenvalues below this fraction of the largest are rounding. */
const LEAST = 1e-12;

/** A public point, and the mean gradient there as the reports of one wave say it. */
export interface PointGradient {
  readonly w: Float64Array;
  /** ḡ: unbiased, in the units of the loss. */
  readonly gradient: Float64Array;
  /** Variance of a coordinate of ḡ because of the players' noise. */
  readonly variance: number;
}

/** A finished wave as a point with its gradient. */
export function gradientOf(plan: GradientWavesPlan, { round, tally }: Over<Wave>): PointGradient {
  const { players, sums } = tally;
  const bound = gradientBound(plan);
  return {
    w: round.w,
    gradient: sums.map((sum) => (bound * sum) / players),
    variance: coordinateNoise(plan) / players,
  };
}

/**
 * c_ε·B²: the variance of a coordinate of one player's report, in the units of the loss.
 *
 * Law: exact for PrivUnitG at its best threshold, where the noise is the same in every direction; for k-closest encoding
 * it is the variance across the gradient.
 */
export function coordinateNoise(plan: GradientWavesPlan): number {
  return plan.mechanism.coordinateVariance * gradientBound(plan) ** 2;
}

/**
 * The point of the next wave, or after the last one the model: w′ = Π(w − η_t·A_t^(−½)·ḡ_t), with the steps
 * η_t = √2·R·(1 − t/T)/√T and the matrix A_t = (1/(t + 1))·Σ_{i ≤ t} ḡ_i·ḡ_iᵀ + δ_t·I. There δ_t is the expected squared
 * length of the noise of a mean report, (p + 1)·c_ε·B²/m with m players in a wave: a public number.
 *
 * Where gradients are large beside their noise, steps are measured by the gradients in that direction, so that flat
 * directions are crossed in few waves. Where there is noise only, A is nearly δ·I, and this is gradient descent with the
 * step √2·R·(1 − t/T)/√(T·E‖ḡ‖²), whose excess risk is of the order R·√(p·c_ε/n) for every T. No number is tuned.
 *
 * A^(−½)·ḡ_t is a combination of the gradients so far, and its coefficients are the last column of (K + δI)^(−½), where
 * K holds their inner products over t + 1: f(X·Xᵀ)·X = X·f(Xᵀ·X). So the work grows with T, not with p².
 *
 * Source: Duchi, Hazan, Singer 2011 (A, and √2·R = D/√2 for the diameter D = 2R); Zamani, Glineur 2023 and Defazio,
 * Cutkosky, Mehta, Mishchenko 2023 (steps that fall linearly, whose last iterate is as good as an average).
 */
export function nextPoint(plan: GradientWavesPlan, past: readonly PointGradient[]): Float64Array {
  const { radius, waves, dimension } = plan;
  const count = past.length;
  if (count === 0) return new Float64Array(dimension);
  const products = new Float64Array(count * count);
  let noise = 0;
  for (let i = 0; i < count; i++) {
    noise += ((dimension + 1) * past[i].variance) / count;
    for (let j = 0; j <= i; j++) {
      const product = innerProduct(past[i].gradient, past[j].gradient) / count;
      products[i * count + j] = product;
      products[j * count + i] = product;
    }
  }
  const { values, vectors } = symmetricEigen(products, count);
  const moved = past[count - 1].w.slice();
  const step = (SQRT2 * radius * (1 - (count - 1) / waves)) / sqrt(waves);
  const least = LEAST * values[count - 1];
  for (let k = 0; k < count; k++) {
    // Without noise a direction that no gradient has is left out.
    if (!(values[k] + noise > least)) continue;
    // Column count − 1 of the inverse root, one eigenvector at a time. K has no negative eigenvalue but by rounding.
    const weight = (step * vectors[k * count + count - 1]) / sqrt(max(0, values[k]) + noise);
    for (let i = 0; i < count; i++) {
      const { gradient } = past[i];
      const share = weight * vectors[k * count + i];
      for (let j = 0; j < dimension; j++) moved[j] -= share * gradient[j];
    }
  }
  return projectBall(moved, radius);
}

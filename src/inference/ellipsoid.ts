import { checkInteger, refusal } from '../check/number.ts';
import { RefusedValue } from '../check/refusal.ts';
import { checkVector } from '../optimize/projection.ts';
import { symmetricEigen } from '../optimize/symmetric-eigen.ts';
import { chiSquareCriticalValue } from './critical-value.ts';
import type { IntervalRequest } from './interval.ts';
import { type ContrastRequest, contrastMoments } from './interval.ts';

const { max, sqrt } = Math;

/** The ellipsoid counts as flat if the least eigenvalue of the correlation matrix of the contrasts is below this. */
const FLAT = 1e-12;

/**
 * A joint confidence set for q contrasts: the x = centre + Σ tᵢ·axisᵢ with ‖t‖₂ ≤ 1.
 *
 * Shape: row i of `axes` (entries i·q to i·q + q − 1) is a half-axis, shortest first.
 */
export interface Ellipsoid {
  readonly centre: Float64Array;
  readonly axes: Float64Array;
}

/**
 * The joint ellipsoid n(Rθ̄ − x)ᵀ(RΣRᵀ)⁻¹(Rθ̄ − x) ≤ χ²_q quantile, with an estimate Σ of the covariance of √n(θ̄ − θ₀).
 *
 * @throws RangeError for a level outside (0, 1), sizes that do not agree, or a Σ singular on the span of the contrasts.
 */
export function normalEllipsoid(
  mean: Float64Array,
  covariance: Float64Array,
  steps: number,
  request: IntervalRequest,
): Ellipsoid {
  const critical = chiSquareCriticalValue(request.level, countOf(request, mean.length));
  checkInteger('steps', steps, 1);
  return ellipsoid(mean, covariance, mean.length, critical / steps, request);
}

/**
 * Distance of a point from the centre, in units in which the boundary is at 1: the point lies in the ellipsoid when it is ≤ 1.
 *
 * @throws RangeError for a point of wrong length or with an entry that is not finite.
 */
export function ellipsoidDistance({ centre, axes }: Ellipsoid, point: ArrayLike<number>): number {
  const count = centre.length;
  checkVector('point', point, count);
  let square = 0;
  for (let i = 0; i < count; i++) {
    let along = 0;
    let length = 0;
    for (let j = 0; j < count; j++) {
      const entry = axes[i * count + j];
      along += entry * (point[j] - centre[j]);
      length += entry * entry;
    }
    // Axes are orthogonal: the coordinate along one is the inner product over its squared length.
    square += (along / length) ** 2;
  }
  return sqrt(square);
}

function ellipsoid(
  mean: Float64Array,
  matrix: Float64Array,
  dimension: number,
  squaredScale: number,
  request: ContrastRequest,
): Ellipsoid {
  const { count, centre, scatter } = contrastMoments(mean, matrix, dimension, request);
  checkNotFlat(scatter, count);
  const { values, vectors } = symmetricEigen(scatter, count);
  const axes = new Float64Array(count * count);
  for (let i = 0; i < count; i++) {
    const length = sqrt(squaredScale * values[i]);
    for (let j = 0; j < count; j++) axes[i * count + j] = length * vectors[i * count + j];
  }
  return { centre, axes };
}

// The check uses correlations, so that contrasts may have different units.
function checkNotFlat(scatter: Float64Array, count: number): void {
  const correlation = new Float64Array(count * count);
  for (let i = 0; i < count; i++) {
    for (let j = 0; j < count; j++) {
      correlation[i * count + j] = scatter[i * count + j] / sqrt(scatter[i * count + i] * scatter[j * count + j]);
    }
  }
  const least = symmetricEigen(correlation, count).values[0];
  const covariance = symmetricEigen(scatter, count).values[0];
  if (!(least > FLAT && covariance > 0)) {
    throw new RefusedValue(refusal('least eigenvalue of the contrasts', `a number > ${FLAT}`, max(0, least)));
  }
}

function countOf(request: ContrastRequest, dimension: number): number {
  return request.contrasts?.length ?? dimension;
}

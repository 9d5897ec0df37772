import { checkInteger, checkNonNegative, RefusedValue } from '../check/refusal.ts';
import { innerProduct } from '../numeric/matrix.ts';

const { max, min, sqrt } = Math;

/** A point nearer than this part of the distance between the points differs from the place by rounding only. */
const BESIDE = 1e-14;

/** The largest distance and the largest weight whose squares and products are doubles. */
const LARGEST = 1e150;

/** Points and their multiplicities. */
export interface WeightedPoints {
  readonly dimension: number;
  /** Point i is entries i·p to i·p + p − 1. */
  readonly points: ArrayLike<number>;
  /** The multiplicity of each point, ≥ 0; 1 for each if left out. */
  readonly weights?: ArrayLike<number>;
}

/** When to stop. */
export interface WeiszfeldOptions {
  /** The longest last step, 1e-12 if left out. Units: those of the points. */
  readonly tolerance?: number;
  /** The most steps, 10,000 if left out. */
  readonly iterations?: number;
}

/** The Euclidean median of points. */
export interface WeiszfeldResult {
  readonly point: Float64Array;
  /** Half the mean distance to the median, the loss of the paper. */
  readonly value: number;
  readonly iterations: number;
  /** Whether the last step was within the tolerance, or the median is a data point, which is then exact. */
  readonly converged: boolean;
}

/** The sums of one pass over the points, at one place. */
interface Pull {
  /** Σ weight/distance over the points elsewhere. */
  mass: number;
  /** Weight of the points that lie exactly at this place. */
  here: number;
  /** Half of Σ weight·distance. */
  value: number;
  /** The nearest point elsewhere and its distance. */
  nearest: number;
  distance: number;
}

/**
 * The Euclidean median, argmin Σ weight·‖w − x‖, by Weiszfeld's iteration as modified by Vardi and Zhang: it leaves a
 * data point that is not the median, and recognises one that is. Not private: a reference against which protocols are
 * measured.
 *
 * Source: Weiszfeld 1937; Vardi and Zhang 2000, The multivariate L1-median and associated data depth.
 * @throws TypeError or RangeError naming the field; RangeError for fewer than two distinct points of positive weight, points more
 * than 1e150 apart in a coordinate, and weights whose sum is above 1e150.
 *
 * @example
 * ```ts
 * import { weiszfeld } from 'ldpkit/optimize';
 * const points = Float64Array.of(0, 0, 1, 0, 0, 1, 1, 1, 0.5, 0.5);
 * const { point } = weiszfeld({ dimension: 2, points });
 * console.log(Array.from(point, (x) => x.toFixed(2)).join(', ')); // 0.50, 0.50
 * ```
 */
export function weiszfeld(data: WeightedPoints, options: WeiszfeldOptions = {}): WeiszfeldResult {
  const { points, weights, range } = checkPoints(data);
  const p = data.dimension;
  const tolerance = checkNonNegative('tolerance', options.tolerance ?? 1e-12);
  const limit = checkInteger('iterations', options.iterations ?? 10_000, 1);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const w = new Float64Array(p);
  for (let i = 0; i < weights.length; i++) for (let j = 0; j < p; j++) w[j] += (weights[i] / total) * points[i * p + j];
  const force = new Float64Array(p);
  const finish = (iterations: number, converged: boolean): WeiszfeldResult => {
    const { value } = pullAt(points, weights, w, force);
    return { point: w, value: value / total, iterations, converged };
  };
  let checked = -1;
  for (let step = 1; step <= limit; step++) {
    const pull = pullAt(points, weights, w, force);
    const norm = sqrt(innerProduct(force, force));
    // The points at this place outweigh the pull of all others: it is the median.
    if (norm <= pull.here) return finish(step, true);
    // T(w) − w = force/mass; a data point here shortens the step by γ = here/‖force‖.
    const scale = (1 - min(1, pull.here / norm)) / pull.mass;
    const { nearest } = pull;
    const candidate = points.slice(nearest * p, (nearest + 1) * p);
    // Within rounding of a data point every step is short. Go to that point; the next step leads away from it or stays.
    if (pull.here === 0 && pull.distance <= max(tolerance, BESIDE * range)) {
      w.set(candidate);
      continue;
    }
    // Towards a data point that is the median the steps shrink without end: check whether it is the median.
    if (pull.distance < 100 * scale * norm && nearest !== checked) {
      checked = nearest;
      const there = pullAt(points, weights, candidate, force);
      if (sqrt(innerProduct(force, force)) <= there.here) {
        w.set(candidate);
        return finish(step, true);
      }
      pullAt(points, weights, w, force);
    }
    for (let j = 0; j < p; j++) w[j] += scale * force[j];
    if (scale * norm <= tolerance) return finish(step, true);
  }
  return finish(limit, false);
}

/** One pass: the pull on w, Σ weight·(x − w)/distance, is written into `force`. */
function pullAt(points: Float64Array, weights: Float64Array, w: Float64Array, force: Float64Array): Pull {
  const p = w.length;
  const pull: Pull = { mass: 0, here: 0, value: 0, nearest: 0, distance: Infinity };
  force.fill(0);
  for (let i = 0; i < weights.length; i++) {
    if (weights[i] === 0) continue;
    let squared = 0;
    for (let j = 0; j < p; j++) squared += (points[i * p + j] - w[j]) ** 2;
    const distance = sqrt(squared);
    if (distance === 0) {
      pull.here += weights[i];
      continue;
    }
    const share = weights[i] / distance;
    pull.mass += share;
    pull.value += (weights[i] * distance) / 2;
    for (let j = 0; j < p; j++) force[j] += share * (points[i * p + j] - w[j]);
    if (distance < pull.distance) {
      pull.distance = distance;
      pull.nearest = i;
    }
  }
  return pull;
}

function checkPoints({ dimension, points, weights }: WeightedPoints): {
  points: Float64Array;
  weights: Float64Array;
  range: number;
} {
  checkInteger('dimension', dimension, 1);
  const count = points.length / dimension;
  checkInteger('points.length / dimension', count, 1);
  const copy = Float64Array.from(points);
  if (!copy.every(Number.isFinite)) throw new RefusedValue('"points" expected finite numbers only');
  const mass = weights === undefined ? new Float64Array(count).fill(1) : Float64Array.from(weights);
  if (mass.length !== count) throw new RefusedValue('weights', `${count} numbers`, mass.length);
  if (!mass.every((weight) => weight >= 0 && weight < Infinity)) {
    throw new RefusedValue('"weights" expected finite numbers >= 0');
  }
  const total = mass.reduce((sum, weight) => sum + weight, 0);
  if (!(total <= LARGEST)) throw new RefusedValue('weights', `a sum of at most ${LARGEST}`, total);
  let first = -1;
  let apart = 0;
  for (let i = 0; i < count; i++) {
    if (mass[i] === 0) continue;
    if (first < 0) first = i;
    for (let j = 0; j < dimension; j++) {
      apart = max(apart, Math.abs(copy[i * dimension + j] - copy[first * dimension + j]));
    }
  }
  if (!(apart <= LARGEST)) throw new RefusedValue(`"points" expected points at most ${LARGEST} apart`);
  if (!(apart > 0)) throw new RefusedValue('points', 'two or more distinct points', first < 0 ? 0 : 1);
  return { points: copy, weights: mass, range: apart };
}

import { lattice } from './values.ts';

const { hypot, max } = Math;

/** Polynomials on the cube [−R, R]^p, from values at the (k + 1)^p points of a grid. */
export interface BernsteinSetting {
  readonly dimension: number;
  /** R. */
  readonly radius: number;
  /** k, in each coordinate. */
  readonly degree: number;
  /** h: how often the operator is iterated. 1 is the plain one. */
  readonly iterations: number;
}

/** (k choose v)·x^v·(1 − x)^(k − v), v = 0 … k. */
function bernsteinBasis(degree: number, x: number): Float64Array {
  if (degree === 0) return Float64Array.of(1);
  const row = bernsteinBasis(degree - 1, x);
  return Float64Array.from({ length: degree + 1 }, (_, v) => (1 - x) * (row[v] ?? 0) + x * (row[v - 1] ?? 0));
}

/**
 * The weights of the values f(v/k), v = 0 … k, in the iterated Bernstein polynomial at x.
 *
 * Law: B^(h) = Σ_{i=1}^{h} (h choose i)(−1)^{i − 1}·B^i = B·Σ_{j<h} (I − B)^j, whose error falls like k^−h for a smooth f.
 *
 * Source: Wang, Gaboardi, Xu 2018, after Micchelli 1973 and Aldà, Rubinstein 2017.
 */
export function iteratedBasis(degree: number, iterations: number, x: number): Float64Array {
  const grid = Array.from({ length: degree + 1 }, (_, u) => bernsteinBasis(degree, u / degree));
  let term = bernsteinBasis(degree, x);
  const sum = term.slice();
  for (let j = 1; j < iterations; j++) {
    const before: Float64Array = term;
    term = before.map((own, v) => own - before.reduce((total, weight, u) => total + weight * grid[u][v], 0));
    for (let v = 0; v <= degree; v++) sum[v] += term[v];
  }
  return sum;
}

/** The points of the grid, the last coordinate fastest. */
export function gridPoints({ dimension, radius, degree }: BernsteinSetting): readonly Float64Array[] {
  return lattice(dimension, degree + 1).map((at) => Float64Array.from(at, (v) => radius * ((2 * v) / degree - 1)));
}

/** The polynomial at w from the values at the grid: a product of the weights of all coordinates for each of them. */
export function bernsteinValue(setting: BernsteinSetting, values: Float64Array, w: ArrayLike<number>): number {
  let rest = values;
  for (let axis = 0; axis < setting.dimension; axis++) {
    const weights = iteratedBasis(setting.degree, setting.iterations, (w[axis] / setting.radius + 1) / 2);
    const size = rest.length / weights.length;
    const before: Float64Array = rest;
    rest = new Float64Array(size);
    for (let at = 0; at < before.length; at++) rest[at % size] += weights[Math.floor(at / size)] * before[at];
  }
  return rest[0];
}

/**
 * The minimiser over the ball, to R/64: a lattice of the cube whose points outside are pulled to the sphere, then steps that are
 * halved. The polynomial need not be convex.
 */
export function bernsteinMinimiser(setting: BernsteinSetting, values: Float64Array): Float64Array {
  const { dimension, radius } = setting;
  let best: Float64Array = new Float64Array(dimension);
  let least = bernsteinValue(setting, values, best);
  const consider = (from: Float64Array, step: number, size: number): void => {
    for (const at of lattice(dimension, size)) {
      const w = from.map((entry, j) => entry + step * (at[j] - (size - 1) / 2));
      const length = max(1, hypot(...w) / radius);
      const inside = w.map((entry) => entry / length);
      const value = bernsteinValue(setting, values, inside);
      if (value < least) [best, least] = [inside, value];
    }
  };
  consider(best, radius / 4, 9);
  for (let step = radius / 8; step >= radius / 64; step /= 2) {
    for (let tries = 0; tries < 4; tries++) consider(best, step, 3);
  }
  return best;
}

import type { Random } from 'ldpkit';
import type { MarginLoss } from 'ldpkit/optimize';
import { type Answering, estimateValues, questionsAt } from './values.ts';

const { hypot } = Math;

/** Polynomials of degree k in each of p coordinates on the cube [−R, R]^p, from values at its (k + 1)^p grid points. */
export interface BernsteinSetting {
  readonly dimension: number;
  /** R. */
  readonly radius: number;
  /** k. */
  readonly degree: number;
  /** h: how often the operator is iterated. 1 is the plain one. */
  readonly iterations: number;
}

/** b_0(x) … b_k(x) = (k choose v)·x^v·(1 − x)^(k − v). */
export function bernsteinBasis(degree: number, x: number): Float64Array {
  const basis = Float64Array.of(1);
  let row: Float64Array = basis;
  for (let k = 1; k <= degree; k++) {
    const next = new Float64Array(k + 1);
    for (let v = 0; v < k; v++) {
      next[v] += (1 - x) * row[v];
      next[v + 1] += x * row[v];
    }
    row = next;
  }
  return row;
}

/**
 * The weights of the values f(v/k) in the iterated Bernstein polynomial at x, v = 0 … k.
 *
 * Law: B^(h) = Σ_{i=1}^{h} (h choose i)(−1)^{i − 1}·B^i = B·Σ_{j<h} (I − B)^j.
 *
 * Source: Wang, Gaboardi, Xu 2018, after Micchelli 1973; Aldà, Rubinstein 2017, The Bernstein mechanism.
 */
export function iteratedBasis(degree: number, iterations: number, x: number): Float64Array {
  // Row vector b(x)ᵀ, then b(x)ᵀ(I − M)^j, where M holds the basis at the grid points.
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

/** The (k + 1)^p points of the grid on the cube, the last coordinate fastest. */
export function gridPoints({ dimension, radius, degree }: BernsteinSetting): readonly Float64Array[] {
  return lattice(dimension, degree + 1).map((at) => Float64Array.from(at, (v) => radius * ((2 * v) / degree - 1)));
}

/** The polynomial at w from the values at the grid. */
export function bernsteinValue(setting: BernsteinSetting, values: Float64Array, w: ArrayLike<number>): number {
  const { dimension, radius, degree, iterations } = setting;
  let rest = values;
  for (let axis = 0; axis < dimension; axis++) {
    const weights = iteratedBasis(degree, iterations, (w[axis] / radius + 1) / 2);
    rest = contracted(rest, weights);
  }
  return rest[0];
}

/** Sums over the first index of an array with as many entries of it as there are weights. */
function contracted(values: Float64Array, weights: Float64Array): Float64Array {
  const size = values.length / weights.length;
  const result = new Float64Array(size);
  for (let v = 0, at = 0; v < weights.length; v++) {
    for (let i = 0; i < size; i++, at++) result[i] += weights[v] * values[at];
  }
  return result;
}

/**
 * The minimiser of the polynomial over the ball, to R/64: all points of a lattice of step R/8, then steps that are halved. The
 * polynomial need not be convex.
 */
export function bernsteinMinimiser(setting: BernsteinSetting, values: Float64Array): Float64Array {
  const { dimension, radius } = setting;
  const inside = (w: Float64Array): boolean => hypot(...w) <= radius * (1 + 1e-12);
  let best: Float64Array = new Float64Array(dimension);
  let least = bernsteinValue(setting, values, best);
  const consider = (w: Float64Array): boolean => {
    const value = bernsteinValue(setting, values, w);
    if (!(value < least)) return false;
    [best, least] = [w, value];
    return true;
  };
  for (const at of lattice(dimension, 17)) {
    const w = Float64Array.from(at, (i) => radius * (i / 8 - 1));
    if (inside(w)) consider(w);
    // The sphere is searched too: the minimum is often there.
    const length = hypot(...w);
    if (length > 0.8 * radius) consider(w.map((entry) => (entry * radius) / length));
  }
  for (let step = radius / 16; step >= radius / 64; step /= 2) {
    for (let moved = true, tries = 0; moved && tries < 8; tries++) {
      moved = false;
      for (const at of lattice(dimension, 3)) {
        const w = best.map((entry, j) => entry + step * (at[j] - 1));
        const length = hypot(...w);
        if (consider(inside(w) ? w : w.map((entry) => (entry * radius) / length))) moved = true;
      }
    }
  }
  return best;
}

/** All of {0 … size − 1}^p, the last coordinate fastest. */
export function lattice(dimension: number, size: number): readonly (readonly number[])[] {
  let points: readonly (readonly number[])[] = [[]];
  for (let axis = 0; axis < dimension; axis++) {
    points = points.flatMap((point) => Array.from({ length: size }, (_, i) => [...point, i]));
  }
  return points;
}

/**
 * Wang, Gaboardi, Xu 2018: the mean loss at the grid from one report of each player, its Bernstein polynomial, and the least
 * point of it in the ball. For losses with enough derivatives; (k + 1)^p values, so for few features only.
 *
 * Guarantee: pure ε, as `fillAllAnswers` and `oneAnswer` say.
 */
export function bernsteinModel(
  setting: BernsteinSetting,
  loss: MarginLoss,
  { epsilon, answering }: { readonly epsilon: number; readonly answering: Answering },
  people: Float64Array,
  random: Random,
): Float64Array {
  const asked = questionsAt(loss, gridPoints(setting), epsilon);
  return bernsteinMinimiser(setting, estimateValues(asked, answering, people, random));
}

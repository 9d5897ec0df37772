import { RefusedValue } from '../check/refusal.ts';
import { chebyshevDerivative, evaluateChebyshev } from './chebyshev.ts';
import { createMatrix, type Matrix, solveLeastSquares, type Triangular, triangularise } from './least-squares.ts';

const { PI, abs, cos, hypot, max, min } = Math;

/** Points closer than this fraction of the interval act as one constraint: between them P′ falls only by its square. */
const SEPARATION = 1e-8;

/** P′ ≥ −FEASIBLE·max|P′| holds before the last correction, which raises it to P′ ≥ 0. */
const FEASIBLE = 1e-13;

/** Ridge added to a problem without a unique minimiser, so that the constrained minimum is one point. */
const RIDGE = 1e-7;

/**
 * Largest number of exchange steps; each adds the points where P′ is still negative. The most ever observed is two
 * dozen.
 */
const ROUNDS = 100;

/**
 * The Chebyshev coefficients a on [−1, 1] that minimise ‖A·a − b‖ subject to P′ ≥ 0 on all of [−1, 1].
 *
 * Exchange method for the semi-infinite programme: solve with the constraint at finitely many points, find every local
 * minimum of P′, add those where it is negative, repeat. The remaining violation at the end (a relative 1e-13) is
 * removed by adding a multiple of t to P.
 */
export function solveMonotone(matrix: Matrix, right: ArrayLike<number>): Float64Array {
  const { columns } = matrix;
  const free = solveLeastSquares(matrix, right);
  if (columns === 1 || lowestSlopes(free).worst >= 0) return free;
  let problem = triangularise(matrix, right);
  if (problem.rank < columns) {
    const ridge = withRidge(matrix, right);
    problem = triangularise(ridge.matrix, ridge.right);
  }
  const points: number[] = [];
  for (let i = 0; i < 2 * columns; i++) points.push(-cos((PI * i) / (2 * columns - 1)));
  for (let round = 0; round < ROUNDS; round++) {
    const solution = projectOnto(problem, points);
    const { minima, worst, largest } = lowestSlopes(solution);
    let added = false;
    for (const { at, slope } of minima) {
      if (slope >= 0 || points.some((point) => abs(point - at) < SEPARATION)) continue;
      points.push(at);
      added = true;
    }
    if (added && worst < -FEASIBLE * largest) continue;
    solution[1] -= min(0, worst);
    return solution;
  }
  throw new RefusedValue(`"target" expected a fit that settles in ${ROUNDS} rounds, got one that does not`);
}

/** The least-squares problem with the rows of a small ridge appended. */
function withRidge(
  { rows, columns, entries }: Matrix,
  right: ArrayLike<number>,
): { matrix: Matrix; right: Float64Array } {
  const ridged = createMatrix(rows + columns, columns);
  ridged.entries.set(entries);
  for (let j = 0; j < columns; j++) ridged.entries[(rows + j) * columns + j] = RIDGE;
  const target = new Float64Array(rows + columns);
  for (let i = 0; i < rows; i++) target[i] = right[i];
  return { matrix: ridged, right: target };
}

/** The local minima of P′ on [−1, 1] including the ends, the least of them, and the largest |P′| on a fine grid. */
function lowestSlopes(series: Float64Array): {
  minima: { at: number; slope: number }[];
  worst: number;
  largest: number;
} {
  const first = chebyshevDerivative(series);
  const second = chebyshevDerivative(first);
  // Sixteen points per half wave: no two extrema of a polynomial of this degree are in the same cell.
  const cells = 16 * series.length;
  const grid = Float64Array.from({ length: cells + 1 }, (_, i) => -cos((PI * i) / cells));
  const slopes = grid.map((s) => evaluateChebyshev(first, s));
  const minima: { at: number; slope: number }[] = [];
  let worst = Infinity;
  let largest = 0;
  for (let i = 0; i <= cells; i++) {
    largest = max(largest, abs(slopes[i]));
    if ((i > 0 && slopes[i - 1] < slopes[i]) || (i < cells && slopes[i + 1] <= slopes[i])) continue;
    // P″ changes from − to + around an interior minimum: bisection finds it to the last place.
    let left = i > 0 ? grid[i - 1] : -1;
    let right = i < cells ? grid[i + 1] : 1;
    for (let step = 0; step < 60; step++) {
      const middle = (left + right) / 2;
      if (evaluateChebyshev(second, middle) < 0) left = middle;
      else right = middle;
    }
    const at = (left + right) / 2;
    const slope = evaluateChebyshev(first, at);
    minima.push(slope < slopes[i] ? { at, slope } : { at: grid[i], slope: slopes[i] });
    worst = min(worst, minima[minima.length - 1].slope);
  }
  return { minima, worst, largest };
}

/**
 * Minimises ‖A·a − b‖ with P′ ≥ 0 at the given points. In terms of z = R·a − Qᵀb the solution is the point of a
 * polyhedron nearest to the origin. Source: Lawson and Hanson 1974, chapter 23 (problems LSI and LDP).
 */
function projectOnto({ factor, transformed, order }: Triangular, points: readonly number[]): Float64Array {
  const size = factor.columns;
  let scale = 0;
  for (let j = 0; j < size; j++) scale = hypot(scale, transformed[j]);
  // Row i: y = R⁻ᵀ·(T_k′(point))_k scaled to norm 1, and the lower bound h on y·z.
  const normals = createMatrix(points.length, size);
  const levels = new Float64Array(points.length);
  for (let i = 0; i < points.length; i++) {
    const normal = normals.entries.subarray(i * size, (i + 1) * size);
    const slopes = basisSlopes(size, points[i]);
    let norm = 0;
    for (let j = 0; j < size; j++) {
      let sum = slopes[order[j]];
      for (let k = 0; k < j; k++) sum -= factor.entries[k * size + j] * normal[k];
      normal[j] = sum / factor.entries[j * size + j];
      norm = hypot(norm, normal[j]);
    }
    for (let j = 0; j < size; j++) {
      normal[j] /= norm;
      levels[i] -= (normal[j] * transformed[j]) / scale;
    }
  }
  const nearest = nearestPoint(normals, levels);
  // Back to a: R·a = z + Qᵀb.
  const solution = new Float64Array(size);
  const pivoted = new Float64Array(size);
  for (let i = size - 1; i >= 0; i--) {
    let sum = scale * nearest[i] + transformed[i];
    for (let j = i + 1; j < size; j++) sum -= factor.entries[i * size + j] * pivoted[j];
    pivoted[i] = sum / factor.entries[i * size + i];
    solution[order[i]] = pivoted[i];
  }
  return solution;
}

/** T_k′(s) for k = 0 … size − 1. */
function basisSlopes(size: number, s: number): Float64Array {
  const slopes = new Float64Array(size);
  // T_k′ = k·U_{k−1}, U the Chebyshev polynomials of the second kind.
  let before = 0;
  let second = 1;
  for (let k = 1; k < size; k++) {
    slopes[k] = k * second;
    const next = 2 * s * second - before;
    before = second;
    second = next;
  }
  return slopes;
}

/**
 * The point nearest to the origin of the polyhedron of all z with normals·z ≥ levels, which must not be empty.
 *
 * The multipliers of the dual, a least-squares problem with u ≥ 0, show which constraints are active. The point itself
 * is then the shortest solution of the active equations, which is more accurate than the solution of the dual.
 *
 * Shape: one constraint per row, the rows of norm 1; one level per row. Source: Lawson and Hanson 1974, chapter 23,
 * problem LDP.
 */
export function nearestPoint(normals: Matrix, levels: Float64Array): Float64Array {
  const active = activeRows(normals, levels);
  return solveLeastSquares(
    selectRows(normals, active),
    active.map((i) => levels[i]),
  );
}

function selectRows({ columns, entries }: Matrix, rows: readonly number[]): Matrix {
  const selected = createMatrix(rows.length, columns);
  rows.forEach((row, i) => {
    selected.entries.set(entries.subarray(row * columns, (row + 1) * columns), i * columns);
  });
  return selected;
}

/**
 * The constraints y_i·z ≥ h_i that are active at the point of the polyhedron nearest to the origin: those with a
 * positive multiplier u in min ‖Σ u_i·(y_i, h_i) − (0, 1)‖, u ≥ 0. Source: Lawson and Hanson 1974, algorithm NNLS.
 */
function activeRows(normals: Matrix, levels: Float64Array): number[] {
  const { rows, columns } = normals;
  const multipliers = new Float64Array(rows);
  const passive: number[] = [];
  const refused = new Uint8Array(rows);
  const residual = new Float64Array(columns + 1);
  for (let step = 0; step < 10 * rows; step++) {
    residual.fill(0);
    residual[columns] = 1;
    for (const i of passive) {
      for (let j = 0; j < columns; j++) residual[j] -= multipliers[i] * normals.entries[i * columns + j];
      residual[columns] -= multipliers[i] * levels[i];
    }
    let entering = -1;
    let steepest = 1e-14;
    for (let i = 0; i < rows; i++) {
      if (passive.includes(i) || refused[i] === 1) continue;
      let descent = levels[i] * residual[columns];
      for (let j = 0; j < columns; j++) descent += normals.entries[i * columns + j] * residual[j];
      if (descent > steepest) [entering, steepest] = [i, descent];
    }
    if (entering < 0) return passive;
    passive.push(entering);
    let trial = dualLeastSquares(normals, levels, passive);
    if (trial[passive.length - 1] <= 0) {
      // The descent was only rounding: leave this constraint out until the passive set has changed.
      passive.pop();
      refused[entering] = 1;
      continue;
    }
    refused.fill(0);
    while (trial.some((value) => value <= 0)) {
      // Move towards the trial until the first multiplier reaches 0, and remove that one.
      let ratio = Infinity;
      let leaving = -1;
      passive.forEach((i, place) => {
        if (trial[place] > 0) return;
        const range = multipliers[i] > 0 ? multipliers[i] / (multipliers[i] - trial[place]) : 0;
        if (range < ratio) [ratio, leaving] = [range, place];
      });
      passive.forEach((i, place) => {
        multipliers[i] = max(0, multipliers[i] + ratio * (trial[place] - multipliers[i]));
      });
      multipliers[passive[leaving]] = 0;
      passive.splice(leaving, 1);
      trial = dualLeastSquares(normals, levels, passive);
    }
    passive.forEach((i, place) => {
      multipliers[i] = trial[place];
    });
  }
  throw new RefusedValue(`"normals" expected constraints whose multipliers settle, got ${rows} that do not`);
}

/** The unconstrained multipliers of the passive constraints. */
function dualLeastSquares(normals: Matrix, levels: Float64Array, passive: readonly number[]): Float64Array {
  const { columns } = normals;
  const matrix = createMatrix(columns + 1, passive.length);
  passive.forEach((i, place) => {
    for (let j = 0; j < columns; j++) {
      matrix.entries[j * passive.length + place] = normals.entries[i * columns + j];
    }
    matrix.entries[columns * passive.length + place] = levels[i];
  });
  const right = new Float64Array(columns + 1);
  right[columns] = 1;
  return solveLeastSquares(matrix, right);
}

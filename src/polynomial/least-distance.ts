import { createMatrix, type Matrix, solveLeastSquares } from './least-squares.ts';

const { max } = Math;

/**
 * The point nearest to the origin of the polyhedron of all z with normals·z ≥ levels, which must not be empty.
 *
 * The multipliers of its dual, a least-squares problem with u ≥ 0, tell which constraints hold it; the point itself is then
 * the shortest solution of those equations, which is more accurate than the dual's own.
 *
 * Shape: one constraint a row, the rows of norm 1; one level a row. Source: Lawson and Hanson 1974, chapter 23, problem LDP.
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
 * The constraints y_i·z ≥ h_i that hold the point of the polyhedron nearest to the origin: those with a positive
 * multiplier u in min ‖Σ u_i·(y_i, h_i) − (0, 1)‖, u ≥ 0. Source: Lawson and Hanson 1974, algorithm NNLS.
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
      // The descent was rounding: leave this one out until the passive set has changed.
      passive.pop();
      refused[entering] = 1;
      continue;
    }
    refused.fill(0);
    while (trial.some((value) => value <= 0)) {
      // Move towards the trial until the first multiplier meets 0, and let go of that one.
      let ratio = Infinity;
      let leaving = -1;
      passive.forEach((i, place) => {
        if (trial[place] > 0) return;
        const reach = multipliers[i] > 0 ? multipliers[i] / (multipliers[i] - trial[place]) : 0;
        if (reach < ratio) [ratio, leaving] = [reach, place];
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
  throw new RangeError(`"normals" expected constraints whose multipliers settle, got ${rows} that do not`);
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
